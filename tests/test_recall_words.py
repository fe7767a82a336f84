"""Words, word indexes, and the strings that are embedded."""

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.errors import InputError
from graphmem.model import Turn
from graphmem.recall.texts import TAIL, bare_question, context_text, third_person, turn_text
from graphmem.recall.words import LANGUAGES, Index, Words

ENGLISH = Words()
documents = st.lists(st.lists(st.sampled_from("abcdef"), max_size=8), min_size=1, max_size=8)


def turn(text, *, role="user", speaker=None):
    return Turn(id="t", role=role, speaker=speaker, text=text, time=datetime(2026, 1, 1, tzinfo=UTC))


def index(stems):
    made = Index()
    for number, document in enumerate(stems):
        made.add(str(number), document)
    return made


def test_forms_of_a_word_share_a_stem_and_possessives_fall_away():
    assert ENGLISH.stems("My sister’s bakeries") == ENGLISH.stems("the sister bakery")
    assert ENGLISH.stems("where do I live?") == ENGLISH.stems("lives")


@pytest.mark.parametrize(
    ("language", "left", "right"),
    [
        ("swedish", "katterna", "katten"),
        ("finnish", "talossa", "talosta"),
        ("russian", "собаки", "собака"),
    ],
)
def test_each_language_has_its_own_stems(language, left, right):
    assert Words(language).stems(left) == Words(language).stems(right) != []


@pytest.mark.parametrize(
    ("language", "told", "asked", "thanks"),
    [
        ("english", "my sister has two bakeries", "which bakery has my sister?", "thank you very much"),
        ("swedish", "min syster har två katter", "vad heter min systers katt?", "tack så mycket"),
        ("finnish", "minulla on kaksi koiraa", "missä minun koirani on?", "kiitos paljon"),
        ("russian", "у меня две собаки", "где моя собака?", "большое спасибо"),
    ],
)
def test_a_text_is_read_in_its_own_language(language, told, asked, thanks):
    words = Words(others=True)
    assert words.language_of(told) == words.language_of(asked) == language
    assert set(words.stems(told)) & set(words.stems(asked))
    assert words.stems(told) == Words(language).stems(told)
    assert words.says_nothing(thanks) and not words.says_nothing(told)


@given(st.text())
def test_a_text_without_other_letters_or_words_stays_in_the_language_that_was_set(text):
    assert Words().language_of(text) == "english"
    assert Words(others=True).language_of(text) in LANGUAGES


def test_an_unknown_language_is_refused_and_the_known_ones_are_named():
    with pytest.raises(InputError, match=r"english.*russian"):
        Words("klingon")
    assert set(LANGUAGES) == {"english", "swedish", "finnish", "russian"}


@pytest.mark.parametrize("text", ["thanks", "Good night then!", "ok cool, thank you", "", "?!", "is it so?"])
def test_greetings_and_function_words_say_nothing(text):
    assert ENGLISH.says_nothing(text)


@pytest.mark.parametrize("text", ["thanks for the recipe", "good restaurants", "job"])
def test_one_word_with_a_topic_says_something(text):
    assert not ENGLISH.says_nothing(text)


def test_the_document_with_the_rare_word_wins():
    made = index([["tea", "green"], ["tea", "black"], ["tea", "zither"]])
    scores = made.scores(["tea", "zither"])
    assert int(scores.argmax()) == 2
    assert list(made.holders("tea")) == [0, 1, 2]
    assert made.frequency("zither") == 1
    assert made.frequency("harp") == 0


@given(documents, st.lists(st.sampled_from("abcxyz"), max_size=5))
def test_scores_lie_between_nothing_and_the_whole_question(stems, asked):
    scores = index(stems).scores(asked)
    assert ((scores >= 0) & (scores <= 1)).all()
    for place, document in enumerate(stems):
        assert (scores[place] > 0) == bool(set(document) & set(asked))


@given(documents, st.lists(st.sampled_from("abcdef"), min_size=1, max_size=4))
def test_an_index_that_was_asked_in_between_scores_like_a_fresh_one(stems, asked):
    grown = Index()
    for number, document in enumerate(stems):
        grown.add(str(number), document)
        grown.scores(asked)
    assert np.allclose(grown.scores(asked), index(stems).scores(asked))


def test_a_turn_is_embedded_with_its_speaker_or_its_role():
    assert turn_text(turn("hello", speaker="Ada")) == "Ada: hello"
    assert turn_text(turn("hello")) == "user: hello"


def test_between_people_the_turn_before_is_context():
    before = turn("Where were you?", speaker="Bo")
    assert context_text(before, turn("In Rome", speaker="Ada")) == "Where were you?"
    long = turn("x" * (TAIL + 50), speaker="Bo")
    assert len(context_text(long, turn("In Rome"))) == TAIL


def test_of_an_assistant_only_a_last_question_is_context():
    assert context_text(turn("Nice. Which colour?", role="assistant"), turn("Teal")) == "Which colour?"
    assert context_text(turn("Which one? Take the left one.", role="assistant"), turn("Teal")) == ""
    assert context_text(turn("Which colour?"), turn("Blue is fine", role="assistant")) == ""


def test_what_the_memory_rendered_is_never_context():
    assert context_text(turn("Lives in Rome", role="memory"), turn("hi")) == ""
    assert context_text(None, turn("hi")) == ""


@pytest.mark.parametrize(
    ("asked", "about"),
    [
        ("Where do I live?", "Where does the user live?"),
        ("What am I allergic to?", "What is the user allergic to?"),
        ("Who is my boss?", "Who is the user's boss?"),
        ("What have we planned?", "What has the user planned?"),
        ("Who told us?", "Who told the user?"),
        ("Where does Iris live?", "Where does Iris live?"),
        ("Who governs the US?", "Who governs the US?"),
    ],
)
def test_questions_of_the_owner_are_put_in_the_third_person(asked, about):
    assert third_person(asked) == about


def test_a_request_to_tell_is_not_part_of_the_question():
    assert bare_question("Can you tell me about volcanoes?") == "volcanoes?"
    assert bare_question("please remind me where I parked") == "where I parked"
    assert bare_question("tell me") == "tell me"
    assert bare_question("What do you tell me?") == "What do you tell me?"
