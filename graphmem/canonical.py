"""Canonical forms: what two wordings must share to count as the same value.

Invariant: a form may lose case, articles, punctuation and the plural of common nouns, never a number, a name or a "not".
"""

from __future__ import annotations

import re
import unicodedata

from graphmem.lookalikes import INVISIBLE, alike, visible

ARTICLES = frozenset(
    ["a", "an", "the", "my", "our", "your", "his", "her", "their", "its", "some", "this", "that", "these", "those"]
)
NUMBERS = {
    word: number
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
}
NUMBERS |= {"no": 0, "single": 1, "both": 2, "couple": 2}
MONTHS = {
    name: number
    for number, names in enumerate(
        [
            "jan january",
            "feb february",
            "mar march",
            "apr april",
            "may",
            "jun june",
            "jul july",
            "aug august",
            "sep sept september",
            "oct october",
            "nov november",
            "dec december",
        ],
        1,
    )
    for name in names.split()
}
# Words of a context that carry none of it.
NO_CONTEXT = ARTICLES | frozenset(
    [
        "at",
        "in",
        "on",
        "for",
        "when",
        "while",
        "with",
        "to",
        "of",
        "during",
        "whenever",
        "if",
        "i",
        "i'm",
        "we",
        "it's",
        "about",
    ]
)
# Forms of address, which are no names, as `name_key` has them: English, Swedish, Finnish, German and Russian.
TITLES = frozenset(
    [
        "dr", "doctor", "miss", "mr", "mister", "mrs", "ms", "mx", "madam", "prof", "professor", "sir", "fru", "fröken", "herr",
        "frau", "doktor", "tohtori", "tri", "herra", "rouva", "neiti", "professori",
        "доктор", "д-р", "профессор", "проф", "господин", "госпожа", "г-н", "г-жа",
    ]
)  # fmt: skip
INSIDE = frozenset({"in", "at", "near", "of", "outside"})
_JOINS = frozenset("'’-\u2010\u2011_&")  # inside of a word where it goes on behind them
_WORD = re.compile(r"[^\W_]+(?:['’.+#&/-][^\W_]+)*[+#]*")


def fold(text: str) -> str:
    """Compatibility form, case folded, one space between words, typographic quotes made plain."""
    plain = visible(unicodedata.normalize("NFKC", text)).replace("’", "'").replace("‘", "'")
    return " ".join(plain.casefold().split())


def cuts_word(text: str, at: int) -> bool:
    """Whether a place of a text lies inside of a word, in any script: before "pet" in "carpet", before "'s" in "it's"."""
    left, right = at - 1, at
    while left >= 0 and INVISIBLE.match(text[left]):
        left -= 1
    while right < len(text) and INVISIBLE.match(text[right]):
        right += 1
    if left < 0 or right >= len(text):
        return False
    before, after = text[left], text[right]
    if _in_word(before):
        joined = after in _JOINS and right + 1 < len(text) and _in_word(text[right + 1])
        point = after in ".," and before.isdigit() and text[right + 1 : right + 2].isdigit()
        return _in_word(after) or joined or point or after in "+#"
    if not _in_word(after) or left == 0:
        return False
    return (before in _JOINS and _in_word(text[left - 1])) or (before in ".," and after.isdigit() and text[left - 1].isdigit())


def _in_word(char: str) -> bool:
    return unicodedata.category(char)[0] in "LNM"


def words(text: str) -> list[str]:
    """The words of a text in folded form, numbers included, punctuation left out."""
    return _WORD.findall(fold(text))


def singular(word: str) -> str:
    """The singular of a regular English plural; other words stay as they are."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def object_key(text: str) -> str:
    """The form in which two objects are compared.

    A word that was written with a capital is a name and keeps its ending; other words lose a plural -s.
    """
    kept = []
    for match in _WORD.finditer(visible(unicodedata.normalize("NFKC", text)).replace("’", "'")):
        word = match.group()
        folded = word.casefold()
        if folded in ARTICLES:
            continue
        number = NUMBERS.get(folded)
        if number is not None and number > 0:
            kept.append(str(number))
        else:
            kept.append(folded if word[:1].isupper() else singular(folded))
    return " ".join(kept) or fold(text)


def subject_key(text: str) -> str:
    """The form in which two subjects are compared: folded, without possessives and articles in front."""
    kept = words(text)
    while len(kept) > 1 and kept[0] in ARTICLES:
        kept = kept[1:]
    return " ".join(kept)


def context_key(text: str | None) -> str:
    """The form in which two contexts are compared: content words only."""
    if not text:
        return ""
    return " ".join(singular(word) for word in words(text) if word not in NO_CONTEXT)


def name_key(text: str) -> str:
    """The form in which two names are compared: as a subject, and without a possessive ending.

    Accents stay, because Zoe and Zoë may be two people; case, spacing and the form of the apostrophe go.
    """
    return subject_key(text).removesuffix("'s")


def bare_name(text: str) -> str:
    """The key of a name without the forms of address in front of it; of a form of address alone, itself."""
    kept = name_key(text).split()
    while len(kept) > 1 and kept[0] in TITLES:
        kept = kept[1:]
    return " ".join(kept)


def plain_key(text: str) -> str:
    """The key of a name without accents: for finding what somebody typed without them, never for merging."""
    return "".join(c for c in unicodedata.normalize("NFKD", name_key(text)) if not unicodedata.combining(c))


def apart(left: str, right: str) -> bool:
    """Whether two names may never be one: they differ by a number (Team 4, Team 5) or by a "not".

    A name with a number and one without may be one (Apollo 11 and Eagle), unless the number is all that tells them apart.
    Nor may names be one that look the same and are written with letters of two scripts.
    """
    if alike(left, right):
        return True
    (left_words, left_numbers, left_denied), (right_words, right_numbers, right_denied) = _told_by(left), _told_by(right)
    if left_denied != right_denied:
        return True
    if left_numbers and right_numbers:
        return left_numbers != right_numbers
    return left_numbers != right_numbers and left_words == right_words


_DENYING = frozenset({"not", "no", "non", "never", "without", "isn't", "anti"})
_PART = re.compile(r"\d+|[^\W\d_]+(?:'[^\W\d_]+)*")


def _told_by(name: str) -> tuple[list[str], list[str], list[str]]:
    """The plain words, the numbers and the denying words of a name."""
    plain, numbers, denied = [], [], []
    for part in _PART.findall(fold(name)):
        if part[0].isdecimal():
            numbers.append("".join(str(unicodedata.digit(c)) for c in part))
        elif part in _DENYING:
            denied.append(part)
        elif part in NUMBERS and part not in ("single", "both", "couple"):
            numbers.append(str(NUMBERS[part]))
        elif part not in ARTICLES:
            plain.append(part)
    return plain, numbers, denied


def counted(key: str) -> tuple[int, str] | None:
    """Number and head noun of a counted object key ("2 cat" gives (2, "cat")); None without an explicit number."""
    parts = key.split()
    for place, part in enumerate(parts[:-1]):
        if part.isdecimal() and len(part) < 100 and int(part) < 1000:
            # The head is the noun right before a name, a comma or the end: "2 cat miso tofu" has the head "cat".
            return int(part), singular(parts[place + 1])
    return None


def date_parts(text: str) -> tuple[int | None, int | None, int | None]:
    """Year, month and day as far as a birth date names them ("12 March" gives (None, 3, 12))."""
    year = month = day = None
    iso = re.search(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b", text)
    if iso:
        return int(iso[1]), int(iso[2]), int(iso[3])
    for word in words(text):
        bare = re.fullmatch(r"(\d{1,4})(?:st|nd|rd|th)?", word)
        if word in MONTHS:
            month = MONTHS[word]
        elif bare and len(bare[1]) == 4:
            year = int(bare[1])
        elif bare and 1 <= int(bare[1]) <= 31:
            day = int(bare[1])
    return year, month, day


def names_same(left: str, right: str) -> bool:
    """Whether the words of one object key all stand in the other: "coffee" and "coffee in the morning".

    Numbers must agree where both name one.
    """
    a, b = set(left.split()), set(right.split())
    if not a or not b:
        return False
    digits = {word for word in a if word.isdigit()}, {word for word in b if word.isdigit()}
    if digits[0] and digits[1] and digits[0] != digits[1]:
        return False
    return a <= b or b <= a


def refines(fine: str, coarse: str) -> bool:
    """Whether one place or value is named within the other: "Alfama in Lisbon" within "Lisbon".

    Words in front alone do not make it finer: New York is not a part of York.
    """
    fine_words, coarse_words = fine.split(), coarse.split()
    if len(fine_words) <= len(coarse_words) or fine_words[-len(coarse_words) :] != coarse_words:
        return False
    before = fine_words[: -len(coarse_words)]
    return before[-1] in INSIDE or any(word.isdigit() for word in before)


def coarser(fine: str) -> list[str]:
    """All keys that a key refines: those of its ends that have a word of place or a number in front."""
    fine_words = fine.split()
    numbered, found = False, []
    for place, word in enumerate(fine_words[:-1], 1):
        numbered = numbered or word.isdigit()
        if numbered or word in INSIDE:
            found.append(" ".join(fine_words[place:]))
    return found


def third_person(verb: str) -> str:
    """The verb phrase of an open relation as "she plays": only the first word is inflected."""
    head, _, rest = verb.replace("_", " ").partition(" ")
    irregular = {"be": "is", "have": "has", "do": "does", "go": "goes"}
    if head in irregular:
        head = irregular[head]
    elif head.endswith(("s", "x", "z", "ch", "sh", "o")):
        head += "es"
    elif head.endswith("y") and head[-2:-1] not in "aeiou":
        head = head[:-1] + "ies"
    else:
        head += "s"
    return f"{head} {rest}".strip()
