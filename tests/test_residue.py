"""The search for many byte strings at once finds exactly those that a search one by one finds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.lifecycle import residue

PARTS = st.sampled_from([b"\0", b"\0" * 9, b"a", b"User likes ", b"User lives in ", b"U\0s\0e\0r\0", b"\xff", b"%20", b"tea"])
STRINGS = st.lists(PARTS, min_size=1, max_size=6).map(b"".join)
NEEDLES = st.lists(st.one_of(STRINGS, st.binary(min_size=1, max_size=90)).filter(lambda one: one.strip(b"\0")), min_size=1)


@pytest.fixture(scope="module", autouse=True)
def _small():
    """Pieces so small that needles stand across their borders, and no needle is looked for by itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(residue, "FEW", 0)
        patch.setattr(residue, "PIECE", 16)
        yield


@given(st.data(), NEEDLES)
def test_what_one_by_one_would_find_is_found(data, needles):
    file = b"".join(data.draw(st.lists(st.one_of(PARTS, st.sampled_from(needles), st.binary(max_size=5)), max_size=12)))
    assert residue._Wanted(set(needles)).present(file) == {needle for needle in needles if needle in file}


@given(st.integers(0, 40), st.integers(0, 40))
def test_a_needle_is_found_wherever_it_stands(before, after):
    needle = "User likes räksmörgås".encode("utf-16-le")
    found = residue._Wanted({needle, b"something else"}).present(b"\0" * before + needle + b"e" * after)
    assert found == {needle}
