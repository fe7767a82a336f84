"""Which way a sentence looks from a place in it: past, perfect, future or unknown, from the verbs nearby.

Invariant: pure and cheap: no model, one pass over the tokens of the sentence.  Where nothing speaks for the past the
answer is `None`, which callers read as "ahead": a plan is what people give bare dates to.
"""

from __future__ import annotations

from collections.abc import Sequence

from graphmem.extractors.timex_lexer import Token
from graphmem.extractors.timex_verbs import (
    BE,
    BETWEEN,
    FUTURE,
    HAVE,
    IRREGULAR_PAST,
    JOINTS,
    MOVED,
    NOT_PAST,
    PLANNED,
    PRESENT,
)

PAST, PERFECT, AHEAD, NOW = "past", "perfect", "future", "present"
# A place further away says nothing about a verb, and a text without full stops stays cheap.
WINDOW = 60


def tense_at(tokens: Sequence[Token], first: int, last: int) -> str | None:
    """The tense that governs tokens[first:last]: of its own clause, else of the clauses around it."""
    left, right = _sentence(tokens, first, last)
    joints = [i for i in range(left, right) if _is_joint(tokens, i) and not first <= i < last]
    start = max([i for i in joints if i < first], default=left)
    end = min([i for i in joints if i >= last], default=right)
    cue = _of_clause(tokens, start, end, first) or _of_clause(tokens, left, start, start) or _of_clause(tokens, end, right, end)
    return None if cue == NOW else cue


def _sentence(tokens: Sequence[Token], first: int, last: int) -> tuple[int, int]:
    left, right = first, last
    while left > max(0, first - WINDOW) and tokens[left - 1].kind != "stop":
        left -= 1
    while right < min(len(tokens), last + WINDOW) and tokens[right].kind != "stop":
        right += 1
    return left, right


def _is_joint(tokens: Sequence[Token], i: int) -> bool:
    token = tokens[i]
    return token.kind == "comma" or token.kind == "dash" or token.word in JOINTS


def _of_clause(tokens: Sequence[Token], start: int, end: int, place: int) -> str | None:
    if start >= end:
        return None
    cues = [(i, cue) for i in range(start, end) if tokens[i].kind == "word" and (cue := _cue(tokens, i, start))]
    if any(cue == AHEAD and i < place for i, cue in cues):
        return AHEAD
    for wanted in (reversed([c for c in cues if c[0] < place]), [c for c in cues if c[0] >= place]):
        for _, cue in wanted:
            return cue
    return None


def _cue(tokens: Sequence[Token], i: int, start: int) -> str | None:
    word = tokens[i].word
    if word in FUTURE or word.endswith("'ll"):
        return AHEAD
    if _plans(tokens, i) or _moves(tokens, i):
        return AHEAD
    if word in HAVE or word.endswith("'ve"):
        return AHEAD if _next(tokens, i) == "to" else PERFECT if _participle_follows(tokens, i) else NOW
    if word in ("he's", "she's") and i + 1 < len(tokens) and _is_past_form(tokens[i + 1].word):
        return PERFECT
    if word.endswith("'s") and _participle_follows(tokens, i) and _next(tokens, i) in ("been", "had", "got"):
        return PERFECT
    if word in BE or word.endswith(("'re", "'m")):
        return AHEAD if any(t.word.endswith("ing") for t in tokens[i + 1 : i + 3]) else NOW
    if not _is_past_form(word):
        return NOW if word in PRESENT or _follows_pronoun(tokens, i) else None
    before = _previous_verbal(tokens, i, start)
    if before in HAVE or before.endswith("'ve") or (word == "been" and before.endswith("'s")):
        return PERFECT
    if before in BE or before in FUTURE or before == "to":
        return None
    return PAST


def _follows_pronoun(tokens: Sequence[Token], i: int) -> bool:
    """Whether the word is the verb of "we fly": a present tense, if it is no past form."""
    plain = tokens[i].word not in BETWEEN and not tokens[i].word.endswith(("ly", "'d"))
    return plain and i > 0 and tokens[i - 1].word in ("i", "we", "they", "you")


def _is_past_form(word: str) -> bool:
    return word in IRREGULAR_PAST or (len(word) > 3 and word.endswith("ed") and word not in NOT_PAST)


def _next(tokens: Sequence[Token], i: int) -> str:
    return tokens[i + 1].word if i + 1 < len(tokens) else ""


def _plans(tokens: Sequence[Token], i: int) -> bool:
    """Reads "decided to", "want to", "committed to finishing": what follows lies ahead, even if the plan was made before."""
    return tokens[i].word in PLANNED and _next(tokens, i) == "to"


def _moves(tokens: Sequence[Token], i: int) -> bool:
    """Reads "moved the review to Friday": the new date lies ahead of the moving."""
    if tokens[i].word not in MOVED:
        return False
    for j in range(i + 1, min(i + 7, len(tokens) - 1)):
        if tokens[j].word == "to" and tokens[j + 1].kind in ("weekday", "next", "month", "day", "ord", "num", "date"):
            return True
    return False


def _participle_follows(tokens: Sequence[Token], i: int) -> bool:
    for j in range(i + 1, min(i + 5, len(tokens))):
        if _is_past_form(tokens[j].word):
            return True
        if tokens[j].word not in BETWEEN and not tokens[j].word.endswith("ly"):
            # "have worked", "has run": the participle may be a form that the lists lack, so one word is allowed.
            return tokens[j].word in ("run", "come", "become", "put", "read", "cut", "hit", "let", "set")
    return False


def _previous_verbal(tokens: Sequence[Token], i: int, start: int) -> str:
    j = i - 1
    while j > start and (tokens[j].word in BETWEEN or tokens[j].word.endswith("ly")):
        j -= 1
    return tokens[j].word if j >= start else ""
