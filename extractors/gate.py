"""The gate for proposed claims: what an agent or a language model says about a turn, held against the turn itself.

Invariant: a proposal can only lose here.  The quote is found character by character, the clause that bears the object is
judged by the gate of the rule extractor, and what the words do not hold is refused with a reason; doubt, a past tense, an
intention or a relation that is read between the lines takes something away, and nothing gives anything back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphmem.canonical import cuts_word
from graphmem.canonical import words as plain_words
from graphmem.extractors.about import doubtful_subject
from graphmem.extractors.base import Claim, Refusal
from graphmem.extractors.bearing import NEGATIVE, borne, form, readable, relates
from graphmem.extractors.claims import ended_words
from graphmem.extractors.denials import denied, governing, hazy, over, pointing
from graphmem.extractors.english import Word
from graphmem.extractors.factuality import doubts
from graphmem.extractors.filling import filled
from graphmem.extractors.judged import Bearing, Refused, TurnRead, read_turns
from graphmem.extractors.lexicon import words
from graphmem.extractors.proposals import QUOTE_LIMIT, Proposal, places
from graphmem.extractors.subjects import AUXILIARIES, PRONOUNS
from graphmem.model import Session, Turn

PLACES_LIMIT = 20  # a quote that stands in more places names none of them
_DENIALS = words("denials")
_REQUEST = re.compile(r"^\W*(?:\w+,? )?(?:can|could|would|will) you\b|\bplease\b", re.I)
# Doubt that a proposal may state as such: it is then kept as what it is, a supposition.
_SUPPOSED = frozenset({"hypothetical", "conditional", "wish"})


def gate(session: Session, proposals: Sequence[Proposal], *, rule: str = "proposed") -> tuple[Claim | Refusal, ...]:
    """What is left of each proposal about a session, in their order: a claim, or a refusal with its reason.

    `rule` names what proposed them; each quoted turn is parsed once.
    """
    quoted = {proposal.turn for proposal in proposals}
    read = read_turns(session, [turn for turn in session.turns if turn.id in quoted])
    return tuple(_judged(session, read.get(proposal.turn), proposal, rule) for proposal in proposals)


def _judged(session: Session, read: TurnRead | None, proposal: Proposal, rule: str) -> Claim | Refusal:
    def refused(reason: str, at: int = 0) -> Refusal:
        end = at + len(proposal.quote) if read is not None and read.turn.text.startswith(proposal.quote, at) else at
        return Refusal(turn=proposal.turn, start=at, end=end, quote=proposal.quote, reason=reason)

    if read is None:
        return refused("turn_unknown")
    if not proposal.quote.strip():
        return refused("quote_empty")
    if len(proposal.quote) > QUOTE_LIMIT:
        return refused("quote_too_long")
    found = places(proposal, read.turn)
    if not found:
        return refused("quote_not_found")
    length = len(proposal.quote)
    found = [at for at in found if not cuts_word(read.turn.text, at) and not cuts_word(read.turn.text, at + length)]
    if not found:
        return refused("quote_cuts_word", proposal.start or 0)
    if len(found) > PLACES_LIMIT:
        return refused("quote_ambiguous")
    results: list[Claim | Refusal] = []
    for at in found:
        try:
            results.append(_at(session, read, proposal, at, rule))
        except Refused as why:
            results.append(refused(str(why), at))
    # Where it stands more than once and no place is named, the place that is worth least counts.
    return min(results, key=lambda one: (isinstance(one, Claim), isinstance(one, Claim) and not one.hedged))


def _at(session: Session, read: TurnRead, proposal: Proposal, at: int, rule: str) -> Claim:
    turn, end = read.turn, at + len(proposal.quote)
    pasted = _pasted(read, at, end)
    if proposal.kind == "procedure" and (pasted or turn.role != "user"):
        raise Refused("instruction_of_another")
    if read.invented is not None and end > read.invented:
        raise Refused("fiction")
    bearing = _bearing(read, proposal, at, end)
    passage_text = " ".join(p.sentence.text for p in bearing.passages)
    hedged = pasted or not bearing.object.together or _unserious(bearing)
    modality = proposal.modality
    for reason in _reasons(bearing):
        if (
            reason is None
            or _requested(reason, proposal, passage_text)
            or (reason == "obligation" and proposal.kind == "open_item")
        ):
            continue
        if reason in _SUPPOSED and modality in ("possible", "hypothetical"):
            modality = "hypothetical"
        elif reason != "hedged":
            raise Refused(reason)
        hedged = True
    _check_words(turn, proposal)
    hedged = doubtful_subject(session, read, proposal, bearing) or hedged
    hedged = _relation(proposal, bearing) or hedged
    hedged = _polarity(proposal, bearing) or hedged
    return filled(
        proposal.model_copy(update={"modality": modality}), turn, offset_minutes=read.offset_minutes, start=at, end=end,
        clauses=bearing.clauses, sentences=[p.sentence for p in bearing.passages], hedged=hedged, rule=rule,
    )  # fmt: skip


def _pasted(read: TurnRead, start: int, end: int) -> bool:
    """Whether the quote is of pasted words, which are nobody's own; code and recalled memory are refused."""
    if read.turn.role == "memory" or any(s.role == "memory" and s.start < end and start < s.end for s in read.turn.spans):
        raise Refused("memory_is_no_evidence")
    reasons = [why for a, b, why in read.regions.refused if a < end and start < b]
    for why in reasons:
        if why != "quoted":
            raise Refused(why)
    return bool(reasons) or any(a < end and start < b for a, b in read.regions.foreign)


def _unserious(bearing: Bearing) -> bool:
    """Whether the sentence cannot be read, or ends in laughter right after what is claimed."""
    for passage in bearing.passages:
        last = passage.sentence.text.split()[-1:]
        laughs = any(word.strip(".!,").lower() in words("jokes") for word in last)
        if not readable(passage.sentence.text) or (laughs and bearing.clauses[-1:] == passage.clauses[-1:]):
            return True
    return False


def _bearing(read: TurnRead, proposal: Proposal, start: int, end: int) -> Bearing:
    """The object in the quote, and the clauses around it."""
    passages = [p for p in read.passages if p.sentence.start < end and start < p.sentence.end]
    if not passages:
        raise Refused("quote_unread")
    lemmas = {form(word.text): word.lemma for p in passages for word in p.sentence.words}
    found = borne(proposal.object, proposal.quote, lemmas)
    if found is None or cuts_word(proposal.quote, found.start) or cuts_word(proposal.quote, found.end):
        raise Refused("object_not_in_quote")
    low, high = start + found.start, start + found.end
    inside = [word for p in passages for word in p.sentence.words if low <= word.start and word.end <= high]
    if proposal.kind in ("fact", "preference") and inside and not _is_value(inside):
        raise Refused("object_is_no_value")
    bearing = Bearing(start, end, found, passages)
    for passage in passages:
        for number, clause in enumerate(passage.clauses):
            first, last = clause.words[clause.start].start, clause.words[clause.end - 1].end
            if first < high and low < last:
                bearing.found.append((passage, number))
    bearing.passages = [p for p in passages if p.sentence.start < high and low < p.sentence.end] or passages
    if len(bearing.passages) > 1:
        raise Refused("object_not_in_quote")  # words of two sentences put together
    return bearing


def _is_value(found: Sequence[Word]) -> bool:
    """Whether words can be a value: no speaker in them, and not only words that carry nothing."""
    if any(word.low in PRONOUNS for word in found):
        return False
    carrying = ("NN", "JJ", "CD", "VB", "FW")
    return any((word.tag[:2] in carrying and word.low not in AUXILIARIES) or word.text[:1].isupper() for word in found)


def _reasons(bearing: Bearing) -> list[str | None]:
    """Why each clause that holds the object is not plainly said; a sentence without clauses is judged by its words."""
    found: list[str | None] = [passage.verdicts[number].reason for passage, number in bearing.found]
    return found or [doubts(passage.sentence) for passage in bearing.passages]


def _requested(reason: str, proposal: Proposal, text: str) -> bool:
    """Requests are worded as questions, and standing instructions under a condition."""
    if proposal.kind not in ("procedure", "open_item"):
        return False
    if reason in ("question", "hedged", "hypothetical") and _REQUEST.search(text):
        return True
    return proposal.kind == "procedure" and reason in ("conditional", "obligation")


def _check_words(turn: Turn, proposal: Proposal) -> None:
    """What else is proposed in words must stand in the turn."""
    for name in ("context", "replaces", "time"):
        value = getattr(proposal, name)
        if value is not None and borne(value, turn.text, {}) is None:
            raise Refused(f"{name}_not_in_turn")


def _relation(proposal: Proposal, bearing: Bearing) -> bool:
    """Whether the relation is only read between the lines; refused if the words say another one."""
    found = bearing.clauses
    text = " ".join(c.text(c.start, c.end) for c in found) or " ".join(p.sentence.text for p in bearing.passages)
    spoken = {part for c in found for w in c.words[c.start : c.end] for part in (w.low, w.lemma)}
    spoken = spoken or {part for p in bearing.passages for w in p.sentence.words for part in (w.low, w.lemma)}
    said = relates(proposal.predicate, proposal.kind, text, spoken)
    if said is False:
        raise Refused("relation_not_in_quote")
    return said is None or (proposal.predicate == "name" and not proposal.object[:1].isupper())


def _polarity(proposal: Proposal, bearing: Bearing) -> bool:
    """A "not" that governs the object must be in the claim, and the other way round; True if the object is only near it."""
    passage = bearing.passages[0]
    at = bearing.start + bearing.object.start
    chains = [governing(passage.clauses, number) for passage, number in bearing.found] or [[]]
    no = any(denied(chain, passage.sentence, at) for chain in chains)
    if proposal.polarity == "negative":
        if not no and not over(passage.sentence) and not any(ended_words(clause) for chain in chains for clause in chain):
            raise Refused("not_negated")
        return False
    before = pointing(passage.sentence, at)
    if proposal.kind in ("fact", "preference") and proposal.temporal != "ended" and _away(proposal, before, bearing):
        raise Refused("relation_not_in_quote")
    own = plain_words(proposal.object)
    worded = proposal.predicate in NEGATIVE or any(
        word in _DENIALS or word.endswith(("n't", "dont", "cant", "wont")) for word in own
    )
    owed = proposal.kind == "open_item" and not proposal.done
    negated = [clause for chain in chains for clause in chain if clause.negated]
    if no and not worded and not (owed and all(c.perfect or c.lemma in ("forget", "let", "do") for c in negated)):
        raise Refused("negated")
    return before in words("pointing_near") or any(hazy(chain) for chain in chains)


def _away(proposal: Proposal, before: str, bearing: Bearing) -> bool:
    """As in "from Oslo", "anything but tea", "tea over coffee": the object is what is turned away from."""
    if before == "from":
        return any(clause.lemma in words("leaving_verbs") for clause in bearing.clauses)
    if proposal.predicate == "prefers" and before == "to" and proposal.object.split()[0].lower() not in words("habit_verbs"):
        return True
    return before in words("pointing_away")
