"""What a turn tells, what a question wants, and whether the memory has it at all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from recall_world import Store, ids

from graphmem.recall.answered import FEATURES, kind
from graphmem.recall.signals import best_first, related
from graphmem.recall.spread import in_view
from graphmem.recall.telling import asks, names_time, wants_time
from graphmem.recall.weights import weights
from graphmem.recall.words import LANGUAGES, Index


@pytest.mark.parametrize("text", ["Where is it?", 'She said "why?"', "Is this yours? [shares a photo: a cat.]"])
def test_a_turn_that_ends_in_a_question_asks(text):
    assert asks(text)
    assert not asks(f"{text} I think it is mine.")


@pytest.mark.parametrize(
    ("language", "told", "untold", "question", "other"),
    [
        ("english", "we met last week", "we met at the lake", "When did they meet?", "Where did they meet?"),
        ("swedish", "vi sågs i lördags", "vi sågs vid sjön", "När sågs de?", "Var sågs de?"),
        ("finnish", "näimme viime viikolla", "näimme järvellä", "Milloin he näkivät?", "Missä he näkivät?"),
        ("russian", "мы встретились вчера", "мы встретились у озера", "Когда они встретились?", "Где они встретились?"),
    ],
)
def test_times_are_known_in_every_language(language, told, untold, question, other):
    assert names_time(told, language) and not names_time(untold, language)
    assert wants_time(question, language) and not wants_time(other, language)


def test_every_language_of_the_stemmer_has_its_times():
    assert not any(names_time("blue", language) or wants_time("blue", language) for language in LANGUAGES)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Can you summarise the project?", "overview"),
        ("How many boats do I own?", "figure"),
        ("Which rope should I buy?", "advice"),
        ("Have I ever been to Oslo?", "yes_or_no"),
        ("What was the name of the harbour?", "detail"),
    ],
)
def test_a_question_has_a_kind(query, expected):
    assert kind(query) == expected


@pytest.fixture(scope="module")
def friends():
    """Two friends on some days."""
    store = Store()
    for day, (thing, place) in enumerate((("canoe", "barn"), ("telescope", "attic"), ("loom", "cellar"), ("harp", "hall"))):
        store.say(day, f"Have you still got your {thing}?", speaker="Ada")
        store.say(day, f"Sure, it stands in the {place} since last May.", speaker="Bo")
        store.say(day, "Good to hear.", speaker="Ada")
    return store


def test_between_people_the_turn_that_tells_comes_before_the_one_that_asks(friends):
    assert ids(friends.recall("When did Bo put the telescope away?", min_score=0))[0] == "d1t1"


def test_a_question_about_something_never_told_scores_below_one_that_was_told(friends):
    best = [
        friends.recall(query, min_score=0).hits[0].score
        for query in ("Where does the harp of Bo stand?", "What did the dentist say about the passport?")
    ]
    assert best[0] > best[1] + 0.2
    assert friends.recall("Where does the harp of Bo stand?", min_score=best[0] + 0.01).hits == ()


def test_turns_in_view_bring_their_words(friends):
    friends.searcher.refresh()
    corpus = friends.searcher.corpus
    places = [corpus.place[turn.key] for turn in corpus.turns if turn.session == "day1"]
    other = [corpus.place[turn.key] for turn in corpus.turns if turn.session == "day2"]
    assert in_view(corpus, frozenset({"telescop"}), places).tolist() == [1.0, 1.0, 1.0]
    assert in_view(corpus, frozenset({"telescop"}), other).tolist() == [0.0, 0.0, 0.0]


def test_the_fitted_weights_name_the_columns_that_there_are():
    fitted = weights("an embedder that nobody fitted")
    assert fitted == weights()
    assert set(fitted.answered) == {"level", *FEATURES}


documents = st.lists(st.lists(st.sampled_from("abcd"), max_size=5), min_size=1, max_size=8)


@given(documents, st.lists(st.sampled_from("abcde"), max_size=4), st.data())
def test_a_group_scores_as_the_document_made_of_its_members(members, asked, data):
    size = data.draw(st.integers(1, 4))
    groups = data.draw(st.lists(st.integers(0, size - 1), min_size=len(members), max_size=len(members)))
    parts, whole = Index(), Index()
    for number, stems in enumerate(members):
        parts.add(str(number), stems)
    for group in range(size):
        whole.add(str(group), [stem for at, stems in zip(groups, members, strict=True) if at == group for stem in stems])
    assert np.allclose(parts.grouped(asked, np.array(groups, dtype=np.int64), size), whole.scores(asked))


@given(st.lists(st.floats(-5, 5), max_size=6))
def test_scores_in_relation_lie_in_0_to_1(values):
    scores = related(np.array(values))
    assert len(scores) == len(values)
    assert ((scores >= 0) & (scores <= 1)).all()


@given(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 2.0]), max_size=12), st.integers(-1, 14))
def test_the_best_are_those_of_a_stable_sort(values, count):
    array = np.array(values)
    assert best_first(array, count).tolist() == np.argsort(-array, kind="stable")[: max(count, 0)].tolist()
