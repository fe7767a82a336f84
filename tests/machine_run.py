"""Runs of the machine: many random lives, and one in which every kind of step happens.

Invariant: what was really done is counted and printed, and in a run of some length every kind of step must have been done.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from contextlib import nullcontext

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test
from machine_claims import Content, Line
from machine_compared import COUNTED
from machine_contract import BACKUP, MemoryMachine
from machine_parts import reference_spaces, small_parts

KINDS = (
    "tell", "tell pair", "tell state", "tell opposite", "tell task", "tell same", "tell story", "go on", "repeat", "confirm",
    "confirm wrongly", "correct", "retract", "answer", "use", "forget id", "forget summary", "forget session", "forget told",
    "forget recorded", "wait", "reopen", "crash", "compact", "reembed", "ask as of, known at", "ask as of", "ask changes",
)  # fmt: skip
WANTED = KINDS + (("backup",) if BACKUP else ())


def one_of_each(kind: type[MemoryMachine]) -> None:
    """A life in which every kind of step happens, as chance may leave some out of a short run."""
    home, moved = Content("lives_in", "Oslo"), Content("lives_in", "Lund", cue="change")
    job, both = Content("has_job", "nurse"), Content("likes", "olives", kind="preference")

    def said(*contents: Content, speaker: str | None = None) -> tuple[Line, ...]:
        return (Line("user", speaker, contents, False),)

    life = kind()
    before = Counter(COUNTED)
    told = [
        (life.tell_anything, {"day": 1, "said": said(home, job)}),
        (life.tell_a_home_or_job, {"day": 90, "said": said(moved)}),
        (life.tell_of_two_speakers, {"day": 2, "said": said(both, speaker="Ana") + said(home, speaker="Ben")}),
        (life.contradict, {"day": 3, "said": said(both._replace(polarity="negative"))}),
        (life.tell_a_task_or_deed, {"day": 4, "said": said(Content("task", "call Mia", kind="open_item"))}),
        (life.tell_anything, {"day": 5, "said": (Line("assistant", None, (job._replace(object="cook"),), False),)}),
        (life.answer_a_question, {"which": 0, "confirmed": False}),
        (life.tell_the_same_in_another_session, {"which": 1, "day": 95}),
        (life.go_on_with_a_session, {"which": 0, "more": said(both)}),
        (life.tell_a_known_session_again, {"which": 0}),
        (life.tell_a_story, {"story": [(20, job), (10, job._replace(object="baker"))]}),
    ]
    stored = [
        (life.crash, {}),
        (life.reopen, {}),
        (life.compact, {}),
        (life.move_to_another_embedder, {}),
        *([(life.back_up_and_restore, {})] if BACKUP else []),
    ]
    acts = [life.confirm_another_text, life.retract, life.forget_a_statement, life.forget_a_summary]
    acts += [life.forget_what_was_recorded_in_some_hour, life.forget_a_session]
    steps = [
        *told,
        *stored,
        *((life.correct, {"which": which, "value": 2}) for which in range(0, 18, 3)),
        *((life.confirm, {"which": which}) for which in range(0, 18, 3)),
        (life.note_the_use_of_some, {"which": 2, "used": True}),
        *((step, {"which": 2}) for step in acts),
        (life.ask_what_changed, {"day": 50}),
        (life.ask_what_held, {"day": 50, "which": 1}),
        (life.wait, {"days": 5}),
        (life.ask_what_was_known_of_a_time, {"day": 50, "which": 4}),
        (life.forget_what_was_told_in_some_days, {"day": 85, "length": 20}),
        *stored,
    ]
    try:
        for step, arguments in steps:
            step(**arguments)
            life.the_memory_is_as_the_model()
    finally:
        life.teardown()
    missing = [name for name in WANTED if COUNTED[name] == before[name]]
    assert not missing, missing


def run(engine: str, *, examples: int, steps: int, fresh: bool = False) -> None:
    """Run the machine, print what was done, and hold every kind of step to have been done.

    Args:
        engine: `reference`, `kuzu` or `ladybug`.
        examples, steps: how many lives, and how long; the environment's MACHINE_EXAMPLES sets another number of lives.
        fresh: another seed in every run (or the environment's MACHINE_SEED), printed.
    """
    COUNTED.clear()
    examples = int(os.environ.get("MACHINE_EXAMPLES", examples))
    kind = type("Machine", (MemoryMachine,), {"engine": "kuzu" if engine == "reference" else engine})
    if fresh:
        number = int(os.environ.get("MACHINE_SEED", random.SystemRandom().randrange(2**32)))
        print(f"MACHINE_SEED={number}")
        kind = seed(number)(kind)
    phases = [Phase.generate] if "MACHINE_UNSHRUNK" in os.environ else [Phase.generate, Phase.shrink]
    chosen = settings(
        max_examples=examples, stateful_step_count=steps, deadline=None, derandomize=not fresh, database=None,
        phases=phases, suppress_health_check=list(HealthCheck), print_blob=False,
    )  # fmt: skip
    with small_parts(), reference_spaces() if engine == "reference" else nullcontext():
        run_state_machine_as_test(kind, settings=chosen)
        print(f"{engine}: " + ", ".join(f"{name} {count}" for name, count in sorted(COUNTED.items())))
        if COUNTED["steps"] > 5000:
            missing = [name for name in WANTED if not COUNTED[name]]
            assert not missing, missing
        one_of_each(kind)
