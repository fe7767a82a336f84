"""Words that want something done: a claim worded so, by anybody but the user, is an attempt to steer whoever reads it.

Invariant: nothing here decides whether a thing is true.  A shape only takes something away: a claim of untrusted words that has
one waits for the owner, and a turn of a tool or document that speaks to the reader's memory is not brought up by recall.
"""

from __future__ import annotations

import re

from graphmem.lookalikes import laid_bare, unmixed


def _any(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{part})" for part in parts), re.IGNORECASE)


# Speaks to the reader's memory or instructions, in English, Swedish, Finnish, Russian.
_TO_MEMORY = _any(
    r"\b(?:remember|memori[sz]e|note(?: down)?|store|save|record|keep|add|write|log|retain)\b[^.!?\n]{0,60}"
    r"\b(?:memory|memories|long-term|profile of the user|user'?s profile|for (?:later|future (?:sessions?|reference|use)))\b",
    r"\b(?:remember|store|save|record|memori[sz]e|note)\s+(?:this|that)\b",
    r"\b(?:ignore|disregard|forget|override|overwrite|bypass)\b[^.!?\n]{0,40}"
    r"\b(?:above|previous|prior|earlier|instructions?|rules?|guidelines?|everything|system|polic(?:y|ies)|safety"
    r"|what (?:he|she|you))",
    r"\b(?:new|updated|hidden|real|actual|following) (?:system )?instructions?\b",
    r"\bsystem (?:prompt|message|override|notice)\b|\bdeveloper mode\b|\bjailbreak",
    r"(?:^|[\s\"'(\[<])(?:system|assistants?|agents?|ai|models?|chatbots?)\s*:\s*\S",
    r"\b(?:dear|attention|note to(?: the)?|instructions? (?:for|to)(?: the)?)\s+(?:ai|assistants?|agents?|models?|llms?"
    r"|chatbots?)\b",
    r"\b(?:when(?:ever)?|if|as soon as|once|next time|every time)\b[^.!?\n]{0,60}\b(?:user|reader|customer|he|she"
    r"|they)\b[^.!?\n]{0,60}"
    r"\b(?:store|record|note(?: down)?|remember|save|confirm|treat|assume|log|write|act as)\b",
    r"\b(?:you are now|act as|pretend to be|from now on,? you)\b",
    r"\bset the user'?s? (?:role|name|status|permission)",
    r"</?\s*(?:memory|system|instructions?|user|assistant|tool|admin)\b",
    r"<\|[^|>\n]{1,40}\|>|\[/?(?:INST|SYS)\]",
    r"\b(?:kom ihåg|minns|spara|lagra|anteckna|notera)\b[^.!?\n]{0,60}\b(?:detta|det här|minnet?|att|till (?:senare"
    r"|framtiden))\b",
    r"\b(?:ignorera|bortse från|glöm|åsidosätt)\b[^.!?\n]{0,50}\b(?:ovan|ovanstående|tidigare|instruktion\w*|regler\w*|allt)\b",
    r"\bnär (?:användaren|läsaren|kunden|han|hon)\b[^.!?\n]{0,60}\b(?:spara|notera|anteckna|lagra|bekräfta)\b",
    r"\b(?:muista|tallenna|kirjaa|merkitse|pane|laita)\b[^.!?\n]{0,60}\b(?:tämä|muisti\w*|että|myöhempää|pysyvästi)\b",
    r"\b(?:unohda|ohita|älä (?:noudata|välitä)|sivuuta)\b[^.!?\n]{0,50}\b(?:yllä|edelli\w+|aiemm\w+|aikaisemm\w+"
    r"|ohje\w*|säännö\w*|kaikki)\b",
    r"\bkun (?:käyttäjä|lukija|asiakas|hän)\b[^.!?\n]{0,60}\b(?:tallenna|kirjaa|merkitse|vahvista)\b",
    r"\b(?:запомни\w*|сохрани\w*|запиши\w*|занеси\w*|отметь\w*)\b[^.!?\n]{0,60}\b(?:это|памят\w*|что|на будущее)",
    r"\b(?:игнорируй\w*|проигнорируй\w*|забудь\w*|не обращай\w*)\b[^.!?\n]{0,60}\b(?:выше\w*|предыдущ\w*|прежн\w*"
    r"|инструкци\w*|правил\w*|вс[её])",
    r"\bкогда (?:пользователь|читатель|клиент|он|она)\b[^.!?\n]{0,60}\b(?:сохрани\w*|запиши\w*|отметь\w*|подтверди\w*)",
)
# What only makes a claim suspicious: a standing rule, a deed to be done, a place to go to, a tool, somebody to be trusted.
_STEERING = _any(
    r"\b(?:always|never|from now on|henceforth|at all times|without (?:asking|confirmation|telling|notifying))\b",
    r"\b(?:must|should|shall|have to|need to|be sure to|make sure)\b",
    r"(?:^|[.!?:;,\n]\s*|\b(?:please|to|and|then)\s+)(?:send|forward|e-?mail|post|upload|transfer|pay|wire|buy|order|delete|"
    r"erase|drop|install|download|click|run|execute|invoke|share|reveal|publish|submit|approve|grant|"
    r"ignore|disregard|forget|remember|store|save|do not|don'?t)\b",
    r"\b(?:is|are|as) (?:a )?(?:trusted|trustworthy|safe|approved|verified|authori[sz]ed|whitelisted|official|an? admin\w*)\b",
    r"\b(?:trust|obey|follow) (?:this|the|all|every|only|what)\b",
    r"https?://|\bwww\.|\b[\w-]+\.(?:com|net|org|io|ru|info|xyz|top|dev|example|test)(?:/|\b)",
    r"\b(?:call|run|use|invoke|execute|tool|function)\b[^.\n]{0,20}\b[a-z]+_[a-z_]+\b"
    r"|\b[a-z]\w*\([^)\n]{0,80}\)|\b(?:tool|function)[ _](?:call|use|name)\b",
    r"\b(?:curl|wget|sudo|rm -rf?|chmod|powershell|bash -c|eval|DROP TABLE|DETACH DELETE|LOAD FROM)\b",
    r"\b(?:password|api key|access token|credentials?|one-time code)\b",
    r"\b(?:alltid|aldrig|hädanefter|från och med nu|utan att (?:fråga|meddela)|måste|ska(?:ll)?|bör)\b",
    r"\b(?:skicka|vidarebefordra|betala|överför|ladda (?:ner|upp)|radera|lita på|är (?:betrodd|pålitlig|säker|godkänd))\b",
    r"\b(?:aina|ei koskaan|älä koskaan|tästä lähtien|kysymättä|täytyy|pitää|tulee)\b",
    r"\b(?:lähetä|välitä|maksa|siirrä|lataa|poista|luota|on (?:luotettu|luotettava|turvallinen|hyväksytty))\b",
    r"\b(?:всегда|никогда|отныне|впредь|без (?:спроса|подтверждения)|должен|должна|должны|следует|нужно)\b",
    r"\b(?:отправ\w*|перешл\w*|заплати\w*|перевед\w*|загруз\w*|скача\w*|удали\w*|доверя\w*|является (?:доверенн\w+"
    r"|надёжн\w+|надежн\w+))",
)


_LONG = re.compile(r"[^\W\d_]{8,}")
# Letters set apart by one blank each leave no blank between the words.
_RUN_TOGETHER = _any(
    r"(?:ignore|disregard|forget|override|bypass)(?:all|any|the|these|those|your|of|my)*"
    r"(?:previous|prior|above|earlier|system|instructions?|rules?|guidelines?|everything)",
    r"(?:remember|memori[sz]e|store|save|record)(?:this|that)\b",
    r"(?:new|updated|hidden|system|developer)(?:instructions?|prompt|override|mode)\b",
)


def speaks_to_memory(text: str) -> bool:
    """Whether words want to be remembered, or to take the place of instructions: what no tool or document has to say."""
    return any(_TO_MEMORY.search(form) for form in _forms(text)) or _spelled_out(text)


def steering(*texts: str) -> bool:
    """Whether a claim in these words is shaped like an instruction."""
    return any(
        _spelled_out(text) or any(_TO_MEMORY.search(form) or _STEERING.search(form) for form in _forms(text)) for text in texts
    )


def _forms(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((unmixed(text), *laid_bare(text))))


def _spelled_out(text: str) -> bool:
    """Whether letters that stand apart, read together, are an instruction; words as they are written make none."""
    written = {word for word in _LONG.findall(text)}
    return any(word not in written and _RUN_TOGETHER.search(word) for form in laid_bare(text) for word in _LONG.findall(form))
