"""Secrets that their own form gives away: keys with known prefixes, key blocks, card numbers, credentials in addresses.

Invariant: nothing here looks at the words around; a shape is a secret wherever it stands.
"""

from __future__ import annotations

import re
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
_USER = re.compile(r"(?:^|\s)(?:-u|--user)[ =][^\s:]{1,100}:(\S{1,200})")
_HEADER = re.compile(r"\b(?:basic|bearer)\s+([A-Za-z0-9._~+/-]{12,}=*)", re.IGNORECASE)
_QUERY = re.compile(
    r"[?&](?:api[_-]?key|key|token|access_token|auth|sig|signature|password|pwd|secret|client_secret)=([^&\s#\"'<>]{6,})",
    re.IGNORECASE,
)
_FIELD = re.compile(r"(?:^|[;,&\s])\w{0,40}(?:key|token|secret)\s?=\s?([A-Za-z0-9+/=_-]{20,})", re.IGNORECASE)
_DIGITS = re.compile(r"(?<![\w.,+-])\d(?:[ -]?\d){14,18}(?![\w]|[.,-]\d|[ -]\d)")
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
    for match in _DIGITS.finditer(text):
        if is_card(match[0]) and not _in_account(text, match.start()):
            yield Found("card", match.start(), match.end())


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


def _in_account(text: str, place: int) -> bool:
    """Whether the digits at a place are groups of an account's number, some of which pass for a card by chance."""
    from graphmem.personal.identifiers import ibans

    return any(account.start < place < account.end for account in ibans(text))


def is_card(number: str) -> bool:
    """Whether digits, with or without spaces and hyphens, are the full number of a payment card."""
    digits = number.replace(" ", "").replace("-", "")
    if not _ISSUERS.match(digits) or len(set(digits)) == 1:
        return False
    from stdnum import luhn

    return bool(luhn.is_valid(digits))
