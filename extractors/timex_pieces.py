"""The pattern that cuts a text into words, numbers and dates, each under the name of its group.

Invariant: the first alternative that fits at a place wins, so that the longer and the more certain ones come first; `plain`
and `blank` come before all because they are most of any text and cannot be the beginning of anything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from graphmem.extractors.timex_words import MONTHS, ONES, ORDINALS, PHRASES, TENS


def _one_of(words: Iterable[str]) -> str:
    """An alternation of words, the longest first, sorted by their first letters so that a miss costs little."""
    rows: dict[str, list[str]] = {}
    for word in sorted(set(words), key=len, reverse=True):
        rows.setdefault(word[0], []).append(re.escape(word[1:]).replace("'", "['’]"))
    return "|".join(f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in sorted(rows.items()))


_PHRASE = _one_of(PHRASES)
# Words that may be the beginning of something longer.
_OPENING = _one_of([phrase.split()[0] for phrase in PHRASES] + [*TENS, "eighteen", "nineteen", "two"])
_MONTH = "|".join(f"{name}|{name[:3]}" for name in MONTHS) + "|sept"
_DECADES = "|".join(name[:-1] + "ies" for name in TENS)
# A month after "3." that is no word beginning the next sentence.
_CLEAR = "|".join(rf"{name[:3]}(?:{name[3:]})?\b" for name in MONTHS if name not in ("march", "may")) + r"|mar\b"
_TENS, _ONES, _ORDS = "|".join(TENS), "|".join(ONES[:9]), "|".join(ORDINALS[:9])
PIECES = re.compile(
    rf"""
    (?P<plain>\b(?!(?:{_OPENING})\b)[^\W\d_]++(?=[ ,]|$))
  | (?P<blank>[ ]+(?!~))
  | (?P<to_year>(?<=\d)[ ]?~[ ]?(?=\d) | (?<=\b\d{{4}})/(?=(?:19|20)\d\d\b|(?:1[3-9]|[2-9]\d)(?![\w/])))
  | (?P<address>(?:https?://|www\.)\S{{1,2000}} | [\w.+-]{{1,64}}@[\w-]{{1,64}}\.\w+ | [@\#$£€¥~/\\]+\w[\w.,/-]*)
  | (?P<phrase>\b(?:{_PHRASE})\b)
  | (?P<compound_ord>\b(?:{_TENS})[- ](?:{_ORDS})\b)
  | (?P<spelled_year>\b(?:nineteen|twenty|two[ ]thousand(?:[ ]and)?)[ ]
        (?:(?:{_TENS})(?:[- ](?:{_ONES}))?|(?:ten|eleven|twelve|\w+teen)|(?<=d[ ])(?:{_ONES}))\b)
  | (?P<spelled_decade>\b(?:(?:eighteen|nineteen)[ ](?:{_DECADES})|two[ ]thousands)\b)
  | (?P<compound>\b(?:{_TENS})[- ](?:{_ONES})\b)
  | (?P<iso>(?<![\w.])(?<![\w.]-)\d{{4}}-\d\d-\d\d
        (?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{{1,9}})?)?[ ]?(?:Z\b|[+-]\d\d:?\d\d\b)?)?(?!\w|-\w))
  | (?P<iso_month>(?<![\w.-])(?:19|20)\d\d-(?:0[1-9]|1[0-2])(?![\w-]))
  | (?P<iso_week>(?<![\w.-])\d{{4}}-?W\d\d(?![\w-]))
  | (?P<year_first>(?<![\w./-])\d{{4}}(?P<mark>[/.-])\d\d?(?P=mark)\d\d?(?![\w/-]))
  | (?P<apart>(?<![\w./-])(?:19|20)\d\d[ ](?:0[1-9]|1[0-2])[ ](?:0[1-9]|[12]\d|3[01])(?=\s*(?:[.,;:!?)]|$)))
  | (?P<numeric>(?:(?<![\w./-])|(?<=/\d-)|(?<=/\d\d-)|(?<=/\d{{4}}-))
        \d\d?(?P<sign>[/.-])\d\d?(?P=sign)(?:\d{{4}}|(?<=/)\d\d)(?![\w/]|[.,]\d|-\d(?!\d?/)))
  | (?P<compact>(?<![\w.,/-])(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?![\w/-]|[.,]\d))
  | (?P<month_year>(?<![\w./-])(?:0?[1-9]|1[0-2])[/-](?:19|20)\d\d(?![\w/-]|[.,]\d))
  | (?P<day_month>(?:(?<![\w./-])|(?<=/\d-)|(?<=/\d\d-)|(?<=/\d{{4}}-))
        \d\d?/\d\d?(?![\w/]|[.,]\d|-\d(?!\d?/\d)))
  | (?P<lettered>(?<![\w./-])(?:
        (?:\d{{4}}[-/.])?(?:{_MONTH})[-/.]?\d\d?(?:[-/.]\d{{4}}|/\d\d)? | \d{{4}}[-/.]\d\d?[-/.](?:{_MONTH})
        | \d\d?[-/.]?(?:{_MONTH})(?:[-/.]?\d{{4}}|[-/]\d\d)?)(?![\w/]|[.,-]\d|[ ]\d\d?\b(?!:)))
  | (?P<on_day>(?<=\bon[ ])\d\d?\.\d\d?\.(?!\d)|(?<=\bon[ ])\d\d?-\d\d?(?=\s*(?:[.,;:!?)]|$|at\b|from\b)))
  | (?P<short_date>(?<![\w./-])\d\d?-\d\d?-\d\d(?![\w/-]|\.\d))
  | (?P<chain>\b\d+(?:-\d+){{2,}}\b)
  | (?P<clock>(?<![\w.:])\d\d?(?:[:.]\d\d)?[ ]?(?:[ap]\.m\.|[ap]m\b)|(?<![\w.:])\d\d?:\d\d(?![\w:])
        |\b\d\d?[ ]?o['’]?clock\b)
  | (?P<decade>(?:(?<![\w-])|(?<=mid-)|(?<=early-)|(?<=late-))(?:(?:17|18|19|20)\d0[ ]?|['’]?[1-9]0)['’]?s\b)
  | (?P<ord>\b\d\d?(?:st|nd|rd|th)\b|\b\d?(?:1[ ]st|2[ ]nd|3[ ]rd|[04-9][ ]th)\b
        |(?<![\w.,:/-])\d\d?\.(?=\s?(?:of[ ])?(?:{_CLEAR})))
  | (?P<short>(?<!\w)['’]\d\d\b)
  | (?P<quarter>\b[Qq][1-4]\b) | (?P<half_year>\bH[12]\b)
  | (?P<glued>\b(?!(?:mid|early|late|pre|post|[a-z]{{3,9}}day|jan\w*|feb\w*|mar\w*|apr\w*|may|jun\w*|jul\w*|aug\w*|sep\w*
        |oct\w*|nov\w*|dec\w*)-)[^\W\d_]\w*-\d[\w.-]* | \d*[^\W\d]\w*[\d_]\w* | \d+[^\W\d]\w*)
  | (?P<number>\d+(?:[.,]\d+)+ | \d+)
  | (?P<abbrev>\b(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.(?=\s*\d))
  | (?P<name>[^\W\d_]+(?:['’][^\W\d_]+)*)
  | (?P<dash>[–—-])
  | (?P<ampersand>&)
  | (?P<comma>,)
  | (?P<stop>[.;:!?\n()\[\]"“”])
    """,
    re.VERBOSE | re.IGNORECASE,
)  # fmt: skip
