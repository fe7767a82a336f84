"""Credentials in commands, settings files and headers: what stands in the place of a secret there is one, however it looks.

Invariant: a variable, a placeholder and a call of a program (`$TOKEN`, `<key>`, `getenv(...)`) are no values; a name that says
nothing of a secret ("id", "theme") makes none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.personal.found import Found, is_blank
from graphmem.personal.made import SNAKE
from graphmem.personal.values import is_code, is_random, is_strong, talk_words

# Prefixes of further issuers, each with the least length that their keys have.
_KEYS = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"dckr_[a-z]{2,4}_[A-Za-z0-9_-]{20,}|HRKU-[A-Za-z0-9_-]{20,}|vk1\.a\.[A-Za-z0-9_-]{20,}|gl(?:ptt"
    r"|rt|dt|ft|soat|cbt|imt|agent)-[A-Za-z0-9_-]{16,}"
    r"|sq0[a-z]{3}-[A-Za-z0-9_-]{20,}|EAA[A-Za-z0-9]{30,}|gsk_[A-Za-z0-9]{20,}|xai-[A-Za-z0-9]{30,}"
    r"|r8_[A-Za-z0-9]{20,}|pplx-[A-Za-z0-9]{20,}"
    r"|nvapi-[A-Za-z0-9_-]{20,}|tvly-[A-Za-z0-9-]{16,}|lin_(?:api|oauth)_[A-Za-z0-9]{20,}|(?:secret"
    r"|ntn)_[A-Za-z0-9]{30,}|do[or]_v1_[a-f0-9]{40,}"
    r"|sb(?:p|_secret)_[A-Za-z0-9_-]{20,}|pscale_[a-z]+_[A-Za-z0-9_.-]{20,}|PMAK-[a-f0-9-]{30,}"
    r"|NR[AIJ][KLS]-[A-Za-z0-9]{20,}|dapi[a-f0-9]{32}"
    r"|rubygems_[a-f0-9]{40,}|cio[A-Za-z0-9]{32}(?![A-Za-z0-9])|[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{30,}"
    r"|hv[sbr]\.[A-Za-z0-9_-]{20,}"
    r"|AT(?:ATT3|CTT3|BB)[A-Za-z0-9_=-]{20,}|dp\.[a-z]{2,5}\.[A-Za-z0-9]{30,}|gl(?:c|sa)_[A-Za-z0-9_+/=]{20,}"
    r"|sntry[su]_[A-Za-z0-9_+/=]{20,}"
    r"|y[0-9]_[A-Za-z0-9_-]{30,}|t1\.[A-Za-z0-9_-]{40,}={0,2}(?:\.[A-Za-z0-9_-]{20,})?|AQVN[A-Za-z0-9_-]{30,}"
    r"|pat[A-Za-z0-9]{14}\.[a-f0-9]{40,}"
    r"|xkeysib-[a-f0-9]{30,}[A-Za-z0-9-]*|[a-f0-9]{32}-us\d{1,2}(?!\w)|EZ[AT]K[A-Za-z0-9]{30,}"
    r"|LTAI[A-Za-z0-9]{12,}|shp(?:pa|tka)_[A-Fa-f0-9]{30,}"
    r"|figd_[A-Za-z0-9_-]{20,}|CCIPAT_[A-Za-z0-9_]{20,}|oy2[a-z0-9]{40,}|ABIA[A-Z0-9]{16}|tfp_[A-Za-z0-9_-]{20,}"
    r"|FlyV1 fm\d_[A-Za-z0-9+/=_-]{20,}"
    r"|AIza[A-Za-z0-9_-]{20,}|bot\d{8,10}:[A-Za-z0-9_-]{30,}|nfp_[A-Za-z0-9]{30,}|vercel_[A-Za-z0-9]{20,}"
    r"|rnd_[A-Za-z0-9]{20,}|phx_[A-Za-z0-9]{30,}"
    r")"
)
_SIGN = re.compile(
    r"dckr_|hrku-|vk1\.a|gl[a-z]{1,5}[-_]|sq0|eaa|gsk_|xai-|r8_|pplx|nvapi|tvly|lin_|secret_|ntn_"
    r"|_v1_|sbp?_|pscale|pmak|nr[aij][kls]-|dapi|rubygems|cio"
    r"|atlasv1|hv[sbr]\.|at(?:att|ctt|bb)|dp\.|sntry|y\d_|t1\.|aqvn|pat|xkeysib|-us\d|ez[at]k|ltai"
    r"|shp|figd|ccipat|oy2|abia|tfp_|flyv1|aiza|bot\d|nfp_"
    r"|vercel_|rnd_|phx_"
)
_AMAZON = re.compile(r"(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")
_CLIENT = (
    r"\b(?:mysql(?:dump|admin)?|mariadb|docker|podman|sshpass|mongo(?:sh|dump)?|redis-cli|htpasswd"
    r"|smbclient|rsync|ftp|lftp|sqlcmd|az|helm"
    r"|ldapsearch|rabbitmqctl|rdesktop|xfreerdp|ipmitool|snmpwalk|plink"
    r"|pscp|influx|cqlsh|clickhouse-client|login)\b"
)
_OPTION = re.compile(
    rf"{_CLIENT}[^\n|;]{{0,160}}?\s(?:-p[ =]?|-a |-w |-P ?|--?pass(?:word|wd|phrase)?[ =]|--auth[ =]"
    rf"|--token[ =]|--secret[ =]|/p:)"
    r"[\"']?(?P<value>[^\s\"'-][^\s\"']{3,99})",
)
_LONG_OPTION = re.compile(
    r"\s--?(?:pass(?:word|wd|phrase)?|token|secret|api-?key|auth-token|access-key)[ =]"
    r"[\"']?(?P<value>[^\s\"'-][^\s\"']{3,199})",
    re.I,
)
_PORT = re.compile(r"(?:\d{1,5}(?::\d{1,5})?(?:/\w+)?|[\w.-]+/[\w./-]+)\Z")
_SOURCE = re.compile(r"(?:pass|env|file|fd|stdin):", re.I)  # of openssl: where the secret is to be read
_NAMED = re.compile(r"pass|secret|key|token|hash|pwd|user|your|my_|name|config|\.|example|value|string", re.I)
_COOKIE = re.compile(r"\b(?:set-)?cookies?\"?:\s*(?P<line>[^\n]{1,2000})", re.I)
_CRUMB = re.compile(r"(?P<name>[\w.-]{1,60})=(?P<value>[^\s;,\"']{12,600})")
_SESSION = re.compile(
    r"(?<![\w.-])[\w.-]{0,30}(?:sess(?:ion)?(?:[_-]?id)?|sid|connect\.sid|csrf[\w-]{0,12}|xsrf[\w-]{0,12}"
    r"|auth[\w-]{0,12}|remember\w{0,12}|jwt|sso)"
    r"[\"']?\s?[:=]\s?[\"']?(?P<value>[A-Za-z0-9%._~+/=-]{16,600})",
    re.I,
)
_SETTING = re.compile(
    r"(?<![\w$])(?P<name>[A-Za-z][\w.-]{0,60})[\"'\]]{0,2}\s?(?P<by>:=|=>|=|:)(?![=:/])\s?[\"'`]?(?P<value>[^\s\"'`,;<>(){}\[\]]{4,600})",
)
_SECRETIVE = re.compile(
    r"(?:\A|[_.-]|(?<=[a-z])|\APG)(?:api|api_?key|key|token|secret|pass|passwd|password|passphrase"
    r"|pwd|pw|psw|psk|credentials?|creds?|auth|dsn|salt|pat|accountkey"
    r"|accesskey|secretkey|apikey|apitoken|authtoken|sharedaccesskey|sas|requirepass|salasana|lösenord"
    r"|losenord|parol|пароль)s?\Z",
    re.I,
)
_UPPER = re.compile(r"[A-Z][A-Z0-9_]+\Z")
_OTHER = (
    re.compile(r"\blogin\s+\S{1,80}\s+password\s+(?P<value>\S{3,120})", re.I),
    re.compile(r"(?m)^[\w.*-]{1,80}:(?:\d{2,5}|\*):[\w.*-]{1,60}:[\w.*-]{1,60}:(?P<value>\S{3,120})$"),
    re.compile(r"\bdefine\(\s*['\"]\w*(?:PASS\w*|KEY|SALT|SECRET|TOKEN)['\"]\s*,\s*['\"](?P<value>[^'\"\n]{4,200})['\"]", re.I),
    re.compile(r"<(?:\w{0,30}:)?\w{0,30}(?:password|passwd|pwd|secret|token|apikey)>(?P<value>[^<\s]{3,200})</", re.I),
    re.compile(
        r"\b(?:identified(?: with \w+)? by|with password|set password(?: for \S+)? ?=)\s*['\"](?P<value>[^'\"\n]{3,120})['\"]",
        re.I,
    ),
    re.compile(r"\brequirepass\s+(?P<value>\S{4,120})|\bwpa_passphrase\s+\S{1,40}\s+(?P<wpa>\S{8,63})", re.I),
    re.compile(r"\bWIFI:[^\n]{0,80}?P:(?P<value>[^;\n]{4,63});"),
    re.compile(r"\bauthorization[\"']?\s*[:=]\s*[\"']?(?:\w{2,20}\s+)?(?P<value>[A-Za-z0-9._~+/=:-]{16,600})", re.I),
    re.compile(r"(?<![\w/:@.])(?!mailto:)[\w.+-]{1,40}:(?P<value>[^\s:@/]{4,60})@(?:[\w-]{1,60}\.)+[a-z]{2,12}(?!\w)", re.I),
    re.compile(r"\b(?:client-key-data|private[_-]?key)[\"']?\s*[:=]\s*[\"']?(?P<value>[A-Za-z0-9+/=_-]{24,})", re.I),
    re.compile(r"['\"\s]\w{1,30}:(?P<value>[^\s:'\"]{3,80})['\"]?\s*\|\s*(?:sudo\s+)?chpasswd"),
    re.compile(r"/user:\S{1,60}\s+(?P<value>[^\s/]\S{2,80})", re.I),
    re.compile(r"\bPrivate-Lines: \d+\n(?P<value>(?:[A-Za-z0-9+/=]{4,80}(?:\n|\Z))+)"),
    re.compile(
        r"(?:user(?:name)?|login|konto|användare|käyttäjä(?:tunnus)?|tunnus|логин)\s*[:=]\s*\S{1,60}[\s,;]+(?:pass"
        r"|pw|pwd|psw|lösen|salis|пасс?)\s*[:=]?\s+?(?P<value>\S{4,80})",
        re.I,
    ),
    re.compile(r"\botpauth://[^\s\"']{0,200}?secret=(?P<value>[A-Z2-7]{12,})", re.I),
)  # fmt: skip
_SESSION_SIGNS = ("ses", "sid", "csrf", "xsrf", "auth", "remember", "jwt", "sso")
_OTHER_SIGNS = (
    "password", "define(", "token>", "secret>", "key>", "pwd>", "passwd>", "identified", "requirepass", "wpa_", "wifi:",
    "authorization", "@", "key", "otpauth", "chpasswd", "/user:", "private-lines", "user", "login", "tunnus", "логин", "konto",
    "använd", "käyttäj", ":5432", ":3306", ":*",
)  # fmt: skip


def credentials(text: str, low: str) -> Iterator[Found]:
    """The credentials in commands, settings and headers; `low` is the text in lower case."""
    yield from _keys(text, low)
    if " -" in text or "/p:" in text:
        for pattern in (_OPTION, _LONG_OPTION):
            for match in pattern.finditer(text):
                yield from _told(match, "credentials", plain=pattern is _OPTION)
    if "=" in text or ":" in text:
        for match in _SESSION.finditer(text) if any(sign in low for sign in _SESSION_SIGNS) else ():
            yield from _random(match)
        for match in _SETTING.finditer(text):
            if _SECRETIVE.search(match["name"]):
                yield from _setting(match)
    if any(sign in low for sign in _OTHER_SIGNS):
        for pattern in _OTHER:
            for match in pattern.finditer(text):
                yield from _told(match, "credentials", plain=True)


def _keys(text: str, low: str) -> Iterator[Found]:
    """Keys of further issuers, the long half of a pair of Amazon's, and what a cookie holds."""
    for match in _KEYS.finditer(text) if _SIGN.search(low) else ():
        yield Found("key", *match.span())
    for match in _AMAZON.finditer(text) if "akia" in low or "asia" in low or "aws" in low else ():
        if is_random(match[0]) and not match[0].islower() and not match[0].isupper():
            yield Found("key", *match.span())
    for match in _COOKIE.finditer(text) if "cookie" in low else ():
        for crumb in _CRUMB.finditer(text, *match.span("line")):
            yield from _random(crumb)


def _told(match: re.Match[str], kind: str, *, plain: bool) -> Iterator[Found]:
    group = match.lastgroup or "value"
    value = match[group].rstrip(".,;)")
    if (
        is_blank(value)
        or is_code(value)
        or _PORT.match(value)
        or _SOURCE.match(value)
        or ("," in match[0] and value.casefold() in talk_words())  # "login admin, password unknown"
        or (_NAMED.search(value) and SNAKE.match(value))
        or value.startswith(("$", "<", "{", "%", "os.", "-"))
    ):
        return
    if plain or is_strong(value):
        yield Found(kind, match.start(group), match.start(group) + len(value))


def _random(match: re.Match[str]) -> Iterator[Found]:
    value = match["value"].rstrip(".")
    if len(value) >= 16 and is_random(value) and not is_blank(value) and not is_code(value):
        yield Found("key", match.start("value"), match.start("value") + len(value))


def _setting(match: re.Match[str]) -> Iterator[Found]:
    """What is given to a name that ends in a word for a secret."""
    value = match["value"].rstrip(".")
    if (
        is_blank(value)
        or is_code(value)
        or match.string[match.end("value") : match.end("value") + 1] in ("(", "[")  # a call of a program
        or (SNAKE.match(value) and not value.isalpha())
        or value.startswith(("$", "<", "{", "%", "&", "*", "process.", "os.", "self.", "config", "env", "str", "http"))
    ):
        return
    short = re.search(r"(?:password|pass|passwd|pwd|pw|psw|psk|passphrase|requirepass)\Z", match["name"], re.I) is not None
    named = _UPPER.match(match["name"]) is not None and match["by"] == "="
    if short and match["by"] in ("=", ":"):
        if len(value) >= 4 and (
            is_strong(value) or "-" in value or _upper(match) or (match["by"] == "=" and not value.isidentifier())
        ):
            yield Found("password", match.start("value"), match.start("value") + len(value))
    elif (named and len(value) >= 6 and is_strong(value) and not value.isnumeric()) or (len(value) >= 20 and is_random(value)):
        yield Found("key", match.start("value"), match.start("value") + len(value))


def _upper(match: re.Match[str]) -> bool:
    """Whether it is a variable of a shell that gets a word, as in `PGPASSWORD=...`."""
    return match["by"] == "=" and _UPPER.match(match["name"]) is not None and match["value"].casefold() not in talk_words()
