"""What kind of thing a turn says: whether it asks, and whether it names a time; and whether a question wants a time.

Invariant: a pure function of the text and the language; it says what may hold an answer, never whether it does.
"""

from __future__ import annotations

import re
from functools import cache

# A note in brackets at the end, such as the caption of a picture, was not said.
_NOTE = re.compile(r"\s*\[[^\[\]]*\]\s*$")
_QUESTION = re.compile(r"\?[\s\"'”’)]*$")
_DAY = r"\d{4}|\d{1,2}(?:st|nd|rd|th|[./:]\d{1,2})"
_TIMES = {
    "english": (
        "yesterday today tomorrow tonight last next ago weekend week weeks month months year years day days morning evening "
        "since recently just monday tuesday wednesday thursday friday saturday sunday january february march april june july "
        "august september october november december"
    ),
    "swedish": (
        "igår idag imorgon ikväll förra nästa sedan helg helgen vecka veckor veckan månad månader månaden år året dag dagar "
        "morgonen kvällen nyligen nyss måndag tisdag onsdag torsdag fredag lördag söndag måndags tisdags onsdags torsdags "
        "fredags lördags söndags januari februari mars april maj juni juli augusti september oktober november december"
    ),
    "finnish": (
        "eilen tänään huomenna viime ensi sitten viikonloppuna viikko viikolla viikkoa kuukausi kuussa kuukautta vuosi vuonna "
        "vuotta päivä päivää aamulla illalla äskettäin juuri maanantaina tiistaina keskiviikkona torstaina perjantaina "
        "lauantaina sunnuntaina tammikuussa helmikuussa maaliskuussa huhtikuussa toukokuussa kesäkuussa heinäkuussa "
        "elokuussa syyskuussa lokakuussa marraskuussa joulukuussa"
    ),
    "russian": (
        "вчера сегодня завтра прошлый прошлой прошлом прошлую следующий следующей следующем назад выходные выходных неделю "
        "неделе недели месяц месяце месяца год году года лет день дня дней утром вечером недавно только понедельник вторник "
        "среду четверг пятницу субботу воскресенье январе феврале марте апреле мае июне июле августе сентябре октябре ноябре "
        "декабре января февраля марта апреля мая июня июля августа сентября октября ноября декабря"
    ),
}
# Questions that begin so want a time; and so do those that name a span ("what did she do last month?").
_WANTING = {
    "english": (
        r"^\W*(?:when|what (?:date|day|month|year|time)|how long|how often|which (?:day|month|year|date))\b"
        r"|\b(?:last|this|next) (?:week|month|year|weekend|summer|winter|spring|autumn|fall|night)\b"
    ),
    "swedish": (
        r"^\W*(?:när|hur länge|hur ofta|vilk(?:en|et) (?:dag|månad|datum|år|tid))\b"
        r"|\b(?:förra|nästa) (?:veckan?|månad(?:en)?|året?|helg(?:en)?)\b"
    ),
    "finnish": (
        r"^\W*(?:milloin|koska|kuinka (?:kauan|usein)|minä (?:päivänä|vuonna)|missä kuussa)\b"
        r"|\b(?:viime|ensi) (?:viikolla|kuussa|vuonna|viikonloppuna)\b"
    ),
    "russian": (
        r"^\W*(?:когда|как (?:долго|часто)|в каком (?:году|месяце)|какого числа|в какой день)\b"
        r"|\b(?:прошл|следующ)\w+ (?:недел\w+|месяц\w*|год\w*|выходны\w+)"
    ),
}


def asks(text: str) -> bool:
    """Whether a turn ends in a question: it looks for something rather than telling it."""
    return bool(_QUESTION.search(_NOTE.sub("", text).rstrip()))


def names_time(text: str, language: str) -> bool:
    """Whether a text names a day, a month, a year or how long ago something was."""
    return bool(_times(language).search(text))


def wants_time(question: str, language: str) -> bool:
    """Whether a question is about when, or about a span of time."""
    return bool(_wanting(language).search(question))


@cache
def _times(language: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(_TIMES[language].split())}|{_DAY})\b", re.IGNORECASE)


@cache
def _wanting(language: str) -> re.Pattern[str]:
    return re.compile(_WANTING[language], re.IGNORECASE)
