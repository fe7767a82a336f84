"""The settings of one space, as entries of its ledger: what is kept for how long, and whether anything is learnt.

Invariant: the last entry holds, for every process that has the space open; nothing expires by a setting alone, but only when
`Memory.expire` is called.  An entry holds names and numbers, never a word of what is remembered.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from graphmem.chain import Draft
from graphmem.checks import brief
from graphmem.errors import InputError, MemoryPaused
from graphmem.ledger import Ledger
from graphmem.model import Frozen

SETTINGS = "settings"  # the type of the ledger's entry
Days = Annotated[int, Field(strict=True, ge=1, le=36_500)]


class Settings(Frozen):
    """What holds for a space; a rule that is None is off, and all by which something goes are at first.

    Days count from when a statement was last recorded, and for transcripts from when a turn was said or recorded, whichever is
    later.  What the owner confirmed is kept until it is withdrawn.

    Attributes:
        learning: whether anything is taken in (`pause`, `resume`).
        transcripts: `whole`; or `quotes`: of a new session only what a statement quotes is kept, and of the rest of each turn
            its role, time and length.
        episodes: days after which an episode goes.
        inferred: days after which what was only inferred goes.
        stated: days after which what was stated goes.
        ended: days after its end (`valid_to`) at which a fact, preference or procedure goes.
        raw: days after which the words of a turn go that no statement quotes.
        suggestions: days after which an inferred statement goes that was never used and is less sure than `weak`.
        questions: days for which the id of an open question takes an answer at least; what is not decided by then is asked
            under a new one.  None: there is no end.  Nothing goes by it.
        weak: the confidence below which a suggestion is weak; what the rules infer from hedged words has 0.85.
    """

    learning: bool = True
    transcripts: Literal["whole", "quotes"] = "whole"
    episodes: Days | None = None
    inferred: Days | None = None
    stated: Days | None = None
    ended: Days | None = None
    raw: Days | None = None
    suggestions: Days | None = None
    questions: Days | None = 30
    weak: float = Field(0.9, strict=True, ge=0, le=1)


# Terms to begin with; which ones are right is for whoever answers for the data to say.
PRESETS: Mapping[str, Mapping[str, int | None]] = {
    "none": {"episodes": None, "inferred": None, "stated": None, "ended": None, "raw": None, "suggestions": None},
    "short": {"episodes": 180, "inferred": 30, "stated": 365, "raw": 30},
    "long": {"episodes": 180, "inferred": 30, "stated": 365, "raw": 90},
}


def settings_of(ledger: Ledger) -> Settings:
    """The settings that hold by the last entry."""
    if not ledger.has_type(SETTINGS):
        return Settings()
    last = ledger.of_type(SETTINGS)[-1].body or {}
    known = {name: value for name, value in last.items() if name in Settings.model_fields}
    return Settings.model_validate(known)


def changed(old: Settings, changes: Mapping[str, Any], preset: str | None = None) -> Settings:
    """The settings with some of them set anew.

    Raises:
        InputError: there is no such setting or preset, or it cannot have this value.
    """
    if preset is not None and (not isinstance(preset, str) or preset not in PRESETS):
        raise InputError(f"preset {brief(preset)} is unknown: use one of {', '.join(PRESETS)}")
    terms = {**(PRESETS[preset] if preset else {}), **changes}
    unknown = sorted(terms.keys() - Settings.model_fields.keys())
    if unknown:
        raise InputError(f"there is no setting {brief(unknown[0])}: use one of {', '.join(Settings.model_fields)}")
    try:
        return Settings.model_validate({**old.model_dump(), **terms})
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(f"setting {first['loc'][0]} cannot be {brief(first['input'])}: {first['msg'].lower()}") from error


def settings_draft(settings: Settings) -> Draft:
    """The entry from which these settings hold."""
    return Draft(SETTINGS, (), settings.model_dump(mode="json"), "owner")


def check_learning(ledger: Ledger, *, righting: bool = False) -> None:
    """Refuse to take anything in while the memory is paused, except what puts something right.

    Raises:
        MemoryPaused: it is.
    """
    if not righting and not settings_of(ledger).learning:
        raise MemoryPaused("the memory is paused and takes nothing in: resume it first (`graphmem resume`)")
