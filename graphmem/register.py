"""The register of erasures: what a space has forgotten, by ids and tombstones, in a file beside the space's folder.

Invariant: the register holds no word and no name.  It lies outside the folder, so no backup has it and none can undo it; it
is written from the ledger's erased entries before those are carried out, and never loses an event.  The key of the
tombstones is made once, stands here and nowhere else: a backup alone cannot be searched for phrases.  That of a sealed space
is sealed as a whole, under the one key of it that outlives all others, so that also an emptied space knows what it forgot.
Events count in their order: what was erased is refused until its owner allows it, and again after the next erasure.
Whether it is the one that the ledger knows of is told by `graphmem.register_watch`.
"""

from __future__ import annotations

import base64
import hmac
import json
import os
from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from graphmem.chain import Entry
from graphmem.errors import KeyUnavailable, SealBroken, StoreError
from graphmem.files import sync
from graphmem.model import iso
from graphmem.records import key
from graphmem.sealing.ciphers import padded, unpadded
from graphmem.sealing.keys import context
from graphmem.sealing.vault import Lasting, Vault, lasting_in
from graphmem.space import Space
from graphmem.tombstones import Marker, Tombs, Tombstones

SUFFIX = ".erasures"
_FORMAT, _VERSION = "graphmem erasures", 1


class Event(NamedTuple):
    """An erasure, or the owner's leave to take words in again.

    Attributes:
        type: `erased`, `everything` or `allowed`.
        name: hash of the ledger's entry, by which an erasure is known; the operation of what was allowed.
        at: when.
        ids: statements that went.
        tombs: of what went.
        marks: of what was allowed.
        origin: for `everything`, the mark of the ledger that went.
    """

    type: str
    name: str
    at: str
    ids: tuple[str, ...] = ()
    tombs: Tombs = Tombs()
    marks: tuple[str, ...] = ()
    origin: str = ""


def origin_of(secret: str) -> str:
    """The mark of a ledger by which an erasure of everything knows it."""
    return key("o", secret)


def is_event(entry: Entry) -> bool:
    """Whether an erased entry is one that a register tells of."""
    return bool(entry.subjects or (entry.body or {}).get("tombs"))


def event_of(entry: Entry, *, origin: str) -> Event:
    """An erased entry as a register tells it."""
    body = entry.body or {}
    everything = bool(body.get("all"))
    return Event(
        "everything" if everything else "erased", entry.hash, iso(entry.at), entry.subjects,
        Tombs.load(body.get("tombs", {})), origin=origin if everything else "",
    )  # fmt: skip


class Register:
    """The register of one space; without a file it is empty.

    Args:
        folder: the space's.
        user, space: whose, and which.
        vault: of a space that is open and sealed; without it a sealed register opens if its space is open in this process.

    Raises:
        StoreError: the file cannot be read.
        KeyUnavailable: it is sealed with keys that are not at hand.
        SealBroken: it is sealed, and was altered or is another space's.
    """

    def __init__(self, folder: Path, user: str, space: str, *, vault: Vault | None = None) -> None:
        self.folder, self.path = folder, path_of(folder)
        self._owner, self._vault = (user, space), vault
        self._lasting: Lasting | None = None
        self._key, self.events = self._read()

    def _read(self) -> tuple[bytes, list[Event]]:
        try:
            said = json.loads(self.path.read_text("utf-8"))
            if said["format"] != _FORMAT or said["version"] != _VERSION:
                raise ValueError(f"it is of format {said['format']!r}, version {said['version']!r}")
            if "sealed" in said:
                said = json.loads(self._opened(str(said["sealed"]), str(said["data"])))
            events = [_event(item) for item in said["events"]]
            return bytes.fromhex(said["key"]), events
        except FileNotFoundError:
            return b"", []
        except StoreError:
            raise
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise StoreError(
                f"the register of erasures {self.path} cannot be read ({error}): put it back from a copy; without it, what was "
                "forgotten is not known again"
            ) from error

    def _opened(self, name: str, data: str) -> bytes:
        """What is sealed in the file, under the key of that name."""
        mine = lasting_in(name) if self._vault is None else self._vault.lasting()
        if mine is None or mine.name != name:
            raise KeyUnavailable(
                f"the register of erasures {self.path} is sealed with other keys than those that were given: put back the "
                "right keys file, or move the register away too if a memory is to begin anew there"
            )
        try:
            opened = unpadded(mine.box.open(base64.b64decode(data, validate=True), context("register", *self._owner)))
        except ValueError as error:
            raise SealBroken(
                f"the register of erasures {self.path} does not open ({error}): put it back from a copy; without it, what was "
                "forgotten is not known again"
            ) from error
        self._lasting = mine
        return opened

    def marker(self, entropy: Callable[[int], bytes]) -> Marker:
        """What makes this space's tombstones; the key is made and written where there is none yet."""
        if not self._key:
            self._key = entropy(32)
            self._write()
        return Marker(self._key, *self._owner)

    @property
    def check(self) -> str:
        """By what a ledger knows the key, and nobody can come to it; empty where there is none."""
        return hmac.digest(self._key, b"the key of a register of erasures", "sha256").hex() if self._key else ""

    @property
    def plain(self) -> bool:
        """Whether the space is sealed and this is not."""
        return self._vault is not None and self._lasting is None

    def tombstones(self) -> Tombstones:
        """What holds after all events."""
        found = Tombstones(Marker(self._key, *self._owner), ())
        for event in self.events:
            if event.type == "allowed":
                found.lift(event.marks)
            else:
                found.add(event.tombs)
        return found

    @property
    def ids(self) -> frozenset[str]:
        """Every statement that ever went; leave to say something again does not bring one back."""
        return frozenset(id_ for event in self.events for id_ in event.ids)

    def everything(self, origin: str) -> datetime | None:
        """When all that a ledger held was erased, if it was."""
        at = [event.at for event in self.events if event.type == "everything" and event.origin == origin]
        return datetime.fromisoformat(at[-1]) if at else None

    def enter(self, erased: Iterable[Entry], *, origin: str) -> None:
        """Take in the erasures of a ledger that are not here yet."""
        known = {event.name for event in self.events}
        # That all is gone is told by another.
        fresh = [event_of(one, origin=origin) for one in erased if one.hash not in known and is_event(one)]
        self.events += fresh
        bare = self._vault is not None and self._lasting is None and bool(self._key)  # left there by a plain memory
        if fresh or bare:
            self._write()

    def remake(self, erased: Iterable[Entry], *, origin: str, entropy: Callable[[int], bytes]) -> None:
        """Make whole, with a key if it has none, what the ledger knows better; what it says otherwise is put right."""
        erased = list(erased)
        ours = {one.hash: event_of(one, origin=origin) for one in erased if is_event(one)}
        self._key = self._key or entropy(32)
        self.events = [ours.get(event.name, event) for event in self.events]
        self.enter(erased, origin=origin)
        self._write()  # also where no event was left to enter

    def allow(self, marks: Collection[str], *, name: str, at: datetime) -> None:
        """Note that the owner allows words again."""
        if marks and all(event.name != name for event in self.events):
            self.events.append(Event("allowed", name, iso(at), marks=tuple(sorted(marks))))
            self._write()

    def _write(self) -> None:
        if self._vault is not None:
            self._lasting = self._vault.lasting(make=True)
        head: dict[str, Any] = {"format": _FORMAT, "version": _VERSION}
        said = {"key": self._key.hex(), "events": [_dump(event) for event in self.events]}
        if self._lasting is not None:
            sealed = self._lasting.box.seal(padded(_json(said)), context("register", *self._owner))
            said = {"sealed": self._lasting.name, "data": base64.b64encode(sealed).decode()}
        _put(self.path, _json(head | said) + b"\n")


def carry(folder: Path, target: Path) -> None:
    """Put the register of a space beside another folder of the same space, in the place of one that is there.

    As it lies: one that is sealed need not be open, and opens there with the same keys.
    """
    path = path_of(folder)
    if path.exists() and path != path_of(target):
        _put(path_of(target), path.read_bytes())


def _put(path: Path, data: bytes) -> None:
    fresh = path.with_name(path.name + ".new")
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    sync(fresh)
    os.replace(fresh, path)
    sync(path.parent)


def _json(said: Any) -> bytes:
    return json.dumps(said, separators=(",", ":")).encode()


def path_of(folder: Path) -> Path:
    """Where the register of the space in a folder lies."""
    return folder.with_name(folder.name + SUFFIX)


def register_of(space: Space) -> Register:
    """The register of an open space."""
    return Register(space.folder, space.user, space.space, vault=space.seal.vault)


def _dump(event: Event) -> dict[str, Any]:
    said: dict[str, Any] = {"type": event.type, "name": event.name, "at": event.at}
    if event.type == "allowed":
        return said | {"marks": list(event.marks)}
    said |= {"ids": list(event.ids), "tombs": event.tombs.dump()}
    return said | ({"origin": event.origin} if event.origin else {})


def _event(said: dict[str, Any]) -> Event:
    if said["type"] not in ("erased", "everything", "allowed"):
        raise ValueError(f"it holds an event {said['type']!r} that this release does not know")
    return Event(
        said["type"], str(said["name"]), str(said["at"]), tuple(said.get("ids", ())),
        Tombs.load(said.get("tombs", {})), tuple(said.get("marks", ())), str(said.get("origin", "")),
    )  # fmt: skip
