"""A question, taken apart: its words, whom it is about, and which relations it asks for."""

from __future__ import annotations

import re
from dataclasses import dataclass

from graphmem.recall.corpus import Corpus
from graphmem.recall.texts import bare_question, third_person

_OWNER = re.compile(r"\b(?:i|me|my|mine|myself|we|us|our|ours|the user|user's|i'm|i've)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Question:
    """What recall needs to know of a question.

    Attributes:
        bare: as it was asked, without "can you tell me".
        about: the same, put in the third person, for comparison with statements.
        stems: stems of its content words, in order.
        empty: it is a greeting, a thank-you or nothing but function words; it asks for nothing.
        owner: it speaks of the owner of the memory ("my", "I", "the user").
        personal: it speaks of the owner, of a speaker, or of somebody or something that statements are about.
        speakers: speakers of the stored turns that it names.
        subjects: stems of the persons and things, other than the owner, that it names and that statements are about.
        relations: relations it asks for, each 0..1.
    """

    bare: str
    about: str
    stems: tuple[str, ...]
    empty: bool
    owner: bool
    personal: bool
    speakers: frozenset[str]
    subjects: frozenset[str]
    relations: dict[str, float]


def ask(text: str, corpus: Corpus) -> Question:
    """Take a question apart against what the corpus holds."""
    words, bare = corpus.words, bare_question(text)
    stems, raw = tuple(words.stems(bare)), set(words.raw(bare))
    speakers = frozenset(name for name in corpus.speakers if set(words.raw(name)) <= raw)
    subjects = frozenset(stems) & corpus.subject_words
    owner = bool(_OWNER.search(bare))
    personal = owner or bool(speakers) or bool(subjects)
    return Question(
        bare=bare,
        about=third_person(bare),
        stems=stems,
        empty=words.says_nothing(text),
        owner=owner,
        personal=personal,
        speakers=speakers,
        subjects=subjects,
        relations=corpus.asks_for(stems) if personal else {},
    )
