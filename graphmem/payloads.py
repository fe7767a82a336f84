"""How the payload of an entry is kept: as it is, or with its ids as bytes and its words deflated.

Invariant: a dictionary, once released, never changes; a better one gets a number of its own.  Unpacking gives the very
characters that were packed, for the chain is committed to them.

Ids and digests do not compress, and they come between words that do.  So each is taken out and stands as 12 or 32 bytes
behind the deflated text, which has a mark in its place; an id that comes again is marked by its number.  JSON has no
control characters, so no mark can be in a payload.
"""

from __future__ import annotations

import json
import re
import zlib
from functools import cache
from importlib.resources import files

PLAIN = 0
SEALED = 2  # by the key of its space; inside it is one of the others
DEFLATED = 1  # marked text in raw deflate with dictionary 1, then the ids
_SIGN = "\x01"  # begins a mark; the character after it says which: a new id, a digest, or the number of a known id
_NEW, _DIGEST, _KNOWN = "!", '"', 35
_NUMBERED = 90  # ids that can be named again, by one printable character
_HEX = re.compile("[0-9a-f]{64}|[0-9a-f]{24}")


@cache
def dictionary(codec: int) -> bytes:
    """The words that payloads of this codec have in common; the likeliest come last, where they are cheapest to name."""
    parts = json.loads(files("graphmem.data").joinpath(f"payload-{codec}.json").read_text("utf-8"))
    return "".join(parts).encode()


def pack(body: str) -> tuple[int, bytes]:
    """A payload as (codec, bytes), whichever codec is shorter."""
    plain = body.encode()
    if _SIGN in body:
        return PLAIN, plain
    ids: list[bytes] = []
    numbers: dict[str, int] = {}

    def mark(match: re.Match[str]) -> str:
        text = match.group()
        known = numbers.get(text)
        if known is not None:
            return _SIGN + chr(_KNOWN + known)
        ids.append(bytes.fromhex(text))
        if len(text) == 64:
            return _SIGN + _DIGEST
        if len(numbers) < _NUMBERED:
            numbers[text] = len(numbers)
        return _SIGN + _NEW

    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, 9, zlib.Z_DEFAULT_STRATEGY, dictionary(DEFLATED))
    packed = packer.compress(_HEX.sub(mark, body).encode()) + packer.flush() + b"".join(ids)
    return (DEFLATED, packed) if len(packed) < len(plain) else (PLAIN, plain)


def unpack(codec: int, data: bytes) -> str:
    """The payload.

    Raises:
        ValueError: the bytes are not of this codec, or no release knows it.
    """
    if codec == PLAIN:
        return data.decode()
    if codec != DEFLATED:
        raise ValueError(f"payload codec {codec} is not known")
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS, dictionary(DEFLATED))
    try:
        marked = unpacker.decompress(data).decode()
    except zlib.error as error:
        raise ValueError("the payload cannot be unpacked") from error
    if not unpacker.eof:
        raise ValueError("the payload is cut off")
    parts = marked.split(_SIGN)
    ids, place = unpacker.unused_data.hex(), 0
    known: list[str] = []
    try:
        for at in range(1, len(parts)):
            part = parts[at]
            if part[0] == _NEW:
                known.append(ids[place : place + 24])
                parts[at], place = known[-1] + part[1:], place + 24
            elif part[0] == _DIGEST:
                parts[at], place = ids[place : place + 64] + part[1:], place + 64
            else:
                parts[at] = known[ord(part[0]) - _KNOWN] + part[1:]
    except IndexError as error:
        raise ValueError("the payload names an id that it does not have") from error
    if place != len(ids):
        raise ValueError("the payload has too few ids or something behind them")
    return "".join(parts)
