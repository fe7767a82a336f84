"""Whom a clause is about: the speaker, a person he names, or somebody of whom the proposal does not speak.

Invariant: what is said of one person is never taken for another's; where it is not plain whom the words mean, it is doubtful.
"""

from __future__ import annotations

from graphmem.canonical import subject_key
from graphmem.canonical import words as plain_words
from graphmem.extractors.base import USER
from graphmem.extractors.bearing import borne, relates
from graphmem.extractors.judged import Bearing, Passage, Refused, TurnRead
from graphmem.extractors.proposals import Proposal
from graphmem.model import Session, Turn

FRAGMENT, LEAD = 8, 3  # words of a sentence without a verb, and before its value, that is plainly the speaker's
_FIRST_PERSON = frozenset({"i", "me", "my", "mine", "we", "us", "our", "ours", "myself"})
_NAMELESS = frozenset({"i", "me", "we", "you", "he", "she", "it", "they", "who", "someone", "somebody", "everyone"})
# What somebody is, which a thing of his is not: "my dog is called Rex".
_OF_SELF = frozenset({"name", "age", "born_on", "born_in", "nationality", "religion", "trait", "diet", "has_job"})


def doubtful_subject(session: Session, read: TurnRead, proposal: Proposal, bearing: Bearing) -> bool:
    """Whether it is doubtful that the clause is about the proposed subject; refused if it is about somebody else."""
    named = subject_key(proposal.subject)
    if named in _NAMELESS:
        raise Refused("subject_not_named")
    if named == USER or (read.turn.speaker and named == subject_key(read.turn.speaker)):
        return any(_of_speaker(read.turn, proposal, passage, number) for passage, number in bearing.found) or (
            not bearing.found and _others_in(bearing)
        )
    speakers = {subject_key(turn.speaker) for turn in session.turns if turn.speaker}
    if named not in speakers and borne(proposal.subject, read.turn.text, {}) is None:
        raise Refused("subject_not_in_turn")
    doubtful = not bearing.found
    for passage, number in bearing.found:
        clause = passage.clauses[number]
        about = set(plain_words(passage.subjects[number] or clause.subject.text))
        if about & set(named.split()):
            continue
        if clause.speaker or (clause.subject.kind == "you" and named not in speakers):
            raise Refused("about_somebody_else")
        doubtful = True
    return doubtful


def _of_speaker(turn: Turn, proposal: Proposal, passage: Passage, number: int) -> bool:
    """Whether it is doubtful that a clause is about the user; in the words of others, "you" is the user."""
    clause, about = passage.clauses[number], passage.subjects[number]
    kind = clause.subject.kind
    if turn.role != "user":
        if kind == "user":
            raise Refused("about_somebody_else")
        return True
    if proposal.predicate == "name" and clause.lemma == "call" and clause.has("me"):
        return False
    if clause.speaker:
        # "Love Oslo" may tell and may ask for something.
        bare = kind == "implied" and not clause.inherited and clause.tag in ("VB", "VBP") and not clause.aux
        return bare and proposal.kind not in ("procedure", "open_item")
    if kind == "you":
        if clause.has("me", "my", "us") or proposal.kind in ("procedure", "open_item"):
            return not clause.has("me") and proposal.kind not in ("procedure", "open_item")
        raise Refused("about_somebody_else")
    if proposal.kind not in ("fact", "preference"):
        return True  # what others did may have happened to the user, and be his to do
    if about is not None and about != USER:
        # "My sister Ana is a nurse" tells of the user that he has a sister, and no more.
        if proposal.predicate not in ("has_family", "married_to", "has_pet") or borne(proposal.object, about, {}) is None:
            raise Refused("about_somebody_else")
        return False
    subject = clause.text(clause.subject.start, clause.subject.end) if clause.subject.start >= 0 else ""
    named = relates(proposal.predicate, proposal.kind, subject, set(plain_words(subject))) is True
    if kind == "possessed":
        if proposal.predicate in _OF_SELF and not named:
            raise Refused("about_somebody_else")
        return not named
    if not named and not clause.has(*_FIRST_PERSON):
        raise Refused("about_somebody_else")
    # "Favourite band is Radiohead": the speaker's own, without "my".
    first = subject.partition(" ")[0]
    says = relates(proposal.predicate, proposal.kind, first, {first.lower()}) is True
    return not (says and kind == "other" and clause.subject.start == 0 and clause.subject.end == clause.group)


def _others_in(bearing: Bearing) -> bool:
    """Whether a sentence without clauses may be about anybody else: it names one, or its value does not come first."""
    found = [word for passage in bearing.passages for word in passage.sentence.words]
    before = [word for word in found if word.start < bearing.start + bearing.object.start and word.pos != "PUNCT"]
    if len(found) > FRAGMENT or len(before) > LEAD:
        return True
    return any(w.low in ("he", "she", "they", "his", "her", "their", "your", "you") or w.ent == "PERSON" for w in found)
