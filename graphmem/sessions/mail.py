"""Mail that somebody pasted: heads, "wrote:" lines and forwarding marks, in the languages of common mail programs.

Invariant: pure; what is found here goes on to the end of the turn, since a mail has no end mark.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphmem.sessions.lines import Line

# What a header line means, by its name in English, Swedish, Finnish, Russian, German, French, Spanish, Estonian.
_NAMES = {
    "from": "from från lähettäjä от от\\sкого von de expéditeur saatja",
    "to": "to till vastaanottaja кому an à para kellele cc bcc kopia kopio копия",
    "sent": "sent date skickat datum lähetetty päiväys päivämäärä отправлено дата gesendet envoyé enviado saadetud kuupäev",
    "subject": "subject ämne aihe тема betreff objet asunto teema reply-to",
}
_MEANING = {name.replace("\\s", " "): meaning for meaning, names in _NAMES.items() for name in names.split()}
_HEADER = re.compile(
    rf"[*_]*({'|'.join(n for names in _NAMES.values() for n in names.split())})[*_]*\s?:[*_]*\s*\S", re.IGNORECASE
)
_VERBS = (
    r"wrote|writes|skrev|skriver|kirjoitti|kirjoittaa|написал(?:а|\(а\)|и)?|пишет|писал(?:а|\(а\))?|schrieb|schreibt"
    r"|a écrit|escribió|ha scritto|kirjutas|kirjutab"
)
_NAME = r"[^\W\d_][\w.'’-]{0,30}(?: [^\W\d_][\w.'’-]{0,30}){0,3}"
_WROTE = re.compile(
    # A date or an address, and the verb: "3 mars 2025 kl. 10:00 skrev Bo Ek <bo@x.se>:".
    rf"(?=.*(?:\d|@)).{{0,200}}\b(?:{_VERBS})\b.{{0,120}}:\s*$"
    # A name, and the verb: "Bo Ek kirjoitti:".
    rf"|\s{{0,3}}{_NAME}(?:\s?<[^>]{{1,100}}>)?\s(?:{_VERBS})(?:\s.{{0,60}})?\s?:\s*$"
)
_MESSAGE = (
    r"(?:original|forwarded|ursprungligt|vidarebefordrat|alkuperäinen|välitetty|edelleenlähetetty|исходное|пересланное"
    r"|пересылаемое|ursprüngliche|weitergeleitete|edastatud)\s(?:message|e-?mail|mail|meddelande|brev|viesti|сообщение|письмо"
    r"|nachricht|kiri)|message (?:d'origine|transféré)|mensaje (?:original|reenviado)"
    r"|начало пересылаемого (?:сообщения|письма)"
)
_FORWARDED = re.compile(
    rf"\s{{0,3}}(?:[-=*_]{{2,}}\s*(?:{_MESSAGE})\s*[-=*_]{{0,80}}:?\s*$|(?:begin\s)?(?:{_MESSAGE})\s?:\s*$|_{{20,}}\s*$)",
    re.IGNORECASE,
)
LONGEST = 400  # characters of a line that are looked at


def begins_mail(lines: Sequence[Line], place: int) -> bool:
    """Whether a mail begins on this line."""
    text = lines[place].text[:LONGEST]
    return bool(_FORWARDED.match(text) or _WROTE.match(text)) or _is_head(lines, place)


def _is_head(lines: Sequence[Line], place: int) -> bool:
    """Two header lines in a row, and something that only mail has ("From: Oslo / To: Bergen" is a journey)."""
    if not _HEADER.match(lines[place].text) or place + 1 >= len(lines):
        return False
    names = set()
    address = False
    for line in lines[place : place + 5]:
        match = _HEADER.match(line.text)
        if match is None:
            break
        names.add(_MEANING[match[1].lower()])
        address = address or "@" in line.text
    return len(names) >= 2 and (address or bool({"subject", "sent"} & names))
