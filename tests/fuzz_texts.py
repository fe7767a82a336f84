"""Random and mutated transcripts for the fuzz run: sentences of the shipped examples with everything done to them.

Invariant: a transcript is a function of the seed and its number alone.
"""

from __future__ import annotations

import json
import random
import re
from functools import cache
from importlib.resources import files
from typing import Any

from graphmem.extractors.catalogue import ordered

JUNK = [
    "\u202e", "\u202d", "\u2066", "\u2069", "\u200b", "\u200d", "\ufeff", "\u00ad", "\u0301", "\u0489", "\u2028",
    "\u0085", "\x00", "\x1b[31m", "\x07", "\ud800", "\udfff", "\ufffd", "\U000e0041", "\uffff", "\u3000", "\t", "\r",
    "\r\n", "\n", "\n\n", "ﬁ", "ǅ", "İ", "ß", "㎞", "½", "²", "①", "Ⅻ", "٣", "१", "𝟜", "\u1100\u1161", "e\u0301",
    "🙂", "👩‍👩‍👧‍👦", "🇫🇮", "👍🏽", "❤️", "☃", ":)", ":-D", "^^", "¯\\_(ツ)_/¯",
]  # fmt: skip
MARKS = [
    *"\"'“”„«»‘’`()[]{}<>|/\\*_~#@&%$€…—–-+=.,;:!?", "...", "!!!", "?!", "```", "~~~", "--", "''", '""', "('", '"\n',
]  # fmt: skip
FOREIGN = [
    "minä asun Turussa", "jag bor i Lund", "я живу в Твери", "我住在上海", "أسكن في القاهرة", "אני גר בחיפה",
    "मैं दिल्ली में रहता हूँ", "나는 부산에 산다", "ฉันอยู่เชียงใหม่", "ich wohne in Graz", "j'habite à Lyon",
    "μένω στην Πάτρα", "私は札幌に住んでいます", "მე ვცხოვრობ ბათუმში",
]  # fmt: skip
CODE = [
    "```py\nlives_in = 'Oslo'\nprint(f\"I own {n} cats\")\n```", "SELECT * FROM homes WHERE city = 'Lund';",
    '{"name": "Ana", "age": 3', "git commit -m 'I moved to Turku'", "<div>I work at <b>Nokia</b>", "for (;;) { i++ }",
    "> I have two dogs", "| a | b |", "On Monday Ana wrote:\nI am a nurse",
    "From: a@b.c\nTo: d@e.f\nSubject: x\n\nI live here", "user: hi\nassistant: ho\nuser: I ski",
    "https://example.org/?q=I+live+in+Oslo&x=1#y", "a@example.org", "C:\\Users\\me", "10.0.0.1:8080",
    "$ sudo rm -rf /", "\\d+(?:[",
]  # fmt: skip
DATES = [
    "31 February 2025", "29 February 2023", "29 Feb", "0 January", "32/13/2024", "00/00/0000", "2024-02-30",
    "9999-12-31", "0001-01-01", "1 January 10000", "year 0", "in 99999", "since 12345678", "in the year 1",
    "the 400th of May", "May 0", "12/12/12", "7.8.9", "in 1000000000 days", "999999999999 years ago", "-5 days ago",
    "0 weeks ago", "in 1e9 years", "in half a century", "3.5 months ago", "a billion years from now",
    "next next next week", "the day after the day after tomorrow", "last century", "in the 1800s", "the '90s",
    "at 25:61", "at 24:00", "at 99 pm", "at 0 am", "13 o'clock", "between 31 and 30 April", "from May to March",
    "until yesterday", "by the end of last tomorrow", "every 0 days", "every 31st", "every other Blursday",
    "twice a fortnight", "for -1 years", "Q5 2024", "week 60", "summer 0", "Easter 20000", "two thousand and many",
    "since ever", "²⁰²⁴", "٢٠٢٤", "二〇二四年", "１２ March", "1st of 2nd of 3rd",
    "tomorrow at noon on Monday in May 2019", "2019-2018", "1990-", "-1990", "circa 5000 BC", "10^30 days ago",
    "10**9 weeks ago", "December 9999", "end of 9999", "next year", "last year", "in 300 years", "8000 years ago",
    "in 7980 years", "a decade ago",
]  # fmt: skip
NUMBERS = [
    "0", "-1", "1e999", "NaN", "inf", "007", "1,000,000", "1.000.000,00", "3½", "9" * 400, "0x1F", "1/0", "½", "١٢",
    "twelvety", "%",
]  # fmt: skip
STARTS = [
    "2025-05-14T10:30:00+03:00", "2024-02-29T23:59:59Z", "2023-12-31T23:59:59-12:00", "2025-03-30T02:30:00+02:00",
    "1970-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "0001-01-02T12:00:00+14:00", "9999-12-31T23:59:59Z",
    "9999-12-30T00:00:00-14:00", "9998-06-01T00:00:00+00:01",
]  # fmt: skip
ROLES = ["user", "user", "user", "user", "assistant", "tool", "document", "system", "memory"]
SPEAKERS = [None, None, None, None, "u", "Ana", "Ana Lind", "\u202eanA", "Åsa", "我", "user", " "]


@cache
def sentences() -> tuple[str, ...]:
    """Sentences of the shipped transcripts, and the examples that every rule brings."""
    found: list[str] = []
    for item in sorted(files("graphmem.data").joinpath("transcripts").iterdir(), key=lambda item: item.name):
        text = item.read_text(encoding="utf-8")
        lines = [json.loads(line) for line in text.splitlines()] if item.name.endswith("jsonl") else []
        turns = [turn["text"] for line in lines for turn in line["turns"]] or text.splitlines()
        found += [piece for turn in turns for piece in re.split(r"(?<=[.!?])\s", turn) if piece]
    return tuple(dict.fromkeys([*found, *(text for rule in ordered() for text, _ in rule.examples)]))


def sentence(rng: random.Random) -> str:
    """A sentence with some words swapped, deleted, doubled, exchanged, joined, or with something put between them."""
    words = rng.choice(sentences()).split(" ")
    for _ in range(rng.choice((0, 1, 1, 2, 3, 6))):
        at = rng.randrange(len(words)) if words else 0
        act = rng.randrange(14)
        if not words or act == 0:
            words.insert(at, rng.choice(rng.choice((JUNK, MARKS, DATES, NUMBERS, FOREIGN, CODE))))
        elif act == 1:
            other = rng.randrange(len(words))
            words[at], words[other] = words[other], words[at]
        elif act == 2:
            del words[at]
        elif act == 3:
            words[at:at] = [words[at]] * rng.choice((1, 1, 2, 40))
        elif act == 4:
            words[at] = rng.choice(rng.choice(sentences()).split(" "))
        elif act == 5:
            words[at:] = rng.choice(sentences()).split(" ")[-rng.randrange(1, 9) :]
        elif act in (6, 7):
            words.insert(at, rng.choice(DATES if act == 6 else NUMBERS))
        elif act == 8:
            place = rng.randrange(len(words[at]) + 1)
            words[at] = words[at][:place] + rng.choice(rng.choice((JUNK, MARKS))) + words[at][place:]
        elif act == 9:
            words[at] = rng.choice((str.upper, str.lower, str.title, str.swapcase))(words[at])
        elif act == 10:
            words[at : at + 2] = ["".join(words[at : at + 2])]
        elif act == 11:
            words[at] = rng.choice(("", "'", "-", "\u0301")).join(words[at])
        elif act == 12:
            words.insert(at, rng.choice(MARKS))
        else:
            words[at] = "".join(rng.sample(words[at], len(words[at])))
    return rng.choice((" ",) * 12 + ("  ", "\n", "\u00a0", "", ", ")).join(words)


def text(rng: random.Random) -> str:
    """A turn's words: mostly mutated sentences, at times something that nobody would say."""
    kind = rng.randrange(2_000)
    if kind == 0:  # a line of 100,000 characters
        unit = rng.choice(
            (sentence(rng), "a", "\u202e", "🙂", "I am ", "(", '"', "no, ", "\n> ", "9", "'s", "- ", "```", "e\u0301", "I'm:")
        )
        return (unit or "x") * (100_000 // max(len(unit), 1))
    if kind < 12:  # a very long word
        word = rng.choice("aI9é我_-\u0301") * rng.choice((300, 3_000, 12_000))
        return f"{sentence(rng)} {word} {sentence(rng)}"
    if kind < 60:
        return "".join(chr(rng.choice((rng.randrange(32, 127), rng.randrange(0x110000)))) for _ in range(rng.randrange(1, 80)))
    if kind < 110:
        return "".join(rng.choice(rng.choice((JUNK, MARKS, DATES, NUMBERS, [" "]))) for _ in range(rng.randrange(1, 40)))
    parts = [sentence(rng) for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5)))]
    if kind < 300:
        parts.insert(rng.randrange(len(parts) + 1), rng.choice(rng.choice((CODE, FOREIGN, JUNK))))
    return rng.choice((" ", " ", " ", "\n", ". ", " — ", "; ", "\n\n", '" ')).join(parts)


def transcript(seed: int, number: int) -> dict[str, Any]:
    """A session of one to six turns, most of one."""
    rng = random.Random(f"{seed}/{number}")
    turns = []
    for _ in range(rng.choice((1,) * 9 + (2, 2, 6))):
        said = text(rng)
        turn: dict[str, Any] = {"role": rng.choice(ROLES) if turns or rng.random() < 0.1 else "user", "text": said}
        if speaker := rng.choice(SPEAKERS):
            turn["speaker"] = speaker
        if said and rng.random() < 0.05:
            start = rng.randrange(len(said))
            end = rng.randrange(start, len(said)) + 1
            turn["spans"] = [{"start": start, "end": end, "role": rng.choice(("quoted", "memory"))}]
        turns.append(turn)
    started = rng.choice(STARTS if rng.random() < 0.5 else STARTS[:1])
    return {"id": f"f{number}", "started": started, "turns": turns}


def as_file(seed: int, number: int) -> bytes:
    """The transcript as a file in one of the formats, at times with a few bytes that do not belong there."""
    rng = random.Random(f"file/{seed}/{number}")
    data = transcript(seed, number)
    form = rng.randrange(4)
    if form == 0:
        lines = [f"# {data['started']}", *(f"{turn['role'].title()}: {turn['text']}" for turn in data["turns"])]
        raw = "\n".join(lines).encode("utf-8", "surrogatepass")
    elif form == 1:
        raw = json.dumps([{"role": turn["role"], "content": turn["text"]} for turn in data["turns"]]).encode()
    else:
        raw = json.dumps(data if form == 2 else [data], ensure_ascii=form == 2).encode("utf-8", "surrogatepass")
    if rng.random() < 0.5:
        at = rng.randrange(len(raw))
        raw = raw[:at] + rng.randbytes(rng.randrange(4)) + raw[at + rng.randrange(3) :]
    return raw
