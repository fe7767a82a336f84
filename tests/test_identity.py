"""Laws of names that are one: order-free, never across a number or a "not" or a type, and undone with what made them so."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.canonical import apart, name_key, plain_key
from graphmem.extractors.base import Claim
from graphmem.extractors.identities import bare_name, of_claim, role_of
from graphmem.identity import Edge, Names, form_of, groups
from graphmem.model import Evidence, Statement
from graphmem.records import EntityRecord, SameAsRecord

AT = datetime(2026, 5, 1, tzinfo=UTC)
FORMS = ["team 4", "team 5", "reds", "ann", "annie", "sister", "sister ann", "boss", "boss ann", "sister eve", "eve", "not ann"]
cells = st.tuples(st.sampled_from(FORMS), st.sampled_from(["person", "person", "person", "place", "thing"]))
rules = st.sampled_from(["role", "kin", "same", "name", "nickname", "alias", "corrected"])
edge_lists = st.lists(st.builds(Edge, source=cells, target=cells, rule=rules, confirmed=st.booleans()), max_size=9)
denials = st.lists(st.frozensets(st.sampled_from(FORMS), min_size=2, max_size=2), max_size=2)


def ends(edges):
    return {cell for edge in edges for cell in (edge.source, edge.target)}


@given(edge_lists, denials, st.randoms(use_true_random=False))
def test_the_order_in_which_names_are_told_does_not_matter(edges, denied, random):
    shuffled = random.sample(edges, len(edges))
    assert groups(ends(edges), edges, denied) == groups(ends(edges), shuffled, denied)


@given(edge_lists, denials)
def test_no_group_crosses_a_number_a_not_a_type_or_a_denial(edges, denied):
    found = groups(ends(edges), edges, denied)
    assert sorted(cell for group in found for cell in group) == sorted(ends(edges))
    for group in found:
        forms = sorted(form for form, _ in group)
        assert not any(apart(one, other) for one in forms for other in forms)
        assert len({type_ for _, type_ in group} - {"thing"}) <= 1
        assert not any(pair <= set(forms) for pair in denied)


def entity(form, type_="person", scoped=True):
    key = f"user/{form}" if scoped else form
    return EntityRecord(id=f"{type_}:{key}", name=form.title(), type=type_, key=key)


def statement(id_, status="current", **fields):
    item = Evidence(
        session="s", turn="t", role="user", speaker=None, start=0, end=1, quote="q", said_at=AT, recorded_at=AT, tier="stated",
        extractor="x",
    )  # fmt: skip
    values = {
        "id": id_, "kind": "fact", "text": "", "subject": "", "predicate": "alias_of", "object": "", "polarity": "positive",
        "modality": "asserted", "context": None, "valid_from": None, "valid_to": None, "valid_granularity": None,
        "asserted_at": AT, "recorded_at": AT, "retracted_at": None, "status": status, "tier": "stated", "confidence": 0.8,
        "importance": 0.5, "sensitivity": "ordinary", "content_hash": "", "evidence": (item,),
    } | fields  # fmt: skip
    return Statement(**values)


@st.composite
def memories(draw):
    """Entities of all names, and edges among them that rest on few statements."""
    known = [entity(form) for form in FORMS] + [entity(form, "thing", scoped=False) for form in FORMS[:5]]
    pick = st.sampled_from(known)
    edges = [
        SameAsRecord(
            source=draw(pick).id, target=draw(pick).id, tier="stated", rule=draw(rules), recorded_at=AT,
            statement=draw(st.sampled_from(["st0", "st1", "st2"])),
        )
        for _ in range(draw(st.integers(0, 6)))
    ]  # fmt: skip
    return known, edges


@given(memories(), st.sampled_from(["retracted", "corrected", "suggested", "superseded"]))
def test_a_statement_that_no_longer_stands_leaves_the_groups_as_if_it_had_never_been(world, fate):
    known, edges = world
    fates = {"tier": "inferred"} if fate == "suggested" else {}
    said = {name: statement(name) for name in ("st0", "st1")} | {"st2": statement("st2", fate, **fates)}
    # Of an edge by another rule than "alias" a later end of its statement takes nothing away.
    gone = [edge for edge in edges if edge.statement == "st2" and (fate != "superseded" or edge.rule == "alias")]
    with_it = Names(known, edges, said)
    without = Names(known, [edge for edge in edges if edge not in gone], said)
    assert with_it.groups == without.groups
    assert all(with_it.forms(form) == without.forms(form) for form in FORMS)


def test_an_alias_in_dispute_does_not_count():
    names = [entity("bob"), entity("robert")]
    edge = SameAsRecord(source=names[0].id, target=names[1].id, tier="stated", rule="alias", recorded_at=AT, statement="st0")
    assert Names(names, [edge], {"st0": statement("st0")}).forms("Bob") == {"bob", "robert"}
    assert Names(names, [edge], {"st0": statement("st0", contradicts=("st1",))}).forms("Bob") == {"bob"}
    assert Names(names, [edge], {}).forms("Bob") == {"bob"}


def test_what_the_owner_confirmed_stays_where_what_was_told_clashes():
    reds, four, five = (("reds", "thing"), ("team 4", "thing"), ("team 5", "thing"))
    told = [Edge(reds, four, "alias", True), Edge(reds, five, "alias", False)]
    assert groups({reds, four, five}, told, ()) == {frozenset({reds, four}), frozenset({five})}


def test_a_denial_takes_away_the_other_name_and_not_the_relative():
    brother, named, robert, bob = ((form, "person") for form in ("brother", "brother robert", "robert", "bob"))
    told = [
        Edge(brother, named, "role", False), Edge(named, robert, "kin", False), Edge(bob, robert, "alias", False),
    ]  # fmt: skip
    cells_of = {brother, named, robert, bob}
    assert groups(cells_of, told, ()) == {frozenset(cells_of)}
    denied = [frozenset({"bob", "robert"})]
    assert groups(cells_of, told, denied) == {frozenset({brother, named, robert}), frozenset({bob})}


def test_a_thing_of_unknown_kind_is_of_the_one_kind_that_its_name_has():
    nyc, city = entity("nyc", "thing", scoped=False), entity("new york city", "thing", scoped=False)
    edge = SameAsRecord(source=nyc.id, target=city.id, tier="stated", rule="alias", recorded_at=AT, statement="st0")
    place = entity("nyc", "place", scoped=False)
    found = Names([nyc, city, place], [edge], {"st0": statement("st0")})
    assert found.cells[nyc.id] == found.cells[place.id] == ("nyc", "place")
    assert found.forms("NYC") == {"nyc", "new york city"}
    # With two kinds of that name nobody knows which is meant.
    both = Names([nyc, city, place, entity("nyc", "organisation", scoped=False)], [edge], {"st0": statement("st0")})
    assert both.cells[nyc.id] == ("nyc", "thing")


@pytest.mark.parametrize(
    ("one", "other", "kept_apart"),
    [
        ("Team 4", "Team 5", True),
        ("Team Four", "Team 4", False),
        ("iPhone", "iPhone 12", True),
        ("iPhone 12", "iPhone 13", True),
        ("Room 101", "Room 102", True),
        ("Apollo 11", "Eagle", False),
        ("R2D2", "R2D3", True),
        ("smokers", "non smokers", True),
        ("Bob", "not Bob", True),
        ("Bob", "Robert", False),
        ("Team ٤", "Team 4", False),
    ],
)
def test_which_names_may_never_be_one(one, other, kept_apart):
    assert apart(one, other) is apart(other, one) is kept_apart


def test_the_form_of_a_name_keeps_accents_and_loses_case_spacing_and_possessives():
    assert name_key("  CLAIRE’s ") == name_key("Claire's") == name_key("claire") == "claire"
    assert name_key("Zoë") == name_key("Zoe\u0308") != name_key("Zoe")
    assert plain_key("Zoë") == plain_key("Zoe")
    assert name_key("аdmin") != name_key("admin")  # the first letter of the one is Cyrillic
    assert form_of("user/sister claire") == form_of("sister claire")
    assert form_of("maria/sister") != form_of("user/sister")


@given(st.text(max_size=12), st.text(max_size=12))
def test_being_apart_is_mutual_and_nothing_is_apart_from_itself(one, other):
    assert apart(one, other) == apart(other, one)
    assert not apart(one, one)


def claim(quote, **fields):
    return Claim(turn="t", start=0, end=len(quote), quote=quote, kind="fact", rule="r", **fields)


@pytest.mark.parametrize(
    "made",
    [
        claim("Bob is short for Robert", subject="Bob", predicate="alias_of", object="Roberta Smith"),
        claim("Team 4 is Team 5", subject="Team 4", predicate="alias_of", object="Team 5"),
        claim("Bob is not Robert", subject="Bob", predicate="alias_of", object="Robert", polarity="negative"),
        claim("Bob may be Robert", subject="Bob", predicate="alias_of", object="Robert", modality="possible"),
        claim("I went with my brother, Anna and Tom", predicate="visited", object="Rome", mentions=(("Anna", "person"),)),
        claim("His sister Claire lives there", subject="Claire", predicate="lives_in", object="Oslo"),
        claim("My sister is in Paris", subject="sister", predicate="lives_in", object="Paris", mentions=(("Paris", "place"),)),
    ],
)
def test_a_claim_whose_words_do_not_say_so_makes_nothing_one(made):
    assert of_claim(made) == ()


def test_roles_and_names_are_told_apart():
    assert role_of("little sister") == "sister" and role_of("sister's") == "sister"
    assert role_of("sister Claire") is None and role_of("sisters") is None and role_of("team") is None
    assert bare_name("sister Claire") == "Claire" and bare_name("sister") == "" and bare_name("Ann Lee") == "Ann Lee"
