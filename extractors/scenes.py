"""Who a third person is: the one named person in the last two sentences, or nobody.

Invariant: a pronoun is linked only if a single candidate is in reach; a wrong link is worse than none.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from graphmem.extractors.base import USER
from graphmem.extractors.clauses import Clause
from graphmem.extractors.lexicon import words

_FEMALE = words("she_words")
_MALE = words("he_words")


@dataclass(slots=True)
class Scene:
    """The persons and animals named so far in a turn, newest last, with the sentence they stood in."""

    people: list[tuple[int, str, str]] = field(default_factory=list)

    def subject(self, clause: Clause, number: int) -> str | None:
        """Whom a claim of this clause is about: "user", a person's words, or None for nobody that can be named."""
        subject = clause.subject
        if subject.kind in ("user", "implied"):
            return USER
        if subject.kind == "possessed":
            person = is_person(clause)
            return _named(clause, _tidy(subject.text)) if person else None
        if subject.kind == "named":
            head = clause.words[subject.head] if subject.head >= 0 else None
            if (
                head is not None
                and " " not in subject.text
                and head.text[1:].islower()
                and head.ent not in ("GPE", "LOC", "ORG", "DATE", "NORP")
            ):
                return subject.text
            return None
        if subject.kind == "pronoun":
            return self._resolve(subject.text.lower(), number)
        return None

    def _resolve(self, pronoun: str, number: int) -> str | None:
        if pronoun not in ("he", "she"):
            return None
        near = {name: gender for at, name, gender in self.people if number - at <= 1}
        fitting = [name for name, gender in near.items() if gender in ("", "she" if pronoun == "she" else "he")]
        return fitting[0] if len(fitting) == 1 else None

    def note(self, clause: Clause, number: int) -> None:
        """Remember the persons of a clause, and animals, which compete for "she" and "he"."""
        name = None
        if clause.subject.kind in ("possessed", "named"):
            name = self.subject(clause, number)
        if clause.subject.companion:
            name = clause.subject.companion
        if name:
            self.people.append((number, name, gender(name)))
        if clause.subject.kind == "possessed" and clause.lemma == "be" and clause.subject.text.lower().endswith(" name"):
            # "my partner's name is Luca": he or she is Luca from here on.
            called = [w.text for w in clause.rest if w.text[:1].isupper()]
            if called:
                self.people.append((number, called[0], gender(clause.subject.text)))
        for word in clause.words[clause.start : clause.end]:
            if word.low in words("pets") and word.i not in range(clause.subject.start, clause.subject.end):
                self.people.append((number, word.low, ""))
        ws = clause.words
        for word in clause.words[max(clause.subject.end, clause.start) : clause.end]:
            # "I met my sister Kaisa", "my sister and my aunt Rosa": a person beside the subject.
            if word.low in words("kin") and word.i > 0 and ws[word.i - 1].low in ("my", "our"):
                text = word.text
                if word.i + 1 < clause.end and ws[word.i + 1].tag == "NNP":
                    text += " " + ws[word.i + 1].text
                self.people.append((number, text, gender(text)))


_BORN = frozenset({"youngest", "eldest", "oldest", "firstborn"})


def gender(name: str) -> str:
    """As in "she" or "he" where a kin noun tells, else empty."""
    lows = set(name.lower().split())
    if lows & _FEMALE:
        return "she"
    return "he" if lows & _MALE else ""


def is_person(clause: Clause) -> bool:
    """Whether "my X" is one person: a relative, or a boss, friend, dentist ..., in the singular or as "my family"."""
    subject = clause.subject
    if subject.head < 0:
        return False
    parts = [p.lower().strip("'’") for p in subject.text.split()]
    if any(p in ("'s", "’s", "s") for p in parts):
        return False
    head = clause.words[subject.head]
    names = [p for p in subject.text.split() if p[:1].isupper()]
    low = head.low
    if low in words("kin") or low in words("roles") or low in _BORN or parts[-1:] == ["law"]:
        return True
    return bool(names) and any(p in words("kin") or p in words("roles") for p in parts)


def _named(clause: Clause, person: str) -> str:
    """As in "our youngest, Joaquin, hates X": with the name that is put beside it."""
    ws = clause.words
    at = clause.subject.end
    beside = 0 <= at < len(ws) - 2 and ws[at].low == "," and ws[at + 1].tag == "NNP" and ws[at + 1].text[:1].isupper()
    return f"{person} {ws[at + 1].text}" if beside and ws[at + 2].low == "," else person


def _tidy(text: str) -> str:
    return text.strip(" ,.")
