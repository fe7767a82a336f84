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
from math import log
from typing import TYPE_CHECKING, Any

from graphmem.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
POSSESSIVE = re.compile(r"['’]s?$")


def _sets(table: dict[str, str]) -> dict[str, frozenset[str]]:
    return {language: frozenset(words.split()) for language, words in table.items()}


# Frequent words that carry no topic. Short on purpose: a word missing here costs little, a wrong one costs an answer.
STOP = _sets(
    {
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
            "miksi että kun jos tai mutta niin kuin myös joka jotka tämä tuo olen olet ovat voi minulla sinulla hänellä meillä "
            "minulle sinulle minut sinut olin olimme"
        ),
        "russian": (
            "и в во не что он она оно они на я ты мы вы с со как а то все так его её но да к у же за бы по от из "
            "мой моя моё мои твой твоя о об где когда кто какой какая какие почему зачем это этот эта был была "
            "были есть ли для меня мне тебя"
        ),
    }
)
# Words of which a greeting, a thank-you or a farewell is made.
SMALL_TALK = _sets(
    {
        "english": (
            "hi hello hey hiya greetings good great nice fine well morning afternoon evening night day bye "
            "goodbye goodnight later see soon tomorrow again thanks thank thx ty cheers please welcome sorry ok "
            "okay k kk yeah yep yup nope sure cool lol haha hehe wow oh ah hm hmm ugh alright right best much lot "
            "lots all everything take care sleep tight have got it perfect awesome amazing lovely super really "
            "now talk chat back let's go one you"
        ),
        "swedish": (
            "hej hejsan tjena så mycket god gott morgon kväll natt dag tack tusen snälla hejdå vi ses okej ok bra ja nej jo sov"
        ),
        "finnish": ("hei moi terve hyvää hyvä huomenta päivää iltaa yötä kiitos kiitti paljon ole nähdään joo juu ok selvä"),
        "russian": (
            "привет здравствуйте доброе утро добрый день вечер спокойной ночи спасибо большое пожалуйста пока да нет ок хорошо"
        ),
    }
)
# Words that turn small talk into a question: "when do I go to sleep".
ASKING = _sets(
    {
        "english": "what when where who whom whose which why how",
        "swedish": "vad när var vem vilken vilket vilka varför hur",
        "finnish": "mikä mitä milloin missä kuka miksi miten",
        "russian": "что когда где кто какой какая какие почему зачем как",
    }
)
LANGUAGES = tuple(STOP)
# So many words must speak for another language, letters that are not English included.
CERTAIN = 2
K1, B = 1.2, 0.75


@cache
def _stemmer(language: str) -> Any:
    import Stemmer

    return Stemmer.Stemmer(language)


class Words:
    """The words of one language: english, swedish, finnish or russian; or of each text's own."""

    def __init__(self, language: str = "english", *, others: bool = False) -> None:
        """The words of a language.

        Args:
            language: english, swedish, finnish or russian.
            others: take a text for another of them where its letters or its function words say so.
        """
        if language not in STOP:
            raise InputError(f"there is no word list for {language!r}: use one of {', '.join(LANGUAGES)}")
        self.language = language
        self.others = others

    @property
    def small_talk(self) -> frozenset[str]:
        """The words of which greetings, thanks and farewells are made."""
        return SMALL_TALK[self.language]

    @property
    def asking(self) -> frozenset[str]:
        """The words that turn small talk into a question."""
        return ASKING[self.language]

    def language_of(self, text: str) -> str:
        """The language that a text is taken for: the letters tell Russian, two function words more than here another."""
        return self._language(self.raw(text)) if self.others else self.language

    def _language(self, raw: Sequence[str]) -> str:
        if not self.others:
            return self.language
        cyrillic = sum("а" <= word[:1] <= "ё" for word in raw)
        if 2 * cyrillic > len(raw):
            return "russian"
        here = sum(word in STOP[self.language] for word in raw)
        counts = {name: sum(word in STOP[name] for word in raw) for name in LANGUAGES if name != self.language}
        best = max(counts, key=lambda name: counts[name])
        told = sum(not word.isascii() and not cyrillic for word in raw)
        return best if counts[best] > here and counts[best] + told >= CERTAIN else self.language

    def raw(self, text: str) -> list[str]:
        """All words in lower case, possessive endings taken off."""
        return [POSSESSIVE.sub("", word).replace("’", "'") for word in WORD.findall(text.lower())]

    def content(self, text: str) -> list[str]:
        """The words that carry a topic."""
        raw = self.raw(text)
        return _content(raw, self._language(raw))

    def stems(self, text: str) -> list[str]:
        """The stems of the words that carry a topic, in order, repeats kept."""
        raw = self.raw(text)
        language = self._language(raw)
        # The stemmer keeps a cache that is not safe to share, but the lock of the interpreter covers one call.
        stems: list[str] = _stemmer(language).stemWords(_content(raw, language))
        return stems

    def topics(self, text: str) -> list[str]:
        """The stems of the words that are neither function words nor of the kind that small talk is made of."""
        raw = self.raw(text)
        language = self._language(raw)
        words = [word for word in _content(raw, language) if word not in SMALL_TALK[language]]
        stems: list[str] = _stemmer(language).stemWords(words)
        return stems

    def says_nothing(self, text: str) -> bool:
        """Whether a text is made of greetings, thanks and function words alone, and asks nothing with them."""
        raw = self.raw(text)
        # A greeting of two words tells its language by them alone.
        return any(_nothing(raw, language) for language in (LANGUAGES if self.others else (self.language,)))


def _content(raw: Sequence[str], language: str) -> list[str]:
    return [word for word in raw if word and word not in STOP[language]]


def _nothing(raw: Sequence[str], language: str) -> bool:
    content = _content(raw, language)
    if not all(word in SMALL_TALK[language] for word in content):
        return False
    return not content or not any(word in ASKING[language] for word in raw)


class Index:
    """BM25 over documents that are added one after the other."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self._lengths: list[int] = []
        self._sizes: NDArray[np.float64] | None = None
        self._postings: dict[str, tuple[list[int], list[int]]] = {}
        self._frozen: dict[str, tuple[NDArray[np.int64], NDArray[np.float64]]] = {}

    def __len__(self) -> int:
        return len(self.ids)

    def add(self, identifier: str, stems: Sequence[str]) -> None:
        """Take in one document."""
        place = len(self.ids)
        self.ids.append(identifier)
        self._lengths.append(len(stems))
        self._sizes = None
        for stem, count in Counter(stems).items():
            places, counts = self._postings.setdefault(stem, ([], []))
            places.append(place)
            counts.append(count)
            self._frozen.pop(stem, None)

    @property
    def lengths(self) -> NDArray[np.float64]:
        """How many stems each document has."""
        import numpy as np

        if self._sizes is None:
            self._sizes = np.asarray(self._lengths, dtype=np.float64)
        return self._sizes

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
        return _rarity(self.frequency(stem), len(self.ids))

    def scores(self, stems: Iterable[str]) -> NDArray[np.float64]:
        """For each document its share of the best attainable score, 0..1, by position."""
        import numpy as np

        asked = sorted(set(stems))
        out = np.zeros(len(self.ids))
        if not asked or not self.ids:
            return out
        norm = _norm(self.lengths)
        weights = {stem: self.weight(stem) for stem in asked}
        for stem in asked:
            if stem not in self._postings:
                continue
            at, count = self._posting(stem)
            out[at] += weights[stem] * count * (K1 + 1) / (count + norm[at])
        return out / ((K1 + 1) * max(sum(weights.values()), 1e-9))

    def grouped(self, stems: Iterable[str], groups: NDArray[np.int64], size: int) -> NDArray[np.float64]:
        """The same scores for `size` groups of documents, each group read as one document.

        Args:
            stems: what is asked.
            groups: for each document the number of its group.
            size: how many groups there are.
        """
        import numpy as np

        out, total = np.zeros(size), 0.0
        norm = _norm(np.bincount(groups, weights=self.lengths, minlength=size).astype(np.float64)) if size else out
        for stem in sorted(set(stems)):
            at, count = self._posting(stem)
            counts = np.bincount(groups[at], weights=count, minlength=size)
            weight = _rarity(int((counts > 0).sum()), size)
            total += weight
            out += weight * counts * (K1 + 1) / (counts + norm)
        return out / ((K1 + 1) * max(total, 1e-9))


def _norm(lengths: NDArray[np.float64]) -> NDArray[np.float64]:
    average = max(float(lengths.mean()), 1.0)
    norm: NDArray[np.float64] = K1 * (1 - B + B * lengths / average)
    return norm


def _rarity(found: int, size: int) -> float:
    return log(1 + (size - found + 0.5) / (found + 0.5))
