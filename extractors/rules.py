"""The rule extractor for English: own words, sentences, clauses, gate, relations, time, claims.

Invariant: the same session always gives the same claims, in the order of the turns; only turns of role `user` make claims,
and what was looked at and not taken is a refusal with a reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta, timezone
from functools import cache

from graphmem.extractors import bodies, doings, people, places, standing, tastes, tasks, things
from graphmem.extractors.answers import Fragment, answers, profile, statements, topics
from graphmem.extractors.base import USER, Claim, Extraction, Refusal, TimeValue
from graphmem.extractors.claims import build, clause_times, due, quote_bounds
from graphmem.extractors.clauses import Clause, clauses
from graphmem.extractors.drafts import RULES, Draft, Rule
from graphmem.extractors.english import Sentence, read_many
from graphmem.extractors.factuality import Verdict, fiction_from, is_sarcastic, judge
from graphmem.extractors.lexicon import words
from graphmem.extractors.regions import Regions, regions
from graphmem.extractors.scenes import Scene
from graphmem.extractors.timex import resolve
from graphmem.model import Session, Turn

VERSION = "1"
THEMES = (people, places, things, tastes, bodies, doings)
OPEN = frozenset({"habit", "ongoing", "event", "plan", "ended-habit", "project", "trait", "age"})
_STATEMENT_VERBS = frozenset({"love", "hate", "like", "enjoy", "prefer", "need", "have", "can", "stand", "drive", "speak", "work", "live", "use", "play"})


class RuleExtractor:
    """Closed and open relations by named rules over spaCy's parse; English only."""

    name = "rules"
    version = VERSION

    def extract(self, session: Session) -> Extraction:
        """Propose claims for all turns of a session, in order of the turns."""
        claims: list[Claim] = []
        refusals: list[Refusal] = []
        own = [(n, turn, regions(turn)) for n, turn in enumerate(session.turns) if turn.role == "user"]
        parsed = read_many([(turn.text, found.own, found.foreign) for _, turn, found in own])
        for (number, turn, found), sentences in zip(own, parsed, strict=True):
            before = session.turns[number - 1] if number else None
            question = before.text if before is not None and before.role == "assistant" else None
            offset = session.turn_offsets.get(turn.id, session.offset_minutes)
            reading = TurnReading(turn, found, sentences, question=question, offset_minutes=offset)
            reading.run()
            claims += reading.claims
            refusals += reading.refusals
        return Extraction(tuple(claims), tuple(refusals))


class TurnReading:
    """One turn on its way from sentences to claims."""

    def __init__(self, turn: Turn, found: Regions, sentences: list[Sentence], *, question: str | None, offset_minutes: int) -> None:
        self.turn = turn
        self.found = found
        self.sentences = sentences
        self.question = question
        self.asked = topics(question)
        self.reference = turn.time.astimezone(timezone(timedelta(minutes=offset_minutes)))
        self.claims: list[Claim] = []
        self.refusals: list[Refusal] = []
        self.scene = Scene()

    def run(self) -> None:
        """Read all sentences; fiction refuses everything from its cue on."""
        text = self.turn.text
        for start, end, reason in self.found.refused:
            self._refuse(start, min(end, len(text)), reason)
        invented = fiction_from(text)
        # "me, a minimalist, owning 43 mugs. sure."
        mocked = bool(self.sentences) and self.sentences[-1].text.strip(" .!").lower() in ("sure", "not", "yeah right", "as if")
        for number, sentence in enumerate(self.sentences):
            following = self.sentences[number + 1] if number + 1 < len(self.sentences) else None
            if invented is not None and sentence.end > invented:
                self._refuse(sentence.start, sentence.end, "fiction")
                continue
            if mocked:
                self._refuse(sentence.start, sentence.end, "sarcasm")
                continue
            self._sentence(number, sentence, following)
        self.claims = _once(self.claims)

    def _refuse(self, start: int, end: int, reason: str) -> None:
        if end > start:
            self.refusals.append(Refusal(turn=self.turn.id, start=start, end=end, quote=self.turn.text[start:end], reason=reason))

    def _sentence(self, number: int, sentence: Sentence, following: Sentence | None) -> None:
        times = self._times(sentence)
        before = len(self.claims)
        found = clauses(sentence)
        verdicts = judge(found, sentence)
        blocked = is_sarcastic(sentence) or bool(sentence.words) and all(w.foreign for w in sentence.words)
        if not blocked:
            self._standing(sentence, following)
        ruled = [(c.start, c.end) for c in self.claims[before:]]
        for index, clause in enumerate(found):
            self._clause(number, index, found, verdicts[index], times, standing_taken=any(a <= clause.words[clause.verb].start < b for a, b in ruled))
        if not blocked:
            whole = next(
                (v.reason for v, c in zip(verdicts, found, strict=True) if v.reason in ("hypothetical", "sarcasm") or v.reason == "conditional" and c.mark in ("if", "unless", "")), None
            )  # fmt: skip
            if whole is None:
                self._fragments(sentence, following, times)
                self._listed_tasks(sentence, times)
        for index, clause in enumerate(found):
            if not any(c.start < clause.words[clause.end - 1].end and c.end > clause.words[clause.start].start for c in self.claims):
                start, end = quote_bounds(clause)
                self._refuse(start, end, verdicts[index].reason or ("no_relation" if len(clause.rest) > 1 else "small_talk"))
        if not found and len(self.claims) == before:
            self._refuse(sentence.start, sentence.end, "question" if not sentence.words and sentence.mark == "?" else "small_talk" if len(sentence.words) < 4 else "no_relation")

    def _times(self, sentence: Sentence) -> list[TimeValue]:
        """Time expressions of a sentence, with places counted in the turn; their words are marked."""
        if not any(w.low in TIME_WORDS or w.tag == "CD" or w.ent in ("DATE", "TIME") or any(c.isdigit() for c in w.text) for w in sentence.words):
            return []
        base = sentence.start
        values = [
            v.model_copy(update={"start_char": v.start_char + base, "end_char": v.end_char + base})
            for v in resolve(sentence.text, self.reference, lang="en")
        ]
        for word in sentence.words:
            word.time = any(v.start_char <= word.start < v.end_char for v in values)
        return values

    def _clause(self, number: int, index: int, found: Sequence[Clause], verdict: Verdict, times: list[TimeValue], *, standing_taken: bool) -> None:
        clause = found[index]
        if self.asked[:1] == ["profile"] and clause.subject.kind == "named":
            return
        if verdict.reason == "obligation" and clause.speaker:
            for draft in tasks.of_clause(clause):
                self._add(clause, draft, "open-item", USER, times)
        if clause.relative or verdict.reason not in (None, "hedged"):
            self.scene.note(clause, number)
            return
        hedged = verdict.hedged
        subject = self.scene.subject(clause, number)
        if subject is None and clause.subject.kind == "possessed" or clause.subject.kind in ("other", "pronoun", "named"):
            subject = subject or ""
        quote_from = self._quote_from(found, index)
        if not hedged:
            for draft in tasks.of_clause(clause):
                if clause.subject.kind in ("user", "implied") or draft.subject == USER or clause.lemma in ("remind", "nudge", "let", "forget") or clause.words[clause.verb].low == "ping":
                    self._add(clause, draft, "open-item", USER, times)
        task = any(c.kind == "open_item" for c in self.claims[-2:]) and clause.words[clause.start].start <= self.claims[-1].start if self.claims else False
        stated = False
        if subject is not None and not (task and clause.lemma not in ("have",)):
            stated = self._relations(clause, subject, times, hedged=hedged, quote_from=quote_from, standing_taken=standing_taken)
        self._quit_without_object(found, index, times)
        if not hedged and subject == USER and clause.mark not in ("if", "unless"):
            done = doings.finished(clause)
            if done and not task and not stated:
                self._add(clause, done, "deed", USER, times)
        self.scene.note(clause, number)

    def _quote_from(self, found: Sequence[Clause], index: int) -> int | None:
        """A clause that inherits its subject is quoted from the clause that gives it."""
        if not found[index].inherited:
            return None
        k = index
        while k > 0 and found[k].inherited:
            k -= 1
        return found[k].start

    def _relations(
        self, clause: Clause, subject: str, times: list[TimeValue], *, hedged: bool, quote_from: int | None, standing_taken: bool
    ) -> bool:
        closed = False
        for rule in ordered():
            if closed and rule.name in OPEN and rule.name not in ("trait", "age", "habit") or standing_taken and rule.name in OPEN:
                continue
            if closed and rule.name == "habit" or not _applies(rule, clause, subject):
                continue
            for draft in rule.function(clause):
                if not draft.object or self._foreign(clause, draft):
                    continue
                if subject == "" and draft.subject is None:
                    continue
                if subject not in ("", USER) and draft.subject is None and not rule.anyone:
                    continue
                claim = self._add(clause, draft, rule.name, subject or USER, times, hedged=hedged, quote_from=quote_from)
                closed = closed or claim and rule.name not in OPEN | {"relative-by-name", "marriage"} and not (rule.name == "tool" and clause.lemma == "learn")
        return closed

    def _foreign(self, clause: Clause, draft: Draft) -> bool:
        if draft.span is None:
            return False
        span = clause.words[draft.span[0] : draft.span[1]]
        return bool(span) and sum(w.foreign for w in span) * 2 > len(span)

    def _add(
        self, clause: Clause, draft: Draft, rule: str, subject: str, times: list[TimeValue], *, hedged: bool = False, quote_from: int | None = None
    ) -> bool:
        claim = build(self.turn, clause, draft, rule=rule, subject=subject, times=times, hedged=hedged, quote_from=quote_from)
        if claim is None:
            return False
        if claim.kind == "episode":
            here = [w for w in clause.words[clause.start : clause.end]]
            details = {"type": "event", "outcome": None, "topics": [], **claim.details, "tone": doings.tone(here)}
            claim = claim.model_copy(update={"details": details})
        self.claims.append(claim)
        return True

    def _quit_without_object(self, found: Sequence[Clause], index: int, times: list[TimeValue]) -> None:
        """ "I used to smoke but I quit in 2019": the end belongs to the habit said before."""
        clause = found[index]
        if clause.lemma not in ("quit", "stop") or clause.negated or index == 0 or any(w.tag == "VBG" for w in clause.rest[:1]):
            return
        ends = [t for t in clause_times(clause, times) if t.end]
        if ends and self.claims and self.claims[-1].temporal == "ended" and found[index - 1].used_to:
            value = ends[0].model_copy(update={"start": None, "modifier": "until"})
            start, end = self.claims[-1].start, quote_bounds(clause)[1]
            self.claims[-1] = self.claims[-1].model_copy(update={"time": value, "end": end, "quote": self.turn.text[start:end]})

    def _standing(self, sentence: Sentence, following: Sentence | None) -> None:
        rule = standing.standing(sentence, following)
        if rule is None:
            return
        start, end = sentence.start + rule.start, sentence.start + rule.end
        if any(a <= start < b for a, b in self.found.foreign):
            return
        text = self.turn.text
        quote_start = min(start, text.find(rule.context, sentence.start) if rule.context else start)
        if quote_start < 0:
            quote_start = start
        quote_end = max(end, quote_start + len(rule.context or ""))
        self.claims.append(
            Claim(
                turn=self.turn.id, start=quote_start, end=quote_end, quote=text[quote_start:quote_end], kind="procedure", predicate="rule",
                object=text[start:end], context=rule.context, confidence=0.85, importance=0.8, rule=f"standing-{rule.name}",
            )
        )  # fmt: skip

    def _fragments(self, sentence: Sentence, following: Sentence | None, times: list[TimeValue]) -> None:
        for found in statements(sentence, following):
            self._fragment(sentence, found, times)
        if self.question:
            for found in answers(sentence, self.asked, self.question):
                self._fragment(sentence, found, times)
        # "My name is Ahmed, 34, electrician, Rotterdam": the list goes on after the name.
        named = next((c for c in self.claims if c.predicate == "name" and c.rule in ("name-by-calling", "name-by-being") and c.start >= sentence.start), None)
        if named is not None:
            stop = self.turn.text.find(named.object, named.start) + len(named.object)
            at = next((w.i for w in sentence.words if w.start >= stop), None)
            if at is not None and sentence.words[at].low == "," and not any(w.low in ("i", "but", "we", "not", "and") for w in sentence.words[at : at + 3]):
                for found in profile(sentence.words, at + 1, len(sentence.words), named=True):
                    self._fragment(sentence, found, times)

    def _fragment(self, sentence: Sentence, found: Fragment, times: list[TimeValue]) -> None:
        text = self.turn.text
        value = text[found.start : found.end]
        if any(a <= found.start < b for a, b in self.found.foreign):
            return
        fields = dict(found.fields)
        context_span = fields.pop("context_span", None)
        own_time = fields.pop("own_time", False) or found.predicate == "born_on"
        if context_span:
            fields["context"] = text[context_span[0] : context_span[1]]
        # The following sentence's value ("favourite colour? teal") is quoted with the question.
        end = max(sentence.end, found.end)
        start = sentence.start
        near = [t for t in times if t.start or t.end]
        if own_time:
            near = [v.model_copy(update={"start_char": v.start_char + found.start}) for v in resolve(value, self.reference, lang="en") if v.start or v.end] or near
        elif fields.get("temporal") == "ended":
            near = [v.model_copy(update={"start": None, "modifier": "until"}) for v in near if v.end]
        elif fields.get("temporal") != "past":
            near = [v for v in near if v.modifier in ("since", "until", "before") or v.end is None]
        quote = text[start:end].rstrip()
        lead = len(quote) - len(quote.lstrip())
        self.claims.append(
            Claim(
                turn=self.turn.id, start=start + lead, end=start + len(quote), quote=quote[lead:], predicate=found.predicate, object=value,
                time=near[0] if near else None, rule=found.rule, **{"kind": "fact", "confidence": 0.8, **fields},
            )
        )  # fmt: skip

    def _listed_tasks(self, sentence: Sentence, times: list[TimeValue]) -> None:
        for start, end, verb in tasks.of_text(sentence):
            a, b = sentence.start + start, sentence.start + end
            here = [t for t in times if t.start_char < b and t.end_char > a]
            value = self.turn.text[a : min([b, *(t.start_char for t in here if t.start_char > a)])].rstrip(" ,.?!")
            self.claims.append(
                Claim(
                    turn=self.turn.id, start=a, end=b, quote=self.turn.text[a:b], kind="open_item", predicate="to_do", object=value,
                    time=here[0] if here else None, importance=0.6, rule="listed-task",
                    details={"due": due(here), "owner": "user", "verb": verb, "target": " ".join(value.split()[1:])},
                )
            )  # fmt: skip


def _applies(rule: Rule, clause: Clause, subject: str) -> bool:
    if clause.subject.kind == "implied" or clause.inherited and clause.subject.kind == "none":
        if not rule.fragments:
            return False
        tag = clause.tag
        return tag in ("VBD", "VBG", "VBN") or bool(clause.aux) or bool(clause.lemma == "call" and clause.rest[:1] and clause.rest[0].low == "me" or clause.lemma in _STATEMENT_VERBS and clause.verb <= clause.start + 2 and tag in ("VB", "VBP", "VBZ", "NN"))
    return True


def _once(claims: Sequence[Claim]) -> list[Claim]:
    """Said three times in one breath is one claim."""
    seen: set[tuple[str, ...]] = set()
    result = []
    for claim in claims:
        key = (claim.kind, claim.subject.lower(), claim.predicate, _bare(claim.object), claim.polarity, claim.temporal, (claim.context or "").lower(), str(claim.done))
        if key in seen:
            continue
        seen.add(key)
        result.append(claim)
    return result


def _bare(text: str) -> str:
    parts = text.lower().split()
    while len(parts) > 1 and parts[0] in ("a", "an", "the", "my", "our"):
        parts = parts[1:]
    return " ".join(parts).strip(" .,!")


TIME_WORDS = words("time_cues")


@cache
def ordered() -> tuple[Rule, ...]:
    """All relation rules in the order they are tried: closed relations by theme, then what is only a doing."""
    place = {theme.__name__: number for number, theme in enumerate(THEMES)}
    return tuple(sorted(RULES, key=lambda rule: place[rule.theme]))
