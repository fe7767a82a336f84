"""Figures on personal data: numbers that check are found and told apart from those that do not; no planted secret is kept."""

from __future__ import annotations

import json
import re
from math import sqrt

import personal_planted
import personal_set
import pytest
from test_memory import Clock
from test_personal_data import STARTED, kept

from graphmem import Memory
from graphmem.personal.identifiers import identifiers
from graphmem.personal.masks import secrets_in

SEED = 20261130
CHECKED = {"iban", "card", "national_id"}


def interval(hits: int, n: int) -> str:
    """The share with Wilson's interval at 95 %."""
    p, z = hits / n, 1.96
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return f"{p:.3f} [{middle - half:.3f}, {min(middle + half, 1):.3f}]"


def found(text: str) -> list[tuple[str, str]]:
    marks = [*identifiers(text), *secrets_in(text)]
    return [(mark.kind, text[mark.start : mark.end]) for mark in marks if mark.kind in CHECKED]


def bare(number: str) -> str:
    return re.sub(r"[\W_]", "", number)


def judged(seed: int) -> tuple[int, list[str], list[str]]:
    """How many were found, those that were missed, and what was found where nothing is."""
    hits, missed, wrong = 0, [], []
    for sentence in personal_set.sentences(seed):
        seen = found(sentence.text)
        right = [
            item for item in seen if sentence.number and item[0] == sentence.kind and bare(item[1]) == bare(sentence.number)
        ]
        hits += bool(right)
        if sentence.number and not right:
            missed.append(f"{sentence.language} {sentence.kind} {sentence.text}")
        wrong += [f"{sentence.language} {kind} in {sentence.text}" for kind, number in seen if (kind, number) not in right]
    return hits, missed, wrong


def test_numbers_that_check_are_found_and_others_are_not():
    all_of_them = list(personal_set.sentences(SEED))
    assert len(all_of_them) == 300 and len({s.text for s in all_of_them}) == 300
    n = sum(s.number is not None for s in all_of_them)
    hits, missed, wrong = judged(SEED)
    print(f"\nn {len(all_of_them)}, with a number {n}", *missed, *wrong, sep="\n")
    print(f"precision {interval(hits, hits + len(wrong))}, recall {interval(hits, n)}")
    assert hits / (hits + len(wrong)) >= 0.99 and hits / n >= 0.98


SECRETS = list(personal_planted.planted(SEED))
CONTROL = "Zanzibar"


def talk():
    turns = [{"role": "user", "text": f"I live in {CONTROL} and I like jazz."}]
    for item in SECRETS:
        if item.question:
            turns.append({"role": "assistant", "text": item.question})
        turns.append({"role": "user", "text": item.text})
    return {"id": "planted", "started": STARTED, "turns": turns}


def forms(needle):
    yield needle.encode()
    yield needle.encode("utf-16-le")
    yield json.dumps(needle)[1:-1].encode()


def left(parts):
    """Which of the planted are still to be read in these bytes."""
    whole = b"\0".join(parts)
    return [i for i, item in enumerate(SECRETS) if any(form in whole for n in item.needles for form in forms(n))]


def test_of_two_hundred_planted_secrets_none_is_kept_or_answered(tmp_path):
    assert len(SECRETS) == 200 and {s.language for s in SECRETS} == {"en", "sv", "fi", "ru"}
    with Memory.open(tmp_path / "home", user="ann", clock=Clock()) as memory:
        report = memory.ingest(talk())
        answers = [report, memory.statements(), memory.start(), memory.profile(), memory.sessions()]
        asked = ("Which password is it?", "What is my key?", "mikä on salasana", "какой пароль")
        answers += [memory.recall(question, min_score=0, k=50) for question in asked]
        memory.backup(tmp_path / "copy.graphmem")
        shown = json.dumps(
            [[item.model_dump(mode="json") for item in (a if isinstance(a, list) else [a])] for a in answers],
            ensure_ascii=False,
        ).encode()
        dump = memory.dump(format="json")
    parts = [*kept(tmp_path / "home"), (tmp_path / "copy.graphmem").read_bytes(), shown, dump]
    bad = left(parts)
    print(f"\nplanted 200, kept {len(bad)}", *(f"{SECRETS[i].language} {SECRETS[i].text!r}" for i in bad), sep="\n")
    assert CONTROL.encode() in b"".join(parts) and CONTROL.encode() in shown
    assert bad == []


def test_the_search_would_have_found_each_of_the_two_hundred(tmp_path, monkeypatch):
    monkeypatch.setattr("graphmem.personal.masks.secrets_in", lambda text, before=None: [])
    with Memory.open(tmp_path / "home", user="ann", clock=Clock()) as memory:
        memory.ingest(talk())
    assert len(left(kept(tmp_path / "home"))) == 200


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_other_numbers_in_the_same_sentences_do_as_well(seed):
    hits, missed, wrong = judged(seed)
    assert hits / (hits + len(wrong)) >= 0.99 and hits / (hits + len(missed)) >= 0.98
