"""Secrets that their own form gives away: keys with known prefixes, key blocks, card numbers, credentials in addresses.

Invariant: nothing here looks at the words around; a shape is a secret wherever it stands.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from graphmem.personal.found import Found
from graphmem.personal.signs import KEY_FORMS, KEY_SIGNS

# Prefixes and lengths as the issuers document them; a public key or an account's number is not among them.
_KEYS = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"(?:AKIA|ASIA)[A-Z0-9]{16}"
    r"|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,}|glpat-[A-Za-z0-9_-]{20,}"
    r"|sk-(?:proj-|ant-|svcacct-|or-)?[A-Za-z0-9_-]{16,}|(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{16,}"
    r"|xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}"
    r"|AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,}"
    r"|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,}|hf_[A-Za-z0-9]{30,}|dop_v1_[a-f0-9]{40,}|shp(?:at|ss|ca)_[A-Fa-f0-9]{30,}"
    r"|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|key-[a-f0-9]{32}"
    r"|AGE-SECRET-KEY-1[A-Z0-9]{40,}|[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}"
    r"|eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?"
    r"|(?:SK|AC)[0-9a-f]{32}(?![A-Za-z0-9])|[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}"
    r")"
)
_BLOCK = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(.*?)(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|\Z)",
    re.DOTALL,
)
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,30}://[^\s:@/]{0,200}:([^\s/]{1,200})@")
_HOOK = re.compile(r"(?:hooks\.slack\.com/services|discord(?:app)?\.com/api/webhooks)/([A-Za-z0-9_/-]{16,})")
_USER = re.compile(r"(?:^|\s)(?:-u|--user)[ =](?!\d+:\d+(?:\s|\Z))[^\s:]{1,100}:(\S{1,200}?)(?=[\"']?(?:\s|\Z))")
_HEADER = re.compile(r"\b(?:basic|bearer)\s+([A-Za-z0-9._~+/-]{12,}=*)", re.IGNORECASE)
_QUERY = re.compile(
    r"[?&](?:api[_-]?key|key|token|access_token|auth|sig|signature|password|pwd|secret|client_secret)=([^&\s#\"'<>]{6,})",
    re.IGNORECASE,
)
_FIELD = re.compile(r"(?:^|[;,&\s])\w{0,40}(?:key|token|secret)\s?=\s?([A-Za-z0-9+/=_-]{20,})", re.IGNORECASE)
_BETWEEN = r"[ \u00a0\u2009\u202f._/–-]"
_DIGITS = re.compile(rf"(?<!\d)(?<![.,+]\d)\d+(?:{_BETWEEN}\d+)*")
_GROUP = re.compile(r"\d+")
_GLUED = re.compile(
    r"(?:card|kort\w{0,6}|kort(?:et|nr)|kortti\w{0,4}|карт\w{0,4}|visa|mastercard|amex|мир|nr|no|num|номер|is|:)\Z", re.I
)
_GROUPINGS = frozenset({(4, 4, 4, 4), (4, 6, 5), (8, 8), (4, 4, 4, 4, 1), (4, 4, 4, 4, 2), (4, 4, 4, 4, 3)})
_LETTERS_AND_DIGITS = re.compile(r"(?=.*\d)(?=.*[A-Za-z])")
# Issuers and lengths of payment cards; many long numbers pass the checksum alone.
_ISSUERS = re.compile(
    r"(?:220[0-4]\d{12}|4\d{15}(?:\d{3})?|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}"
    r"|6(?:011|5\d\d|4[4-9]\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17}|67(?:59|6[123])\d{12,15})\Z"
)


_HINTED: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    ("private key", "private_key", _BLOCK),
    ("://", "credentials", _ADDRESS),
    ("hooks", "key", _HOOK),
    ("-u", "credentials", _USER),
)


def shaped(text: str, low: str) -> Iterator[Found]:
    """The secrets of known form in a text; `low` is the text in lower case."""
    if any(hint in low for hint in KEY_SIGNS) or KEY_FORMS.search(text):
        for match in _KEYS.finditer(text):
            yield Found("key", match.start(), match.end())
    for hint, kind, pattern in _HINTED:
        if hint in low:
            for match in pattern.finditer(text):
                yield Found(kind, *match.span(1))
    yield from _assigned(text, low)
    cards = [*_cards(text)]
    accounts = _accounts(text) if cards else []
    for start, end in cards:
        at = bisect_left(accounts, (start, 0)) - 1
        if at < 0 or accounts[at][1] <= start:
            yield Found("card", start, end)


def _cards(text: str) -> Iterator[tuple[int, int]]:
    """The card numbers among the rows of digits: a row of its own, or groups of one separator within a longer row."""
    for match in _DIGITS.finditer(text):
        if len(match[0]) < 15 or not _stands_alone(text, match):
            continue
        groups = [(match.start() + group.start(), match.start() + group.end()) for group in _GROUP.finditer(match[0])]
        if len(match[0]) <= 40 and is_card(match[0]):
            yield match.span()
            continue
        past = 0
        for first, (start, end) in enumerate(groups):
            if end - start not in (4, 8, 15, 16, 19) or start < past:
                continue
            for last in range(min(first + 4, len(groups) - 1), first - 1, -1):
                sizes = tuple(e - s for s, e in groups[first : last + 1])
                marks = {text[e] for _, e in groups[first:last]}
                if (
                    (sizes in _GROUPINGS or (len(sizes) == 1 and sizes[0] >= 15))
                    and len(marks) <= 1
                    and (not _goes_on(text, groups, last, marks) or _is_second(text, groups, last + 1))
                    and not (first and text[start - 1] in marks | {"."} and start - 1 != past)
                    and is_card(text[start : groups[last][1]])
                ):
                    past = groups[last][1]
                    yield start, past
                    break


def _goes_on(text: str, groups: list[tuple[int, int]], last: int, marks: set[str]) -> bool:
    """Whether the next group of a row belongs to the same number; a date or an amount behind it does not."""
    if last + 1 >= len(groups):
        return False
    start, end = groups[last + 1]
    after = text[end : end + 1]
    if text[start - 1] not in (marks or {" ", "-"}):
        return text[start - 1] not in " \u00a0/"
    return end - start in (1, 4) or text[start - 1] != " " or (end - start < 3 and after not in ("/", "."))


def _is_second(text: str, groups: list[tuple[int, int]], first: int) -> bool:
    """Whether the rest of a row is another card of four groups, right beside the first."""
    card = groups[first : first + 4]
    return [end - start for start, end in card] == [4, 4, 4, 4] and is_card(text[card[0][0] : card[-1][1]])


def _stands_alone(text: str, match: re.Match[str]) -> bool:
    """Whether the row is not a part of a word or a fraction, but for a word that names a card."""
    start, end = match.span()
    before, after = text[max(0, start - 12) : start], text[end : end + 2]
    glued = bool(before) and (before[-1].isalnum() or before[-1] in "_.,+-")
    if glued and not (_GLUED.search(before) or (before[-1] == "." and before[-2:-1].isalpha())):
        return False
    return not (
        after[:1] == "_"
        or (after[:1].isalpha() and (after[:1].isascii() or glued))
        or (after[:1] in ",." and after[1:].isdigit())
    )


def _assigned(text: str, low: str) -> Iterator[Found]:
    """What stands behind the name of a key in an address, a line of settings or a header."""
    if "=" in text and ("?" in text or "&" in text):
        for match in _QUERY.finditer(text):
            if _LETTERS_AND_DIGITS.match(match[1]) or len(match[1]) >= 20:
                yield Found("key", *match.span(1))
    for hint, pattern in (("=", _FIELD), ("basic", _HEADER), ("bearer", _HEADER)):
        if hint in low:
            for match in pattern.finditer(text):
                if _LETTERS_AND_DIGITS.match(match[1]):
                    yield Found("key", *match.span(1))


def _accounts(text: str) -> list[tuple[int, int]]:
    """Where numbers of accounts stand, in order: some of their groups pass for a card by chance."""
    from graphmem.personal.identifiers import ibans

    return [(account.start, account.end) for account in ibans(text)]


def is_card(number: str) -> bool:
    """Whether digits, with or without marks between them, are the full number of a payment card."""
    digits = "".join(char for char in number if char.isdigit())
    if not _ISSUERS.match(digits) or len(set(digits)) == 1:
        return False
    from stdnum import luhn

    return bool(luhn.is_valid(digits))
