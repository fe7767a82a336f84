"""Where a text names somebody who is to be forgotten, and where the same letters are somebody else's name or a plain word.

Invariant: in doubt a text names them, for forgetting too little is worse than too much.  Not theirs is only what lies within
a longer name of another known entity ("Tom Berg", "Anna-Maria"), and of a name that is a common word ("Rose", "May") what is
written in lower case or can only be the word, unless the owner has written that name in lower case as a name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping

from graphmem.canonical import TITLES, bare_name, fold, name_key
from graphmem.identity import OWNER
from graphmem.lookalikes import skeleton, visible
from graphmem.reading import Reader
from graphmem.records import TurnRecord

Form = str

_MODALS = frozenset({"art", "can", "may", "will"})
_MONTHS = frozenset({"april", "august", "autumn", "june", "may", "summer", "winter"})
# Names that are common English words as well: flowers, stones, virtues, trades, verbs.
_WORDS = """
amber angel art ash aspen basil bay bear bill blossom blue bliss brook brooks bud candy carol chance charity chase
cherry chip clay cliff cook coral crystal daisy dale dawn destiny dick dill don dot dove drew duke dusty earl ember
faith fern flint forest frank gale gay gene ginger glen glory grace grant gray grey guy harmony harper hazel heath
heather heaven holly honey honor honour hope hunter iris ivory ivy jade jasmine jay jersey jet jewel joy justice king
knight lane lark laurel lavender leaf lee lily lotus lucky major mark mason meadow melody mercy merry miles mint misty
nick noble oak olive opal pansy pat patience peace pearl penny pepper poppy porter prince prudence queen rain raven ray
red reed reef rich river rob rock rocky rod rose rosemary rowan royal ruby rusty rye sage sailor sandy scarlet sky skip
sparrow spring star sterling stone storm sue sunny sunshine teddy temple timber tiny trip tulip unity verity viola
violet wade ward west wolf woody wren
"""
WORD_NAMES = _MODALS | _MONTHS | frozenset(_WORDS.split())
_RELATIVES = """
mother father mom mum mommy mummy dad daddy papa mama parent sister brother sibling twin son daughter child kid baby
aunt auntie uncle cousin niece nephew grandmother grandma granny gran nan nana grandfather grandpa grandad granddad
grandson granddaughter wife husband spouse partner fiancé fiancée fiance fiancee girlfriend boyfriend stepmother
stepfather stepson stepdaughter stepsister stepbrother half-sister half-brother
"""
_ACQUAINTED = """
friend mate buddy bestie pal colleague coworker co-worker workmate teammate classmate flatmate roommate housemate
neighbour neighbor boss manager supervisor teacher doctor dentist therapist coach landlord dog cat puppy kitten horse
rabbit parrot pet
"""
_KIN = frozenset(_RELATIVES.split())
_IN_FRONT = frozenset({*_KIN, *_ACQUAINTED.split(), *TITLES, "best", "old", "older", "younger", "big", "little", "elder"})
_PARTICLES = frozenset(
    ["af", "al", "bin", "da", "de", "del", "den", "der", "des", "di", "do",
     "du", "el", "la", "le", "of", "the", "van", "von", "zu"]
)  # fmt: skip
_ENDS = r"(?:s|'s)?(?![^\W_])"
_SUBJECTS = (
    r"(?:you|i|we|he|she|it|they|there|this|that|these|those|my|our|your|his|her|their|any(?:one|body)|some(?:one|body))"
)
# What stands behind a name in lower case, and seldom behind the word: "my friend will lives here", "my aunt rose is".
_VERB = r"(?:'s|\s+(?:is|was|has|had|does|did|(?!always|sometimes|perhaps|besides|\w*[su]s\b)\w+s|\w+ed)\b)"
_TIME_BEFORE = re.compile(
    r"(?:\b(?:in|during|early|late|mid|this|next|last|every|each)[\s-]+|\d(?:st|nd|rd|th)?(?:\s+of)?\s+|"
    r"\b(?:end|beginning|start|middle|month|first|rest)\s+of\s+)$",
    re.IGNORECASE,
)
_TIME_AFTER = re.compile(r",?\s+\d")
_BEGINNING = re.compile(r"(?:^|[.!?\n:;][\"'”)]*|[\"“(])\s*$")


def naming(
    forms: Collection[Form], roles: Collection[Form], *, longer: Collection[Form] = (), guarded: Collection[Form] = ()
) -> Callable[[str], bool]:
    """Whether one of the names stands in a text; a role ("sister") only as one's own ("my sister").

    Args:
        forms: the names of what is meant.
        roles: those of them that are roles.
        longer: names of others which one of the names is a part of.
        guarded: the names that are common words, and count with a capital and where they are not the word.
    """
    own = {form: _written(form) for form in forms if form not in roles}
    own |= {role: rf"(?:my|our|user's)\s+{re.escape(role)}" for role in roles if "/" not in role}
    others = {form: _joined(form) for form in longer}
    plain = _pattern({form: one for form, one in own.items() if form not in guarded}, others)
    cased = _pattern({form: one for form, one in own.items() if form in guarded}, others)

    def named(text: str) -> bool:
        if plain is not None and any(found.lastindex for found in plain.finditer(fold(text))):
            return True
        if cased is None:
            return False
        shown = _shown(text)
        return any(found.lastindex and _is_name(found, shown) for found in cased.finditer(shown))

    return lambda text: any(named(one) for one in dict.fromkeys((text, skeleton(text))))


def longer_names(reader: Reader, forms: Collection[Form], told: Collection[str]) -> frozenset[Form]:
    """The names of others, the owner among them, that one of these names is a part of, by what is known of them.

    A relative of the same kind with a surname ("brother Tom", "brother Tom Berg") is the same, and so is whoever is known by
    nothing but their own words (`told`, from `told_by_others`, has the rest).
    """
    names, own = reader.directory().names, {form: _proper(form) for form in forms}
    fronts: dict[str, set[str]] = {}
    for entity in reader.directory().entities.values():
        fronts.setdefault(name_key(_proper(entity.name)), set()).update(_front(entity.name))
    kin = {
        word
        for entity in reader.directory().entities.values()
        if names.form(entity.id) in forms
        for word in _front(entity.name) & _KIN
    }
    found = set()
    for entity in reader.directory().entities.values():
        form, proper = names.form(entity.id), _proper(entity.name)
        if form in forms or not _is_proper(proper) or (entity.id not in told and form not in names.owner_forms()):
            continue
        longer = _tokens(proper)
        for short in map(_tokens, filter(None, own.values())):
            if _tokens(name_key(proper)) == short or not _within(short, longer):
                continue
            if kin & fronts[name_key(proper)] and "-" not in proper and longer[: len(short)] == short:
                continue
            found.add(name_key(proper))
    return frozenset(found - set(forms))


def in_full(reader: Reader, forms: Collection[Form], longer: Collection[Form]) -> frozenset[Form]:
    """The names of persons that are one of these with a surname behind it, and neither the owner's nor another's (`longer`)."""
    names, short = reader.directory().names, tuple({f"{_proper(form)} " for form in forms})
    full = {form for form, type_ in names.cells.values() if type_ == "person" and _proper(form).startswith(short)}
    full = {form for form in full if _proper(form) not in {*longer, *names.owner_forms()}}
    return frozenset({*full, *map(_proper, full)} - names.owner_forms())


def told_by_others(reader: Reader, turns: Iterable[TurnRecord]) -> set[str]:
    """The entities that are known by words other than those that they speak themselves, by id."""
    names = reader.directory().names
    speakers = {turn.key: name_key(turn.speaker) if turn.speaker else "" for turn in turns}
    spoken = {node.record.id: {speakers.get(e.turn_key, "") for e in node.evidence} for node in reader.nodes()}
    ends = [(one.entity, one.statement) for one in reader.graph.mentions()]
    ends += [(end, edge.statement) for edge in names.standing for end in (edge.source, edge.target)]
    known = reader.directory().entities
    return {id_ for id_, statement in ends if id_ in known and spoken.get(statement, set()) - {names.form(id_)}}


def guarded_names(forms: Iterable[Form], written: Collection[str], turns: Iterable[TurnRecord]) -> frozenset[Form]:
    """The names among these that are common words, and that nobody has written in lower case as a name.

    Args:
        forms: the names of what is meant.
        written: the names of persons who are meant, as they were written.
        turns: where a name in lower case may stand.
    """
    found = {form: word for form in forms if (word := _proper(form)) in WORD_NAMES}
    if any(word in one.split() for word in found.values() for one in written):
        return frozenset()
    texts = [_shown(turn.text) for turn in turns if turn.role == "user"]
    for word in set(found.values()):
        end = _VERB if word in _MODALS else rf"(?:{_VERB}|\s*[,.;!?)]|\s+and\b|\s*$)"
        front = "|".join(map(re.escape, sorted(_IN_FRONT - TITLES)))
        as_name = re.compile(rf"\b(?:(?i:called|named|name is|name's)\s+{word}\b|(?i:{front})\s+{word}{end})")
        if any(as_name.search(text) for text in texts):
            return frozenset()
    return frozenset(found)


def is_word(name: str, form: Form, guarded: Collection[Form]) -> bool:
    """Whether what bears a guarded name is written as the word, such as the bill that is to be paid."""
    return form in guarded and any(word.islower() and word == _proper(form) for word in name.split())


def is_called(speaker: str, forms: Collection[Form], others: Collection[Form]) -> bool:
    """Whether a speaker's name is one of these, with a title in front or a surname behind it if that is nobody else's."""
    key, bare = name_key(speaker), bare_name(speaker)
    if key in forms or bare in forms:
        return True
    short = [form for form in forms if bare.startswith(f"{form} ")]
    return bool(short) and not {key, bare} & set(others)


def _shown(text: str) -> str:
    """The text as `fold` has it, with its capitals and lines."""
    return visible(unicodedata.normalize("NFKC", text)).replace("’", "'").replace("‘", "'")


def _written(form: Form) -> str:
    # A dot may stand behind a part of a name: "Dr. Shah", "J. Smith".
    return r"\.?\s+".join(map(re.escape, form.replace("/", "'s ").split()))


def _joined(form: Form) -> str:
    """A name of several parts, with hyphens or spaces between them."""
    return r"(?:\.?\s+|[-\u2010\u2011])".join(map(re.escape, _tokens(form)))


def _pattern(own: Mapping[Form, str], others: Mapping[Form, str]) -> re.Pattern[str] | None:
    """The names, in groups, and those of others, in none; of two at one place the longer."""
    if not own:
        return None
    each = [(len(form), f"({one})") for form, one in own.items()] + [(len(form), one) for form, one in others.items()]
    parts = [one for _, one in sorted(each, reverse=True)]
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(parts)}){_ENDS}", re.IGNORECASE)


def _is_name(found: re.Match[str], text: str) -> bool:
    """Whether a common word stands here as a name."""
    written = found[found.lastindex or 0].split()[-1]
    word, start, end = written.casefold(), found.start(), found.end()
    if not written[:1].isupper():
        return False
    before, after = text[:start], text[end:]
    if word in _MODALS and _BEGINNING.search(before) and re.match(rf"\s+{_SUBJECTS}\b", after, re.IGNORECASE):
        return False
    return not (word in _MONTHS and (_TIME_BEFORE.search(before[-20:]) or _TIME_AFTER.match(after)))


def _front(name: str) -> frozenset[str]:
    """The words in front of a name that say whose or what it is."""
    return frozenset(name_key(name).split()) & _IN_FRONT


def _proper(name: str) -> str:
    """A name without "my", "friend", "aunt" and titles in front of it."""
    kept = name.rpartition("/")[2].split()
    while len(kept) > 1 and (kept[0].casefold().rstrip(".") in _IN_FRONT or kept[0].casefold() in ("my", "our", "user's")):
        kept = kept[1:]
    return " ".join(kept)


def _tokens(name: str) -> list[str]:
    return re.sub(r"[-\u2010\u2011]", " ", fold(name)).replace(".", "").split()


def _is_proper(name: str) -> bool:
    """Whether a name has several parts and no plain word in it."""
    parts = re.split(r"[-\u2010\u2011\s]+", name)
    return len(parts) > 1 and all(part[:1].isupper() or part in _PARTICLES for part in parts)


def _within(short: list[str], longer: list[str]) -> bool:
    size = len(short)
    return size < len(longer) and any(longer[at : at + size] == short for at in range(len(longer) - size + 1))


def others_hit(reader: Reader, name: str, forms: Collection[Form]) -> dict[str, frozenset[str]]:
    """By statement, the other known entities that it is about, or that are known by the same name.

    Of several that bear the name, a person is the one that is meant.
    """
    names = reader.directory().names
    shown = {names.group(names.cells[one.id]): one for one in reader.entities() if one.id in names.cells}
    bearing = [group for group in shown if {form for form, _ in group} & (set(forms) - names.roles())]
    asked = bare_name(name)
    meant = min(
        bearing, default=frozenset(),
        key=lambda one: (asked not in {bare_name(f) for f, _ in one}, all(t != "person" for _, t in one), sorted(one)),
    )  # fmt: skip
    found: dict[str, set[str]] = {}
    for mention in reader.graph.mentions():
        group = names.group(names.cells[mention.entity])
        if group not in shown or group == meant or {form for form, _ in group} & {OWNER, *names.owner_forms()}:
            continue
        if mention.kind == "SUBJECT" or group in bearing:
            found.setdefault(mention.statement, set()).add(shown[group].id)
    return {statement: frozenset(ids) for statement, ids in found.items()}
