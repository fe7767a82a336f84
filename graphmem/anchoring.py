"""The ledger's end as a line that is kept elsewhere, by which a loss of the newest entries shows.

Invariant: a chain of hashes cannot tell that its end is missing, and whoever can write the file can write a whole new chain;
both show only against something that was out of reach: the number and hash of an entry.
"""

from __future__ import annotations

from re import fullmatch

from graphmem.chain import GENESIS
from graphmem.checks import brief
from graphmem.errors import InputError
from graphmem.ledger import Ledger
from graphmem.model import VerifyReport


def line(head: tuple[int, str]) -> str:
    """An anchor in one line."""
    return f"{head[0]}:{head[1]}"


def anchored(text: str) -> tuple[int, str]:
    """The number and hash that an anchor names.

    Raises:
        InputError: it is no anchor.
    """
    found = fullmatch(r"\s*(\d{1,18}):([0-9a-f]{64})\s*", text) if isinstance(text, str) else None
    if found is None:
        raise InputError(f"{brief(text)} is no anchor: give the line that `graphmem anchor` printed, such as 12:ab...")
    return int(found[1]), found[2]


def moored(report: VerifyReport, ledger: Ledger, anchor: tuple[int, str]) -> VerifyReport:
    """The report with what the anchor shows: that the end was lost, or that what is there is another ledger."""
    seq, wanted = anchor
    last = ledger.head()[0]
    found = GENESIS if seq == 0 else ledger.hash_at(seq)
    if found == wanted:
        return report
    if seq > last:
        lost = f"the ledger ends at entry {last}, but entry {seq} was there when the anchor was taken: its end was lost"
    else:
        lost = f"entry {seq}: it is another than the one that the anchor names: the ledger was rewritten"
    return report.model_copy(update={"ledger_ok": False, "problems": (*report.problems, f"{lost}; restore it from a backup")})
