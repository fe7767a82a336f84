"""Secrets in texts: found where they are stated or give themselves away, and not in talk about them."""

import personal_chat
import personal_entries
import personal_heldback
import personal_sentences
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.personal.found import MASK
from graphmem.personal.masks import is_masked, mask, mask_talk, masked, masked_values, secrets_in
from graphmem.personal.signs import may_hold_secret


@pytest.mark.parametrize(("text", "secret"), personal_sentences.SECRETS)
def test_a_secret_is_masked_and_talk_about_one_is_not(text, secret):
    hidden, found = mask(text)
    if secret is None:
        assert hidden == text and found == []
    else:
        assert secret not in hidden and len(found) == 1
        assert text[found[0].start : found[0].end].strip() == secret or secret in text[found[0].start : found[0].end]


def test_sentences_the_rules_were_not_written_against():
    right = wrong = missed = 0
    for text, secret in personal_heldback.SECRETS:
        hidden, found = mask(text)
        right += secret is not None and secret not in hidden
        missed += secret is not None and secret in hidden
        wrong += secret is None and bool(found)
    assert right / (right + wrong) >= 0.99, "precision"
    assert right / (right + missed) >= 0.95, "recall"


KINDS = [
    ("My pass phrase is 'open the gate'", "password"),
    ("passwords: hunter22", "password"),
    ("qwerty is my password", "password"),
    ("the password was changed to Rosebud7", "password"),
    ("My old password was monkey and the new one is dragon", "password"),
    ("Server=db;User Id=sa;Password=abcDEF12;Database=x", "password"),
    ("my debit card pin is four seven one one", "pin"),
    ("PIN: 12 34", "pin"),
    ("security code is 999 on the back", "cvv"),
    ("2FA code: 123 456", "code"),
    ("Use 493021 to verify your account", "code"),
    ("amex 378282246310005", "card"),
    ("4111-1111-1111-1111", "card"),
    ("DB_TOKEN=s3cr3tvalue", "key"),
    ("api_key: 'abcd1234efgh5678'", "key"),
    ("x-api-key: 8a7b6c5d4e3f2a1b0c9d", "key"),
    ("redis://:p4ss@localhost:6379/0", "credentials"),
    ("curl -u admin:s3cret https://x.example", "credentials"),
    ("the login is bob / hunter2", "credentials"),
    ("-----BEGIN OPENSSH PRIVATE " + "KEY-----\nb3BlbnNzaC1rZXk\nAAAA", "private_key"),
]


@pytest.mark.parametrize(("text", "kind"), KINDS)
def test_each_kind_of_secret_has_its_name(text, kind):
    assert [item.kind for item in mask(text)[1]][:1] == [kind]


@pytest.mark.parametrize(
    "text",
    [
        "password required",
        "the password is on the fridge",
        "set a password to protect the file",
        "password: ********",
        "password: <your password>",
        "password: Optional[str] = None",
        "user.password = hash_password(raw)",
        "if password == stored:",
        "order 4111 1111 1111 1112",
        "tracking number 1Z999AA10123456784",
        "uuid 123e4567-e89b-12d3-a456-426614174000",
        "GPIO pin 1701, push pin 1000 pieces",
        "flight code LH2020, promo code SAVE20, country code 358",
        "max_tokens=4096, tokens: 128000",
        "my code is 2000 lines long",
        "I use 1Password as my password manager",
        "http://localhost:8080/path and https://example.com/@user",
        "catch phrase: winter is coming",
        "key takeaways: 2024 was good",
    ],
)
def test_ordinary_words_and_numbers_stay(text):
    assert mask(text) == (text, [])


# Pieces of talk, with and without secrets, that a text is put together from.
_PIECES = st.sampled_from(
    [text for text, _ in (*personal_sentences.SECRETS, *personal_heldback.SECRETS, *KINDS)]
    + [text for _, text, _ in personal_chat.TOLD]
)
_TALK = st.lists(_PIECES | st.text(max_size=40), min_size=1, max_size=4)


@given(_TALK, st.sampled_from([" ", "\n", ", ", " and ", ""]))
def test_a_mask_keeps_the_length_and_masking_twice_is_masking_once(pieces, between):
    text = between.join(pieces)
    hidden, found = mask(text)
    assert len(hidden) == len(text)
    assert masked(hidden) is hidden
    places = {place for item in found for place in range(item.start, item.end)}
    for place, (old, new) in enumerate(zip(text, hidden, strict=True)):
        assert old == new or (place in places and new == MASK)


def every_secret(text):
    """What all the detectors find, whatever the quick look says."""
    from graphmem.personal import codes, credentials, logins, passwords, shapes, stated

    low = text.lower()
    told = (*stated.stated(text, low, None), *passwords.passwords(text, low), *logins.logins(text, low), *codes.codes(text))
    return [*shapes.shaped(text, low), *credentials.credentials(text, low), *told]


@given(_TALK, st.sampled_from([" ", "\n", ""]))
def test_the_quick_look_lets_no_secret_pass(pieces, between):
    text = between.join(pieces)
    if not may_hold_secret(text):
        assert every_secret(text) == []


@pytest.mark.parametrize(("asked", "text", "secret"), [*personal_chat.TOLD, *personal_entries.TOLD])
def test_a_secret_in_a_chat_is_masked(asked, text, secret):
    hidden = masked(text, before=asked)
    assert secret not in hidden and len(hidden) == len(text)
    assert hidden.replace(MASK, "").strip() or asked is not None, "more than the secret"
    assert asked is not None or may_hold_secret(text)


@pytest.mark.parametrize(("asked", "text"), [*personal_chat.ORDINARY, *personal_entries.ORDINARY])
def test_ordinary_talk_of_codes_and_passwords_stays(asked, text):
    assert masked(text, before=asked) == text


def test_only_the_value_is_masked_and_the_words_around_it_stay():
    kept = {
        "the gate code is 5173 and then turn left": "the gate code is ████ and then turn left",
        "salasana on nyt lumiukko5, muista": "salasana on nyt █████████, muista",
        "koden var 4419 och nu 7702": "koden var ████ och nu ████",
        "логин bo, пароль Sneg!reka7, не пускает": "логин bo, пароль ██████████, не пускает",
        "mysql -u root -pL4mpshade shop": "mysql -u root -p█████████ shop",
    }
    assert {text: masked(text) for text in kept} == kept


# Alone they are nothing; over and over they must not take longer than in proportion.
_REPEATED = [
    "code 1234 ",
    "password ",
    "pw x1y ",
    "salasana koodi ",
    "1-2-",
    "4111 1111 1111 1112 ",
    "pass@",
    "-p x ",
    "abcd ",
    "1",
    "admin / ",
    "A_KEY_",
    "the code to ",
    "router admin / x ",
    "7z a ",
]


@pytest.mark.parametrize("piece", _REPEATED)
def test_a_long_line_takes_time_in_proportion(piece):
    calls = [steps(piece * (size // len(piece))) for size in (2_000, 16_000)]
    assert calls[1] <= 8 * calls[0] * 1.5 + 2_000


def steps(text):
    """How many calls of functions a search takes: the clock would depend on the machine."""
    import cProfile
    import pstats

    profile = cProfile.Profile()
    profile.runcall(every_secret, text)
    return pstats.Stats(profile).total_calls


@given(st.lists(_PIECES, min_size=1, max_size=5), st.integers(0, 4))
def test_what_is_said_later_changes_nothing_before_it(pieces, cut):
    cut = min(cut, len(pieces))
    assert mask_talk(pieces).texts[:cut] == mask_talk(pieces[:cut]).texts
    assert mask_talk(mask_talk(pieces).texts).texts == mask_talk(pieces).texts


def test_the_answer_to_a_question_for_a_secret_is_one():
    asked = ["What is the password of the router?", "Bluebird77"]
    assert mask_talk(asked).texts == [asked[0], MASK * 10]
    assert mask_talk(["Please enter your PIN.", "4711"]).texts[1] == MASK * 4
    assert mask_talk(["Which password do you mean?", "the one for the router"]).texts[1] == "the one for the router"
    assert mask_talk(["What is your password policy?", "strict"]).texts[1] == "strict"
    assert mask_talk(["Where do you live?", "Oslo"]).texts[1] == "Oslo"


def test_a_secret_that_is_said_again_is_masked_again_but_a_plain_word_is_not():
    texts = ["My password is hunter2 and my other password is Fluffy", "hunter2 does not work. Fluffy is my dog."]
    talk = mask_talk(texts)
    assert talk.texts[1] == f"{MASK * 7} does not work. Fluffy is my dog."
    assert talk.cover("hunter2, Fluffy") == f"{MASK * 7}, {MASK * 6}"
    assert talk.told_in(["it is hunter2"]) and not talk.told_in(["Fluffy is a dog", None])


def test_a_value_of_json_is_masked_throughout_and_ids_stay():
    id_ = "s_" + "a1" * 12
    body = {"id": id_, "delta": {"turns": [{"text": "my pin is 4711", "key": "my pin is 4711"}], "n": 1}, "other": ("x", None)}
    hidden = masked_values(body)
    assert hidden["id"] == id_
    assert hidden["delta"]["turns"] == [{"text": f"my pin is {MASK * 4}", "key": f"my pin is {MASK * 4}"}]
    assert hidden["other"] == ("x", None)
    clean = {"a": ["b", {"c": "d"}]}
    assert masked_values(clean) is clean
    assert masked_values({"my pin is 4711": 1}) == {f"my pin is {MASK * 4}": 1}


def test_only_masks_is_only_masks():
    assert is_masked(MASK * 3 + ".") and not is_masked("a" + MASK) and not is_masked("")


@pytest.mark.parametrize(
    "unit", ["password is ", "my pin is 4711 ", "4 ", "a@b ", "key: aB3" + "x" * 20 + " ", "https://a:b@c "]
)
def test_long_texts_are_read_in_time_that_grows_with_their_length(unit):
    # Not timed: a pattern that goes astray would not come back at all.
    text = unit * (60_000 // len(unit))
    assert len(masked(text)) == len(text)
    assert secrets_in(masked(text)) == []
