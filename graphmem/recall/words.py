"""Words: how a text becomes stems, and BM25 over them.

Invariant: an index only grows, and its scores depend on its content alone, not on the order or the number of calls that
filled it.  Scores are divided by what a perfect document would get, so that they lie in 0..1 and mean the same for short
and for long questions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from graphmem.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
POSSESSIVE = re.compile(r"['’]s?$")
# Frequent words that carry no topic. Short on purpose: a word missing here costs little, a wrong one costs an answer.
STOP = {
    "english": (
        "a an the of to in on at for and or but if so than then is are was were be been being am do did does "
        "done has have had having i you he she it we they me him them us my your his her its our their mine "
        "yours this that these those there here with as by from into about what when where who whom whose "
        "which why how can could will would shall should may might must not no yes any some i'm i've i'd i'll "
        "it's that's he's she's you're we're they're what's who's where's don't doesn't didn't isn't aren't "
        "wasn't weren't can't won't ever just also too very"
    ),
    "swedish": (
        "och i att det som en ett på är av för med till den han hon de vi jag du mig dig min mitt mina din "
        "ditt dina vad var när vem vilken vilket vilka hur varför har hade om men inte så kan ska skulle från "
        "eller där här sig"
    ),
    "finnish": (
        "ja on ei en ole oli se ne hän he minä sinä me te minun sinun mikä mitä missä milloin kuka miten "
        "miksi että kun jos tai mutta niin kuin myös joka jotka tämä tuo olen olet ovat voi"
    ),
    "russian": (
        "и в во не что он она оно они на я ты мы вы с со как а то все так его её но да к у же за бы по от из "
        "мой моя моё мои твой твоя о об где когда кто какой какая какие почему зачем это этот эта был была "
        "были есть ли для меня мне тебя"
    ),
}
# Words of which a greeting, a thank-you or a farewell is made.
SMALL_TALK = {
    "english": (
        "hi hello hey hiya greetings good great nice fine well morning afternoon evening night day bye "
        "goodbye goodnight later see soon tomorrow again thanks thank thx ty cheers please welcome sorry ok "
        "okay k kk yeah yep yup nope sure cool lol haha hehe wow oh ah hm hmm ugh alright right best much lot "
        "lots all everything take care sleep tight have got it perfect awesome amazing lovely super really "
        "now talk chat back let's go one you"
    ),
    "swedish": ("hej hejsan tjena god gott morgon kväll natt dag tack tusen snälla hejdå vi ses okej ok bra ja nej jo sov"),
    "finnish": ("hei moi terve hyvää hyvä huomenta päivää iltaa yötä kiitos kiitti paljon ole nähdään joo juu ok selvä"),
    "russian": (
        "привет здравствуйте доброе утро добрый день вечер спокойной ночи спасибо большое пожалуйста пока да нет ок хорошо"
    ),
}
# Words that turn small talk into a question: "when do I go to sleep".
ASKING = {
    "english": "what when where who whom whose which why how",
    "swedish": "vad när var vem vilken vilket vilka varför hur",
    "finnish": "mikä mitä milloin missä kuka miksi miten",
    "russian": "что когда где кто какой какая какие почему зачем как",
}
LANGUAGES = tuple(STOP)
K1, B = 1.2, 0.75


@cache
def _stemmer(language: str) -> Any:
    import Stemmer

    return Stemmer.Stemmer(language)


class Words:
    """The words of one language: english, swedish, finnish or russian."""

    def __init__(self, language: str = "english") -> None:
        if language not in STOP:
            raise InputError(f"there is no word list for {language!r}: use one of {', '.join(LANGUAGES)}")
        self.language = language
        self.stop = frozenset(STOP[language].split())
        self.asking = frozenset(ASKING[language].split())
        self.small_talk = frozenset(SMALL_TALK[language].split())

    def raw(self, text: str) -> list[str]:
        """All words in lower case, possessive endings taken off."""
        return [POSSESSIVE.sub("", word).replace("’", "'") for word in WORD.findall(text.lower())]

    def content(self, text: str) -> list[str]:
        """The words that carry a topic."""
        return [word for word in self.raw(text) if word and word not in self.stop]

    def stems(self, text: str) -> list[str]:
        """The stems of the words that carry a topic, in order, repeats kept."""
        # The stemmer keeps a cache that is not safe to share, but the lock of the interpreter covers one call.
        stems: list[str] = _stemmer(self.language).stemWords(self.content(text))
        return stems

    def topics(self, text: str) -> list[str]:
        """The stems of the words that are neither function words nor of the kind that small talk is made of."""
        words = [word for word in self.content(text) if word not in self.small_talk]
        stems: list[str] = _stemmer(self.language).stemWords(words)
        return stems

    def says_nothing(self, text: str) -> bool:
        """Whether a text is made of greetings, thanks and function words alone, and asks nothing with them."""
        content = self.content(text)
        if not all(word in self.small_talk for word in content):
            return False
        return not content or not any(word in self.asking for word in self.raw(text))


class Index:
    """BM25 over documents that are added one after the other."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self._lengths: list[int] = []
        self._postings: dict[str, tuple[list[int], list[int]]] = {}
        self._frozen: dict[str, tuple[NDArray[np.int64], NDArray[np.float64]]] = {}

    def __len__(self) -> int:
        return len(self.ids)

    def add(self, identifier: str, stems: Sequence[str]) -> None:
        """Take in one document."""
        place = len(self.ids)
        self.ids.append(identifier)
        self._lengths.append(len(stems))
        for stem, count in Counter(stems).items():
            places, counts = self._postings.setdefault(stem, ([], []))
            places.append(place)
            counts.append(count)
            self._frozen.pop(stem, None)

    def frequency(self, stem: str) -> int:
        """In how many documents the stem occurs."""
        return len(self._postings[stem][0]) if stem in self._postings else 0

    def holders(self, stem: str) -> NDArray[np.int64]:
        """The positions of the documents with this stem, ascending."""
        return self._posting(stem)[0]

    def _posting(self, stem: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        import numpy as np

        if stem not in self._frozen:
            places, counts = self._postings.get(stem, ([], []))
            self._frozen[stem] = (np.array(places, dtype=np.int64), np.array(counts, dtype=np.float64))
        return self._frozen[stem]

    def weight(self, stem: str) -> float:
        """Inverse document frequency, never negative; an unknown stem weighs like the rarest."""
        from math import log

        found = self.frequency(stem)
        return log(1 + (len(self.ids) - found + 0.5) / (found + 0.5))

    def scores(self, stems: Iterable[str]) -> NDArray[np.float64]:
        """For each document its share of the best attainable score, 0..1, by position."""
        import numpy as np

        asked = sorted(set(stems))
        out = np.zeros(len(self.ids))
        if not asked or not self.ids:
            return out
        lengths = np.asarray(self._lengths, dtype=np.float64)
        norm = K1 * (1 - B + B * lengths / max(lengths.mean(), 1.0))
        weights = {stem: self.weight(stem) for stem in asked}
        for stem in asked:
            if stem not in self._postings:
                continue
            at, count = self._posting(stem)
            out[at] += weights[stem] * count * (K1 + 1) / (count + norm[at])
        return out / ((K1 + 1) * max(sum(weights.values()), 1e-9))
