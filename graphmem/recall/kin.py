"""Whose relative a question asks for: "my sister", "my wife's brother", "a dog of mine", told from all other relatives.

A question for one of them has no answer in what is told of another, however near the words are.

Invariant: pure, and by the words for relatives, for people in a role and for pets alone.  A word stands for its synonyms and
for what is narrower or broader: "parent" means a mother, and what is told of "siblings" may answer for a sister.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from graphmem.extractors.lexicon import words as listed

# Name, words for it, and what it is a kind of.
_TABLE = """
parent|parents folks|; mother|mum mom mommy mummy mama ma|parent; father|dad daddy papa|parent
stepmother|stepmum stepmom|parent; stepfather|stepdad|parent
sibling|siblings twin twins|; sister|sis|sibling; brother|bro|sibling; half-sister||sister; half-brother||brother
stepsister|step-sister|sibling; stepbrother|step-brother|sibling
child|children kid kids baby babies toddler|; son|boy|child; daughter|girl|child; stepson||child; stepdaughter||child
spouse|partner married engaged|; wife|wifey|spouse; husband|hubby|spouse; girlfriend|gf|spouse; boyfriend|bf|spouse
fiance|fiancé fiancée fiancee|spouse; ex-wife||ex; ex-husband||ex; ex||
grandparent||; grandmother|grandma granny gran nan nana|grandparent; grandfather|grandpa granddad grandad|grandparent
grandchild|grandchildren grandkid grandkids|; grandson||grandchild; granddaughter||grandchild
aunt|auntie|; uncle||; cousin||; niece||; nephew||
in-law|in-laws|; mother-in-law||in-law; father-in-law||in-law; sister-in-law||in-law; brother-in-law||in-law
son-in-law||in-law; daughter-in-law||in-law; godmother||godparent; godfather||godparent; godparent||
godchild||; godson||godchild; goddaughter||godchild
neighbour|neighbor|; boss|manager supervisor|; landlord|landlady|; doctor|gp|
friend|mate buddy bestie|; flatmate|roommate housemate|; colleague|coworker co-worker workmate teammate|
teacher|tutor professor|; coach|trainer|; therapist|psychologist psychiatrist physio physiotherapist|
pet|animal|; dog|puppy pup doggo puppies|pet; cat|kitten kitty tomcat|pet; rabbit|bunny bunnies|pet; bird||pet
parrot||bird; budgie||bird; canary||bird; fish|goldfish|pet; horse|pony ponies|pet; hamster||pet; ferret||pet; rat||pet
mouse|mice|pet; tortoise|turtle|pet; snake||pet; lizard||pet; goat||pet; pig||pet; hen|chicken|pet; duck||pet
"""
# Roles that are names of things or of programs as well.
_THINGS = frozenset(("agent", "assistant", "captain", "client", "customer", "director", "editor", "intern", "lead", "ex"))
# People that one has by role: their words are parts of other names ("package manager"), so hardly a word may stand between.
_ROLES = frozenset(
    ("neighbour", "boss", "landlord", "doctor", "friend", "flatmate", "colleague", "teacher", "coach", "therapist")
)
_PLAIN = frozenset(
    ("best", "good", "close", "old", "new", "former", "previous", "current", "next", "late", "dear", "first", "last", "own")
)
# Relations that say who somebody is, and the score (in log odds) that one of the asked has at least, if that is the question.
IDENTITY = frozenset({"name", "has_family", "married_to", "has_pet", "alias_of"})
FOUND = 1.0

_TOKEN = re.compile(r"[^\W_]+(?:-[^\W_]+)*(?P<of>['’]s?(?!\w))?")
_OF = re.compile(r"['’]s?$")
_OWN = r"(?:my|our|(?:the )?user['’]s)"
_LINKING = re.compile(r"^(?:a|an|and|as|at|by|do|for|from|i|in|is|my|of|on|or|our|the|to|with|about|that|who)$")
# What may follow "do I have a sister".
_ABOUT = re.compile(
    r"^(?:and|at|by|called|from|here|in|left|living|named|now|of|on|or|still|that|then|to|today|too|who|whom|whose|with)$",
    re.IGNORECASE,
)
_AHEAD = r"(?:(?:and|so|but|well|ok|okay|hey|hi|please|remind me|tell me)\W+)*(?:(?:in|at|on|for|to|from|with|by) )?"
_ASKING = r"(?:what|who|where|when|how|which|why|whose)"
_VERB = r"(?:is|are|was|were|does|do|did|has|have|had|can|could|will|should|would)"
# What stands before "my sister" where she is what the question is about.
_BEFORE = re.compile(
    rf"^\W*{_AHEAD}(?:(?:{_ASKING}\b[^,.;?!]{{0,30}}?\s)?{_VERB}\s+|{_ASKING}['’]?s\s+|)$"
    rf"|\b(?:know|knows|remember|told you|hear|say|said|tell me|anything|something|everything) about\s+$|^\W*about\s+$"
    rf"|\bnames? of\s+$",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"\b(?!(?:What|Who|Where|When|How|Why|That|There|Here|It|He|She|Let|User)\b)(?P<name>[A-Z]\w+)['’]s?\s+(?=\w)"
)
_MY = re.compile(rf"\b{_OWN}\s+", re.IGNORECASE)
_HAVE = re.compile(
    r"^\W*(?:and |so |but )?(?:(?:do|did|have) (?:I|we)|(?:does|did|has) (?:the )?user)(?: (?:still|also|ever))?"
    r"(?: (?:have|got|own))?(?: (?:a|an|any|some|other|another|more|two|three))*\s+(?=\w)",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(
    r"^\W*(?:how many|which|what)\s+(?:\w+\s+)?(?P<what>[\w-]+)\s+(?:(?:do|did|have) (?:I|we)|(?:does|did|has) (?:the )?user)"
    r"\s+(?:have|own|got)\b",
    re.IGNORECASE,
)
_WHO = re.compile(
    rf"^\W*{_AHEAD}who(?:['’]s| is| are| was| were)\s|\bnames?\b|\bnamed\b|\bcalled\b|^\W*(?:am|are|was) (?:I|we)\b",
    re.IGNORECASE,
)
_MARRIED = re.compile(r"^\W*(?:am|are|was|is) (?:I|we|the user) (?:still )?(?P<what>married|engaged)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Asked:
    """Whose relative is asked for.

    Attributes:
        chain: from the owner on, or from somebody named: `("wife", "brother")` for "my wife's brother", `("=Nora", "brother")`.
        names: names of the first of them that the question has been given from elsewhere.
        who: the question is who it is, what the name is or whether there is one, and not something about them.
    """

    chain: tuple[str, ...]
    who: bool = False
    names: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Told:
    """Whom a phrase tells of: each chain of relatives in it, and the names that are nobody's possessive."""

    chains: tuple[tuple[str, ...], ...]
    names: frozenset[str]


@cache
def _families() -> tuple[dict[str, str], dict[str, str]]:
    """The family of each word, and of each family what it is a kind of."""
    family: dict[str, str] = {}
    above: dict[str, str] = {}
    for row in re.split(r"[;\n]", _TABLE.strip()):
        name, words, kind = (part.strip() for part in row.split("|"))
        family |= dict.fromkeys((name, *words.split()), name)
        if kind:
            above[name] = kind
    for word in sorted(listed("roles") - _THINGS):
        family.setdefault(word, word)
    return family, above


def family_of(word: str) -> str | None:
    """The family of a word in lower case, singular or plural; None where it is for no relative, role or pet."""
    family, _ = _families()
    return family.get(word) or (family.get(word.removesuffix("s")) if len(word) > 3 else None)


@cache
def fitting(family: str) -> frozenset[str]:
    """The families that may answer for one: itself, what is narrower, and what is broader."""
    _, above = _families()
    found, upward = {family}, above.get(family)
    while upward:
        found.add(upward)
        upward = above.get(upward)
    while narrower := {name for name, kind in above.items() if kind in found and name not in found and _under(name, family)}:
        found |= narrower
    return frozenset(found)


def _under(name: str, family: str) -> bool:
    _, above = _families()
    while name in above:
        name = above[name]
        if name == family:
            return True
    return False


@cache
def narrower(family: str) -> frozenset[str]:
    """A family and what is a kind of it."""
    return frozenset(one for one in fitting(family) if one == family or _under(one, family))


@cache
def rivals(family: str) -> frozenset[str]:
    """What is of the same kind as a family and is not it."""
    _, above = _families()
    return frozenset(name for name, kind in above.items() if kind == above.get(family)) - fitting(family)


@cache
def words_for(family: str) -> frozenset[str]:
    """Every word for what may answer for a family."""
    known, _ = _families()
    return frozenset(word for word, name in known.items() if name in fitting(family))


def _is_role(family: str) -> bool:
    return family in _ROLES or (family in listed("roles") and len(fitting(family)) == 1)


def is_pet(family: str) -> bool:
    """Whether a family is a kind of animal: the list of those is short, and "a poodle" may be what was meant by a dog."""
    return "pet" in fitting(family)


def asked_kin(text: str) -> Asked | None:
    """Whose relative, or whose pet, a question is about: the owner's, or those of somebody named; None for none."""
    married = _MARRIED.search(text)
    if married:
        return Asked(("spouse",), who=True)
    counted = _HOW_MANY.search(text)
    if counted and (family := family_of(counted["what"].lower())):
        return Asked((family,), who=True)
    had = _HAVE.search(text)
    if had:
        chain, rest = _chain(text[had.end() :])
        follows = re.match(r"\w+", rest)
        part = follows is not None and not _ABOUT.match(follows.group())
        return Asked(chain, who=True) if len(chain) == 1 and not part else None
    named = _NAMED.search(text)
    if named and _BEFORE.search(text[: named.start()]):
        chain, _ = _chain(text[named.end() :])
        return Asked((f"={named['name']}", *chain), who=bool(_WHO.search(text))) if chain else None
    for mine in _MY.finditer(text):
        if _BEFORE.search(text[: mine.start()]):
            chain, _ = _chain(text[mine.end() :])
            return Asked(chain, who=bool(_WHO.search(text))) if chain else None
    return None


def _chain(text: str) -> tuple[tuple[str, ...], str]:
    """The relatives that a text begins with, after at most two other words each, and what follows them.

    What follows begins with a letter where it is something of theirs, or where their word is part of another name.
    """
    chain: list[str] = []
    others: list[str] = []
    of, end = True, 0
    for token in _TOKEN.finditer(text):
        word = _OF.sub("", token.group()).lower()
        family = family_of(word) if of else None
        if family is not None and not (_is_role(family) and not _PLAIN.issuperset(others)):
            chain.append(family)
            others, of, end = [], bool(token["of"]), token.end()
            continue
        others.append(word)
        if not of or len(others) > 2 or _LINKING.match(word) or token["of"]:
            break
    return tuple(chain), text[end:].strip() if chain else ""


@lru_cache(maxsize=4096)
def told(phrases: tuple[str, ...]) -> Told:
    """Whom phrases tell of; a chain may begin with somebody's name, as `"=Nora"`."""
    chains: list[tuple[str, ...]] = []
    names: set[str] = set()
    for phrase in phrases:
        chain: list[str] = []
        of = False
        for token in _TOKEN.finditer(phrase):
            word = _OF.sub("", token.group())
            family = family_of(word.lower())
            if family is not None:
                if not of:
                    chains.append(tuple(chain))
                    chain = []
                chain.append(family)
                of = bool(token["of"])
            elif word[0].isupper():
                if token["of"]:
                    chains.append(tuple(chain))
                    chain, of = [f"={word}"], True
                else:
                    names.add(word)
        chains.append(tuple(chain))
    return Told(tuple(one for one in chains if one and not one[-1].startswith("=")), frozenset(names))
