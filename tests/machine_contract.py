"""A random life of one memory, step by step against the model: telling, owner's acts, forgetting, crashes, questions.

Invariant: after every step the memory shows what the model holds, every statement has a quote that stands in its turn, and
nothing is left to conclude; at the end the store verifies.  What was really done is counted, and a kind of step that never
happened is an error.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule
from machine_book import Book
from machine_claims import (
    CAPS,
    EPOCH,
    JOBS,
    OWNER,
    PLACES,
    TASTES,
    Line,
    Told,
    allergies,
    anything,
    counts,
    homes,
    jobs,
    lines,
    stories,
    tasks,
    tastes,
    tell,
)
from machine_compared import COUNTED, Compared, is_summary
from machine_model import Label, Said, open_clashes, view
from machine_parts import SCRIPT

from graphmem import Memory
from graphmem.errors import HashMismatch, InputError, QuestionAnswered, SessionError
from graphmem.model import Change, Hit, HitParts, Recall, Statement
from graphmem.records import ERASED
from graphmem.usage import Tally

OPENED = datetime(2026, 4, 1, tzinfo=EPOCH.tzinfo)
BACKUP = hasattr(Memory, "backup") and hasattr(Memory, "restore")
NUMBER = st.integers(0, 10**6)
VALUES = {"lives_in": PLACES, "has_job": JOBS, "likes": TASTES, "dislikes": TASTES, "prefers": TASTES}


class MemoryMachine(Compared):
    """The steps of one life; `engine` is set by the subclass."""

    engine = "kuzu"

    def __init__(self) -> None:
        super().__init__()
        COUNTED["examples"] += 1
        self.root = Path(tempfile.mkdtemp(prefix="machine"))
        self.home, self.homes = self.root / "home0", 1
        self.now = OPENED
        self.random = random.Random(4)
        self.book = Book()
        self.told: list[tuple[Told, tuple[Any, ...]]] = []
        self.ids: dict[Label, str] = {}
        self.labels: dict[str, Label] = {}
        self.uses: dict[str, tuple[int, int]] = {}
        self.settled = True
        self.memory = self._open(self.home)

    def _open(self, home: Path) -> Memory:
        return Memory.open(
            home, user=OWNER, engine=self.engine, clock=lambda: self.now, entropy=self.random.randbytes, wait=0.0
        )

    def step(self, kind: str) -> datetime:
        COUNTED[kind] += 1
        COUNTED["steps"] += 1
        self.settled = kind in ("crash", "reopen", "compact", "backup")
        self.now += timedelta(hours=1)
        return self.now

    # ------------------------------------------------------------------------------------------------------ telling

    def _tell(self, kind: str, day: int, said: tuple[Any, ...]) -> None:
        number = len(self.told) + 1
        started = EPOCH + timedelta(days=day, hours=9, minutes=number)
        told = tell(f"s{number}", started, said, mark=f"m{number}")
        self._take(kind, told, told.said, len(told.session.turns))
        self.told.append((told, said))

    def _take(self, kind: str, told: Told, fresh: tuple[Said, ...], turns: int) -> None:
        now = self.step(kind)
        SCRIPT.claims = told.claims
        # What was forgotten is told again with leave: that it is refused without is the law of `test_forgetting_law`.
        report = self.memory.ingest(told.session, allow=True)
        assert report.sessions == 1
        before = len(self.book.turns)
        for turn in told.session.turns:
            self.book.turns.setdefault((told.session.id, turn.id), turn.time)
            self.book.recorded.setdefault((told.session.id, turn.id), self.now)
        assert report.turns == len(self.book.turns) - before
        outcomes = self.book.take(fresh, now, summary=(told.session.id, turns))
        for outcome in outcomes:
            COUNTED[f"claim {outcome}"] += 1
        assert bool(report.corroborated) == ("corroborated" in outcomes)
        assert len(report.recorded) + len(report.suggested) == outcomes.count("recorded")

    @rule(day=st.integers(0, 400), said=lines(anything, pair=False))
    def tell_anything(self, day, said):
        self._tell("tell", day, said)

    @rule(day=st.integers(0, 400), said=lines(anything, pair=True))
    def tell_of_two_speakers(self, day, said):
        self._tell("tell pair", day, said)

    @rule(day=st.integers(0, 400), said=lines(st.one_of(homes, jobs), pair=False, longest=2))
    def tell_a_home_or_job(self, day, said):
        self._tell("tell state", day, said)

    @rule(day=st.integers(0, 400), said=lines(st.one_of(tastes(), allergies, counts), pair=False, longest=2))
    def contradict(self, day, said):
        self._tell("tell opposite", day, said)

    @rule(day=st.integers(0, 400), said=lines(tasks, pair=False, longest=2))
    def tell_a_task_or_deed(self, day, said):
        self._tell("tell task", day, said)

    @rule(story=stories)
    def tell_a_story(self, story):
        for day, content in story:
            self._tell("tell story", day, (Line("user", None, (content,), False),))
            self.the_memory_is_as_the_model()

    @precondition(lambda self: self.told)
    @rule(which=NUMBER, day=st.integers(0, 400))
    def tell_the_same_in_another_session(self, which, day):
        said = self.told[which % len(self.told)][1]
        self._tell("tell same", day, tuple(line._replace(role="user") if line.role in CAPS else line for line in said))

    @precondition(lambda self: self.told)
    @rule(which=NUMBER, more=lines(anything, pair=False, longest=1))
    def go_on_with_a_session(self, which, more):
        index = which % len(self.told)
        old, said = self.told[index]
        if any(line.speaker for line in said):
            return
        longer = tell(old.session.id, old.session.started, said + more, mark=f"m{index + 1}")
        if longer.session.turns[: len(said)] != old.session.turns:
            return
        fresh = tuple(one for one in longer.said if one.position >= len(said))
        self._take("go on", longer, fresh, len(longer.session.turns))
        self.told[index] = longer, said + more

    @precondition(lambda self: self.told)
    @rule(which=NUMBER)
    def tell_a_known_session_again(self, which):
        self.step("repeat")
        told = self.told[which % len(self.told)][0]
        SCRIPT.claims = told.claims
        assert self.memory.ingest(told.session).turns == 0
        with self.memory._space.reading():
            kept = [turn.text for turn in self.memory._space.graph.turns() if turn.session == told.session.id]
        if any(ERASED in text for text in kept):  # a turn is not filled again, and leave to do so does not pass in silence
            with pytest.raises(SessionError, match="cannot be put back"):
                self.memory.ingest(told.session, allow=True)
        else:
            assert self.memory.ingest(told.session, allow=True).turns == 0

    # --------------------------------------------------------------------------------------------------------- acts

    def _pick(self, which: int) -> tuple[Label, Statement]:
        # More often than chance would have it: a statement that others depend on.
        tied = self.book.state.tied() if which % 3 else set()
        among = sorted(tied or self.book.state.facts)
        label = among[which % len(among)]
        return label, next(one for one in self.memory.statements() if one.id == self.ids[label])

    @precondition(lambda self: self.book.state.facts)
    @rule(which=NUMBER)
    def confirm(self, which):
        label, shown = self._pick(which)
        if shown.status == "retracted":
            return
        now = self.step("confirm")
        done = self.memory.confirm(shown.id, content_hash=shown.content_hash)
        self.book.confirm(label, now)
        assert done.tier == "confirmed"

    @precondition(lambda self: self.book.state.facts)
    @rule(which=NUMBER)
    def confirm_another_text(self, which):
        self.step("confirm wrongly")
        with pytest.raises(HashMismatch):
            self.memory.confirm(self._pick(which)[1].id, content_hash="0" * 64)

    @precondition(lambda self: self.book.state.facts)
    @rule(which=NUMBER, value=NUMBER)
    def correct(self, which, value):
        label, shown = self._pick(which)
        fact = self.book.state.facts[label]
        if fact.predicate not in VALUES:
            return
        now = self.step("correct")
        text = VALUES[fact.predicate][value % len(VALUES[fact.predicate])]
        SCRIPT.claims = ()
        if shown.status in ("retracted", "corrected"):
            with pytest.raises(InputError):
                self.memory.correct(shown.id, text, allow=True)
            return
        made = self.memory.correct(shown.id, text, allow=True)
        self.book.correct(label, text, now, made.evidence[0].session)

    @precondition(lambda self: self.book.state.facts)
    @rule(which=NUMBER)
    def retract(self, which):
        label, shown = self._pick(which)
        now = self.step("retract")
        if shown.status == "retracted":
            with pytest.raises(InputError):
                self.memory.retract(shown.id, reason="again")
            return
        self.memory.retract(shown.id, reason="not so")
        self.book.retract(label, now)

    @precondition(lambda self: self.book.state.facts)
    @rule(which=NUMBER, used=st.booleans())
    def note_the_use_of_some(self, which, used):
        """Use changes no statement; of what is forgotten none is left, which is seen after every step."""
        self.step("use")
        shown = {self._pick(which + number)[1].id for number in range(3)}
        one = [self._pick(which)[1].id] if used else []
        hits = tuple(Hit(statement=made, score=0.5, parts=HitParts()) for made in self.memory.statements() if made.id in shown)
        made = f"r_{self.random.randbytes(12).hex()}"
        answer = Recall(id=made, query="", hits=hits, contradictions=(), superseded_shown=0, below_threshold=0, seconds=0.0)
        assert self.memory.note_use(answer, one).noted
        for name in shown:
            good, bad = self.uses.get(name, (0, 0))
            self.uses[name] = (good + (name in one), bad + (name not in one))

    @invariant()
    def what_was_used_is_counted(self):
        tally = Tally()
        tally.follow(self.memory._space.ledger)
        self.uses = {name: counts for name, counts in self.uses.items() if name in self.labels}
        assert tally.dump() == dict(sorted(self.uses.items()))

    def _waiting(self) -> set[frozenset[Label]]:
        """What only the owner can decide: open clashes, and suggestions that somebody put as so."""
        state = self.book.state
        guesses = {
            frozenset({label})
            for label, fact in state.facts.items()
            if fact.modality in ("asserted", "intended") and view(state, label, self.now).status == "suggested"
        }
        return open_clashes(state, self.now) | guesses

    @precondition(lambda self: self._waiting())
    @rule(which=NUMBER, confirmed=st.booleans())
    def answer_a_question(self, which, confirmed):
        asked = self.memory.open_questions()
        assert {frozenset(self.labels[side.id] for side in one.statements) for one in asked} == self._waiting()
        question = asked[which % len(asked)]
        chosen = question.statements[which % len(question.statements)]
        now = self.step("answer")
        if confirmed:
            self.memory.confirm(chosen.id, question=question.id)
            wrong = frozenset(self.labels[side.id] for side in question.statements if side.id != chosen.id)
            self.book.decide(self.labels[chosen.id], wrong, now)
        else:
            self.memory.retract(chosen.id, reason="no", question=question.id)
            self.book.retract(self.labels[chosen.id], now)
        with pytest.raises(QuestionAnswered):
            self.memory.confirm(chosen.id, question=question.id)

    # --------------------------------------------------------------------------------------------------- forgetting

    def _forgotten(self, labels: set[Label], turns: set[tuple[str, str]], now: datetime, receipt: Any, **more: Any) -> None:
        gone = self.book.forget(labels, turns, now, **more)
        COUNTED["statements forgotten"] += len(gone)
        assert receipt.residue_hits == 0
        for label in gone:
            del self.labels[self.ids.pop(label)]

    @precondition(lambda self: self.book.state.facts)
    @rule(which=NUMBER)
    def forget_a_statement(self, which):
        label, shown = self._pick(which)
        now = self.step("forget id")
        counted = self.memory.forget(id=shown.id, dry_run=True).counts
        receipt = self.memory.forget(id=shown.id)
        assert receipt.counts == counted
        self._forgotten({label}, set(), now, receipt)

    @precondition(lambda self: self.book.summaries)
    @rule(which=NUMBER)
    def forget_a_summary(self, which):
        summaries = {self._summary_name(one): one for one in self.memory.statements() if one.details.get("type") == "session"}
        name = sorted(summaries)[which % len(summaries)]
        now = self.step("forget summary")
        self._forgotten(set(), set(), now, self.memory.forget(id=summaries[name].id), summaries={name})

    @precondition(lambda self: self.told)
    @rule(which=NUMBER)
    def forget_a_session(self, which):
        session = self.told[which % len(self.told)][0].session
        now = self.step("forget session")
        turns = {(session.id, turn.id) for turn in session.turns}
        self._forgotten(set(), turns, now, self.memory.forget(session=session.id))

    @precondition(lambda self: self.told)
    @rule(day=st.integers(0, 400), length=st.integers(1, 20))
    def forget_what_was_told_in_some_days(self, day, length):
        since = EPOCH + timedelta(days=day)
        until = since + timedelta(days=length)
        now = self.step("forget told")
        turns = self.book.told_within(since, until)
        self._forgotten(set(), turns, now, self.memory.forget(since=since, until=until))

    @precondition(lambda self: self.book.history)
    @rule(which=NUMBER)
    def forget_what_was_recorded_in_some_hour(self, which):
        since = self.book.history[which % len(self.book.history)][0]
        until = since + timedelta(minutes=1)
        now = self.step("forget recorded")
        turns, summaries = self.book.recorded_within(since, until)
        receipt = self.memory.forget(since=since, until=until, clock="recorded")
        self._forgotten(set(), turns, now, receipt, summaries=summaries)

    # ---------------------------------------------------------------------------------------------------- the store

    @precondition(lambda self: not self.settled)
    @rule(days=st.integers(1, 90))
    def wait(self, days):
        self.step("wait")
        self.now += timedelta(days=days)

    @precondition(lambda self: not self.settled)
    @rule()
    def reopen(self):
        self.step("reopen")
        self.memory.close()
        self.memory = self._open(self.home)

    @precondition(lambda self: not self.settled)
    @rule()
    def crash(self):
        """What is on the disk at this moment is all that is left."""
        self.step("crash")
        target = self._new_home()
        shutil.copytree(self.home, target)
        self.memory.close()
        shutil.rmtree(self.home)
        self.home = target
        self.memory = self._open(target)

    @precondition(lambda self: not self.settled)
    @rule()
    def compact(self):
        self.step("compact")
        getattr(self.memory, "compact", self.memory.rebuild)()

    @precondition(lambda self: not self.settled)
    @rule()
    def move_to_another_embedder(self):
        """Nothing that was recorded changes by it, whatever the length of the vectors."""
        self.step("reembed")
        name = "minilm" if self.memory._space.embedder == "wider" else "wider"
        count = self.memory.reembed(embedder=name)
        kept = [row for rows in self.memory._space.ledger.vectors().values() for row in rows]
        assert len(kept) == count
        assert {row[3] for row in kept} <= {name}
        assert self.memory._space.dimension == (13 if name == "wider" else 8) or not kept

    @precondition(lambda self: BACKUP and not self.settled)
    @rule()
    def back_up_and_restore(self):
        self.step("backup")
        target = self._new_home()
        file = self.root / f"backup{self.homes}"
        self.memory.backup(file)
        self.memory.close()
        engine = self.engine if self.engine == "ladybug" else None  # the two engines cannot live in one process
        Memory.restore(file, home=target, user=OWNER, space="default", engine=engine).close()
        self.home = target
        self.memory = self._open(target)

    def _new_home(self) -> Path:
        self.homes += 1
        return self.root / f"home{self.homes}"

    # ---------------------------------------------------------------------------------------------------- questions

    def _moment(self, day: int, which: int) -> datetime:
        """A day, or more often the very moment at which something begins or ends."""
        turns = self.book.state.bounds()
        return turns[which % len(turns)] if turns and which % 3 else EPOCH + timedelta(days=day)

    @precondition(lambda self: self.book.history)
    @rule(day=st.integers(-500, 900), which=NUMBER)
    def ask_what_was_known_of_a_time(self, day, which):
        self.step("ask as of, known at")
        at = self._moment(day, which)
        known = self.book.history[which % len(self.book.history)][0]
        state = self.book.known(known)
        found = self.memory.statements(as_of=at, known_at=known)
        self._compare(state, found, at, only_held=True)
        self._compare(state, self.memory.statements(known_at=known), known)

    @precondition(lambda self: self.told)
    @rule(day=st.integers(-500, 900), which=NUMBER)
    def ask_what_held(self, day, which):
        self.step("ask as of")
        for at in {self._moment(day, which + number) for number in range(4)}:
            self._compare(self.book.state, self.memory.statements(as_of=at), at, only_held=True)
        at = self._moment(day, which)
        status = ("current", "planned", "superseded", "past", "suggested")[which % 5]
        wanted = {self.ids[label] for label in self.book.state.facts if view(self.book.state, label, at).status == status}
        found = {one.id for one in self.memory.statements(as_of=at, status=status) if not is_summary(one)}
        assert found == wanted
        open_ = {
            self.ids[label]
            for label, fact in self.book.state.facts.items()
            if fact.kind == "open_item" and view(self.book.state, label, self.now).status == "current"
        }
        assert {one.id for one in self.memory.open_items()} == open_

    @precondition(lambda self: self.told)
    @rule(day=st.integers(0, 900))
    def ask_what_changed(self, day):
        self.step("ask changes")
        at = EPOCH + timedelta(days=day)
        for clock in ("told", "recorded"):
            changes = self.memory.changes(clock=clock)
            assert [one.at for one in changes] == sorted(one.at for one in changes)
            assert self.memory.changes(until=at, clock=clock) + self.memory.changes(since=at, clock=clock) == changes
            kinds = Counter(one.type for one in changes)
            assert kinds["erased"] == self.book.erasures
            assert kinds["retracted"] == len(self.book.state.retracted)
            # By the time of recording also what was concluded once and no longer is.
            states = [self.book.state] if clock == "told" else [state for _, state in self.book.history]
            assert self._pairs(changes, "corrected") == self._named_pairs(pair for one in states for pair in one.corrects)
            clashes = {frozenset(pair) for pair in self._pairs(changes, "contradicted")}
            assert clashes == {frozenset(self.ids[side] for side in pair) for one in states for pair in one.follows.clashes}
            ends = self._named_pairs(pair for one in states for pair in one.follows.ends)
            assert self._pairs(changes, "superseded", "ended") == ends

    @staticmethod
    def _pairs(changes: list[Change], *types: str) -> set[tuple[str, str]]:
        """(newer, older) of the changes of some types that two statements take part in."""
        found = [one for one in changes if one.type in types and one.before is not None and one.statement is not None]
        return {(one.statement.id, one.before.id) for one in found if one.statement.id != one.before.id}

    def _named_pairs(self, pairs: Iterable[tuple[Label, Label]]) -> set[tuple[str, str]]:
        return {(self.ids[new], self.ids[old]) for new, old in pairs}

    def teardown(self) -> None:
        try:
            report = self.memory.verify()
            assert report.ledger_ok
            assert report.projection_equal
            assert (report.quotes_broken, report.problems) == ((), ())
            COUNTED["verified"] += 1
        finally:
            self.discard()

    def discard(self) -> None:
        self.memory.close()
        shutil.rmtree(self.root, ignore_errors=True)
