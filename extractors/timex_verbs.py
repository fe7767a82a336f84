"""English verb forms by the way they look in time: past, ahead, planned, moved.

Invariant: lists of forms, no rules; `timex_tense` reads them with what stands around.
"""

from __future__ import annotations

from graphmem.extractors.timex_words import split

IRREGULAR_PAST = frozenset(
    split(
        """
        ate beat became been began begun bent bit bled blew blown born bought bound bred broke broken brought built
        burnt came caught chose chosen clung cost couldn't crept cut dealt did didn't done dove drank dreamt drew
        driven drove drunk dug eaten fallen fed fell felt fled flew flown forgave forgot forgotten fought found
        froze frozen gave given gone got grew grown had hadn't heard held hid hidden hit hung hurt kept knelt knew
        known laid lay leapt learnt led left lent lit lost made meant met mistook outgrew overslept paid put quit
        ran rang rebuilt redid rewrote ridden risen rode rose rung said sang sank sat saw seen sent set shone shook
        shot shown shrank shut slept slid sold sought sped spelt spent spilt split spoilt spoke spoken sprang spun
        stank stole stolen stood strode strove struck stuck stung sung swam swept swore sworn swum swung taken
        taught thought threw thrown told took tore torn understood undid used was wasn't wed went wept were weren't
        withdrew woke woken won wore worn wouldn't wound written wrote
        """
    )
)
NOT_PAST = frozenset(
    split(
        """
        bed bleed breed embed exceed feed fred hundred indeed naked ned need proceed red sacred seed shed sled speed
        succeed ted weed wicked
        """
    )
)
FUTURE = frozenset(
    split(
        """
        expect expecting expects going gonna hope hopes hoping let's must need needs ping plan planning plans remind
        shall should shouldn't want wants will won't
        """
    )
)
PLANNED = frozenset(
    split(
        """
        agreed committed decided expected going got had has have hoped intended meant need needed ought plan planned
        promised supposed want wanted
        """
    )
)
PRESENT = frozenset(
    split(
        """
        am are aren't arrive arrives begin begins closes comes departs expires go goes is isn't live lives opens
        start starts
        """
    )
)
MOVED = frozenset(
    split(
        """
        brought change changed delayed move moved postpone postponed push pushed reschedule rescheduled shifted
        """
    )
)
# Words that begin another clause.
JOINTS = frozenset(
    split(
        """
        although and because but if or so that then though where which while who
        """
    )
)
HAVE = frozenset(
    split(
        """
        've has hasn't have haven't having
        """
    )
)
BE = frozenset(
    split(
        """
        am are aren't be being get gets he's i'm is isn't it's she's that's there's they're we're what's who's
        you're
        """
    )
)
# Words that may stand between an auxiliary and its participle.
BETWEEN = frozenset(
    split(
        """
        all already also always been both ever he i it just never not only she still they we you
        """
    )
)
