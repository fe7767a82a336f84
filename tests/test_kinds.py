"""Questions for a kind of memory: what is to do, what is planned, what has changed."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from graphmem import Memory
from graphmem.recall.kinds import asked_kind
from graphmem.recall.words import Words

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
WORDS = Words()
PURE = {
    "open_items": [
        "What should I still do?", "what's left to do", "Do I have any tasks?", "Which deadlines do I have?", "Any open items?",
        "What's on my to-do list?", "Did I forget anything?", "What else do I need to take care of?", "Is anything pending?",
        "What haven't I done yet?", "What am I supposed to do?", "Vad måste jag göra?", "Mitä minun pitää vielä tehdä?",
        "Что мне нужно сделать?",
    ],
    "plans": ["What are my plans?", "What am I planning?", "What's coming up?", "Anything planned?", "Show me my plans"],
    "changes": ["What's new?", "What has changed in my life?", "Anything new with me?", "What is different now?"],
}  # fmt: skip
NONE = [
    "What should I cook tonight?", "What should I do about my noisy neighbour?", "What is my new job?", "Do I like tea?",
    "Plan a weekend trip for me and Hanne.", "What do I do for a living?", "Where do I live?", "What did I do yesterday?",
    "How do I change a tyre?", "I have to renew my passport.", "I changed my mind about the sofa", "The deadline is Friday.",
    "When is my flight due to land?", "What do I still like?", "Is the new phone different?", "What does she do?", "",
    "What have I done for my sister?",
]  # fmt: skip


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in PURE.items() for text in texts])
def test_a_question_for_a_kind_is_known_by_its_words(kind, text):
    asked = asked_kind(text, NOW, WORDS)
    assert asked is not None
    assert (asked.kind, asked.topics) == (kind, frozenset())


@pytest.mark.parametrize("text", NONE)
def test_other_questions_ask_for_no_kind(text):
    assert asked_kind(text, NOW, WORDS) is None


@pytest.mark.parametrize(
    ("text", "kind", "topic"),
    [
        ("Which tasks are there for the museum?", "open_items", "museum"),
        ("What are Hanne's plans?", "plans", "hann"),
        ("What changed about my job?", "changes", "job"),
    ],
)
def test_what_else_it_is_about_is_its_topic(text, kind, topic):
    asked = asked_kind(text, NOW, WORDS)
    assert (asked.kind, asked.topics) == (kind, frozenset({topic}))


def test_a_time_is_no_topic_but_a_limit():
    asked = asked_kind("What changed since March?", NOW, WORDS)
    assert (asked.kind, asked.topics, asked.since) == ("changes", frozenset(), datetime(2026, 3, 1, tzinfo=UTC))
    asked = asked_kind("What must be done before 5 June 2026?", NOW, WORDS)
    assert asked.until == datetime(2026, 6, 5, tzinfo=UTC)


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    told = {
        "2026-02-10": ["I work at a bakery called Korst.", "I live in Utrecht."],
        "2026-05-03": [
            "I need to renew my passport by 9 June 2026.",
            "I have to call the plumber.",
            "I'm going to visit Oslo on 9 May 2026.",
            "I plan to move to Bergen in 2027.",
        ],
        "2026-05-20": ["I moved to Delft.", "Remind me to send the invoice to the museum by 20 June 2026."],
    }
    with Memory.open(tmp_path_factory.mktemp("kinds"), user="ina", clock=lambda: NOW) as memory:
        for day, texts in told.items():
            turns = [{"role": "user", "text": text} for text in texts]
            memory.ingest({"id": day, "started": f"{day}T09:00:00+00:00", "turns": turns})
        yield memory


def found(memory, query, **more):
    return [hit.statement.text for hit in memory.recall(query, **more).hits if hit.statement]


def test_open_items_answer_the_question_for_what_is_to_do(memory):
    items = [one.text for one in memory.open_items()]
    assert len(items) == 3
    assert found(memory, "What should I still do?") == items
    assert found(memory, "What should I still do?", k=2) == items[:2]
    hit = memory.recall("Do I have any tasks?").hits[0]
    assert hit.path == ("asks for what is to do",)
    assert [hit.statement.text for hit in memory.on_turn("What do I still have to do?").hits] == items


def test_topics_and_times_limit_what_is_listed(memory):
    assert "museum" in found(memory, "Which tasks are there for the museum?")[0]
    [only] = found(memory, "What must be done before 12 June 2026?")
    assert "passport" in only


def test_plans_to_come_answer_the_question_for_plans(memory):
    texts = found(memory, "What are my plans?")
    assert any("Bergen" in text for text in texts)
    assert not any("Oslo" in text for text in texts)


def test_changes_answer_the_question_for_what_changed(memory):
    first = memory.recall("What changed?").hits[0]
    assert first.statement.text == "User lives in Delft"
    assert "superseded" in first.path[1]
    assert not any("Utrecht" in text or "Korst" in text for text in found(memory, "What changed since April?"))


def test_what_was_done_or_withdrawn_is_not_listed(memory):
    items = memory.open_items()
    made = memory.remember("water the plants", kind="open_item")
    assert made.text in found(memory, "What should I still do?")
    memory.retract(made.id, reason="not so")
    assert found(memory, "What should I still do?") == [one.text for one in items]


def test_a_threshold_or_kinds_of_the_caller_stand(memory):
    assert found(memory, "What should I still do?", kinds=["preference"]) == []
