"""An export put in a place of its own: read, checked, recorded aside, and moved into place whole.

Invariant: as with a backup, a kill leaves no space or the new one.  An export never takes the place of a memory that is
there, whose ledger it does not have; what that memory erased since is erased again where both lie in one home.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from graphmem import embed, failpoints
from graphmem.errors import InputError, KeyUnavailable
from graphmem.export_records import ENDS, contents, format_of, graph, read
from graphmem.files import sync
from graphmem.head import LEDGER
from graphmem.held import Held
from graphmem.lifecycle import from_export
from graphmem.lifecycle.examine import RESTORING
from graphmem.lifecycle.reerase import erase_again, known_erasures, of_everything
from graphmem.lifecycle.restore import Restored, check_free, rename, tidy
from graphmem.lifecycle.staging import staged
from graphmem.owner import check_owner, folder_name
from graphmem.register import Register, carry, path_of
from graphmem.sealing.keys_file import FOLDER as KEYS
from graphmem.sealing.keys_file import keys_of
from graphmem.space import Space
from graphmem.unlocking import PLAIN, Sealing, keys_made_for, unlocked


def is_export(path: Path) -> bool:
    """Whether a file is meant as an export and not as a backup, by the end of its name or how it begins."""
    if path.suffix.lower() in ENDS:
        return True
    try:
        with path.open("rb") as file:
            return file.read(64).lstrip()[:1] in (b"<", b"@", b"{", b"[")
    except OSError:
        return False


def arrive(
    source: Path,
    home: Path,
    *,
    user: str | None,
    space: str | None,
    clock: Callable[[], datetime],
    entropy: Callable[[int], bytes],
    wait: float,
    engine: str | None = None,
    format: str | None = None,
    foreign: bool = False,
    anchor: tuple[int, str] | None = None,
    sealing: Sealing = PLAIN,
) -> Restored:
    """Make a memory from an export, or from somebody else's RDF with the same vocabulary.

    Raises:
        InputError: the file is no export, was altered, is another user's, or there is a memory in its place.
    """
    held = None if foreign else read(source, format)
    if held is None and not foreign:
        raise InputError(f"{source} is no export of a memory: import it as a stranger's with --foreign (foreign=True)")
    owner = _owner(held, user, space)
    target = home / folder_name(*owner)
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    tidy(home)
    check_free(target, owner, replace=False)
    notices: list[str] = []
    behind: tuple[str, ...] = ()
    with staged(home, RESTORING) as aside, keys_made_for(keys_of(target, sealing.keys)):
        own_keys = sealing._replace(keys=sealing.keys or home / KEYS)
        how: dict[str, Any] = {"clock": clock, "entropy": entropy, "engine": engine, "sealing": own_keys}
        with Space(aside / "new", user=owner[0], space=owner[1], wait=wait, **how) as made:
            if held is not None:
                checked = from_export.check(held, str(source), anchor=anchor)
                from_export.record(made, held, checked, str(source), embedder=embed.embedder(embed.DEFAULT))
                notices += checked.notices
                behind = checked.behind
            else:
                from graphmem.lifecycle.foreign import take_in

                data = contents(source)
                kind = format or format_of(source, data[:4096])
                if kind == "json":
                    raise InputError(f"{source} is JSON: only RDF can be imported as a stranger's")
                notices += take_in(made, graph(source, data, kind), str(source), embedder=embed.embedder(embed.DEFAULT))
        own = aside / "new" / target.name
        if held is not None:
            with _opened(own, home / folder_name(held.user, held.space), owner[0], own_keys):
                notices += _erased_since(held, home, own, owner, aside / "new", how)
        for part in (own / LEDGER, own, own.parent):
            sync(part)
        failpoints.reach("restore.before-rename")
        check_free(target, owner, replace=False)
        rename(own, target)
        sync(home)
    return Restored(*owner, embed.DEFAULT, (*notices, *behind))


def _owner(held: Held | None, user: str | None, space: str | None) -> tuple[str, str]:
    if held is None:
        if user is None:
            raise InputError("whose memory a stranger's file is to become must be said: name the user")
        return check_owner(user, space or "default")
    owner = check_owner(held.user if user is None else user, held.space if space is None else space)
    if owner[0] != held.user:
        raise InputError("the export holds the memory of another user: a memory can only be restored for whom it is")
    return owner


@contextmanager
def _opened(own: Path, origin: Path, user: str, sealing: Sealing) -> Iterator[None]:
    """What a new memory and the one that was exported have sealed can be read meanwhile, as far as the key goes."""
    with ExitStack() as opened:
        for folder in (own, origin):
            with suppress(KeyUnavailable):  # the origin may have another key, or none
                opened.enter_context(unlocked(folder, user, sealing))
        yield


def _erased_since(held: Held, home: Path, own: Path, owner: tuple[str, str], place: Path, how: dict[str, Any]) -> list[str]:
    """Erase again what the memory that was exported, if it lies in the same home, has erased."""
    origin, target = home / folder_name(held.user, held.space), home / own.name
    if not any((origin / LEDGER).exists() or path_of(folder).exists() for folder in (origin, target)):
        return []
    known, problem = known_erasures(origin, own / LEDGER, (held.user, held.space))
    if any(map(of_everything, known.erasures)) or any(e.type == "everything" for r in known.registers for e in r.events):
        raise InputError(
            f"everything in {origin} was erased, and this export would bring it back: restore it into another home"
        )
    if target != origin and path_of(target).exists():  # of a memory that was there once
        known = known._replace(registers=(*known.registers, Register(target, *owner)))
    if not known.any:
        return [] if problem is None else [f"{problem}: what was erased since the export may be there again"]
    count = erase_again(place, owner, known, **how)
    carry(own, target)
    return [f"{count} statements that were erased after the export was made were erased again"] if count else []
