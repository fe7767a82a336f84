"""The register of erasures held against the ledger, which knows what was erased and under which key it was marked.

Invariant: what does not fit is told until the owner has the register made anew (`rebuild`, which the ledger notes), and no
erasure on top of it hides it.  A register that is there and does not fit is not used: nothing is taken in that it might have
refused.  Where it is gone, what is said anew is taken in, and the memory goes on forgetting under a new key.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from graphmem.errors import StoreError
from graphmem.ledger import Entry, Ledger
from graphmem.register import Register, event_of, is_event, origin_of, path_of, register_of
from graphmem.space import Space
from graphmem.tombstones import Tombstones

BROKEN = ".broken"
MADE = "register_made"  # after which entry of the ledger the register was last made anew, and the check of its key then
_MEND = "put it back from a copy, or make it anew with `graphmem rebuild`"
_LOST = "words that were forgotten before are taken in again where they are said anew"


class Fault(NamedTuple):
    """What is wrong with a register, in a sentence, and whether nothing may be taken in or forgotten until it is right."""

    text: str
    holds: bool


def fault(space: Space) -> Fault | None:
    """What is to be said of a register that is gone, cannot be read or is another than the ledger knows of."""
    path, erased = path_of(space.folder), _known_to(space.ledger)
    if not os.path.lexists(path):
        if not erased:
            return None
        return Fault(
            f"the register of erasures {path} is gone: {_MEND}; the key of its tombstones stood in it alone, so without "
            f"it {_LOST}",
            holds=False,
        )
    try:
        register = register_of(space)
    except StoreError as error:
        return Fault(f"{error}; where there is no copy, make it anew with `graphmem rebuild`", holds=True)
    done = space.ledger.carried_out()
    return _unfit(space, register, [entry for entry in erased if entry.seq <= done])


def _unfit(space: Space, register: Register, erased: list[Entry]) -> Fault | None:
    """What is wrong with a register that can be read."""
    path = register.path
    if register.plain and erased:
        return Fault(f"the register of erasures {path} is not sealed as this memory's was: {_MEND}", holds=True)
    here = {event.name: (event.ids, event.tombs) for event in register.events if event.type != "allowed"}
    told = {one.hash: (tuple(one.subjects), event_of(one, origin="").tombs) for one in erased if is_event(one)}
    recent = _since_made(space.ledger, erased)
    missing = _entered(recent) - here.keys() | {name for name, what in told.items() if here.get(name) != what}
    if missing:
        return Fault(
            f"the register of erasures {path} is not the last one of this memory, for it lacks {len(missing)} of its erasures: "
            f"{_MEND}",
            holds=True,
        )
    checks = _checks(space.ledger, recent)
    if checks and checks[-1] != register.check:
        return Fault(
            f"the register of erasures {path} has another key than this memory's erasures were marked with: {_MEND}", True
        )
    if any(check != register.check for check in checks) or any((one.body or {}).get("lost") for one in recent):
        return Fault(
            f"the register of erasures {path} was begun anew by an erasure when the one before was gone, and {_LOST}: "
            "have it taken as it is with `graphmem rebuild`",
            holds=False,
        )
    return None


def usable(space: Space, *, any_: bool = False) -> bool:
    """Whether an erasure finds the register of those before it; with `any_` one that does not fit is no error.

    Raises:
        StoreError: it is there and does not fit.
    """
    found = fault(space)
    if found is not None and found.holds and not any_:
        raise StoreError(found.text)
    return found is None


def remade(space: Space, *, keep: bool = False) -> str | None:
    """Make a register that does not fit anew from the ledger; what is to be said of that.

    With `keep` one that can be read is kept whatever its key: a restore found it in the memory's place, and it refuses what
    that one forgot.
    """
    found = fault(space)
    if found is None:
        return None
    space.notices[:] = [told for told in space.notices if told != found.text]
    ledger, path = space.ledger, path_of(space.folder)
    erased = ledger.erasures()
    there, aside = os.path.lexists(path), None
    try:
        register = register_of(space)
        checks = _checks(ledger, erased)
        strange = bool(checks) and register.check not in checks and not keep
        bad = there and (strange or (register.plain and bool(_known_to(ledger))))
    except StoreError:
        bad = True
    if bad:
        aside = _set_aside(path)
        register = register_of(space)
    recent = _since_made(ledger, erased)
    whole = there and not bad and all(check == register.check for check in _checks(ledger, recent))
    whole = whole and bool(register.check) and not any((one.body or {}).get("lost") for one in recent)
    register.remake(erased, origin=origin_of(ledger.secret), entropy=space.entropy)
    whole = whole and _entered(recent) <= {event.name for event in register.events}
    ledger.note(MADE, f"{ledger.head()[0]} {register.check}")
    if whole:
        return f"the register of erasures {path} was made whole again from the ledger, and knows all that was forgotten"
    was = "was not there" if not there else "could not be used" if bad else "did not know all that was forgotten"
    moved = "" if aside is None else f"; what lay there is now {aside}"
    return (
        f"the register of erasures {path} {was} and was made anew from the ledger, without the key of earlier tombstones: "
        f"{_LOST}{moved}; if there is a copy of it, put it back before anything else is forgotten, and rebuild again"
    )


def _set_aside(path: Path) -> Path:
    """Move a register out of the way, over none that was moved before."""
    number = 1
    while os.path.lexists(aside := path.with_name(path.name + BROKEN + (f"-{number}" if number > 1 else ""))):
        number += 1
    try:
        os.replace(path, aside)
    except OSError as error:
        raise StoreError(
            f"the register of erasures {path} cannot be moved aside ({error.strerror}): move it by hand"
        ) from error
    return aside


def _known_to(ledger: Ledger) -> list[Entry]:
    """The erasures of which a register tells; those of the first releases had none."""
    return [entry for entry in ledger.erasures() if "tombs" in (entry.body or {})] if ledger.has_type("erased") else []


def _made(ledger: Ledger) -> tuple[int, str]:
    seq, _, check = ledger.noted(MADE).partition(" ")
    return int(seq or 0), check


def _since_made(ledger: Ledger, erased: list[Entry]) -> list[Entry]:
    """The erasures since the register was last taken for what it is."""
    made = _made(ledger)[0]
    return [entry for entry in erased if entry.seq > made]


def _checks(ledger: Ledger, erased: list[Entry]) -> list[str]:
    """The checks of keys of some erasures, after that of the register as it was made; those of earlier releases had none."""
    checks = [_made(ledger)[1], *((entry.body or {}).get("check") for entry in erased)]
    return [str(check) for check in checks if check]


def _entered(entries: list[Entry]) -> set[str]:
    """The erasures that a memory's register held when everything was forgotten, which took them from the ledger."""
    return {str(name) for entry in entries for name in (entry.body or {}).get("entered", ())}


class Watch:
    """The tombstones of a space, read again when the register has changed."""

    def __init__(self, space: Space) -> None:
        self._space = space
        self._stamp: tuple[int, int, int] | None = None
        self._found: Tombstones | None = None

    def tombstones(self) -> Tombstones | None:
        """What holds now; None where nothing was ever forgotten, or the register is gone.

        Raises:
            StoreError: the register cannot be read, or is not the one that the ledger knows of.
        """
        try:
            state = path_of(self._space.folder).stat()
        except FileNotFoundError:
            return None
        stamp = state.st_ino, state.st_mtime_ns, state.st_size
        if stamp != self._stamp:
            found = register_of(self._space).tombstones()
            usable(self._space)
            self._found, self._stamp = found, stamp
        return self._found or None
