"""Procedures: standing rules for the assistant or the team, told apart from requests for this once.

Invariant: a rule needs a word that makes it standing (always, never, from now on, whenever, "when you ..."), or is a
sequence of steps; a bare imperative is an instruction for now and makes nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from graphmem.extractors.english import Sentence
from graphmem.extractors.lexicon import words


@dataclass(frozen=True, slots=True)
class Standing:
    """A standing rule in a sentence: character spans of the rule and of when it applies."""

    start: int
    end: int
    context: str | None
    name: str


_ONCE = re.compile(
    r"\b(?:this (?:letter|text|mail|email|one|time|draft|paragraph|document|file|message|post|function|code)|"
    r"just this once|for now|right now|above|attached|as if|if (?:you|I|he|she|it) were)\b",
    re.IGNORECASE,
)
_TAIL = re.compile(r"(?:[\s,]{1,3}(?:please|pls|ok|okay|thanks|thx|lol)){0,4}[\s.!,]{0,6}$", re.IGNORECASE)
_VERB = r"(?!(?:" + "|".join(sorted(words("no_imperative"))) + r")\b)[a-z]+"
_WHEN_YOU = re.compile(
    r"^\W*(?P<context>(?:when|whenever|if|any ?time|every time|each time|before|after)\s+(?:you(?:'re| are)?|"
    r"I (?:ask|say|send|write|paste|type|mention|share|request|post|upload|message))\b(?:\s+ever)?(?:\s*\"[^\"]*\"|"
    r"[^,:])*?)"
    r"(?:\s*[,:]\s*|\s+(?=(?:always|never|please|pls|don'?t|do not|make sure|ask|tell|use|put|keep|no)\b))(?P<rule>\S.+)$",
    re.IGNORECASE,
)
_FROM_NOW = re.compile(
    r"(?P<rule>(?:from now on|going forward|from here on|in (?:the )?future|as of now|as of today)[, ]+(?!i\b|we\b|"
    r"it\b)\S.+|\S.+?\s(?:from now on|going forward|in future|from here on(?: in| out)?))$",
    re.IGNORECASE,
)
_ALWAYS = re.compile(
    rf"(?:^\W*|[,;]\s*(?:so |and |please |pls )?|\b(?:so|please|pls|then)\s+)(?P<rule>(?:always|never|don'?t ever|"
    rf"do not ever)\s+{_VERB}\b.*)$",
    re.IGNORECASE,
)
_IMPERATIVE_WHEN = re.compile(
    r"^\W*(?:please |pls )?(?P<rule>(?!(?:i|we|it|he|she|they|you|my|our|the|a|an|this|that|is|are|do|does|did|can|"
    r"could|would|will|should|what|how|where|why|who|when|if)\b)[a-z']+\s[^,]*?)\s+"
    r"(?P<context>(?:when|whenever|if|any ?time|(?:each and )?every (?:single )?time|each time)\s+(?:it'?s about|you|"
    r"i ask|i send|i say|we talk)\b[^,.]*)",
    re.IGNORECASE,
)
_RULE_IS = re.compile(
    r"\b(?:my|our|the (?:team|house|project|company|family)) (?:\w+ )?(?:rules?|convention|policy|"
    r"principle)(?: (?P<context>(?:for|about|on|with|at|in) [\w' -]+?))? (?:is|are)(?: that)?:?\s+(?P<rule>\S.+)$",
    re.IGNORECASE,
)
_STEPS = re.compile(
    r"\b(?:steps?|procedure|process|routine|workflow|checklist|order|runbook|recipe)(?: (?P<context>(?:for|when|"
    r"to) [\w' -]+?))?(?: (?:is|are|goes|go))?\s*:\s*(?P<rule>\S.*,.*)$",
    re.IGNORECASE,
)
_GOES = re.compile(
    r"^\W*(?P<context>[A-Za-z][\w' -]{3,60}?) (?:always |usually )(?:goes|works|runs)(?: like this)?\s*:\s*(?P<rule>\S.+)$",
    re.IGNORECASE,
)
_TO_DO_X = re.compile(
    r"^\W*to (?P<context>[a-z]+ [\w' -]{3,60}?),? (?:you|we|one)(?: first| have to| need to| must|"
    r" just)? (?P<rule>\S[^?]*[,;]\s.*)$",
    re.IGNORECASE,
)
# "To get the boiler going: hold reset, wait, then turn the dial"
_TO_DO_STEPS = re.compile(
    r"^\W*(?:to|for) (?!(?:sum|summari|recap|clarif|be\b|translat|proofread|fix|buy|do\b|me\b|you\b|example|instance|"
    r"context|reference|"
    r"convert|rewrite|check|review|improve|get\b(?= (?:at|in)? ?(?:the )?(?:shop|store|market))))"
    r"(?P<context>[a-z]+ [\w' -]{3,60}?)\s*:\s*(?P<rule>(?!(?:i|we|it|my|our|the|a|an|he|she|they|this|that|is|are)\b)"
    r"(?:first,? )?[a-z][\w-]* [^?]*?[,;] ?(?:and |then |and then |after that )*[a-z][^?]*)$",
    re.IGNORECASE,
)
_PLEASE_SO = re.compile(
    r"\b(?:I'?m|I am|I|my|we)\b[^,]*?(?:,\s*so|\bso)\s+(?:please\s+|pls\s+)?(?P<rule>(?:put|keep|write|speak|use|"
    r"give|send|avoid|skip|schedule|book|answer|call|address|leave|stick|show|make|plan)\s+(?!it\b|me a\b|me an\b|"
    r"that\b|this\b)\S.+)$",
    re.IGNORECASE,
)
# Said to cheer somebody up, or for this once: no rule.
_CHEER = re.compile(
    r"^\W*(?:(?:always|never|don'?t ever)\s+(?:look on|say die|give up|quit|change|look back|stop|forget|mind|doubt|be afraid|"
    r"be scared|lose|let go|here|there|ready|happy|remember|grateful|thankful|believe|knew|settle)\b|"
    r"(?:let|lemme|show|tell|give|text|call|send|hit|join|come|share|feel free|try|enjoy|take care)\b.*\b(?:when|"
    r"if|whenever) (?:you|it)\b.*\b(?:can|could|time|ready|want|need|like|free|done|feel|get|got|ever)\b|"
    r"(?:let me know|lemme know))",
    re.IGNORECASE,
)
_FOR_X = re.compile(
    r"^\W*(?P<context>in (?:my |our |all )?(?:e?mails?|repl(?:y|ies)|answers|texts|documents|reports|messages|"
    r"summaries|translations|letters|code|commits?|tables)\b[\w' -]{0,30}?|for (?!every\b|each\b|all\b|any\b|"
    r"the\b|this\b|that\b|me\b|now\b|"
    r"today\b|once\b|some\b|example\b|instance\b|what\b)[\w' -]{2,40}?)[,:]?\s+(?:please\s+|pls\s+)?"
    r"(?P<rule>(?:prefer|use|keep|write|always|never|avoid|give|answer|reply|respond|stick|sign|begin|start|end|"
    r"put|include|leave|skip|do not|don't)\b\s+\S.+)$",
    re.IGNORECASE,
)
_PLEASE_ALWAYS = re.compile(
    r"^\W*(?P<rule>(?!I\b|we\b|it\b)[A-Za-z0-9][^,.]{3,60}?,? (?:please|pls),? (?:always|every time))\W*$", re.IGNORECASE
)
_DONT_EVER = re.compile(
    r"^\W*(?:please )?(?P<rule>(?:don'?t|do not) [a-z]+ [^,.]{3,80}?,? (?:ever|ever again))\W*$", re.IGNORECASE
)
_BEFORE_DOING = re.compile(
    rf"^\W*(?P<context>(?:before|after|when|while) [a-z]+ing\b[^,]{{0,50}}?),? (?P<rule>(?:always|never) {_VERB}\b.*)$",
    re.IGNORECASE,
)
_TEAM = re.compile(
    r"^\W*(?:at (?:our|my) \w+,? |in (?:our|my) team,? |on my team,? )?we (?P<rule>(?:always|never)\s+(?:deploy|"
    r"merge|release|review|test|ship|commit|push|tag|document|invoice|bill|send|reply|answer|back up|sign|lock|"
    r"check|log|use|write|start|name|squash|rebase|schedule|publish|archive|delete|share|promise|quote|order|"
    r"run)\b.*)$",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"^\W*(?:do|does|did|is|are|am|was|were|can|could|should|would|will|have|has|why|what|how|where|who)\b", re.IGNORECASE
)


_DO = (
    r"(?:explain|include|add|give|show|list|reply|write|use|keep|put|sign|start|begin|end|stick|skip|avoid|"
    r"leave|make|send|ask|tell|check|cite|quote|translate|convert|"
    r"default|round|format|default to|mention|address|call|assume|prefer|stay|be|answer|respond|spell|number|"
    r"break|split|summari[sz]e|highlight|mark|tag|attach|cc|bcc|"
    r"copy|link|provide|state|note|offer|suggest|speak|say|print|output|return|wrap|indent|comment|test|run|"
    r"warn|confirm|double-check|remember|run|switch|close|open|don'?t|do not|never|always|no)"
)
_WHOLE = (
    r"(?:every|each|all|any|anything|everything|whatever|whichever)(?: (?:single|time|of))?[\w' "
    r"-]{0,40}?\b(?:you|i|we) \w+(?: (?:me|us))?(?: (?:for|to|with) (?:me|us|my \w+|clients?))?"
)
# "in every mail you draft sign off with X", "at the end of each summary you write add Y"
_IN_EVERY = re.compile(
    rf"^\W*(?P<context>(?:in|for|on|at|with|to|under|at the (?:end|top|start|bottom) of) "
    rf"{_WHOLE}),?:?\s+(?:please |pls )?(?P<rule>{_DO}\b\s+\S.+)$",
    re.IGNORECASE,
)
# "no emojis in anything you write me", "metric units in every answer you give"
_NO_IN_ANY = re.compile(
    r"^\W*(?:please,? |pls )?(?P<rule>(?:no|never any|never use|only|always) [\w' -]{2,40}? (?:in|on|with|"
    r"for|from|to) (?:any|all|every|each|the)\w*[\w' -]{0,30}? ?"
    r"(?:you (?:write|send|give|draft|make|show|produce|suggest|share|propose|post)|(?:replies|answers|"
    r"responses|messages|mails|emails|texts|code|documents|drafts))\b[^.!?]{0,40}?)"
    r"(?:,? ever)?(?:,? (?:please|pls|thanks|ok))?\W*$",
    re.IGNORECASE,
)
# "so no reminders before ten"
_SO_NO = re.compile(
    r"\b(?:I'?m|I am|I|my|we)\b[^,]*?(?:,\s*so|\bso)\s+(?:please\s+|pls\s+)?(?P<rule>no (?!need|idea|worries|"
    r"problem|one\b|way|wonder|luck|rush|more\b|longer|doubt|chance|reason|point|"
    r"thanks|big deal|rest|sleep)(?:[\w'-]+ ){1,4}?(?:before|after|on|in|at|during|until|till|unless|without|"
    r"for me|over|under|above|below)\b[^.!?]{1,40})$",
    re.IGNORECASE,
)
# "here's how we onboard: a, b, then c", "publishing the newsletter goes like this: ..."
_HOW_WE = re.compile(
    r"^\W*(?:(?:so|ok|and),? )?(?P<context>(?:(?:here'?s|this is|that'?s) )?(?:how (?:we|i|you) (?:\w+ "
    r"){0,3}?[\w' -]{2,40}?|(?:the|our|my) (?:usual |normal |standard )?(?:way|drill|routine|"
    r"flow|sequence|order) (?:for|of|when|to|we|i)[\w' -]{2,40}?))(?: (?:is|goes|works|looks))?(?: like this|"
    r" as follows| this)?\s*:\s*(?P<rule>\S.*[,;>].*)$",
    re.IGNORECASE,
)
_LIKE_THIS = re.compile(
    r"^\W*(?P<context>[A-Za-z][\w' -]{3,60}?) (?:(?:always |usually |normally )?(?:goes|works|runs|happens|"
    r"is done)) (?:like this|like so|as follows|this way|in this order)\s*[:,]\s*(?P<rule>\S.+)$",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"^\W*(?:my |our |the )?(?:standing (?:order|rule|instruction|request)|house rule|ground rule|golden "
    r"rule|rule of thumb|general rule|hard rule|policy|rule|style guide|convention)"
    r"(?: number one)?(?: (?:for|about|on|with|when it comes to) (?P<context>[\w' -]{3,40}?))?\s*(?::|is "
    r"that|is to)\s*(?P<rule>\S.{4,})$",
    re.IGNORECASE,
)
# "each Friday we export the figures, then mail them to Ana"
_ROUTINE = re.compile(
    r"^\W*(?P<context>(?:whenever|every time|each time|before|after) (?:we|i|each|every) [\w' -]{2,40}?|(?:every|each|"
    r"on|first thing (?:every|each)) (?:other |second |last |first |working )?(?:day|week|month|quarter|"
    r"morning|evening|night|sprint|year|release|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekday|weekend)s?(?: (?:morning|evening|night)s?)?),? "
    r"(?:we|i) (?P<rule>[a-z]+ [^?]*?(?:,|\band)? ?(?:then|after that|and then|finally)\b .+)$",
    re.IGNORECASE,
)
_IF_THEN = re.compile(
    rf"^\W*(?P<context>(?:if|when|whenever|once|after|before) (?!you\b|i\b)[\w' -]{{4,60}}?),\s*(?:then |we |"
    rf"always |just |first |please )*(?P<rule>{_DO[:-1]}|quarantine|restart|"
    r"roll back|revert|deploy|rerun|escalate|notify|email|mail|phone|ping|file|create|open|reopen|merge|push|"
    r"pull|flush|reset|reboot|retry|block|log|report|scale|page|lock|clear|back up)\b[^?]*?)"
    r",? (?:that'?s (?:how we (?:roll|do it|work)|the (?:rule|policy|procedure|drill|deal|protocol))|(?:as a "
    r"rule|every time|always|no exceptions))\W*$",
    re.IGNORECASE,
)
_FROM_ON = re.compile(
    r"^\W*(?:please )?(?:from (?:today|this point|this day|here|tomorrow|next week)(?: on| onwards?| "
    r"forward)?|henceforth|starting (?:today|now|tomorrow)|as from (?:now|today)|"
    r"for the future|for future reference|for all future \w+|in all future \w+|(?:in|"
    r"for) (?:all )?(?:of )?our (?:chats|conversations|sessions|talks)|as a (?:general |rule,? )?rule|next time and "
    r"always)[,:]?\s+(?:please |pls )?(?P<rule>(?!(?:i|we|it|my|the|our|he|she|they|there|on|onwards?|"
    r"forward)\b)[a-z]+ \S.+)$",
    re.IGNORECASE,
)
# "stop calling me boss", "quit apologising", "don't ever call me X"
_STOP_DOING = re.compile(
    r"^\W*(?:please |pls |and )?(?P<rule>(?:stop|quit) (?:calling|addressing|apologi[sz]ing|using|adding|"
    r"putting|sending|repeating|starting|ending|writing|asking|saying|suggesting|recommending)\b"
    r"(?! this| that| it| the above)[^.!?]{0,60}|(?:don'?t|do not|never) (?:call|address) (?:me|us) [^.!?]{2,40})$",
    re.IGNORECASE,
)
_WANT_YOU = re.compile(
    r"^\W*(?:i'?d like you to|i (?:want|need|expect) you to|i'?d (?:prefer|appreciate it) if you(?: could)?|"
    r"you (?:should|must|can)|make sure (?:you|to)|be sure to) "
    r"(?P<rule>(?:always|never)\b \S.+|\S.+? (?:every time|each time|whenever|from now on|at all times|in "
    r"(?:all|every|any) \w+)\b.*)$",
    re.IGNORECASE,
)
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("steps", _STEPS),
    ("goes", _GOES),
    ("how-to", _TO_DO_X),
    ("to-do-steps", _TO_DO_STEPS),
    ("rule-is", _RULE_IS),
    ("for-x", _FOR_X),
    ("before-doing", _BEFORE_DOING),
    ("please-always", _PLEASE_ALWAYS),
    ("never-ever", _DONT_EVER),
    ("imperative-when", _IMPERATIVE_WHEN),
    ("always", _ALWAYS),
    ("from-now-on", _FROM_NOW),
    ("team", _TEAM),
    ("so-please", _PLEASE_SO),
    ("in-every", _IN_EVERY),
    ("no-in-any", _NO_IN_ANY),
    ("so-no", _SO_NO),
    ("like-this", _LIKE_THIS),
    ("standing-order", _ORDER),
    ("routine", _ROUTINE),
    ("if-then", _IF_THEN),
    ("from-then-on", _FROM_ON),
    ("stop-doing", _STOP_DOING),
    ("want-you", _WANT_YOU),
)
# "whenever you give me shell commands explain every flag": no comma parts the two clauses.
_WHEN_DO = re.compile(
    r"^\W*(?P<context>(?:when|whenever|any ?time|every time|each time|if) you(?:'re)? (?:ever )?\w+ (?:[\w'-]+ ){1,6}?)"
    rf"(?P<rule>(?:please |pls )?{_DO}\b \S.+)$",
    re.IGNORECASE,
)
_ALWAYS_LAST = re.compile(
    rf"^\W*(?P<rule>{_DO}\b [^,.?!]{{3,60}}, (?:always|every time|each time|at all times))\W*$", re.IGNORECASE
)
_UNLESS = re.compile(
    rf"^\W*(?:please )?(?P<rule>{_DO}\b (?!it\b|this\b|that\b|going\b)[^?!]{{3,80}}? unless (?:i|it|you|we|"
    rf"asked|told|otherwise|specified|stated|there)\b"
    r"[^?!]{0,60})$",
    re.IGNORECASE,
)
_WHEN_ACTING = re.compile(
    r"^\W*(?P<context>(?:when|before|after|while) (?:you'?re )?(?:summari[sz]|translat|writ|answer|quot|cit|"
    r"draft|reply|respond|"
    r"format|suggest|recommend|book|plann?|cod|review|refactor|edit|proofread|schedul|list|explain|comment|"
    r"nam|debugg?|referr?)ing\b"
    rf"[^,:]{{0,50}}?)[,:]\s*(?P<rule>(?:please |pls )?{_DO}\b \S.+)$",
    re.IGNORECASE,
)
_NONE_EVER = re.compile(
    r"^\W*(?P<rule>(?:no|zero) (?!one\b|way\b)[\w' -]{3,40}), (?:ever|please,? ever|at all)\W*$", re.IGNORECASE
)
_BEFORE_YOU = re.compile(
    r"^\W*(?:please )?(?P<rule>(?:ask|check|confirm|tell|warn|consult)\b(?: with| by)? (?:me|"
    r"us)\b[^.,?!]{0,20}? before (?:you )?"
    r"(?:ever )?[a-z]+ (?:anything|any\b|a\b|an\b)[^.?!]{0,40}|(?:ask|check|confirm|tell|warn) (?:with )?(?:me|"
    r"us) before [a-z]+ing anything)\W*$",
    re.IGNORECASE,
)
_LATE_FORMS = (
    ("none-ever", _NONE_EVER),
    ("before-you", _BEFORE_YOU),
    *(("always-last", _ALWAYS_LAST), ("unless", _UNLESS), ("when-acting", _WHEN_ACTING)),
)
_NO_X = re.compile(r"^\W*no (?:\w+ ?){1,5}\W*$", re.IGNORECASE)
_WHEN_DOING = re.compile(r"^\W*(?:before|after|when)\b", re.IGNORECASE)
_LONGEST = 400  # characters of a sentence that may state a rule
_ALONE = re.compile(r"^\W*(?:always|ever)\W*$", re.IGNORECASE)


def standing(sentence: Sentence, following: Sentence | None) -> Standing | None:
    """The standing rule that a sentence states, if it states one; `following` is the next sentence of the turn."""
    text = sentence.text
    if sentence.mark != "?" and len(text) <= _LONGEST and (found := _HOW_WE.search(text)):
        return _span(text, found.start("rule"), found.group("context"), "how-we")
    if sentence.mark == "?" or len(text) > _LONGEST or _ASKING.match(text) or _ONCE.search(text) or _CHEER.search(text):
        return None
    found = _WHEN_YOU.search(text)
    if found and found.group("rule").strip(" .!,").lower() not in ("please", "pls", "ok", "thanks"):
        return _when_you(text, found, following)
    found = _WHEN_DO.search(text)
    if found:
        return _when_you(text, found, following)
    for name, pattern in (*_FORMS, *_LATE_FORMS):
        found = pattern.search(text)
        if found is None or (name == "always" and not _says_to_do(sentence, found.start("rule"))):
            continue
        context = found.groupdict().get("context")
        start = found.start("rule")
        if name == "always":
            setting = re.search(r"(?P<context>\bfor [\w' -]{3,40}?),?\s*$", text[:start], re.IGNORECASE)
            context = setting.group("context") if setting else None
        if name in ("if-then", "no-in-any", "stop-doing"):
            return Standing(start, found.end("rule"), context, name)
        if name == "imperative-when":
            return Standing(start, found.end("context"), context, name)
        return _span(text, start, context, name)
    if following and _ALONE.match(following.text) and (_NO_X.match(text) or _WHEN_DOING.match(text)):
        return _span(text, len(text) - len(text.lstrip()), None, "always-after")
    return None


def _when_you(text: str, found: re.Match[str], following: Sentence | None) -> Standing | None:
    """As in "when you write mails, ...": the clause with "before" belongs to the rule, others say when it applies."""
    context, rule = found.group("context"), found.group("rule")
    if _CHEER.search(rule) or not _is_standing(context, rule, following):
        return None
    whole = context.lower().startswith(("before", "after"))
    return _span(text, found.start("context") if whole else found.start("rule"), context, "when-you")


def _says_to_do(sentence: Sentence, at: int) -> bool:
    """Whether the word after "always" or "never" is a verb: "tea, never coffee" rules nothing."""
    place = sentence.start + at
    after = [
        w for w in sentence.words if w.start >= place and w.low not in ("always", "never", "ever", "do", "don't", "n't", "not")
    ]
    if after and after[0].tag in ("VBD", "VBN") and after[0].low not in words("same_in_past"):
        # "Never learnt to swim" tells what was.
        return False
    return bool(after) and (after[0].tag in ("VB", "VBP") or after[0].i <= 1)


def _is_standing(context: str, rule: str, following: Sentence | None) -> bool:
    """As in "when you write mails, always ..." stands; "when you are done, send it" is for once."""
    low = context.lower()
    if re.search(r"\b(?:done|finished|ready|get (?:a chance|time)|have (?:time|a (?:minute|moment|second)))\b", low):
        return False
    if re.match(
        r"^(?:i|it|we|that|you|he|she|they|my|the|there|this|is|do|does|can|should|what|how|would|will)\b", rule, re.IGNORECASE
    ) and not re.search(r"\b(?:always|never)\b", rule, re.IGNORECASE):
        return False
    return (
        low.startswith(("whenever", "every", "each", "any"))
        or bool(re.match(r"(?:when|if) i\b", low))
        or bool(
            re.search(
                r"\b(?:always|never|no|don'?t|do not|please|pls|ever|anything|any|mails?|emails?|code|drafts?|"
                r"suggest\w*|write|send|recommend|plan|book|answer|quote|translate|format|(?<!the )(?<!this )list|cite|"
                r"mention|reply|"
                r"respond|summari[sz]e|edit|generate|refer)\b",
                f"{context} {rule}",
                re.IGNORECASE,
            )
        )
        or bool(following and following.text.lower().startswith("always"))
    )


def _span(text: str, start: int, context: str | None, name: str) -> Standing:
    tail = _TAIL.search(text, start)
    end = tail.start() if tail and tail.start() > start else len(text)
    return Standing(start, end, context.strip() if context else None, name)
