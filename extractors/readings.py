"""One turn on its way from sentences to claims: gate, tasks, standing rules, relations, fragments, refusals.

Invariant: a clause that the gate stops makes a refusal with the gate's reason, and hedged clauses make suggestions only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta, timezone

from graphmem.extractors import cancellations, departures, events, experiences, finishing, outcomes, tasks, undoings
from graphmem.extractors.aliases import alias_claims
from graphmem.extractors.answers import denies, topics
from graphmem.extractors.base import USER, Claim, Refusal, TimeValue
from graphmem.extractors.catalogue import asked, closes, ordered
from graphmem.extractors.claims import build, clause_times, quote_bounds
from graphmem.extractors.clauses import Clause, clauses
from graphmem.extractors.corrections import put_right, put_right_inside
from graphmem.extractors.drafts import Draft
from graphmem.extractors.english import Sentence
from graphmem.extractors.factuality import Verdict, fiction_from, is_sarcastic, judge
from graphmem.extractors.lexicon import words
from graphmem.extractors.measures import measure_claims
from graphmem.extractors.merging import corrected, once
from graphmem.extractors.regions import Regions
from graphmem.extractors.scenes import Scene
from graphmem.extractors.soundness import settled
from graphmem.extractors.textual import (
    NAMING,
    fragment_claim,
    fragments,
    listed_tasks,
    report_claim,
    standing_claim,
)
from graphmem.extractors.timex import resolve
from graphmem.model import Turn

_DOUBTS = frozenset({"question", "aside", "attributed", "wish", "hedged", "hypothetical"})
_MOCKING = frozenset({"sure", "not", "yeah right", "as if"})


@dataclass(slots=True)
class Passage:
    """A sentence in work: its place, its clauses with their verdicts, its times, and where a standing rule stands."""

    number: int
    sentence: Sentence
    clauses: list[Clause]
    verdicts: list[Verdict]
    times: list[TimeValue]
    ruled: tuple[int, int] = (0, 0)
    dropped: dict[int, tuple[str, str]] = field(default_factory=dict)  # by clause: a rule that read it, why it was not taken


class TurnReading:
    """One turn on its way from sentences to claims."""

    def __init__(
        self,
        turn: Turn,
        found: Regions,
        sentences: list[Sentence],
        *,
        question: str | None,
        offset_minutes: int,
        earlier: Sequence[Claim] = (),
    ) -> None:
        self.turn = turn
        self.found = found
        self.sentences = sentences
        self.question = question
        self.asked = topics(question)
        self.reference = turn.time.astimezone(timezone(timedelta(minutes=offset_minutes)))
        self.claims: list[Claim] = []
        self.refusals: list[Refusal] = []
        self.scene = Scene()
        self.earlier = tuple(earlier)  # claims of the speaker's turn before, which a bare value may put right

    def run(self) -> None:
        """Read all sentences; fiction refuses everything from its cue on."""
        text = self.turn.text
        for start, end, reason in self.found.refused:
            self._refuse(start, min(end, len(text)), reason)
        invented = fiction_from(text)
        # "me, a gourmet, eating crisps. sure."
        mocked = bool(self.sentences) and self.sentences[-1].text.strip(" .!").lower() in _MOCKING
        for number, sentence in enumerate(self.sentences):
            following = self.sentences[number + 1] if number + 1 < len(self.sentences) else None
            if invented is not None and sentence.end > invented:
                self._refuse(sentence.start, sentence.end, "fiction")
            elif mocked:
                self._refuse(sentence.start, sentence.end, "sarcasm")
            else:
                self._sentence(number, sentence, following)
        self._settle()
        said = once(self.claims)
        kept = {id(claim) for claim in said}
        for claim in self.claims:
            if id(claim) not in kept:
                self._refuse(claim.start, claim.end, "repeated", claim.rule)
        self.claims = corrected(said)

    def _settle(self) -> None:
        """Let each claim pass what holds for all of them, whatever rule made it."""
        kept = []
        for claim in self.claims:
            found = settled(claim, self.sentences)
            if isinstance(found, str):
                self._refuse(claim.start, claim.end, found, claim.rule)
            else:
                kept.append(found)
        self.claims = kept

    def _refuse(self, start: int, end: int, reason: str, rule: str | None = None) -> None:
        if end > start:
            quote = self.turn.text[start:end]
            self.refusals.append(Refusal(turn=self.turn.id, start=start, end=end, quote=quote, reason=reason, rule=rule))

    def _sentence(self, number: int, sentence: Sentence, following: Sentence | None) -> None:
        times = self._times(sentence)
        before = len(self.claims)
        found = clauses(sentence)
        passage = Passage(number, sentence, found, judge(found, sentence), times)
        blocked = is_sarcastic(sentence) or (bool(sentence.words) and all(w.foreign for w in sentence.words))
        rule = None if blocked else standing_claim(self.turn, sentence, following)
        if rule is not None and not self._is_foreign(rule.start):
            self.claims.append(rule)
            passage.ruled = (rule.start, rule.end)
        for index in range(len(found)):
            self._clause(passage, index)
        if not blocked and not _supposed(passage):
            self._forms(passage, following, before)
            self._corrections(sentence, before)
        if not blocked:
            self._measures(passage, before)
        self._leftovers(passage, nothing=len(self.claims) == before)

    def _measures(self, passage: Passage, before: int) -> None:
        """Figures and days of things, also out of requests; a plainer reading of the same value gives way."""
        found = measure_claims(self.turn, passage.sentence, passage.times)
        # "64" of "64%" is the same value.
        values = {value for claim in found for value in (claim.object, claim.object.rstrip("%").strip())}
        self.claims[before:] = [c for c in self.claims[before:] if c.predicate != "attribute" or c.object not in values]
        self.claims += found

    def _corrections(self, sentence: Sentence, before: int) -> None:
        """A value that puts right what was said just before; a slip within one sentence was never stated."""
        inside = put_right_inside(sentence, self.claims[before:], reference=self.reference)
        if inside:
            wrong = (inside[1].subject, inside[1].predicate, inside[1].object)
            for claim in self.claims:
                if (claim.subject, claim.predicate, claim.object) == wrong:
                    self._refuse(claim.start, claim.end, "slip", claim.rule)
            self.claims = [c for c in self.claims if (c.subject, c.predicate, c.object) != wrong]
            self.claims.append(inside[0])
        elif len(self.claims) == before:
            said = self.claims or self.earlier
            found = put_right(sentence, said, turn=self.turn.id, reference=self.reference)
            if found:
                self.claims.append(found[0])

    def _times(self, sentence: Sentence) -> list[TimeValue]:
        """Time expressions of a sentence, with places counted in the turn; their words are marked."""
        cues = words("time_cues")
        found = re.findall(r"\w+", sentence.text.lower())
        if not any(low in cues or any(c.isdigit() for c in low) for low in found) and not any(
            w.tag == "CD" for w in sentence.words
        ):
            return []
        base = sentence.start
        values = [
            v.model_copy(update={"start_char": v.start_char + base, "end_char": v.end_char + base})
            for v in resolve(_plain_have(sentence.text), self.reference, lang="en")
        ]
        for word in sentence.words:
            word.time = any(v.start_char <= word.start < v.end_char for v in values)
        return values

    def _forms(self, passage: Passage, following: Sentence | None, before: int) -> None:
        """Claims from the form of the sentence: fragments and listed tasks."""
        sentence = passage.sentence
        named = next((c for c in self.claims[before:] if c.predicate == "name" and c.rule in NAMING), None)
        number = passage.number
        denied = number > 0 and denies(self.sentences[number - 1])
        for found in fragments(
            sentence, following, asked=self.asked, question=self.question, named=named, number=number, denied=denied
        ):
            if found.rule == "told" and any(
                (c.kind == "episode" or c.temporal == "ended") and c.start <= found.start < c.end for c in self.claims[before:]
            ):
                continue
            value = self.turn.text[found.start : found.end].lower()
            if any(c.predicate == found.predicate and _one_value(c.object.lower(), value) for c in self.claims[before:]):
                continue
            if not self._is_foreign(found.start) and not _doubted(passage, found.start):
                self.claims.append(fragment_claim(self.turn, sentence, found, times=passage.times, reference=self.reference))
        self.claims += listed_tasks(self.turn, sentence, passage.times)
        if not any(verdict.reason in _DOUBTS or verdict.hedged for verdict in passage.verdicts):
            found_names = alias_claims(self.turn, sentence, self.claims or self.earlier)
            foreign = self.found.foreign
            self.claims += [c for c in found_names if not any(a < c.end and c.start < b for a, b in foreign)]
        # "the university where X was educated is Y" looks like a question to the gate; `report` sees to those itself.
        if len(self.claims) == before and not _doubted(passage, sentence.start, but=("question", "aside")):
            told = report_claim(self.turn, sentence)
            self.claims += [told] if told is not None else []

    def _is_foreign(self, at: int) -> bool:
        return any(a <= at < b for a, b in self.found.foreign)

    def _leftovers(self, passage: Passage, *, nothing: bool) -> None:
        """Refusals for the clauses that made no claim."""
        for number, (clause, verdict) in enumerate(zip(passage.clauses, passage.verdicts, strict=True)):
            low, high = clause.words[clause.start].start, clause.words[clause.end - 1].end
            if not any(c.start < high and c.end > low for c in self.claims):
                plain = "no_relation" if len(clause.rest) > 1 else "small_talk"
                reason, rule = passage.dropped.get(number, (plain, None))
                # What the gate said of a clause goes before what became of a rule's reading of it.
                self._refuse(*quote_bounds(clause), verdict.reason or reason, None if verdict.reason else rule)
        if not passage.clauses and nothing:
            sentence = passage.sentence
            plain = "small_talk" if len(sentence.words) < 4 else "no_relation"
            self._refuse(sentence.start, sentence.end, "question" if sentence.mark == "?" else plain)

    def _clause(self, passage: Passage, index: int) -> None:
        clause, verdict = passage.clauses[index], passage.verdicts[index]
        if self.asked[:1] == ["profile"] and clause.subject.kind == "named":
            return
        if verdict.reason == "obligation" and clause.speaker:
            self._tasks(clause, passage.times)
        if not clause.relative and verdict.reason in (None, "hedged"):
            self._plain(passage, index, hedged=verdict.hedged)
        elif verdict.reason == "question" and experiences.wondered(clause, passage.clauses[index - 1] if index else None):
            denied = experiences.never(clause)
            if denied:
                self._add(clause, denied, "never", passage.times, subject=USER)
        self.scene.note(clause, passage.number)

    def _plain(self, passage: Passage, index: int, *, hedged: bool) -> None:
        """A clause that the gate let through, or keeps as a suggestion."""
        clause = passage.clauses[index]
        subject = self._subject(clause, passage.number)
        if not hedged:
            self._settling(clause, subject, passage.times)  # before the end of what it takes the place of
        task = not hedged and self._tasks(clause, passage.times)
        stated = False
        attends = task and self.claims[-1].details.get("verb") == "attend"
        if subject is not None and (not task or (clause.lemma == "have" and not attends)):
            stated = self._relations(passage, index, subject, hedged=hedged)
        self._quit_without_object(passage, index)
        if not hedged and subject == USER and clause.mark not in ("if", "unless"):
            deed = undoings.achieved(events.finished(clause), clause, passage.times, text=self.turn.text)
            if deed and not task and not (stated and clause.lemma != "cancel"):
                self._add(clause, deed, "deed", passage.times, subject=USER)
            undone = None if task or stated else experiences.never(clause)
            taken = None if task or stated else experiences.learned(clause)
            if undone:
                self._add(clause, undone, "never", passage.times, subject=USER)
            elif taken:
                self._add(clause, taken, "learned", passage.times, subject=USER)

    def _settling(self, clause: Clause, subject: str | None, times: list[TimeValue]) -> None:
        """What only settles something that is known, so that any name will do: an event that is off, an end half told."""
        told = (*cancellations.fates(clause), *finishing.finished_things(clause))
        for draft in undoings.standing(told, clause, times, text=self.turn.text, reference=self.reference):
            when = cancellations.ahead(clause.sentence, self.reference) if draft.timed else times
            self._add(clause, draft, "fate" if "fate" in draft.details else "deed", when, subject=USER)
        who = subject or (clause.subject.text if clause.subject.kind == "named" else None)
        for draft in departures.perhaps(clause) if who else ():
            self._add(clause, draft, "parting", times, subject=who or USER)

    def _subject(self, clause: Clause, number: int) -> str | None:
        """Whom the clause is about; "" for somebody unnamed, whose clause may still tell of the speaker's things."""
        subject = self.scene.subject(clause, number)
        if subject is not None:
            return subject
        named_by = clause.lemma == "call" and bool(clause.rest) and clause.rest[0].low == "me"
        return "" if clause.subject.kind in ("possessed", "other", "pronoun", "named") or named_by else None

    def _tasks(self, clause: Clause, times: list[TimeValue]) -> bool:
        found = False
        reminder = tasks.reminds(clause)
        for draft in tasks.of_clause(clause):
            if clause.speaker or draft.subject == USER or reminder:
                found = self._add(clause, draft, "open-item", times, subject=USER) or found
        return found

    def _relations(self, passage: Passage, index: int, subject: str, *, hedged: bool) -> bool:
        clause = passage.clauses[index]
        ruled = passage.ruled[0] <= clause.words[clause.verb].start < passage.ruled[1]
        quote_from = _quote_from(passage.clauses, index)
        closed = False
        for rule in ordered():
            if not asked(rule, clause, closed=closed, ruled=ruled):
                continue
            for draft in rule.function(clause):
                if not draft.object or _is_quoted(clause, draft):
                    if draft.object:
                        passage.dropped.setdefault(index, ("object_quoted", rule.name))
                    continue
                # Without a nameable subject, or for others where the rule is about the speaker, the draft must name its own.
                if draft.subject is None and (subject == "" or (subject != USER and not rule.anyone)):
                    passage.dropped.setdefault(index, ("not_about_speaker", rule.name))
                    continue
                who = subject or USER
                taken = self._add(clause, draft, rule.name, passage.times, subject=who, hedged=hedged, quote_from=quote_from)
                if not taken:
                    passage.dropped.setdefault(index, ("not_yet", rule.name))
                closed = closed or (taken and closes(rule, clause))
        return closed

    def _add(
        self,
        clause: Clause,
        draft: Draft,
        rule: str,
        times: list[TimeValue],
        *,
        subject: str,
        hedged: bool = False,
        quote_from: int | None = None,
    ) -> bool:
        claim = build(self.turn, clause, draft, rule=rule, subject=subject, times=times, hedged=hedged, quote_from=quote_from)
        if claim is None or undoings.planned_and_off(claim, clause, self.turn.text):
            return False
        if claim.kind == "episode":
            here = clause.words[clause.start : clause.end]
            details = {
                "type": "event",
                "outcome": outcomes.outcome(clause.sentence.text),
                "topics": outcomes.topics(clause, draft.span),
                **claim.details,
                "tone": outcomes.tone(here),
            }
            claim = claim.model_copy(update={"details": details, "time": undoings.day_of_deed(clause, claim.time)})
        self.claims.append(claim)
        return True

    def _quit_without_object(self, passage: Passage, index: int) -> None:
        """As in "I used to gamble but I quit in 2017": the end belongs to the habit said before."""
        clause = passage.clauses[index]
        if clause.lemma not in ("quit", "stop") or clause.negated or not index or any(w.tag == "VBG" for w in clause.rest[:1]):
            return
        ends = [t for t in clause_times(clause, passage.times) if t.end]
        if ends and self.claims and self.claims[-1].temporal == "ended" and passage.clauses[index - 1].used_to:
            value = ends[0].model_copy(update={"start": None, "modifier": "until"})
            start, end = self.claims[-1].start, quote_bounds(clause)[1]
            quote = self.turn.text[start:end]
            self.claims[-1] = self.claims[-1].model_copy(update={"time": value, "end": end, "quote": quote})


def _plain_have(text: str) -> str:
    """The text with "have got" as "have", place for place: its past form would turn a coming Thursday into the last one."""
    text = re.sub(r"(?i)(?<=\w)['’]ve got\b", " have  ", text)
    return re.sub(r"(?i)\bhave got\b", "have    ", text)


def _one_value(left: str, right: str) -> bool:
    """Whether one of two values holds the other as whole words: a form reads again what a clause has told."""
    short, long = sorted((left, right), key=len)
    return re.search(rf"(?<!\w){re.escape(short)}(?!\w)", long) is not None


def _doubted(passage: Passage, at: int, *, but: tuple[str, ...] = ()) -> bool:
    """Whether the clause around a place is a question, somebody else's word, a wish or a guess (`but` one of these)."""
    for clause, verdict in zip(passage.clauses, passage.verdicts, strict=True):
        low, high = clause.words[clause.start].start, clause.words[clause.end - 1].end
        if low <= at < high and verdict.reason in _DOUBTS.difference(but):
            return True
    return False


def _supposed(passage: Passage) -> bool:
    """Whether the sentence as a whole is supposed, conditional or mocking."""
    for clause, verdict in zip(passage.clauses, passage.verdicts, strict=True):
        if verdict.reason in ("hypothetical", "sarcasm"):
            return True
        if verdict.reason == "conditional" and clause.mark in ("if", "unless", ""):
            return True
    return False


def _quote_from(found: Sequence[Clause], index: int) -> int | None:
    """A clause that inherits its subject is quoted from the clause that gives it."""
    if not found[index].inherited:
        return None
    k = index
    while k > 0 and found[k].inherited:
        k -= 1
    return found[k].start


def _is_quoted(clause: Clause, draft: Draft) -> bool:
    """Whether most of the object stands inside a quotation."""
    if draft.span is None:
        return False
    span = clause.words[draft.span[0] : draft.span[1]]
    return bool(span) and sum(w.foreign for w in span) * 2 > len(span)
