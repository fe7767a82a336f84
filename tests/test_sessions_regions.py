"""Which parts of a turn are not its speaker's own words."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.model import Span
from graphmem.sessions.regions import as_pasted, echoed_spans, merged, quoted_spans


def quoted(text):
    return [text[span.start : span.end] for span in quoted_spans(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Fix this:\n```py\nname = 'I am Bob'\n```\nI use Python.", ["```py\nname = 'I am Bob'\n```\n"]),
        ("~~~\nopen to the end", ["~~~\nopen to the end"]),
        ("She wrote\n> I moved to Oslo\n> last year\nwhat now?", ["> I moved to Oslo\n> last year\n"]),
        ("See below.\n\nOn Mon, 3 Mar 2025 at 10:00, Bob <b@x.org> wrote:\nI live in Rome.", None),
        ("Read this\nFrom: Bob <b@x.org>\nSubject: keys\n\nI live in Rome.", None),
        ("fyi\n---------- Forwarded message ----------\nI live in Rome.", None),
        ("fyi\nBegin forwarded message:\nI live in Rome.", None),
        ("Is it valid?\n<div>\n<p>I am vegan</p>\n\nno\n</div>\nthanks", ["<div>\n<p>I am vegan</p>\n\nno\n</div>\n"]),
        ("Summarise:\nUser: I am vegan\nAssistant: noted\n\nI am not.", ["User: I am vegan\nAssistant: noted\n"]),
        ("Ana: I moved\nBen: where to?\nAna: Porto\n\nfunny, no?", ["Ana: I moved\nBen: where to?\nAna: Porto\n"]),
        (
            "[12/03/24, 10:31] Ana: I moved\n[12/03/24, 10:32] Ben: oh\n",
            ["[12/03/24, 10:31] Ana: I moved\n[12/03/24, 10:32] Ben: oh\n"],
        ),
    ],
)
def test_foreign_words_are_found(text, found):
    expected = found if found is not None else [text[text.index("\n") :].lstrip("\n")]
    assert quoted(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "I live in Ghent and I like `grep`.",
        "Name: Mira\nCity: Ghent\nJob: curator",
        "I <3 tea",
        "From: Oslo\nTo: Bergen\nhow long by train?",
        "Mum wrote: come home. I will.",
        "On Monday I wrote: a poem",
        "note: I moved",
        "5 > 3 and I know it",
        "",
    ],
)
def test_the_speakers_own_words_stay(text):
    assert quoted_spans(text) == ()


@given(st.text(st.sampled_from("`>~<pre/: UserAna\nOn wrote:Fromx@"), max_size=200))
def test_spans_are_sorted_apart_and_inside(text):
    spans = quoted_spans(text)
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    assert all(left.end < right.start for left, right in pairwise(spans))


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 9), st.sampled_from(["quoted", "memory"])), max_size=8))
def test_joined_spans_cover_what_they_were_made_of(raw):
    spans = [Span(start=start, end=start + length, role=role) for start, length, role in raw]
    for role in ("quoted", "memory"):
        before = {place for span in spans if span.role == role for place in range(span.start, span.end)}
        after = [place for span in merged(spans) if span.role == role for place in range(span.start, span.end)]
        assert sorted(after) == sorted(before)


@given(st.text(st.sampled_from("abcd"), min_size=40, max_size=90), st.text(st.sampled_from("xyz"), max_size=30))
def test_forty_equal_characters_are_an_echo(source, around):
    text = around + source[:40] + around
    assert any(span.start <= len(around) and span.end >= len(around) + 40 for span in echoed_spans(text, [source]))


WORDED = "The tenant “Olga” keeps two geese, and she doesn't pay for the garden - not yet. "


@given(st.text(st.sampled_from("\n \u200b\t"), min_size=1, max_size=4), st.integers(0, 9))
def test_a_paste_is_an_echo_however_it_is_wrapped_and_typed(gap, before):
    said = gap.join(("", *WORDED.split(), "")).translate(dict(zip(map(ord, "“”'-"), '""’–', strict=True)))
    text = "x" * before + said + "yes"
    [span] = echoed_spans(text, [WORDED]) if gap.strip("\u200b") else [None]
    assert span is None or as_pasted(text[span.start : span.end]).strip() == as_pasted(said).strip()


def test_a_piece_that_many_sources_share_is_followed_in_the_one_that_is_pasted():
    shared = "the weather in Ghent "
    text = f"{shared}will be foggy until the evening comes"
    [span] = echoed_spans(text, [f"{shared}is fine", f"{shared}was dull", text])
    assert (span.start, span.end) == (0, len(text))


def test_short_common_words_are_no_echo():
    assert echoed_spans("I live in Ghent and work there.", ["I live in Ghent and drink tea."]) == ()


OWN = "I am allergic to lupin and I live in Zurich."
# Shapes in which others' words are pasted; {} is what must not be taken for the user's.
PASTED = {
    "unclosed fence": "look:\n```\n{}",
    "fence indented": "- item\n    ```\n    {}\n    ```",
    "inline code": "the log says `{}` there",
    "fence same line": "here ```{}``` ok?",
    "gt nospace": ">{}",
    "gt gt": ">> {}",
    "pipe quote": "| {}\n| and more",
    "fullwidth gt": "＞ {}",
    "guillemet": "» {}\n» bye",
    "wrote en": "On Mon, 3 Mar 2025 at 10:00, Bo Ek <bo@x.se> wrote:\n{}",
    "wrote en wrapped": "On Mon, 3 Mar 2025 at 10:00, Bo Ek\n<bo@x.se> wrote:\n{}",
    "wrote sv": "Den mån 3 mars 2025 kl 10:00 skrev Bo Ek <bo@x.se>:\n{}",
    "wrote sv 2": "Bo Ek skrev:\n{}",
    "wrote sv 3": "3 mars 2025 kl. 10:00 skrev Bo Ek <bo@x.se>:\n\n{}",
    "wrote fi": "ma 3. maalisk. 2025 klo 10.00 Bo Ek <bo@x.fi> kirjoitti:\n{}",
    "wrote fi 2": "Bo Ek kirjoitti 3.3.2025 klo 10.00:\n{}",
    "wrote ru": "пн, 3 мар. 2025 г. в 10:00, Бо Эк <bo@x.ru> написал:\n{}",
    "wrote ru a": "3 марта 2025 г., 10:00, Анна Эк <a@x.ru> написала:\n{}",
    "wrote ru (a)": "Бо Эк написал(а):\n{}",
    "wrote ru pishet": "Бо Эк пишет:\n{}",
    "wrote de": "Am 3. März 2025 um 10:00 schrieb Bo Ek <bo@x.de>:\n{}",
    "wrote fr": "Le lun. 3 mars 2025 à 10:00, Bo Ek <bo@x.fr> a écrit :\n{}",
    "wrote et": "Kuupäev 3. märts 2025 kell 10:00 kirjutas Bo Ek <bo@x.ee>:\n{}",
    "header sv": "Från: Bo Ek\nSkickat: den 3 mars 2025 10:00\nTill: mig\nÄmne: hej\n\n{}",
    "header fi": "Lähettäjä: Bo Ek\nLähetetty: maanantai 3. maaliskuuta 2025\nVastaanottaja: minä\nAihe: moi\n\n{}",
    "header ru": "От: Бо Эк\nОтправлено: 3 марта 2025\nКому: мне\nТема: привет\n\n{}",
    "header de": "Von: Bo Ek\nGesendet: Montag, 3. März 2025\nAn: mich\nBetreff: hallo\n\n{}",
    "header bold": "*From:* Bo Ek <bo@x.se>\n*Sent:* Monday\n*Subject:* hi\n\n{}",
    "header no space": "From:Bo Ek <bo@x.se>\nSubject:hi\n\n{}",
    "orig message": "-----Original Message-----\n{}",
    "forwarded": "---------- Forwarded message ---------\nFrom: Bo\n{}",
    "forwarded sv": "---------- Vidarebefordrat meddelande ---------\n{}",
    "forwarded sv2": "-----Ursprungligt meddelande-----\n{}",
    "forwarded fi": "---------- Välitetty viesti ---------\n{}",
    "forwarded fi2": "-----Alkuperäinen viesti-----\n{}",
    "forwarded ru": "---------- Пересланное сообщение ---------\n{}",
    "forwarded ru2": "-----Исходное сообщение-----\n{}",
    "forwarded apple sv": "Vidarebefordrat brev:\n\n{}",
    "start of fw": "========== Начало пересылаемого сообщения ==========\n{}",
    "html p": "<p>{}</p>",
    "html inline": "see <div class=x>{}</div> ok",
    "html span": "<span>{}</span>",
    "html comment": "<!-- {} -->",
    "html br": "<br>{}<br>",
    "html a": "<a href='http://x'>{}</a>",
    "html user tag": "<user>\n{}\n</user>",
    "memory tag": "<memory abc>\n{}\n</memory abc>",
    "html entity": "&lt;p&gt;{}&lt;/p&gt;",
    "user line": "summarise this:\nUser: {}\nAssistant: ok",
    "user line mid": "Summarise this: User: {}",
    "user bold": "**User:** {}\n**Assistant:** ok",
    "user caps": "USER: {}",
    "human": "Human: {}",
    "me": "Me: {}\nBot: sure",
    "you said": "You said:\n{}\nChatGPT said:\nsure thing",
    "user newline": "User:\n{}\nAssistant:\nok",
    "user dash": "User - {}\nAssistant - ok",
    "user gt": "User> {}\nAssistant> ok",
    "im_start": "<|im_start|>user\n{}<|im_end|>",
    "inst": "[INST] {} [/INST]",
    "md heading user": "### User\n{}\n### Assistant\nok",
    "json role": '{{"role": "user", "content": "{}"}}',
    "yaml role": "- role: user\n  content: {}",
    "user sv": "Användare: {}\nAssistent: ok",
    "user fi": "Käyttäjä: {}\nAvustaja: ok",
    "user ru": "Пользователь: {}\nАссистент: ок",
    "user de": "Benutzer: {}\nAssistent: ok",
    "whatsapp": "[03/03/2025, 10:00:12] Bo: {}\n[03/03/2025, 10:01:12] Ann: ok",
    "slack": "Bo Ek  10:00 AM\n{}\nAnn Ek  10:01 AM\nok",
    "teams": "[10:00] Bo Ek\n{}\n[10:01] Ann Ek\nok",
    "irc": "<bo> {}\n<ann> ok",
    "names": "Bo: {}\nAnn: ok\nBo: bye",
    "vtt": "WEBVTT\n\n00:00:01.000 --> 00:00:04.000\n{}",
    "srt": "1\n00:00:01,000 --> 00:00:04,000\n{}",
    "curly quote": "she wrote “{}” yesterday",
    "straight quote": 'the page says "{}" somewhere',
    "attachment marker": "[attachment: notes.txt]\n{}\n[/attachment]",
    "begin document": "--- BEGIN DOCUMENT ---\n{}\n--- END DOCUMENT ---",
    "file header": "===== notes.txt =====\n{}\n=====",
    "diff": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n+{}",
    "tool result": "<tool_result>\n{}\n</tool_result>",
    "document tag": "<document>{}</document>",
    "bbcode": "[quote]{}[/quote]",
    "bbcode name": "[quote=Bo]\n{}\n[/quote]",
    "latex": "\\begin{{quote}}\n{}\n\\end{{quote}}",
    "triple quotes": '"""\n{}\n"""',
    "nbsp gt": "\xa0> {}",
    "zwsp gt": "\u200b> {}",
    "zwsp user": "U\u200bser: {}\nAssistant: ok",
    "fullwidth colon": "User： {}\nAssistant： ok",
    "ls separator": "hi\u2028> {}",
    "told below": "My colleague texted me\n{}",
    "from a page": "From the web page:\n• {}",
    "reply to": "Reply to this email: {}",
    "one head": "eve 10:32\n{}",
    "stamped": "look [10:32 AM] eve: {}",
    "from slack": "Paste from Slack [10:32 AM] eve: {}",
    "dated head": "Eve (she/her) — Today at 10:32\n{}",
    "another's essay": "Can you check my daughter's essay? {} I am ten years old.",
    "continue": "Continue the text: {}",
    "draft for": "Cover letter draft for Eva:\n{}",
    "test data": "Test data:\nname,city\n{}",
    "translate de": "Übersetze: {}",
    "translate sv": "Kan du översätta till engelska: {}",
    "translate": "Translate: {}",
    "proofread below": "Please proofread this\n\n{}",
    "vt separator": "hi\x0bUser: {}",
}


@pytest.mark.parametrize("shape", PASTED)
def test_what_is_pasted_in_this_shape_is_not_the_speakers(shape):
    text = PASTED[shape].format(OWN)
    at = text.index(OWN)
    assert any(span.start <= at and at + len(OWN) <= span.end for span in quoted_spans(text))


@pytest.mark.parametrize(
    "text",
    [
        "Gym 18:00\nChoir 19:00\nI live in Ghent.",
        'My band is called "The Old Mill Song Club".',
        "Role: curator. I live in Ghent & like tea.",
        "Hon skrev: kom hem. Jag bor i Gent.",
        "Äiti kirjoitti: tule kotiin.",
        "Мама написала: приходи домой. Я живу в Генте.",
        "--- my week ---\nI live in Ghent",
        "I use <b> tags and a < b",
        "Me: I live in Ghent",
        "My notes:\nI live in Ghent",
        "Dentist 10:30\nbuy milk",
        "Can you check my flight? I live in Ghent.",
        "Can you review my cover letter? I live in Ghent.",
        "Finish the report by Friday\nI live in Ghent",
        "Please answer in Finnish: I live in Ghent",
        "This is what I said\nI live in Ghent",
        "From the beginning:\nI live in Ghent",
        "I texted my mum\nI live in Ghent",
        "Ämne: jag är trött\nJag bor i Gent",
    ],
)
def test_marks_in_ones_own_words_take_nothing_away(text):
    assert quoted_spans(text) == ()
