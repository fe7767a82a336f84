"""What an examination found: one sentence each, how bad it is, and the command that mends it.

Invariant: a finding names what is wrong and where in words for the owner, and holds nothing of what was remembered.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Literal, NamedTuple

Severity = Literal["damage", "note"]


class Finding(NamedTuple):
    """One thing that is not as it should be.

    Attributes:
        kind: a fixed word for it, such as `ledger-unreadable`.
        severity: `damage` if something is lost, wrong or cannot be used; `note` if it is only good to know.
        place: the file or folder, relative to what was examined.
        text: one sentence.
        command: what mends it, or nothing.
    """

    kind: str
    severity: Severity
    place: str
    text: str
    command: str = ""


class Commands:
    """The commands that mend a space, with its owner filled in where that is known."""

    def __init__(self, folder: Path, owner: tuple[str, str] | None) -> None:
        from graphmem.owner import default_home

        user, space = owner or ("USER", "SPACE")
        named = ["--user", user, "--space", space]
        if folder.parent != default_home().absolute():
            named += ["--home", str(folder.parent)]
        self._folder = folder
        self._named = shlex.join(named)

    def rebuild(self, *more: str) -> str:
        """Build the graph anew."""
        return shlex.join(["graphmem", "rebuild", *more]) + f" {self._named}"

    def compact(self) -> str:
        """Build the graph anew and remove what is left of older ones."""
        return f"graphmem compact {self._named}"

    def restore(self) -> str:
        """Put a backup in its place."""
        return f"graphmem restore FILE --replace --accept-loss {self._named}"

    def remove(self, place: str) -> str:
        """Remove something that does not belong there."""
        return shlex.join(["rm", "-r", str(self._folder / place)])

    def aside(self, place: str) -> str:
        """Move something out of the space's folder."""
        return shlex.join(["mv", str(self._folder / place), "."])

    def link(self, place: str, *, known: bool) -> Finding:
        """The finding for a link: damage where a part of the store should be."""
        severity: Severity = "damage" if known else "note"
        return Finding("link", severity, place, f"{place} is a link and not a part of the store", self.aside(place))

    def close_off(self) -> str:
        """Take the rights of others away."""
        return shlex.join(["chmod", "-R", "go-rwx", str(self._folder)])

    def own(self, place: str) -> str:
        """Give the owner the rights to it."""
        return shlex.join(["chmod", "-R", "u+rwX", str(self._folder / place)])
