"""A question, taken apart: its words, whom it is about, and which relations it asks for."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from graphmem.recall.corpus import Corpus
from graphmem.recall.kin import Asked as Kin
from graphmem.recall.kin import asked_kin
from graphmem.recall.telling import wants_time
from graphmem.recall.texts import bare_question, owner_named, third_person

Aim = Literal["owner", "speaker", "subject", "nobody"]
# "us" only in small letters: the other is a country.
_OWNER = re.compile(r"\b(?:(?i:i|me|my|mine|myself|we|our|ours|the user|user's|i'm|i've)|us)\b")
_PROPER = re.compile(r"(?<=[\w,] )[A-Z]\w+")
_PAST = re.compile(
    r"\b(?:did|was|were|had|used to|ever|before|previous(?:ly)?|former(?:ly)?|earlier|once|ago|back then|old|last)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Question:
    """What recall needs to know of a question.

    Attributes:
        bare: as it was asked, without "can you tell me".
        about: the same, put in the third person, for comparison with statements.
        stems: stems of its content words, in order.
        words: those stems and the words themselves.
        topics: the stems that small talk is not made of and that name no speaker; all where nothing else is left.
        empty: it is a greeting, a thank-you or nothing but function words; it asks for nothing.
        owner: it speaks of the owner of the memory ("my", "I", "the user").
        aim: whom it is about: `owner`, a `speaker`, another `subject` of statements, or `nobody` that is known here.
        past: it asks about what was.
        when: it asks for a time, or about a span of time.
        speakers: speakers of the stored turns that it names.
        subjects: stems of the persons and things, other than the owner, that it names and that statements are about.
        relations: relations it asks for, each 0..1.
        kin: which relative it is about, if any.
        proper: stems of the words that it writes as names.
    """

    bare: str
    about: str
    stems: tuple[str, ...]
    words: frozenset[str]
    topics: frozenset[str]
    empty: bool
    owner: bool
    past: bool
    when: bool
    aim: Aim
    speakers: frozenset[str]
    subjects: frozenset[str]
    relations: dict[str, float]
    kin: Kin | None = None
    proper: frozenset[str] = frozenset()


def ask(text: str, corpus: Corpus, *, asked: str | None = None) -> Question:
    """Take a question apart against what the corpus holds.

    `asked` is the question as it was asked, where this one is the same by another name.
    """
    words, bare = corpus.words, bare_question(text)
    stems, raw = tuple(words.stems(bare)), set(words.raw(bare))
    speakers = frozenset(name for name in corpus.speakers if (parts := set(words.raw(name))) and parts <= raw)
    named = frozenset(stem for name in speakers for stem in words.stems(name))
    subjects = frozenset(stems) & frozenset().union(*corpus.subjects)
    if not (speakers or subjects or len(corpus.speakers) > 1 or _OWNER.search(bare)):
        # Nobody is named and only one person speaks here: a bare "she" can only be the owner.
        bare = owner_named(bare)
    owner = bool(_OWNER.search(bare))
    aim: Aim = "owner" if owner else "speaker" if speakers else "subject" if subjects else "nobody"
    return Question(
        bare=bare,
        about=third_person(bare),
        stems=stems,
        words=frozenset((*stems, *raw)),
        topics=frozenset(words.topics(bare)) - named or frozenset(stems),
        empty=words.says_nothing(text),
        owner=owner,
        past=bool(_PAST.search(text)),
        when=wants_time(bare, words.language_of(bare)),
        aim=aim,
        speakers=speakers,
        subjects=subjects,
        relations=corpus.asks_for((*stems, *raw)) if aim != "nobody" else {},
        kin=None if speakers else _kin(bare, asked),
        proper=frozenset(stem for name in _PROPER.findall(bare) for stem in words.stems(name)),
    )


def _kin(bare: str, asked: str | None) -> Kin | None:
    """Which relative a question is about, by the words it was asked in; what another name puts in is theirs."""
    if asked is None:
        return asked_kin(bare)
    kin = asked_kin(bare_question(asked))
    new = frozenset(name for name in _PROPER.findall(bare) if name not in asked)
    return kin if kin is None or not new else replace(kin, names=new)
