"""Precision and recall of the English rules on labelled turns, by kind of statement.

Run `python tests/benchmarks/extraction.py FILE`, FILE having one JSON object a line: `text` (a user's turn), `session_time`,
`previous` (the assistant's turn before as `{"text"}`, or null), `trap` (why nothing of it may become a current fact about the
user, or null) and `items`, each with `kind`, `kind_also`, `relation`, `subject`, `object`, `polarity`, `modality`, `status`
and `optional`.  `--write` puts the table into README.md.

A claim fits a label when the kinds agree (fact and preference are one family), and the subject, the sign, whether it is over,
and at least half of the words of the objects (F1); one claim, one label.  A label that is optional is neither missed nor
wrong when it is found, and neither is a second claim of what another label holds.  Suggestions are not stored, so they are
not counted.  A trap is clean when no current fact, preference or rule of the user's was taken that no label holds.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from graphmem.explanation import Taken, explain
from graphmem.extractors.rules import RuleExtractor
from graphmem.sessions import parse

HERE = Path(__file__).parent
KINDS = ("fact", "preference", "episode", "procedure", "open_item")
STATES = ("fact", "preference")
# Relations whose denial says what another relation says.
_CONTRARY = ("dislikes", "allergic_to")
_STOPS = frozenset(
    re.split(
        r"\s+",
        "a an the my our your his her their i i'm i've i'd we we're you he she it is are am was were be been to of in at on "
        "for with and or as by from that this some any now have has had got",
    )
)


def words(text: str) -> list[str]:
    """The words of a value that carry something, or all of them if none does."""
    found = [word.strip("'’") for word in re.findall(r"[\w'’+#]+", text.casefold())]
    return [word for word in found if word and word not in _STOPS] or found


def alike(left: str, right: str) -> bool:
    """Whether two words are one, or two forms of one."""
    if left == right or any(c.isdigit() for c in left + right):
        return left == right
    common = next(
        (n for n, pair in enumerate(zip(left, right, strict=False)) if pair[0] != pair[1]), min(len(left), len(right))
    )
    return common >= 4 and max(len(left), len(right)) - common <= 3


def overlap(left: str, right: str) -> float:
    """F1 of the words of two values, each used once."""
    ours, theirs = words(left), words(right)
    free, common = list(theirs), 0
    for word in ours:
        other = next((one for one in free if alike(word, one)), None)
        if other is not None:
            free.remove(other)
            common += 1
    return 2 * common / ((len(ours) + len(theirs)) or 1)


def taken(row: Mapping[str, Any], extractor: RuleExtractor, number: int) -> list[Taken]:
    """What an ingest of the turn would store: no suggestions, and nothing that only closes a task."""
    turns = [{"id": "before", "role": "assistant", "text": row["previous"]["text"]}] if row.get("previous") else []
    turns.append({"id": "turn", "role": "user", "text": row["text"]})
    session = parse({"id": f"s{number}", "started": row["session_time"], "turns": turns})
    found = explain(session, extractor=extractor).claims
    supposed = ("possible", "hypothetical")
    return [one for one in found if not (one.done or one.tier == "inferred" or one.hedged or one.modality in supposed)]


def fit(label: Mapping[str, Any], claim: Taken) -> float:
    """How well a claim says what is labelled: 0, or the overlap of their objects."""
    kinds = {label["kind"], *label.get("kind_also", ())}
    kinds |= set(STATES) if kinds & set(STATES) else set()
    state = claim.kind in STATES
    if claim.kind not in kinds:
        return 0.0
    mine, theirs = claim.subject == "user", label["subject"] == "user"
    if (state or not theirs) and mine != theirs:
        return 0.0
    if not mine and not theirs and not any(alike(a, b) for a in words(label["subject"]) for b in words(claim.subject)):
        return 0.0
    share = overlap(label["object"], claim.object)
    if not state:
        share = max(share, overlap(label["object"], claim.text))
    return share if share >= 0.5 and _sign(label, claim, state=state) and _time(label, claim) else 0.0


def _sign(label: Mapping[str, Any], claim: Taken, *, state: bool) -> bool:
    if not state:
        return True
    over = label["status"] in ("past", "ended")
    if over and claim.polarity == "negative" and label["polarity"] == "positive":
        return True  # "no longer X" as X that ended, or as "not X" that holds now
    plain = [(one == "negative") != (relation in _CONTRARY) for one, relation in
             ((label["polarity"], label["relation"]), (claim.polarity, claim.relation))]  # fmt: skip
    if plain[0] == plain[1]:
        return True
    pair = (label["relation"], claim.relation)
    opposed = any(relation in _CONTRARY for relation in pair) and any(
        r in ("likes", "prefers", "favourite", "diet") for r in pair
    )
    return label["polarity"] == claim.polarity and not opposed


def _time(label: Mapping[str, Any], claim: Taken) -> bool:
    over = claim.temporal in ("past", "ended")
    if label["modality"] == "intended" or label["status"] == "future":
        return not over
    if "episode" in (claim.kind, label["kind"]):
        return claim.temporal != "future"
    ended = label["status"] in ("past", "ended")
    return over == ended or (ended and claim.polarity == "negative")


def scored(row: Mapping[str, Any], claims: Sequence[Taken]) -> Iterator[tuple[str, str]]:
    """Pairs of a kind and what came of it: `found`, `missed` (by the label's kind), `wrong` (by the claim's)."""
    labels = row["items"]
    pairs = sorted(
        (
            (not label["optional"], label["relation"] == claim.relation, fit(label, claim), -n, -k)
            for n, label in enumerate(labels)
            for k, claim in enumerate(claims)
            if fit(label, claim)
        ),
        reverse=True,
    )
    held: dict[int, int] = {}
    for *_, n, k in pairs:
        if -n not in held and -k not in held.values():
            held[-n] = -k
    for n, label in enumerate(labels):
        if not label["optional"]:
            yield label["kind"], "found" if n in held else "missed"
    for k, claim in enumerate(claims):
        if k not in held.values() and not any(fit(label, claim) for label in labels):
            yield claim.kind, "wrong"


def clean(row: Mapping[str, Any], claims: Sequence[Taken]) -> bool:
    """Whether nothing current of the user's was taken that no label holds."""
    return not any(
        claim.kind in (*STATES, "procedure")
        and claim.subject == "user"
        and claim.temporal == "current"
        and claim.modality == "asserted"
        and not any(fit(label, claim) for label in row["items"])
        for claim in claims
    )


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """The table in Markdown, with what became of the traps below it."""
    extractor = RuleExtractor()
    counts, traps, kept = Counter[tuple[str, str]](), 0, 0
    for number, row in enumerate(rows):
        claims = taken(row, extractor, number)
        counts.update(scored(row, claims))
        if row.get("trap"):
            traps += 1
            kept += clean(row, claims)
    lines = ["| kind | labelled | found | wrong | precision | recall |", "|---|---:|---:|---:|---:|---:|"]
    for kind in (*KINDS, "together"):
        found, missed, wrong = (
            sum(counts[one, what] for one in (KINDS if kind == "together" else (kind,)))
            for what in ("found", "missed", "wrong")
        )
        shares = [f"{found / (found + other):.3f}" if found + other else "" for other in (wrong, missed)]
        lines.append(f"| {kind.replace('_', ' ')} | {found + missed} | {found} | {wrong} | {shares[0]} | {shares[1]} |")
    return "\n".join([*lines, "", f"{len(rows)} turns; {kept} of {traps} traps clean."])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--write", action="store_true", help="put the table into README.md")
    arguments = parser.parse_args()
    lines = arguments.file.read_text(encoding="utf-8").splitlines()
    text = table([json.loads(line) for line in lines if line.strip()])
    print(text)
    if arguments.write:
        page = HERE / "README.md"
        begin, end = "<!-- extraction -->\n", "\n<!-- /extraction -->"
        head, rest = page.read_text("utf-8").split(begin)
        page.write_text(head + begin + text + end + rest.split(end)[1], "utf-8")


if __name__ == "__main__":
    main()
