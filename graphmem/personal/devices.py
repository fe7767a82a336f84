"""Logins of devices: "router admin / w1llow", "the camera, login admin, pebble12", a name and what opens it beside a device.

Invariant: only one of the names that devices are sold with, close behind a word for a device, makes the next word a
password; roles, pages and menus ("admin / user", "admin/settings") are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.personal.found import Found, is_blank
from graphmem.personal.made import TRIM, is_made, words_of
from graphmem.personal.values import is_code

_SIGN = re.compile(r"admin|root|ubnt|guest|админ|user")
_BEFORE = 70  # so far behind the word for a device its login may stand
_DEVICE = re.compile(
    r"(?<![^\W_])(?:routers?|modem|camera|cam|webcam|ip-?cam|nas|printer|dvr|nvr|doorbell|repeater|extender"
    r"|access point|synology|qnap|raspberry(?: pi)?|hotspot|baby ?monitor|ruter\w{0,4}|router\w{0,4}|modem\w{0,4}"
    r"|kamera\w{0,6}|skrivare\w{0,3}|reititi[mnt]\w{0,6}|reititti\w{0,6}|modeemi\w{0,5}|tulosti[mn]\w{0,5}|verkkolevy\w{0,5}|роутер\w{0,3}|модем\w{0,3}"
    r"|камер\w{1,3}|принтер\w{0,3}|маршрутизатор\w{0,3}|регистратор\w{0,3})(?![^\W_])",
    re.I,
)
_LOGIN = re.compile(
    r"(?<![\w/.@-])(?:admin|administrator|root|ubnt|guest|user|админ)(?P<by>\s?/\s?|\s?\|\s?|\s?:|,\s?|\s)"
    r"(?:(?:pass(?:word)?|pw|lösen(?:ord)?|salasana|salis|пароль|пасс?)[:=]?\s)?(?P<value>[^\s/|,;]{4,40})(?![/|])",
    re.I,
)
_END = re.compile(r"[\"')]?(?:\s*[.,;!\n)]|\s*\Z)")


def devices(text: str, low: str) -> Iterator[Found]:
    """The passwords of devices; `low` is the text in lower case."""
    for match in _LOGIN.finditer(text) if _SIGN.search(low) and _DEVICE.search(text) else ():
        if _DEVICE.search(text, max(0, match.start() - _BEFORE), match.start()) is None:
            continue
        said = match["value"]
        value = said.strip(TRIM)
        low_value = value.casefold()
        if len(value) < 4 or low_value in words_of("roles") or is_blank(value) or is_code(value):
            continue
        divided = match["by"].strip() in ("/", "|", ":")
        digits = value.isdigit() and divided and len(value) <= 12 and _END.match(text, match.end()) is not None
        word = (
            divided
            and match["by"].strip() != ":"
            and value.isalpha()
            and len(value) >= 5
            and _END.match(text, match.end() - (len(said) - len(said.rstrip(TRIM))))
            and low_value not in words_of("talk") | words_of("bare") | words_of("brands") | words_of("function")
        )
        if is_made(value) or digits or word:
            start = match.start("value") + len(said) - len(said.lstrip(TRIM))
            yield Found("credentials", start, start + len(value))
