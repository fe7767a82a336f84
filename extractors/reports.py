"""Reports: what is told of a named thing that is not the speaker's own ("the capital of X is Y", "X was founded by Y").

Invariant: a report is a sentence of one of a few closed forms and nothing more: a definite description or a passive or
typed complement, a name as its subject and a value without a verb.  Anything with a pronoun, a doubt, a "not" or a
condition is none, and what merely looks like chat about people and things ("X owns Y", "X is great") stays out.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from graphmem.extractors.english import Sentence

APOSTROPHES = ("'", "’")
SLOT = "…"  # stands in a frame for the thing that is told of


class Report(NamedTuple):
    """What is told of one thing: character spans in the sentence of the thing and of the value, and the frame around both."""

    subject: tuple[int, int]
    object: tuple[int, int]
    frame: str


# Words that make a sentence more than a report: persons of the conversation, doubt, denial, condition, time.
_BARRED = re.compile(
    r"\b(?:I|me|my|mine|we|us|our|you|your|he|him|his|she|her|it|its|they|them|their|who|not|never|no|maybe|perhaps|"
    r"possibly|probably|apparently|allegedly|supposedly|may|might|could|would|should|will|if|unless|whether|think|thinks|"
    r"believe|says?|said|told|claims?|heard|hope|wish|but|because|although|however|so|please|there|this|that's|here|"
    r"yesterday|today|tomorrow|now|currently|always|just|very|too|also)\b|n['’]t\b|[?;:\"“”]",
    re.IGNORECASE,
)
_BE = r"(?:is|are|was|were)"
# What is named by a word of its kind has one value: "the city of", "the position of".
_TYPED = r"the [a-z]+(?: [a-z]+)? of"
_PARTICIPLE = r"[a-z]+(?:ed|wn|en|lt|ght|d|ade)"
_DESCRIBED = re.compile(
    rf"^(?P<frame>(?i:the) [A-Za-z]+(?: (?!{_BE}\b)[A-Za-z]+){{0,6}}? (?:of|in|behind|for) )(?P<subject>(?:the )?\S.*?)"
    rf" (?P<tail>{_BE}) (?P<object>\S.*)$"
)
_RELATIVE = re.compile(
    rf"^(?P<frame>(?i:the) [a-z]+(?: [a-z]+){{0,5}}? (?:that|which|where|(?:on|in|at) which) )"
    rf"(?P<subject>[A-Z0-9]\S*(?: \S+)*?) (?P<tail>(?:(?:was|is) {_PARTICIPLE}|[a-z]+(?:s|ed)) {_BE}) (?P<object>\S.*)$"
)
_MAKER = re.compile(
    rf"^(?P<frame>(?i:the) [a-z]+(?: [a-z]+){{0,3}}? that [a-z]+ed )(?P<subject>\S.*?) (?P<tail>{_BE}) (?P<object>\S.*)$"
)
_POSSESSED = re.compile(rf"^(?P<subject>[A-Z0-9].*?)(?P<tail>['’]s [a-z]+(?: [a-z]+){{0,3}} {_BE}) (?P<object>\S.*)$")
_VERBAL = re.compile(
    rf"^(?P<subject>\S.*?) (?P<tail>{_BE} (?:[a-z]+ )?{_PARTICIPLE} (?:by|(?:in|at|with|to|on|from|for) {_TYPED})|"
    rf"{_BE} (?:born|based|located|situated|founded|built|made|set) in(?: {_TYPED})?|"
    rf"{_BE} (?:married|engaged|related|affiliated|associated|signed) (?:to|with)|{_BE} employed (?:by|at)|"
    rf"{_BE} (?:famous|known|notable|renowned) for|{_BE} an? (?:citizen|member|resident|native|part|subsidiary|division|"
    rf"province|district|suburb) of|[a-z]+(?:s|ed) (?:in )?{_TYPED}) (?P<object>\S.*)$"
)
_FORMS = (_VERBAL, _MAKER, _RELATIVE, _DESCRIBED, _POSSESSED)
_LOWER_NAMES = 3  # a kind of thing ("point guard") may be told of without a capital, in so many words
_LONG = 90  # characters of a value


def report(sentence: Sentence) -> Report | None:
    """The report that a sentence makes, or None."""
    raw = sentence.text
    text = raw.rstrip(" !.") if not raw.rstrip().endswith("..") else raw.rstrip()[:-1]
    if sentence.mark == "?" or any(word.foreign for word in sentence.words):
        return None
    for form in _FORMS:
        found = form.match(text)
        if found is None:
            continue
        subject, value = found["subject"], found["object"]
        if not _is_name(subject, first=form in (_VERBAL, _POSSESSED)) or not _is_value(
            value, kinds=form in (_VERBAL, _RELATIVE)
        ):
            continue
        frame = _frame(found)
        if _BARRED.search(frame):
            continue
        return Report(found.span("subject"), found.span("object"), frame)
    return None


def _frame(found: re.Match[str]) -> str:
    """The words around the thing and before the value, with the slot for the thing."""
    tail = found["tail"]
    return f"{found.groupdict().get('frame') or ''}{SLOT}{'' if tail.startswith(APOSTROPHES) else ' '}{tail}"


def _is_name(text: str, *, first: bool) -> bool:
    """Whether words name a thing: a capital somewhere, or a bare kind of thing at the beginning of the sentence."""
    parts = text.split()
    inner = parts[1:] if first or parts[0][:1].isupper() else parts
    if any(_BARRED.fullmatch(part) for part in inner if not part[:1].isupper()) or (first and _BARRED.match(text)):
        return False
    if any(part[:1].isupper() or part[:1].isdigit() for part in parts if part.lower() not in ("the", "a", "an")):
        return True
    return first and len(parts) <= _LOWER_NAMES and parts[0].lower() not in ("the", "a", "an", "my", "our")


def _is_value(text: str, *, kinds: bool) -> bool:
    """Whether words are a value and not a judgement or another clause; `kinds`: a bare kind of thing will do."""
    parts = text.split()
    if len(text) > _LONG or any(_BARRED.fullmatch(part.strip(",")) for part in parts if not part[:1].isupper()):
        return False
    if any(part[:1].isupper() or part[:1].isdigit() for part in parts):
        return parts[0].lower() not in ("a", "an") and not (parts[0].islower() and parts[0].endswith("ing"))
    return kinds and len(parts) <= _LOWER_NAMES and parts[0].lower() not in ("a", "an", "the")
