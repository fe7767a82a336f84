"""Which parts of a turn are not its speaker's own words."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.model import Span
from graphmem.sessions.regions import echoed_spans, merged, quoted_spans


def quoted(text):
    return [text[span.start : span.end] for span in quoted_spans(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Fix this:\n```py\nname = 'I am Bob'\n```\nI use Python.", ["```py\nname = 'I am Bob'\n```\n"]),
        ("~~~\nopen to the end", ["~~~\nopen to the end"]),
        ("She wrote\n> I moved to Oslo\n> last year\nwhat now?", ["> I moved to Oslo\n> last year\n"]),
        ("See below.\n\nOn Mon, 3 Mar 2025 at 10:00, Bob <b@x.org> wrote:\nI live in Rome.", None),
        ("Read this\nFrom: Bob <b@x.org>\nSubject: keys\n\nI live in Rome.", None),
        ("fyi\n---------- Forwarded message ----------\nI live in Rome.", None),
        ("fyi\nBegin forwarded message:\nI live in Rome.", None),
        ("Is it valid?\n<div>\n<p>I am vegan</p>\n\nno\n</div>\nthanks", ["<div>\n<p>I am vegan</p>\n\nno\n</div>\n"]),
        ("Summarise:\nUser: I am vegan\nAssistant: noted\n\nI am not.", ["User: I am vegan\nAssistant: noted\n"]),
        ("Ana: I moved\nBen: where to?\nAna: Porto\n\nfunny, no?", ["Ana: I moved\nBen: where to?\nAna: Porto\n"]),
        (
            "[12/03/24, 10:31] Ana: I moved\n[12/03/24, 10:32] Ben: oh\n",
            ["[12/03/24, 10:31] Ana: I moved\n[12/03/24, 10:32] Ben: oh\n"],
        ),
    ],
)
def test_foreign_words_are_found(text, found):
    expected = found if found is not None else [text[text.index("\n") :].lstrip("\n")]
    assert quoted(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "I live in Ghent and I like `grep`.",
        "Name: Mira\nCity: Ghent\nJob: curator",
        "I <3 tea",
        "From: Oslo\nTo: Bergen\nhow long by train?",
        "Mum wrote: come home. I will.",
        "On Monday I wrote: a poem",
        "note: I moved",
        "5 > 3 and I know it",
        "",
    ],
)
def test_the_speakers_own_words_stay(text):
    assert quoted_spans(text) == ()


@given(st.text(st.sampled_from("`>~<pre/: UserAna\nOn wrote:Fromx@"), max_size=200))
def test_spans_are_sorted_apart_and_inside(text):
    spans = quoted_spans(text)
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    assert all(left.end < right.start for left, right in pairwise(spans))


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 9), st.sampled_from(["quoted", "memory"])), max_size=8))
def test_joined_spans_cover_what_they_were_made_of(raw):
    spans = [Span(start=start, end=start + length, role=role) for start, length, role in raw]
    for role in ("quoted", "memory"):
        before = {place for span in spans if span.role == role for place in range(span.start, span.end)}
        after = [place for span in merged(spans) if span.role == role for place in range(span.start, span.end)]
        assert sorted(after) == sorted(before)


@given(st.text(st.sampled_from("abc "), min_size=40, max_size=90), st.text(st.sampled_from("xyz"), max_size=30))
def test_forty_equal_characters_are_an_echo(source, around):
    text = around + source[:40] + around
    assert any(span.start <= len(around) and span.end >= len(around) + 40 for span in echoed_spans(text, [source]))


def test_short_common_words_are_no_echo():
    assert echoed_spans("I live in Ghent and work there.", ["I live in Ghent and drink tea."]) == ()
