"""Reach on short persona utterances: relation and tail of what the rules take, against one labelled triple an utterance.

Run `python tests/benchmarks/personaext.py FILE`, FILE being a JSON list of `{"text", "head", "rel", "tail"}` with head and
tail as word positions of `text.split()`.  The texts are tokenised lower case ("i ' m a nurse ."); they are joined again as
people write them, still in lower case, because lower case is ordinary chat and blanks around an apostrophe are not.

An utterance is right when one of its claims has an accepted relation and a tail overlap (F1 of words) of at least one half.
`answered` counts utterances with any claim; precision is right / answered, recall right / all.  Utterances say more than
the one thing that is labelled, so `per claim` (right / claims) is a lower bound and no error rate.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

STARTED = "2026-05-14T10:30:00+00:00"
DOING = "(a doing)"  # any predicate that is no row of the relation table: the verb of an open relation
OPEN = ("origin",)  # open predicates that are no doing
STOPS = frozenset(re.split(r" ", "a an the my our your i we to of in at on for with and or some am is are be have has"))
_LIKES = "likes favourite prefers"
_DISLIKES = "dislikes likes diet"
# Their names, by what they begin with (the longest wins), and the relations of ours that say the same.  Polarity is not
# scored: theirs is in the name ("have_no_children"), ours in a field.
ACCEPTED: Mapping[str, str] = {
    "like_": _LIKES,
    "like_activity": f"{_LIKES} habit skill {DOING}",
    "like_sport": f"{_LIKES} habit skill {DOING}",
    "like_drink": f"{_LIKES} diet {DOING}",
    "like_food": f"{_LIKES} diet {DOING}",
    "like_read": f"{_LIKES} {DOING}",
    "like_watching": f"{_LIKES} {DOING}",
    "favorite_": _LIKES,
    "favorite": _LIKES,
    "dislike": _DISLIKES,
    "do_not_eat": "diet dislikes likes",
    "do_not_do": f"{_DISLIKES} skill {DOING}",
    "diet": "diet",
    "have_pet": "has_pet",
    "own": "owns has_pet has_vehicle uses_tool",
    "have_vehicle": "has_vehicle owns uses_tool",
    "have_no": "owns has_family has_pet has_vehicle",
    "have_family": "has_family married_to",
    "have_chidren": "has_family",
    "have_children": "has_family",
    "have_sibling": "has_family",
    "have_no_": "has_family",
    "marital_status": "married_to",
    "relationship": "married_to has_family",
    "live_in": "lives_in born_in nationality origin",
    "place_origin": "born_in lives_in nationality origin",
    "nationality": "nationality",
    "international_exp": f"lives_in speaks {DOING}",
    "employed_by": "works_at has_job",
    "has_profession": "has_job",
    "job_status": "has_job works_at work",
    "previous_profession": "has_job works_at",
    "want_job": "wants has_job study",
    "want": "wants",
    "teach": f"has_job {DOING}",
    "attend_school": "studies_at study",
    "school_status": "studies_at study has_job",
    "has_degree": "study studies_at",
    "has_ability": f"skill {DOING} speaks",
    "weakness": "skill health allergic_to dislikes trait",
    "physical_attribute": f"appearance trait attribute owns health {DOING}",
    "misc_attribute": "trait attribute",
    "health_status": "health allergic_to diet",
    "has_age": "age born_on",
    "belief": "religion trait",
    "race": "nationality trait",
    "gender": "trait",
    "name": "name",
    "member_of": f"works_at studies_at skill trait religion has_job {DOING}",
    "doing": DOING,
    "used_to": f"has_job lives_in likes skill {DOING}",
}


class Taken(NamedTuple):
    """A claim cut down to what is compared."""

    relation: str
    tail: str


def joined(text: str) -> str:
    """The utterance as it would be typed: no blanks before marks or within contractions."""
    text = re.sub(r"\s+(['’])\s+(s|m|re|ve|ll|d|t)\b", r"\1\2", text)
    text = re.sub(r"\s+n't\b", "n't", text)
    text = re.sub(r"\s+([.,!?;:)])", r"\1", text)
    return re.sub(r"(?<=\w)\s+-\s+(?=\w)", "-", text).strip()


def words(text: str) -> list[str]:
    """Words in lower case; articles and the like only where there is nothing else."""
    found = [word.strip("'’") for word in re.findall(r"[\w'’]+", text.casefold())]
    return [word for word in found if word and word not in STOPS] or found


def alike(a: str, b: str) -> bool:
    """Equal, or two forms of one word."""
    if a == b:
        return True
    shared = next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return shared >= 4 and max(len(a), len(b)) - shared <= 3


def overlap(a: str, b: str) -> float:
    """F1 of the words of two texts, each word used once."""
    left, right = words(a), words(b)
    free = list(right)
    common = 0
    for word in left:
        partner = next((other for other in free if alike(word, other)), None)
        if partner is not None:
            free.remove(partner)
            common += 1
    return 2 * common / (len(left) + len(right)) if left and right else 0.0


def accepted(name: str) -> frozenset[str]:
    """Our relations for one of theirs; empty where ours has nothing of the kind."""
    known = max((start for start in ACCEPTED if name.startswith(start)), key=len, default=None)
    return frozenset(re.findall(r"\([^)]*\)|\S+", ACCEPTED[known])) if known else frozenset()


def claims(texts: Iterable[str]) -> Iterator[list[Taken]]:
    """What is stored of each text as a session of its own; what is only suggested is left out."""
    from graphmem.extractors.rules import RuleExtractor
    from graphmem.grounding import Grounded, ground
    from graphmem.ontology import relations
    from graphmem.sessions import parse

    extractor, table = RuleExtractor(), relations()
    for number, text in enumerate(texts):
        session = parse({"id": f"s{number}", "started": STARTED, "turns": [{"id": "t", "role": "user", "text": text}]})
        taken = []
        for claim in extractor.extract(session).claims:
            if claim.done or claim.hedged or claim.modality in ("possible", "hypothetical"):
                continue
            if isinstance(ground(claim, session), Grounded):
                known = claim.predicate in table or claim.predicate in OPEN
                tail = claim.object if known else f"{claim.predicate} {claim.object}"
                taken.append(Taken(claim.predicate if known else DOING, tail))
                if not known:
                    taken.append(Taken(DOING, claim.object))
        yield taken


def right(row: Mapping[str, Any], taken: Iterable[Taken]) -> bool:
    """Whether one of the claims says what is labelled."""
    spoken = row["text"].split()
    tail = " ".join(spoken[place] for place in row["tail"])
    fitting = accepted(row["rel"])
    return any(claim.relation in fitting and overlap(claim.tail, tail) >= 0.5 for claim in taken)


def main() -> None:
    """Print the totals and a table by their relations."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--limit", type=int, default=None, help="only the first utterances")
    parser.add_argument("--json", type=Path, default=None, help="write one row an utterance to this file")
    options = parser.parse_args()
    rows = json.loads(options.file.read_text(encoding="utf-8"))[: options.limit]
    asked, found, told = Counter[str](), Counter[str](), Counter[str]()
    number, out = 0, []
    for row, taken in zip(rows, claims(joined(row["text"]) for row in rows), strict=True):
        hit = right(row, taken)
        asked[row["rel"]] += 1
        found[row["rel"]] += hit
        told[row["rel"]] += bool(taken)
        number += sum(claim.relation != DOING for claim in taken) + sum(claim.relation == DOING for claim in taken) // 2
        out.append({**row, "right": hit, "claims": taken})
    hits, answered = found.total(), told.total()
    precision, recall = hits / (answered or 1), hits / (len(rows) or 1)
    print(f"utterances {len(rows)}  answered {100 * answered / (len(rows) or 1):.1f} %  claims {number}")
    print(f"relation + tail: P {100 * precision:.1f}  R {100 * recall:.1f}  ", end="")
    print(f"F1 {200 * precision * recall / ((precision + recall) or 1):.1f}  (per claim {100 * hits / (number or 1):.1f})")
    print(f"{'relation':<28}{'asked':>6}{'told':>6}{'right':>6}")
    for name, count in asked.most_common():
        print(f"{name:<28}{count:>6}{told[name]:>6}{found[name]:>6}{'' if accepted(name) else '  nothing of the kind'}")
    if options.json:
        options.json.write_text(json.dumps(out), encoding="utf-8")


if __name__ == "__main__":
    main()
