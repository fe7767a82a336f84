"""Letters that look like others, and characters that show nothing: what a name really says, and whether it pretends.

Invariant: a stored quote keeps every character; only what is compared or shown goes through here.  Two names that look alike
and are not the same are never made one: they are told apart by their characters and flagged by their looks.
"""

from __future__ import annotations

import re
import unicodedata

# Code points that are letters or marks by category and yet show nothing (Unicode: Default_Ignorable_Code_Point).
_IGNORABLE = "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef"
INVISIBLE = re.compile(
    f"[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f{_IGNORABLE}]"
)
# The joiners are at home in some scripts (Persian, Hindi, emoji); by themselves they say nothing of an attack.
_JOINERS = "\u200c\u200d\ufe0e\ufe0f\u00ad"
# Cyrillic and Greek letters that most fonts draw like a Latin one.
_CYRILLIC = dict(zip("авеіјкмнорсԛѕтухԝһԁӏАВЕЅІЈКМНОРСТУХҮԚԜҺЗ", "abeijkmhopcqstyxwhdlABESIJKMHOPCTYXYQWH3", strict=True))
_GREEK = dict(zip("αγικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧϲͿ", "ayiкvoptuxABEZHIKMNOPTYXcJ", strict=True)) | {"κ": "k"}
# Small letters that are like a Latin capital only are no disguise inside of a word of small letters.
_WEAK = frozenset("вкмнтγιντυ")
LOOKS = {**_CYRILLIC, **_GREEK}
# Letters that are drawn nearly like a Latin one, or with a stroke: enough to be read so by whoever reads a whole word.
_DRAWN = dict(zip("гпитмкнвьѵ", "rnutmkhbbv", strict=True)) | dict(zip("օոսցհ", "onugh", strict=True))
_DRAWN |= dict(zip("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz", strict=True))
_DRAWN |= dict(zip("ıɩɡɑøłđħŧƀɇɨʉɍ", "iigaoldhtbeiur", strict=True))
_WORD = re.compile(r"[^\W\d_]{2,}")
_APART = re.compile(r"(?<![^\W_])[^\W\d_]([ .\-\u2010\u2011_*·•|/~\n])[^\W\d_](?:\1[^\W\d_]){2,}(?![^\W_])")
# A sentence that goes on in the next line; a line with a name and a colon begins something of its own.
_WRAPPED = re.compile(r"(?<=[^\W\d_]|[,'’\"])[^\S\n]*\n[^\S\n]*(?=[^\W\d_])(?![^\n:]{1,30}:)")
_LATIN, _OTHER = re.compile("[A-Za-z\u00c0-\u024f]"), re.compile("[\u0370-\u03ff\u0400-\u052f]")


def visible(text: str) -> str:
    """The text without the characters that show nothing; the text itself if it has none."""
    return text if text.isascii() else INVISIBLE.sub("", text)


def skeleton(text: str) -> str:
    """What a text looks like: compatibility form, nothing invisible, look-alike letters as the Latin ones."""
    if text.isascii():
        return text
    return "".join(LOOKS.get(char, char) for char in visible(unicodedata.normalize("NFKC", text)))


def unmixed(text: str) -> str:
    """The text as it looks, words of one script aside: only a word that mixes Latin with look-alikes is read as Latin."""
    if text.isascii():
        return text
    shown = visible(unicodedata.normalize("NFKC", text))
    if _OTHER.search(shown) is None or _LATIN.search(shown) is None:
        return shown
    return _WORD.sub(lambda word: skeleton(word[0]) if _mixed(word[0]) else word[0], shown)


def laid_bare(text: str) -> tuple[str, ...]:
    """The forms in which hidden words show, apart from `unmixed`: disguises off, wrapped lines and letters set apart joined.

    Marks on letters are off in the last form; the one before keeps those that make a letter of its own, such as "ä".
    """
    forms = [text]
    if not text.isascii():
        whole = unicodedata.normalize("NFKC", visible(text))
        kept = "".join(char for char in whole if not unicodedata.category(char).startswith("M"))
        off = "".join(c for c in unicodedata.normalize("NFKD", whole) if not unicodedata.category(c).startswith("M"))
        forms = [_WORD.sub(_in_latin, form) for form in (kept, off)]
    return tuple(dict.fromkeys(_run_on(form) for form in forms))


def _run_on(text: str) -> str:
    joined = _APART.sub(lambda found: found[0].replace(found[1], ""), text)
    return re.sub(r"[^\S\n]+", " ", _WRAPPED.sub(" ", joined))


def _in_latin(word: re.Match[str]) -> str:
    """A word with a Latin letter, or one drawn as such, whose others are all look-alikes."""
    read = "".join(char if char.isascii() else LOOKS.get(char) or _DRAWN.get(char, char) for char in word[0])
    return read if read.isascii() and (_LATIN.search(word[0]) or not _OTHER.search(word[0])) else word[0]


def pretending(text: str) -> tuple[str, ...]:
    """The words of a text that look like others: look-alikes among Latin letters, or characters inside that show nothing."""
    if text.isascii():
        return ()
    plain = unicodedata.normalize("NFKC", text)
    found = [word for word in _WORD.findall(visible(plain)) if _mixed(word)]
    found += [visible(word) for word in plain.split() if _hides(word)]
    return tuple(dict.fromkeys(found))


def alike(left: str, right: str) -> bool:
    """Whether two names look the same and are not: no such pair is ever one."""
    return left != right and (left.isascii() and right.isascii()) is False and skeleton(left) == skeleton(right)


def _mixed(word: str) -> bool:
    others = _OTHER.findall(word)
    if not others or _LATIN.search(word) is None or any(char not in LOOKS for char in others):
        return False
    return not all(char in _WEAK for char in others)


def _hides(word: str) -> bool:
    """Whether characters that show nothing stand inside of a word of letters, other than joiners where they are at home."""
    inside = re.search(r"[^\W_](.*)[^\W_]", word, re.DOTALL)
    return inside is not None and any(char not in _JOINERS for char in INVISIBLE.findall(inside[1]))
