"""English words of time, sorted into the token kinds that the grammar is written in.

Invariant: a word has exactly one kind; what it means in its place ("may", "second", "fall") is decided by the patterns
around it, never here.
"""

from __future__ import annotations

from collections.abc import Mapping

from graphmem.extractors.timex_holidays import NAMES


def split(text: str) -> tuple[str, ...]:
    """The words of a text."""
    return tuple(text.split())


MONTHS = split("january february march april may june july august september october november december")
WEEKDAYS = split("monday tuesday wednesday thursday friday saturday sunday")
TENS = split("twenty thirty forty fifty sixty seventy eighty ninety")
ONES = split(
    """
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen
    """
)
ORDINALS = split(
    """
    first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
    fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth
    """
)
UNITS = {
    "minute": ("minute", 1), "min": ("minute", 1), "hour": ("hour", 1), "day": ("day", 1), "week": ("week", 1),
    "fortnight": ("week", 2), "month": ("month", 1), "quarter": ("quarter", 1), "year": ("year", 1),
    "workday": ("workday", 1), "weekday": ("workday", 1), "decade": ("decade", 1), "century": ("century", 1),
}  # fmt: skip
PARTS = {"morning": (6, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (22, 30)}
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
ADVERBS = {
    "hourly": "hour", "daily": "day", "nightly": "day", "weekly": "week", "biweekly": "week", "fortnightly": "week",
    "monthly": "month", "quarterly": "quarter", "yearly": "year", "annually": "year",
}  # fmt: skip
EDGES = {
    "early": "start", "beginning": "start", "start": "start", "mid": "middle", "middle": "middle", "late": "end",
    "end": "end", "rest": "rest", "later": "within", "earlier": "within",
}  # fmt: skip
# Phrases are joined to one token before anything else, so that their words cannot be read on their own.
PHRASES: dict[str, tuple[str, object]] = {
    **{form: ("holiday", name) for form, name in NAMES.items() if " " in form or "'" in form},
    "the day before yesterday": ("day", -2), "day before yesterday": ("day", -2),
    "the day after tomorrow": ("day", 2), "day after tomorrow": ("day", 2),
    "at the last minute": ("word", None), "the other day": ("word", None),
    "one day": ("word", None), "in a minute": ("word", None), "sun day": ("word", None),
    "more than": ("approx", None), "less than": ("approx", None), "at least": ("approx", None),
    "as of": ("from", None), "beginning on": ("from", None),
    "no later than": ("until", None), "not later than": ("until", None),
    "up to": ("until", None), "up until": ("until", None), "ever since": ("since", None),
    "this past": ("last", "past"), "this coming": ("next", "coming"), "a hundred": ("big", 100),
    "a dozen": ("big", 12), "a thousand": ("big", 1000), "all of": ("word", None), "the last time": ("word", None),
    "for the first time": ("word", None), "the first time": ("word", None), "back in": ("in", None),
    "some time in": ("in", None), "sometime in": ("in", None), "sometime during": ("in", None),
    "half past": ("past", 30), "quarter past": ("past", 15), "quarter to": ("past", -15),
    "from now": ("hence", None), "to date": ("now", None),
    "year to date": ("to_date", "year"), "month to date": ("to_date", "month"), "ytd": ("to_date", "year"),
    "calendar year": ("unit", ("year", 1)), "calendar month": ("unit", ("month", 1)),
    "business day": ("unit", ("workday", 1)), "business days": ("units", ("workday", 1)),
    "working day": ("unit", ("workday", 1)), "working days": ("units", ("workday", 1)),
    "calendar week": ("unit", ("week", 1)), "calendar quarter": ("unit", ("quarter", 1)),
    "w/c": ("week_of", None), "week commencing": ("week_of", None),
}  # fmt: skip


# kind: words; words with a value of their own are added below.
_FUNCTION_WORDS = """
the: the
a: a an
of: of
in: in during throughout
within: within
over: over
on: on
at: at
since: since
until: until till til through thru
by: by
before: before
after: after
from: from starting effective
between: between
to: to
and: and or
for: for
per: per
approx: around about circa ca roughly approximately almost nearly
exact: exactly precisely
this: this current
ago: ago
hence: hence
every: every each
most: most
other: other single
once: once twice thrice
times: times
half: half
now: now present
weekend: weekend
tonight: tonight
nights: nights
onwards: onwards onward
"""
_VALUES: dict[str, Mapping[str, object]] = {
    "next": {"next": "next", "coming": "coming", "upcoming": "coming", "following": "following"},
    "last": {"last": "last", "past": "past", "previous": "previous"},
    "few": {"couple": 2, "few": 3, "several": 4},
    "day": {"yesterday": -1, "today": 0, "tomorrow": 1, "tmr": 1, "tmrw": 1, "eod": 0},
    "days": {"weekdays": "week", "weekends": "week", "mornings": "day", "afternoons": "day", "evenings": "day"},
    "wday": {"tues": 1, "weds": 2, "thur": 3, "thurs": 3},
    "name": {"sept": 9},
    "every_unit": {"everyday": "day"},
    "clock": {"noon": (12, 0), "midday": (12, 0), "midnight": (0, 0)},
    "ord": {"thirtieth": 30},
    "units": {"centuries": ("century", 1)},
    "holiday": {form: name for form, name in NAMES.items() if form.isalpha()},
}  # fmt: skip
# April, June and August are also names; may and march are also verbs.
_DOUBTFUL = {"april": "name", "june": "name", "august": "name", "may": "verb", "march": "verb"}


def _kinds_of_words() -> dict[str, tuple[str, object]]:
    words: dict[str, tuple[str, object]] = {}
    for line in _FUNCTION_WORDS.strip().splitlines():
        kind, _, listed = line.partition(":")
        words |= {word: (kind, None) for word in split(listed)}
    for number, name in enumerate(MONTHS, 1):
        words[name] = (_DOUBTFUL.get(name, "month"), number)
        words.setdefault(name[:3], ("name", number))
    for number, name in enumerate(WEEKDAYS):
        words |= {name: ("weekday", number), name[:3]: ("wday", number), name + "s": ("days", "week")}
    for number, name in enumerate(TENS, 2):
        words |= {name: ("num", number * 10), name[:-1] + "ies": ("decade", 1900 + number * 10)}
    del words["twenties"]  # of this century or the last?
    words |= {name + "s": ("units", value) for name, value in UNITS.items()}
    del words["weekdays"]  # those of every week
    words |= {name: ("num", number) for number, name in enumerate(ONES, 1)}
    words |= {name: ("ord", number) for number, name in enumerate(ORDINALS, 1)}
    tables: dict[str, Mapping[str, object]] = {
        "unit": UNITS,
        "part": PARTS,
        "season": SEASONS,
        "adverb": ADVERBS,
        "edge": EDGES,
    }
    for kind, table in (tables | _VALUES).items():
        words |= {name: (kind, value) for name, value in table.items()}
    return words


WORDS = _kinds_of_words()
# Kinds that numbers, signs and atoms have.
_OTHER_KINDS = split(
    """
    word stop comma dash date dm dmy clock dot num big year short quarter half_year past decade
    atom day_atom clock_atom weekday_atom season_atom recurring year_atom part_atom ordinal_atom week_atom range_atom
    """
)
KINDS = sorted({kind for kind, _ in [*WORDS.values(), *PHRASES.values()]} | set(_OTHER_KINDS))
