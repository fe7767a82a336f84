"""Every rule takes its own examples, and the extractor keeps its invariants on any text."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphmem.extractors.catalogue import ordered
from graphmem.extractors.rules import RuleExtractor
from graphmem.model import Session, Span, Turn

SAID = datetime(2026, 5, 14, 7, 30, tzinfo=UTC)
EXTRACTOR = RuleExtractor()


def session(*texts, roles=None, spans=(), offset=180):
    """A session of user turns (or the given roles); spans belong to the last turn."""
    roles = roles or ["user"] * len(texts)
    turns = [
        Turn(id=f"t{n}", role=role, text=text, time=SAID, spans=spans if n == len(texts) - 1 else ())
        for n, (text, role) in enumerate(zip(texts, roles, strict=True))
    ]
    return Session(id="s", started=SAID, turns=tuple(turns), offset_minutes=offset)


def claims(*texts, **options):
    return [c for c in EXTRACTOR.extract(session(*texts, **options)).claims if not c.done]


def said(*texts, **options):
    """Claims as "subject predicate: object" with a minus for negatives; the last turn's answer to an assistant's question."""
    return {
        f"{'-' if c.polarity == 'negative' else ''}{c.subject} {c.predicate}: {c.object}" for c in claims(*texts, **options)
    }


EXAMPLES = [(rule.name, sentence, wanted) for rule in ordered() for sentence, wanted in rule.examples]


@pytest.mark.parametrize(("name", "sentence", "wanted"), EXAMPLES, ids=[f"{n}-{i}" for i, (n, *_) in enumerate(EXAMPLES)])
def test_a_rule_takes_its_own_example(name, sentence, wanted):
    found = {(c.rule, f"{c.predicate}: {c.object}") for c in claims(sentence)}
    assert (name, wanted) in found


def test_every_rule_has_an_example_and_a_name_of_its_own():
    names = [rule.name for rule in ordered()]
    assert len(names) == len(set(names))
    assert all(rule.examples for rule in ordered())


def test_quotes_are_the_characters_of_the_turn():
    text = (
        "hi!  I'm Marta, I live near Gävle & work at Kesko as a buyer. My son Emil is allergic to eggs 🙂 remind me to call him"
    )
    extraction = EXTRACTOR.extract(session(text))
    assert extraction.claims
    for item in (*extraction.claims, *extraction.refusals):
        assert text[item.start : item.end] == item.quote


def test_the_same_session_gives_the_same_claims():
    talk = session("I moved to Bath in June", "we have two cats, Pip and Bo", "never use emojis in my mails")
    assert EXTRACTOR.extract(talk) == RuleExtractor().extract(talk)


def test_only_user_turns_make_claims():
    roles = ["assistant", "tool", "document", "system", "memory", "user"]
    talk = session(*["I own a mill and I keep geese."] * 5, "ok thanks", roles=roles)
    assert EXTRACTOR.extract(talk).claims == ()


def test_claims_come_in_the_order_of_the_turns():
    talk = EXTRACTOR.extract(session("I live in Graz", "I have a dog", "I play chess on Mondays"))
    assert [c.turn for c in talk.claims] == ["t0", "t1", "t2"]


def test_said_three_times_in_one_breath_is_one_claim():
    assert len(claims("I play the harp. I play the harp, really, I play the harp!")) == 1


WORDS = st.sampled_from(
    [
        "I",
        "we",
        "my",
        "sister",
        "Anna",
        "live",
        "in",
        "Oslo",
        "work",
        "at",
        "Nokia",
        "have",
        "two",
        "dogs",
        "never",
        "eat",
        "meat",
        "if",
        "might",
        "you",
        "said",
        '"',
        ">",
        "`",
        "?",
        ".",
        ",",
        "!",
        "and",
        "but",
        "since",
        "2019",
        "don't",
        "like",
        "🙂",
        "\n",
        "used",
        "to",
        ":",
        "the",
        "a",
        "is",
        "am",
        "are",
        "not",
        "called",
        "Rex",
        "remind",
        "me",
        "to",
        "by",
        "Friday",
        "’s",
        "é",
        "",
    ]
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(WORDS, min_size=1, max_size=30).map(" ".join))
def test_any_mix_of_words_gives_exact_quotes(text):
    extraction = EXTRACTOR.extract(session(text or "x"))
    for item in (*extraction.claims, *extraction.refusals):
        assert text[item.start : item.end] == item.quote
    for claim in extraction.claims:
        assert claim.object
        assert claim.object in text


def test_a_marked_region_is_not_read():
    text = "she sent this: I moved to Turku. I work at the zoo"
    start, end = text.index("I moved"), text.index(" I work")
    assert said(text, spans=(Span(start=start, end=end, role="quoted"),)) == {"user works_at: the zoo"}


def test_refusals_name_their_reason():
    text = 'if I had gills I\'d swim daily. do I like cilantro? She wrote: "I keep geese and I run a mill"'
    reasons = {r.reason for r in EXTRACTOR.extract(session(text)).refusals}
    assert {"conditional", "question", "quoted"} <= reasons
