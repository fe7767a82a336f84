"""Open items read from the form of a sentence: to-do lists, notes to self, "can you ask me whether ...".

Invariant: each form is one pattern; a sentence makes the items of the first form that it has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.extractors.english import Sentence

_TODO = re.compile(
    r"^\W*(?:my )?to[- ]?do(?:s| list)?(?: today| tomorrow)?(?: for (?:me|us|today|tomorrow))?\s*:\s*",
    re.IGNORECASE,
)


# "two things outstanding on my end: sign the lease and send Ana her keys"
_OUTSTANDING = re.compile(
    r"^\W*(?:(?:still|what'?s|my|the|\w+) ){0,3}?(?:things?|tasks?|items?|jobs?|errands?|chores?|bits|stuff|left|"
    r"outstanding|pending|"
    r"remaining)(?: (?:i|we) (?:still )?(?:need|have|must)(?: to(?: do| sort)?)?)?"
    r"(?: (?:outstanding|left|pending|to do|to sort(?: out)?|to finish|to get done|remaining|still open|on (?:my|"
    r"our) (?:list|plate|end|side|desk)|"
    r"before [\w ]{3,20}|for (?:today|tomorrow|this week|me|the week)|this week|today)){1,3}\s*:\s*",
    re.IGNORECASE,
)
_OWED = re.compile(
    r"\b(?:still |really )?owes? (?:me|us) (?P<task>(?!(?:a|an|one|his|her|my) (?:apology|explanation|favou?r|drink|"
    r"beer|life|living)|"
    r"one\b|nothing\b|everything\b|big\b)[^.,!?;]{3,60})",
    re.IGNORECASE,
)


_LATE_NOTE = re.compile(
    r"^\W*(?P<task>(?!(?:i|we|you|it|the|that|this)\b)[a-z]+ [^.!?]{4,80}?),? (?:note to self|"
    r"that'?s (?:still )?on my list|still on my list|on my to-?do list)\W*$",
    re.IGNORECASE,
)


_FORGET = re.compile(r"\b(?:don'?t|do not) let me forget (?:to |about )?(?P<task>[^?.!,]+)", re.IGNORECASE)


_ASK_ME = re.compile(
    r"\b(?:can|could|would|will) you (?:please )?(?:(?:ask|check with) me\b[^?.!]*?\b(?:whether|if)|"
    r"(?:remind|poke|ping|nudge|chase) me\b[^?.!]*?\b(?:whether|if|about)) (?P<task>[^?.!]{3,80})",
    re.IGNORECASE,
)


_NOTE = re.compile(
    r"^\W*(?:note to self|reminder(?: to self| for me)?|mental note|before i forget|must not forget|next (?:up|"
    r"on my list|on the list)|still "
    r"(?:to do|on my list|on my plate)|on my list)\s*[:-]\s*"
    r"(?:to )?(?P<task>[a-z][^.!?]{4,90})",
    re.IGNORECASE,
)


_LEFT = re.compile(
    r"^\W*(?P<task>(?:[\w' -]{3,30}: )?(?:still )?(?:(?:got|have) )?(?:\d+|two|three|four|five|six|seven|"
    r"eight|nine|ten|a dozen|a few|one|several) (?:more )?(?:[\w-]+ ){0,3}"
    r"(?:left|still|yet) to (?P<verb>[a-z]+)[^.!?]{0,40})\W*$",
    re.IGNORECASE,
)


_NOT_DONE = re.compile(
    r"^\W*(?:i |we )?(?:still )?(?:haven'?t|have not|never) (?:got(?:ten)?|gotten) (?:round|around) to "
    r"(?P<task>[a-z]+ing [^.!?,]{3,60}?)(?: yet)?\W*$",
    re.IGNORECASE,
)


_FOLLOW = re.compile(
    r"\b(?:can|could|would|will) you (?:please |pls )?(?P<task>(?:follow up|check back|circle back|remind(?! "
    r"me (?:how|what|why|where|who|which|of)\b)|ping|"
    r"nudge)\b[^?.!]*)",
    re.IGNORECASE,
)


def of_text(sentence: Sentence) -> Iterator[tuple[int, int, str]]:
    """Open items found in the words of a sentence: (start, end, verb) of to-do lists, needs without a subject, follow-ups."""
    text = sentence.text
    if sentence.mark != "?" and (late := _LATE_NOTE.search(text)) is not None:
        yield late.start("task"), late.end("task"), late.group("task").split()[0].lower()
        return
    found = _TODO.search(text) or _OUTSTANDING.search(text)
    if found:
        at = found.end()
        verbs = "|".join({re.escape(w.low) for w in sentence.words if w.tag in ("VB", "VBP") and w.low.isalpha()} | {"(?!)"})
        for part in re.split(rf"(\s*,\s*(?:and )?|\s+and\s+(?=[a-z]+ (?:the|a|my)\b|(?:{verbs})\b))", text[at:]):
            length = len(part)
            stripped = part.strip(" .,!")
            if len(stripped.split()) >= 2:
                start = at + part.index(stripped)
                yield start, start + len(stripped), stripped.split()[0].lower()
            at += length
        return
    forget = _FORGET.search(text)
    if forget:
        yield forget.start("task"), forget.end("task"), forget.group("task").split()[0].lower()
        return
    if (asked := _ASK_ME.search(text)) is not None:
        yield asked.start("task"), asked.end("task"), "ask"
        return
    if sentence.mark != "?":
        for pattern in (_NOTE, _LEFT, _NOT_DONE, _OWED):
            if (noted := pattern.search(text)) is not None:
                yield (
                    noted.start("task"),
                    noted.end("task"),
                    (noted.groupdict().get("verb") or noted.group("task").split()[0]).lower(),
                )
                return
    follow = _FOLLOW.search(text)
    if follow:
        inner = re.search(r"\bme\b[^.?!]*?\bto (?P<what>\w+ .+)$", follow.group("task"))
        if inner:
            at = follow.start("task") + inner.start("what")
            yield at, at + len(inner.group("what")), inner.group("what").split()[0].lower()
        else:
            yield follow.start("task"), follow.end("task"), follow.group("task").split()[0].lower()
