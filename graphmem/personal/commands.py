"""Commands: the options behind which well-known programs take a secret, and settings whose names hold a word for one.

Idea: each program has its own option ("-k" of openssl, "-P" of unzip), so the program decides, and what is given to its
option is the secret however it looks.

Invariant: what names a source (`env:PW`, `file:key.txt`), a variable or a place to fill in is no value; a setting that
tells of a secret's length, type or place holds none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.personal.found import Found, is_blank
from graphmem.personal.made import is_made
from graphmem.personal.values import is_code, talk_words

_VALUE = r"(?:\"(?P<double>[^\"\n]{3,80})\"|'(?P<single>[^'\n]{3,80})'|(?P<value>[^\s\"'|;&<>$%{-][^\s\"'|;&<>]{2,99}))"
_WAY = r"[^\n|;]{0,160}?\s"  # the options between a program and the one that counts
_OPTIONS = tuple(
    (sign, re.compile(rf"(?<![\w./-]){program}(?![\w-]){_WAY}{option}{_VALUE}"))
    for sign, program, option in (
        ("openssl", r"openssl", r"-[kK]\s+"),
        ("openssl", r"openssl", r"-pass(?:in|out)?\s+[\"']?pass:"),
        ("7z", r"7z[arz]?", r"-p(?=\S)"),
        ("rar", r"(?:un)?rar", r"-h?p(?=\S*[^a-z\s-])"),
        ("zip", r"(?:un)?zip", r"-P\s*"),
        ("curl", r"curl", r"(?:-[uU]\s?|--(?:proxy-)?user[ =])[\"']?[^\s:\"']{1,60}:"),
        ("wget", r"wget", r"--(?:http-|ftp-|proxy-)?password[ =]"),
        ("gpg", r"gpg2?", r"--passphrase[ =]"),
        ("ssh-keygen", r"ssh-keygen", r"-[NP]\s+"),
        ("smbclient", r"smbclient", r"-U\s?[^\s%]{1,60}%"),
        ("mosquitto", r"mosquitto_(?:pub|sub)", r"-P\s+"),
        ("keytool", r"keytool", r"-(?:store|key)pass\s+"),
        ("htpasswd", r"htpasswd", r"-\w{0,4}b\w{0,4}\s+\S{1,80}\s+\S{1,60}\s+"),
    )
)
_PROGRAM = re.compile("|".join(sorted({sign for sign, _ in _OPTIONS})))
_PLACES = frozenset([
    "password", "pass", "passwd", "pwd", "pw", "passphrase", "secret", "value", "file", "stdin", "yourpassword", "lösenord",
    "salasana", "пароль",
])  # fmt: skip
_SOURCE = re.compile(r"(?:env|file|fd|stdin|pass):|https?:", re.I)
# A setting in capitals, alone on its line but for a mark of a list and a remark; or with "=" anywhere.
_SETTING = re.compile(
    r"(?<![\w$/.-])(?P<name>[A-Z][A-Z0-9]{0,30}(?:_[A-Z0-9]{1,30}){1,7})\s?(?P<by>[:=])\s?[\"']?(?P<value>[^\s\"',;<>(){}\[\]$%]{4,200})"
)
_ALONE = re.compile(r"[\"']?,?[ \t]*(?:#[^\n]*)?(?:\n|\Z)")
_PASS = re.compile(r"_(?:PASS|PASSWD|PASSWORD|PWD|PASSPHRASE|SALASANA|PW)\Z")
_HOLDS = re.compile(r"(?:\A|_)(?:PASS|PASSWD|PASSWORD|PWD|PASSPHRASE|SECRET|TOKEN|APIKEY|KEY)(?=_|\Z)")
_ABOUT = re.compile(
    r"(?:\A|_)(?:LEN|LENGTH|LIMIT|MIN|MAX|TYPES?|NAME|ID|IDS|TTL|TIMEOUT|COUNT|URL|URI|FILE|PATH|DIR|SIZE|BITS|EXPIR\w*|USED|ALG\w*"
    r"|HEADER|VERSION|REGION|FORMAT|POLICY|ENABLED?|DISABLED?|ROTAT\w*|PREFIX|SUFFIX|SANTA|PUBLIC|PRIMARY|FOREIGN|SORT|PARTITION"
    r"|CACHE|INDEX|UNIQUE|FIELD|COLUMN|MODEL|USER|EMAIL|RESET|CHANGED?|AGE|ISSUER|AUDIENCE|SCOPES?|HASHER|BINDINGS?|POINTS?"
    r"|RATE|RATES|EVENTS?|CODE|FACTOR|METHOD|PROVIDER|BACKEND|CLASS|STORE|SOURCE|ARN|TESTS?|FIRST|SECOND|LOW|HIGH|BAND)(?=_|\Z)"
)


def commands(text: str, low: str) -> Iterator[Found]:
    """The secrets given to programs and settings; `low` is the text in lower case."""
    if " -" in text and _PROGRAM.search(low):
        for sign, pattern in _OPTIONS:
            if sign in low:
                for match in pattern.finditer(text):
                    yield from _given(match)
    if "_" in text and ("=" in text or ":" in text):
        for match in _SETTING.finditer(text):
            yield from _set(match)


def _given(match: re.Match[str]) -> Iterator[Found]:
    group = match.lastgroup or "value"
    value = match[group] if group != "value" else match[group].rstrip(".,)")
    if (
        len(value) >= 3
        and value.casefold() not in _PLACES
        and not (is_blank(value) or is_code(value) or _SOURCE.match(value))
        and not value.startswith(("$", "{", "<"))
    ):
        yield Found("credentials", match.start(group), match.start(group) + len(value))


def _set(match: re.Match[str]) -> Iterator[Found]:
    name, value = match["name"], match["value"].rstrip(".")
    if _HOLDS.search(name) is None or _ABOUT.search(name) or is_blank(value) or is_code(value):
        return
    plain = value.casefold()
    word = (
        (_PASS.search(name) or (name.endswith("_SECRET") and match["by"] == "="))
        and _ALONE.match(match.string, match.end())
        and value.replace("-", "").isalpha()
    )
    if (word and plain not in _PLACES and plain not in talk_words()) or (
        len(value) >= 6 and is_made(value) and any(char.isdigit() for char in value)
    ):
        yield Found("password" if word else "key", match.start("value"), match.start("value") + len(value))
