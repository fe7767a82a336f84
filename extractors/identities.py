"""What a claim says of who is who: a relative and the name, a name and the nickname, a wrong name and the right one.

Invariant: only words that stand in the claim or in its quote make two names one; what is merely alike says nothing.  Two
names that differ by a number or a "not" are never paired.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal, NamedTuple

from graphmem.canonical import apart, fold, name_key
from graphmem.extractors.base import USER, Claim
from graphmem.extractors.lexicon import words

IdentityRule = Literal["role", "kin", "same", "name", "nickname", "alias", "corrected"]


class Identity(NamedTuple):
    """Two names for one; `target` is the fuller name.

    `role` goes from a relative to the named relative ("sister", "sister Claire"), `kin` from there to the bare name,
    `corrected` from the wrong name to the right one, `nickname`, `alias` and `name` from the lesser name to the fuller one.
    `type` is that of an entity, or `pet`.
    """

    source: str
    target: str
    rule: IdentityRule
    type: str = "person"


# Roles of one person that are no kin; a plural or a group names several.
_ONE = frozenset(
    [
        "boss",
        "manager",
        "landlord",
        "landlady",
        "mentor",
        "supervisor",
        "barber",
        "hairdresser",
        "therapist",
        "dentist",
        "nanny",
    ]
)
# Of these people have many, so that one without a name need not be the one who was named.
_MANY = frozenset(
    [
        "friend",
        "bestie",
        "colleague",
        "coworker",
        "co-worker",
        "neighbour",
        "neighbor",
        "roommate",
        "flatmate",
        "housemate",
        "teammate",
        "ex",
        "tutor",
        "coach",
        "babysitter",
        "cleaner",
        "assistant",
        "intern",
        "client",
        "tenant",
        "cousin",
    ]
)
_SEVERAL = frozenset({"family", "folks", "children", "stepchildren", "grandchildren"})
_MINE = frozenset({"my", "our"})
_NAMING = (("is",), ("is", "called"), ("is", "named"), ("called",), ("named",), ("name", "is"), ("whose", "name", "is"))
_TOKEN = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_NICK = re.compile(
    r"\b(?:calls?|called|knows?|known|refers? to|address(?:es)?|goes|go|answers? to|nick ?named?|for short|short for)\b",
    re.IGNORECASE,
)
_OFFICIAL = re.compile(r"\b(?:real|full|actual|proper|given|legal|birth|official) name\b", re.IGNORECASE)
_NAMED = frozenset({"name", "has_family", "married_to", "has_pet"})


@cache
def roles() -> frozenset[str]:
    """Words for one person, or one pet, by what they are to somebody."""
    known = words("kin") | words("partners") | words("pets") | _ONE | _MANY
    return frozenset(low for low in known if not (low.endswith("s") and not low.endswith("ss")) and low not in _SEVERAL)


def role_of(text: str) -> str | None:
    """The word by which a text without a name says who is meant: "sister" in "little sister"; None if there is none."""
    parts = text.split()
    last = parts[-1].removesuffix("'s").removesuffix("’s") if parts else ""
    return last if last in roles() and not any(part[:1].isupper() for part in parts) else None


def bare_name(text: str) -> str:
    """The name at the end of a text: "Claire" in "sister Claire"; "" if it ends in none."""
    parts = text.split()
    at = len(parts)
    while at and parts[at - 1][:1].isupper():
        at -= 1
    return " ".join(parts[at:]).strip(".,;:!?")


def of_claim(claim: Claim) -> tuple[Identity, ...]:
    """What a claim and its quote say of who is who."""
    if claim.kind not in ("fact", "preference", "episode") or claim.modality != "asserted":
        return ()
    found: dict[tuple[str, str], Identity] = {}
    for identity in _all_of(claim):
        pair = name_key(identity.source), name_key(identity.target)
        if all(pair) and pair[0] != pair[1] and not apart(*pair):
            found.setdefault(pair, identity)
    return tuple(found.values())


def _all_of(claim: Claim) -> Iterator[Identity]:
    introduced = list(_introduced(claim))
    for role, name in introduced:
        yield from _kin(role, name)
        for text in (claim.subject, claim.object):
            # "little brother Tom" is the brother Tom.
            if name_key(bare_name(text)) == name_key(name) and role in text.split()[:-1]:
                yield Identity(text, f"{role} {name}", "same", _kind(role))
    if claim.polarity == "negative":
        return
    if claim.predicate == "alias_of":
        quote = fold(claim.quote)
        if fold(claim.subject) in quote and fold(claim.object) in quote:
            types = dict(claim.mentions)
            yield Identity(claim.subject, claim.object, "alias", types.get(claim.object, "thing"))
    elif claim.predicate == "name":
        yield from _name(claim)
    if (claim.predicate in _NAMED and claim.subject != USER) or claim.predicate in _NAMED - {"name"}:
        yield from _put_right(claim, introduced)


def _kin(role: str, name: str) -> Iterator[Identity]:
    if role not in _MANY:
        yield Identity(role, f"{role} {name}", "role", _kind(role))
    yield Identity(f"{role} {name}", name, "kin", _kind(role))


def _kind(role: str) -> str:
    return "pet" if role in words("pets") else "person"


def _name(claim: Claim) -> Iterator[Identity]:
    """A name that is given: to the speaker, to a relative, or beside another name."""
    nick = bool(_NICK.search(claim.quote))
    if claim.subject == USER:
        yield Identity(claim.object, USER, "nickname" if nick else "name")
        return
    role = role_of(claim.subject)
    if role is not None:
        yield from _kin(role, claim.object)
    elif _OFFICIAL.search(claim.quote):
        yield Identity(claim.subject, claim.object, "name")
    elif name_key(bare_name(claim.subject)) not in (name_key(claim.object), name_key(bare_name(claim.replaces or ""))):
        yield Identity(claim.object, claim.subject, "nickname")


def _put_right(claim: Claim, introduced: list[tuple[str, str]]) -> Iterator[Identity]:
    """A wrong name that the claim replaces: as in "Claire, not Clara"."""
    wrong, right = bare_name(claim.replaces or ""), bare_name(claim.object)
    if not wrong or not right or name_key(wrong) == name_key(right):
        return
    if claim.predicate != "name" and claim.cue != "correction" and f"not {fold(wrong)}" not in fold(claim.quote):
        return  # another person took the place
    known = {role for role, name in introduced if name_key(name) == name_key(right)}
    known |= {role for text in (claim.subject, claim.replaces or "") if (role := _role_before(text, wrong))}
    for role in sorted(known):
        yield Identity(f"{role} {wrong}", f"{role} {right}", "corrected", _kind(role))
        yield from _kin(role, right)
    yield Identity(wrong, right, "corrected", "pet" if claim.predicate == "has_pet" else "person")


def _role_before(text: str, name: str) -> str | None:
    """The role in "sister", or in "sister Clara"."""
    rest = text.removesuffix(name).strip()
    return role_of(rest) if rest else None


def _introduced(claim: Claim) -> Iterator[tuple[str, str]]:
    """Roles and names that the quote puts together: "my sister Claire", "Claire, my sister", "my sister's name is Claire"."""
    quote = claim.quote
    known = _names_of(claim)
    tokens = list(_TOKEN.finditer(quote))
    lows = [_plain(token.group()) for token in tokens]
    for place, low in enumerate(lows):
        if low not in _MINE:
            continue
        at = place + 1
        while at < min(len(tokens), place + 4) and lows[at] not in roles() and tokens[at].group().islower():
            at += 1
        if at >= len(tokens) or lows[at] not in roles() or lows[at] in lows[place + 1 : at]:
            continue
        role = lows[at]
        for start in _after(tokens, lows, at, quote):
            name, end = _run(tokens, start, quote, known)
            aside = "," in quote[tokens[start - 1].end() : tokens[start].start()]
            if name and (not aside or _closed(quote, end)):
                yield role, name
        before = quote[tokens[place - 1].end() : tokens[place].start()] if place else ""
        if before.strip() in (",", "(") and _closed(quote, tokens[at].end()):
            aside = before.strip() == "("
            name = _run_before(tokens, place, quote, None if aside and _bare_kin(claim, role) else known)
            if name:
                yield role, name


def _after(tokens: list[re.Match[str]], lows: list[str], at: int, quote: str) -> Iterator[int]:
    """Where a name may begin that belongs to the role at a place."""
    if at + 1 < len(tokens) and re.fullmatch(r"\s*,?\s+", quote[tokens[at].end() : tokens[at + 1].start()]):
        yield at + 1
    for naming in _NAMING:
        end = at + 1 + len(naming)
        if tuple(lows[at + 1 : end]) == naming and end < len(tokens):
            yield end


def _closed(quote: str, end: int) -> bool:
    """Whether what is said aside ends here; "my brother, Tom, and Anna" are three people."""
    rest = quote[end:].lstrip()
    return not rest or (rest[0] in ",.!?;)" and not _LISTED.match(rest))


_LISTED = re.compile(r",\s*(?:and|or|&|plus|as well)\b", re.IGNORECASE)


def _run(tokens: list[re.Match[str]], start: int, quote: str, known: set[str]) -> tuple[str, int]:
    """The longest known name that begins at a token, and where it ends."""
    best, stop, end = "", 0, start
    while end < len(tokens) and tokens[end].group()[:1].isupper():
        if end > start and quote[tokens[end - 1].end() : tokens[end].start()] != " ":
            break
        text = _without_s(quote[tokens[start].start() : tokens[end].end()])
        if name_key(text) in known:
            best, stop = text, tokens[end].end()
        end += 1
    return best, stop


def _bare_kin(claim: Claim, role: str) -> bool:
    """Whether a claim is of a relative of this kind whose name it does not have."""
    return claim.predicate in _NAMED and role_of(claim.object) == role


def _run_before(tokens: list[re.Match[str]], stop: int, quote: str, known: set[str] | None) -> str:
    """The longest known name that ends before a token; any, if none are known."""
    best, start = "", stop - 1
    while start >= 0 and tokens[start].group()[:1].isupper():
        text = quote[tokens[start].start() : tokens[stop - 1].end()]
        best = text if known is None or name_key(text) in known else best
        if start and quote[tokens[start - 1].end() : tokens[start].start()] != " ":
            break
        start -= 1
    return best


def _names_of(claim: Claim) -> set[str]:
    """Keys of the names that the claim itself gives to persons."""
    texts = [claim.subject] + [name for name, type_ in claim.mentions if type_ == "person"]
    if claim.predicate in _NAMED or claim.predicate == "alias_of":
        texts.append(claim.object)
    return {name_key(name) for text in texts if (name := bare_name(text))}


def _plain(token: str) -> str:
    return _without_s(token).casefold().replace("’", "'")


def _without_s(text: str) -> str:
    return text.removesuffix("'s").removesuffix("’s")
