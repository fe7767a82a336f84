"""Idioms as data: fixed words around a free object, read from the words of one clause.

Invariant: an idiom is told by its verb and the words after it; what it is about is either the subject ("X gets on my nerves")
or begins where the fixed words end ("a sucker for X").  A denied idiom says the contrary, or nothing.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from graphmem.extractors.clauses import Clause
from graphmem.extractors.lexicon import words

_OPPOSITE = {"likes": "dislikes", "dislikes": "likes"}


class Idiom(NamedTuple):
    """What a fixed phrase says: the relation, the words from the verb's lemma on, and whether it must be denied."""

    predicate: str
    pattern: re.Pattern[str]
    denied: bool | None = False  # True: only denied, False: only plain, None: denied it says the contrary


class Reading(NamedTuple):
    """A fixed phrase found in a clause, and the word after it."""

    predicate: str
    after: int


def _idiom(predicate: str, source: str, *, denied: bool | None = False) -> Idiom:
    return Idiom(predicate, re.compile(source), denied)


_BETWEEN = (
    r"(?:(?:a|an|the|very|really|huge|massive|big|biggest|greatest|total|such|quite|pretty|totally|absolutely|also|still|so|"
)
_BETWEEN += r"real|serious|particularly|especially|bit|rather|lifelong|big-time|terribly|hugely|not|n't|never|at|all|of|lot|"
_BETWEEN += (
    r"always|been|completely|super|mad|overly|too|much|great|proud|exactly|just|kind|sort|actually|honestly|more|now) )*"
)

# The one who feels is the subject, the object follows.
FELT: tuple[Idiom, ...] = (
    _idiom("dislikes", rf"be {_BETWEEN}no (?:\w+ )?(?:fan|lover|friend) of\b"),
    _idiom("dislikes", rf"be {_BETWEEN}(?:sick and tired|sick to death|sick|weary|tired) of\b"),
    _idiom("dislikes", rf"be {_BETWEEN}(?:fed up|over it) with\b"),
    _idiom("dislikes", rf"be {_BETWEEN}one for\b", denied=True),
    _idiom(
        "dislikes", rf"(?:be|get) {_BETWEEN}(?:put off|grossed out|creeped out|repulsed|disgusted|bored|annoyed|irritated) by\b"
    ),
    _idiom(
        "dislikes", r"have (?:no|zero|little|absolutely no) (?:time|patience|tolerance|love|appetite|interest) (?:for|in)\b"
    ),
    _idiom(
        "dislikes", r"have (?:any |much |the |a lot of )?(?:time|patience|tolerance|love|interest) (?:for|in)\b", denied=True
    ),
    _idiom("dislikes", r"have (?:a |an )?(?:\w+ )?(?:aversion|dislike|hatred|distaste|loathing|horror) (?:to|for|of)\b"),
    _idiom("dislikes", r"(?:go|went|gone) (?:right |totally |completely )?off (?=\w)"),
    _idiom("dislikes", r"care (?:much |too much |at all |a lot )?(?:for|about)\b", denied=True),
    _idiom(
        "dislikes",
        r"(?:see|get|understand) the (?:appeal|point|attraction|hype|fuss) (?:of|with|in|about|around)\b",
        denied=True,
    ),
    _idiom("dislikes", r"(?:do|deal) with\b", denied=True),
    _idiom("dislikes", r"do without\b"),
    _idiom("likes", r"fall (?:completely |totally |head over heels )?in love with\b"),
    _idiom("dislikes", r"do (?=\w)", denied=True),
    _idiom(
        "likes", rf"be {_BETWEEN}(?:(?:fan|lover|fanatic|enthusiast|devotee|admirer|aficionado|fiend|fond)s? of)\b", denied=None
    ),
    _idiom("likes", rf"be {_BETWEEN}(?:sucker|mug|nut|fool|goner)s? for\b"),
    _idiom("likes", rf"be {_BETWEEN}(?:keen|hooked|big|mad keen|heavy) on\b", denied=None),
    _idiom("likes", rf"be {_BETWEEN}(?:crazy|nuts|passionate|wild|enthusiastic|bonkers|bananas|mad) about\b", denied=None),
    _idiom("likes", rf"be {_BETWEEN}(?:obsessed|smitten|besotted) with\b", denied=None),
    _idiom("likes", rf"be {_BETWEEN}(?:addicted|partial) to\b", denied=None),
    _idiom("likes", rf"be {_BETWEEN}into\b", denied=None),
    _idiom(
        "likes",
        r"have (?:always had )?(?:a |an |such a )?(?:\w+ )?(?:soft spot|thing|weakness|passion|fondness|love|"
        r"penchant|craving) for\b",
    ),
    _idiom("likes", r"(?:get|be) enough of\b", denied=True),
    _idiom("likes", r"(?:do|live|cope|function|survive|imagine life) without\b", denied=True),
    _idiom("likes", r"get (?:a )?(?:real |huge |big |such a )?(?:kick|joy|pleasure|buzz|thrill) (?:out of|from)\b"),
    _idiom("likes", r"(?:beat|top) (?=\w)", denied=True),
    _idiom("likes", r"swear by\b"),
    _idiom("likes", r"live for (?!the moment|a |my |now|it\b)(?=\w)"),
    _idiom("likes", r"(?:say no to|resist|go wrong with)\b", denied=True),
    _idiom("prefers", r"(?:tend to |usually |always |generally )?(?:gravitate|lean|veer) (?:more )?(?:towards?|to)\b"),
    _idiom("prefers", r"tend to (?:go|opt|choose|pick|reach) (?:for|with)?\b"),
    _idiom("prefers", r"(?:opt|plump) for\b"),
)
_ME = r"(?:me|us)"
# What is felt about is the subject.
CAUSED: tuple[Idiom, ...] = (
    _idiom(
        "dislikes",
        rf"(?:make|get) {_ME} (?:really |so |absolutely |feel |want to |physically )*(?:gag|cringe|mad|angry|furious|queasy|"
        r"nauseous|nauseated|retch|heave|shudder|uncomfortable|anxious|nervous|sleepy|puke|scream|cry|run|leave|vomit|uneasy|"
        r"claustrophobic|miserable|grumpy|cranky|stressed)\b",
    ),
    _idiom("dislikes", r"do my head in\b|make me want to\b"),
    _idiom("dislikes", r"(?:turn|upset|churn) my stomach\b"),
    _idiom(
        "dislikes",
        r"make my (?:skin crawl|stomach (?:turn|churn)|blood boil|teeth (?:itch|hurt)|toes curl|eyes glaze|head "
        r"hurt|head spin)",
    ),
    _idiom(
        "dislikes",
        rf"(?:drive|send) {_ME} (?:absolutely |completely |totally |a bit )?(?:crazy|mad|nuts|insane|bonkers|bananas|potty|"
        r"batty|spare|up the wall|round the (?:bend|twist)|to despair|over the edge|to sleep)",
    ),
    _idiom("dislikes", r"(?:get|grate|go) (?:\w+ )?(?:on my nerves|under my skin|up my nose|my goat|on my wick)\b"),
    _idiom(
        "dislikes",
        rf"(?:annoy|irritate|bug|disgust|repel|repulse|exhaust|drain|bore|infuriate|bother|depress|overwhelm|enrage|nauseate|"
        rf"exasperate|frustrate|stress|terrify) {_ME}\b",
    ),
    _idiom(
        "dislikes",
        rf"(?:stress|creep|gross|freak|wear|weird|bum|tire) {_ME} out\b|(?:put|piss|tick|turn) {_ME} off\b|"
        rf"(?:wind|mess) {_ME} up\b|"
        rf"(?:bring|get|drag) {_ME} down\b",
    ),
    _idiom(
        "dislikes",
        rf"(?:bear {_ME} (?:to|rigid|silly|stiff)|leave {_ME} cold|rub {_ME} the wrong way|suck the life out of "
        rf"{_ME}|bore {_ME} (?:to|rigid|silly))\b",
    ),
    _idiom(
        "dislikes",
        r"be (?:definitely |really |just |honestly |absolutely |simply )?(?:my |our )(?:\w+ )?(?:pet peeve|pet "
        r"hate|bugbear|nightmare|"
        r"kryptonite|bane|idea of (?:hell|torture|a nightmare|purgatory))\b",
    ),
    _idiom(
        "dislikes",
        r"be (?:the bane of my|(?:pure |absolute |sheer |real )?(?:torture|hell|agony|misery) (?:for|to) (?:me|us))\b",
    ),
    _idiom(
        "dislikes",
        r"be (?:a |an )?(?:\w+ )?(?:turn-off|turnoff|hard pass|no-go|no-no|no go|no no|deal-breaker|dealbreaker|"
        r"non-starter|nightmare|pet peeve) "
        r"(?:for|to|with) (?:me|us)\b",
    ),
    _idiom(
        "dislikes",
        r"be (?:really |just |so |definitely |very |quite )?(?:not |n't )?(?:really |so |quite |exactly |just "
        r")?(?:for (?:me|us)$|for (?:me|us) ,)",
        denied=True,
    ),
    _idiom(
        "likes",
        r"be (?:not |n't )?(?:really |so |totally |very much |exactly |just |quite |absolutely )*(?:my |our "
        r")(?:kind of |sort of |big |greatest |one |only |secret |little |favourite )?"
        r"(?:thing|jam|cup of tea|passion|guilty pleasure|pleasure|happy place|comfort food|obsession|bag|speed|"
        r"vibe|weakness|scene|style|"
        r"idea of (?:heaven|bliss|paradise))\b",
        denied=None,
    ),
    _idiom(
        "likes",
        r"(?:float my boat|do it for me|appeal to me|speak to me|grab me|be (?:right )?up my (?:street|alley))\b",
        denied=None,
    ),
    _idiom("likes", r"make (?:my day|(?:me|us) (?:so |really |very |incredibly )?(?:happy|smile|drool|melt))\b"),
    _idiom(
        "likes",
        rf"(?:fascinate|delight|relax|calm|soothe|thrill|intrigue|captivate|energise|energize|ground) {_ME}\b|"
        rf"calm {_ME} down\b|"
        rf"(?:bring|give) {_ME} (?:so much |great |a lot of |real )?(?:joy|peace|comfort|energy|pleasure)\b",
    ),
    _idiom("prefers", rf"(?:work|go|be) (?:much |far |way |always )?(?:best|better|easiest|easier) (?:for|with) {_ME}\b"),
    _idiom("prefers", rf"suit {_ME}(?: \w+)? (?:best|better|fine|well|perfectly)\b"),
)
_REACTION = (
    r"(?:hives|rash(?:es)?|a (?:\w+ )?rash|eczema|welts|blisters|an? (?:\w+ )?allergic reaction|itchy \w+|"
    r"anaphylaxis|spots|red patches)"
)
HARMED: tuple[Idiom, ...] = (
    _idiom(
        "allergic_to",
        rf"(?:send|put|throw) {_ME} (?:straight |right )?(?:in|into|to) (?:anaphyla\w+|hospital|the (?:er|"
        rf"hospital|emergency room)|a&e)",
    ),
    _idiom("allergic_to", rf"(?:give|bring) {_ME} (?:out in )?(?:terrible |bad |awful |horrible |instant |nasty )?{_REACTION}"),
    _idiom("allergic_to", rf"(?:make|have|leave) {_ME} (?:break out|come out|covered|breaking out) in {_REACTION}"),
    _idiom(
        "allergic_to",
        r"(?:make|cause) my (?:\w+ )?(?:throat|lips|lip|tongue|face|eyes|skin|hands|mouth|airways?|arms?|legs?) "
        r"(?:to )?(?:swell|itch|close|"
        r"tingle|puff|burn|blister|peel|tighten|shut|water)",
    ),
    _idiom("allergic_to", r"(?:trigger|set off) my (?:allerg\w+|hay fever|hives)"),
)
REACTED: tuple[Idiom, ...] = (
    _idiom("allergic_to", rf"(?:break|come) out in {_REACTION} (?:from|after|because of|with|at|around)\b"),
    _idiom("allergic_to", rf"(?:get|develop) {_REACTION} (?:from|off|after|with)\b"),
    _idiom("allergic_to", r"be (?:\w+ )?(?:anaphylactic|intolerant|hypersensitive) to\b"),
    _idiom(
        "allergic_to", r"(?:react|respond) (?:very |really |quite )?(?:badly|violently|terribly|severely|allergically) to\b"
    ),
    _idiom("allergic_to", r"have (?:a |an )?(?:\w+ )?(?:\w+ )?(?:reaction|allergy|intolerance|sensitivity) to\b"),
)


def said(clause: Clause, table: tuple[Idiom, ...]) -> Reading | None:
    """The first idiom of a table that the clause uses, turned round where it is denied."""
    text, places = _line(clause)
    for idiom in table:
        found = idiom.pattern.match(text)
        if found is None or (idiom.denied is not None and idiom.denied != clause.negated):
            continue
        contrary = idiom.denied is None and clause.negated
        after = next((i for at, i in places if at >= found.end()), clause.end)
        return Reading(_OPPOSITE[idiom.predicate] if contrary else idiom.predicate, after)
    return None


def _line(clause: Clause) -> tuple[str, list[tuple[int, int]]]:
    """The lower-case words from the verb on, the verb as its lemma, with the place of each word in that line."""
    text, places = clause.lemma, [(0, clause.verb)]
    for word in clause.rest:
        places.append((len(text) + 1, word.i))
        text += " " + word.low
    return text, places


def is_thing(clause: Clause) -> bool:
    """Whether the subject is a kind of thing that one may like: no person, no pronoun, nothing that is only pointed at."""
    subject, ws = clause.subject, clause.words
    # "wasp stings put me in hospital": the same word in the present.
    now = ws[clause.verb].low == "bore" or (ws[clause.verb].low in ("put", "set", "hurt") and ws[subject.head].tag == "NNS")
    past = clause.past and not now
    if subject.kind not in ("other", "named") or subject.start < 0 or past or clause.future or clause.progressive:
        return False
    first, last = ws[subject.start].low, ws[subject.head].low
    if first in (
        "this",
        "that",
        "these",
        "those",
        "your",
        "his",
        "her",
        "their",
        "its",
        "nothing",
        "something",
        "everything",
        "he",
        "she",
    ):
        return False
    if last in words("kin") | words("roles") | words("anaphora") | words("no_thing") or ws[subject.head].ent == "PERSON":
        return False
    if first in words("no_thing"):
        return False
    if first == "the":
        after = ws[subject.end] if subject.end < len(ws) else None
        return bool(
            (after and after.low == "of")
            or ws[subject.head].tag == "NNS"
            or last in ("smell", "sound", "taste", "noise", "idea")
        )
    return True
