"""Two hundred secrets to plant in a talk, fifty in each of four languages, in the ways people give them away.

A carrier names the kind of the secret in braces; square brackets around it widen what is searched for where the
secret itself is a number so short that any hash might hold it. `|` parts a question of the assistant from the answer.
No secret stands here: each is drawn from a seed, and what begins like a key is put together from its parts.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple

from personal_numbers import card, digits

BASE62 = string.ascii_letters + string.digits
WORDS = {
    "en": ["harbour", "walnut", "teapot", "lighthouse", "marigold", "badger", "compass", "violin", "pepper", "canyon"],
    "sv": ["blåbär", "fiskmås", "älgstig", "lingon", "kastrull", "vinterväg", "näckros", "kompass", "björnbär", "tallkotte"],
    "fi": [
        "mustikka",
        "revontuli",
        "saunakiulu",
        "ketunleipä",
        "lumiukko",
        "tervapata",
        "kanerva",
        "venevaja",
        "puolukka",
        "hirvi",
    ],
    "ru": ["кузнечик", "берёза", "самовар", "ромашка", "капитан", "метель", "янтарь", "фонарь", "черника", "журавль"],
}
SEED_WORDS = [
    "abandon",
    "ripple",
    "cactus",
    "velvet",
    "orbit",
    "lemon",
    "mosaic",
    "turtle",
    "anchor",
    "quantum",
    "frost",
    "bamboo",
    "galaxy",
    "ribbon",
    "silver",
]


class Planted(NamedTuple):
    """A turn with secrets in it: a question before it or "", the text, and what must be found nowhere."""

    language: str
    question: str
    text: str
    needles: tuple[str, ...]


def chars(rng: Random, n: int, alphabet: str = BASE62) -> str:
    return "".join(rng.choice(alphabet) for _ in range(n))


def hexed(rng: Random, n: int) -> str:
    return chars(rng, n, "0123456789abcdef")


def uuid(rng: Random) -> str:
    return "-".join(hexed(rng, n) for n in (8, 4, 4, 4, 12))


def private_key(rng: Random, kind: str) -> str:
    body = "\n".join(chars(rng, 64, BASE62 + "+/") for _ in range(3))
    return f"-----BEGIN {kind}PRIVATE " + f"KEY-----\n{body}\n-----END {kind}PRIVATE " + "KEY-----"


def word(rng: Random, language: str) -> str:
    one, other = rng.sample(WORDS[language], 2)
    return one.capitalize() + other.capitalize()


MAKERS: dict[str, Callable[[Random, str], str]] = {
    "pw": lambda r, t: f"{rng_word(r, t).capitalize()}{r.choice('!#%&?+')}{r.randint(1000, 9999)}",
    "weak": lambda r, t: f"{rng_word(r, t)}{r.randint(1000, 9999)}",
    "word": word,
    "phrase": lambda r, t: " ".join(r.sample(WORDS[t], 4)),
    "dashed": lambda r, t: "-".join([*r.sample(WORDS[t], 3), str(r.randint(10, 99))]),
    "random": lambda r, t: chars(r, 6) + r.choice("!#%&?") + chars(r, 4) + digits(r, 2),
    "pin": lambda r, t: digits(r, 4),
    "code": lambda r, t: digits(r, 6),
    "cvv": lambda r, t: digits(r, 3),
    "card": lambda r, t: card(r),
    "seed": lambda r, t: " ".join(r.sample(SEED_WORDS, 12)),
    "hex32": lambda r, t: hexed(r, 32),
    "hex64": lambda r, t: hexed(r, 64),
    "uuid": lambda r, t: uuid(r),
    "openai": lambda r, t: "sk-" + "proj-" + chars(r, 48),
    "anthropic": lambda r, t: "sk-" + "ant-api03-" + chars(r, 60, BASE62 + "_"),
    "github": lambda r, t: "gh" + "p_" + chars(r, 36),
    "github_fine": lambda r, t: "github" + "_pat_" + chars(r, 22) + "_" + chars(r, 40),
    "gitlab": lambda r, t: "gl" + "pat-" + chars(r, 20),
    "slack": lambda r, t: "xo" + "xb-" + digits(r, 11) + "-" + digits(r, 12) + "-" + chars(r, 24),
    "stripe": lambda r, t: "sk" + "_live_" + chars(r, 24),
    "aws_id": lambda r, t: "AK" + "IA" + chars(r, 16, string.ascii_uppercase + "234567"),
    "aws_secret": lambda r, t: chars(r, 40, BASE62 + "+/"),
    "google": lambda r, t: "AI" + "za" + chars(r, 35, BASE62 + "_-"),
    "sendgrid": lambda r, t: "S" + "G." + chars(r, 22) + "." + chars(r, 43),
    "twilio": lambda r, t: "S" + "K" + hexed(r, 32),
    "huggingface": lambda r, t: "h" + "f_" + chars(r, 34),
    "npm": lambda r, t: "np" + "m_" + chars(r, 36),
    "pypi": lambda r, t: "py" + "pi-" + chars(r, 60, BASE62 + "_-"),
    "telegram": lambda r, t: digits(r, 10, first="123456789") + ":" + "AA" + chars(r, 33, BASE62 + "_-"),
    "digitalocean": lambda r, t: "do" + "p_v1_" + hexed(r, 64),
    "shopify": lambda r, t: "sh" + "pat_" + hexed(r, 32),
    "mailgun": lambda r, t: "ke" + "y-" + hexed(r, 32),
    "discord": lambda r, t: "M" + chars(r, 23) + "." + chars(r, 6) + "." + chars(r, 27),
    "azure": lambda r, t: chars(r, 86, BASE62 + "+/") + "==",
    "jwt": lambda r, t: "ey" + "J" + chars(r, 30) + "." + "ey" + "J" + chars(r, 60) + "." + chars(r, 43),
    "rsa": lambda r, t: private_key(r, "RSA "),
    "openssh": lambda r, t: private_key(r, "OPENSSH "),
    "pkcs8": lambda r, t: private_key(r, ""),
    "recovery": lambda r, t: "-".join(chars(r, 5, string.ascii_lowercase + string.digits) for _ in range(2)),
    "basic": lambda r, t: chars(r, 30) + "==",
}


def rng_word(rng: Random, language: str) -> str:
    return rng.choice(WORDS[language])


CARRIERS: dict[str, list[str]] = {
    "en": [
        "My password is {pw}.",
        "hey so the new password for the family Netflix is {weak}, tell the kids",
        "I keep forgetting that my laptop password is {word} with no spaces",
        "the wifi at the cabin: password {dashed}",
        "user: lisa.k pass: {random}",
        "Could you remember this for me? Password for the bank = {pw}",
        "I changed it from {weak} to {pw} after the breach, that's my password now.",
        "My email login is lisa@example.org / {pw}",
        "Passphrase for the backup disk: {phrase}",
        "pwd {random} for the staging box",
        "What's the password of the router?|{weak}",
        'Sign in as admin with the password "{pw}" and tell me what you see.',
        "My master password for the vault is '{phrase}'",
        "The door code's fine but the alarm password is {word}.",
        "My [PIN is {pin}], don't tell anyone.",
        "the [pin for my debit card is {pin}]",
        "[PIN code: {pin}] for the phone",
        "What is the PIN of the card?|[it's {pin}]",
        "Voicemail [pin = {pin}]",
        "card {card}, exp 04/29, [cvv {cvv}]",
        "Pay with {card} - the [security code is {cvv}]",
        "Book it: {card}, 11/27, [CVC: {cvv}], name Lisa Kane",
        "It's a Visa {card} and the [three digits on the back are {cvv}]",
        "my seed phrase is {seed}",
        "Recovery phrase of the wallet: {seed}. Keep it safe!",
        "OPENAI_API_KEY={openai}",
        "here's my anthropic key {anthropic}, use it for the demo",
        "git clone https://x:{github}@github.com/acme/app",
        "use this PAT: {github_fine}",
        "The GitLab token is {gitlab}",
        "Slack bot token {slack} doesn't work any more",
        "I put {stripe} in the config by mistake",
        "aws_access_key_id = {aws_id}\naws_secret_access_key = {aws_secret}",
        "maps key: {google}",
        "export HF_TOKEN={huggingface}",
        "//npm.example.org/:_authToken={npm}",
        "curl -H 'Authorization: Bearer {jwt}' https://api.example.com/me",
        "The bot's token is {telegram}",
        "my api key is {hex32}",
        "client secret: {uuid}",
        "DefaultEndpointsProtocol=https;AccountName=shop;AccountKey={azure};EndpointSuffix=core.windows.net",
        "here is the key\n{rsa}\nthanks",
        "{openssh}",
        "DATABASE_URL=postgres://app:{random}@db.internal:5432/shop",
        "redis://:{hex32}@cache.example.com:6379/0",
        "Server=tcp:sql.example.com;Database=crm;User Id=sa;Password={pw};",
        "The verification [code is {code}].",
        "my backup [codes are {code}] and {recovery}",
        "Authorization: Basic {basic}",
        "the shared secret for the webhook is {hex64}",
    ],
    "sv": [
        "Mitt lösenord är {pw}.",
        "hej, nya lösenordet till familjens Netflix är {weak}, säg till barnen",
        "Jag glömmer alltid att lösenordet till datorn är {word} utan mellanslag",
        "wifi i stugan: lösenord {dashed}",
        "användare: karin lösen: {random}",
        "Kan du komma ihåg det här? Lösenord till banken = {pw}",
        "Jag bytte från {weak} till {pw} efter intrånget, det är mitt lösenord nu.",
        "Min inloggning är karin@example.org / {pw}",
        "Lösenfrasen till backupdisken: {phrase}",
        "lösenordet för gästkontot heter {weak}",
        "Vad är lösenordet till routern?|{weak}",
        'Logga in som admin med lösenordet "{pw}" och berätta vad du ser.',
        "Mitt huvudlösenord till valvet är '{phrase}'",
        "Larmets lösenord är {word}.",
        "Min [pinkod är {pin}], säg det inte till någon.",
        "[pin till mitt bankkort är {pin}]",
        "[PIN-kod: {pin}] till telefonen",
        "Vad är koden till kortet?|[den är {pin}]",
        "[portkoden är {pin}]",
        "kort {card}, giltigt 04/29, [cvv {cvv}]",
        "Betala med {card} - [säkerhetskoden är {cvv}]",
        "Boka: {card}, 11/27, [CVC: {cvv}], namn Karin Ek",
        "Det är ett Visa {card} och de [tre siffrorna på baksidan är {cvv}]",
        "min återställningsfras är {seed}",
        "Seed phrase till plånboken: {seed}. Spara den säkert!",
        "OPENAI_API_KEY={openai}",
        "här är min nyckel {anthropic}, använd den i demon",
        "git clone https://x:{github}@github.com/acme/app",
        "använd den här token: {github_fine}",
        "GitLab-token är {gitlab}",
        "Slackbotens token {slack} fungerar inte längre",
        "Jag la {stripe} i konfigen av misstag",
        "aws_access_key_id = {aws_id}\naws_secret_access_key = {aws_secret}",
        "kartnyckeln: {google}",
        "sendgrid-nyckeln {sendgrid} ska bytas",
        "npm-token: {npm}",
        "curl -H 'Authorization: Bearer {jwt}' https://api.example.com/me",
        "Botens token är {telegram}",
        "min api-nyckel är {hex32}",
        "klienthemligheten: {uuid}",
        "mailgun {mailgun} i produktion",
        "här är nyckeln\n{rsa}\ntack",
        "{pkcs8}",
        "DATABASE_URL=mysql://app:{random}@db.internal:3306/shop",
        "mongodb+srv://root:{random}@cluster0.example.net/test",
        "spring.datasource.password={pw}",
        "[Engångskoden är {code}].",
        "mina [reservkoder är {code}] och {recovery}",
        "{digitalocean} är nyckeln till servern",
        "hemliga nyckeln för webhooken är {hex64}",
    ],
    "fi": [
        "Salasanani on {pw}.",
        "moi, perheen Netflixin uusi salasana on {weak}, kerro lapsille",
        "Unohdan aina, että läppärin salasana on {word} ilman välilyöntiä",
        "mökin wifi: salasana {dashed}",
        "käyttäjä: matti salasana: {random}",
        "Voitko muistaa tämän? Pankin salasana = {pw}",
        "Vaihdoin sen {weak} -> {pw} murron jälkeen, se on nyt salasanani.",
        "Sähköpostin tunnus on matti@example.org / {pw}",
        "Varmuuskopiolevyn salalause: {phrase}",
        "vierastilin salasana taitaa olla {weak}",
        "Mikä on reitittimen salasana?|{weak}",
        'Kirjaudu adminina salasanalla "{pw}" ja kerro mitä näet.',
        "Holvin pääsalasana on '{phrase}'",
        "Hälyttimen salasana on {word}.",
        "[PIN-koodini on {pin}], älä kerro kenellekään.",
        "[pankkikorttini pin on {pin}]",
        "[PIN: {pin}] puhelimeen",
        "Mikä on kortin tunnusluku?|[se on {pin}]",
        "[tunnusluku on {pin}]",
        "kortti {card}, voimassa 04/29, [cvv {cvv}]",
        "Maksa kortilla {card} - [turvakoodi on {cvv}]",
        "Varaa: {card}, 11/27, [CVC: {cvv}], nimi Matti Aho",
        "Se on Visa {card} ja [kolme numeroa takana ovat {cvv}]",
        "palautuslauseeni on {seed}",
        "Lompakon seed phrase: {seed}. Pidä tallessa!",
        "OPENAI_API_KEY={openai}",
        "tässä avaimeni {anthropic}, käytä sitä demossa",
        "git clone https://x:{github}@github.com/acme/app",
        "käytä tätä tokenia: {github_fine}",
        "GitLabin token on {gitlab}",
        "Slack-botin token {slack} ei enää toimi",
        "Laitoin {stripe} vahingossa asetuksiin",
        "aws_access_key_id = {aws_id}\naws_secret_access_key = {aws_secret}",
        "kartta-avain: {google}",
        "shopify {shopify} pitää vaihtaa",
        "npm-token: {npm}",
        "curl -H 'Authorization: Bearer {jwt}' https://api.example.com/me",
        "Botin token on {telegram}",
        "api-avaimeni on {hex32}",
        "asiakassalaisuus: {uuid}",
        "twilio {twilio} tuotannossa",
        "tässä avain\n{rsa}\nkiitos",
        "{openssh}",
        "DATABASE_URL=postgresql://app:{random}@db.internal:5432/shop",
        "amqp://guest:{random}@mq.example.net:5672/",
        "jdbc:mysql://db.example.com/shop?user=app&password={random}",
        "[Vahvistuskoodi on {code}].",
        "[varakoodini ovat {code}] ja {recovery}",
        "SECRET_KEY_BASE: {hex64}",
        "webhookin salainen avain on {hex64}",
    ],
    "ru": [
        "Мой пароль {pw}.",
        "привет, новый пароль от семейного Netflix — {weak}, скажи детям",
        "Вечно забываю, что пароль от ноутбука {word} без пробелов",
        "вайфай на даче: пароль {dashed}",
        "логин: olga пароль: {random}",
        "Запомни, пожалуйста: пароль от банка = {pw}",
        "Я сменила {weak} на {pw} после взлома, теперь это мой пароль.",
        "Мой вход olga@example.org / {pw}",
        "Парольная фраза от диска: {phrase}",
        "пароль гостевой учётки такой: {weak}",
        "Какой пароль у роутера?|{weak}",
        'Войди как admin с паролем "{pw}" и скажи, что видишь.',
        "Мой мастер-пароль от хранилища «{phrase}»",
        "Пароль от сигнализации: {word}.",
        "Мой [пин-код {pin}], никому не говори.",
        "[пин от моей карты {pin}]",
        "[ПИН: {pin}] для телефона",
        "Какой пин-код у карты?|[он {pin}]",
        "[код домофона {pin}]",
        "карта {card}, до 04/29, [cvv {cvv}]",
        "Оплати картой {card} - [код безопасности {cvv}]",
        "Забронируй: {card}, 11/27, [CVC: {cvv}], имя Ольга Ким",
        "Это Visa {card}, [три цифры на обороте {cvv}]",
        "моя сид-фраза {seed}",
        "Seed phrase кошелька: {seed}. Храни надёжно!",
        "OPENAI_API_KEY={openai}",
        "вот мой ключ {anthropic}, используй его в демо",
        "git clone https://x:{github}@github.com/acme/app",
        "возьми этот токен: {github_fine}",
        "Токен GitLab: {gitlab}",
        "Токен слак-бота {slack} больше не работает",
        "Я случайно вставила {stripe} в конфиг",
        "aws_access_key_id = {aws_id}\naws_secret_access_key = {aws_secret}",
        "ключ для карт: {google}",
        "{discord} это токен дискорд-бота",
        "npm-токен: {npm}",
        "curl -H 'Authorization: Bearer {jwt}' https://api.example.com/me",
        "Токен бота {telegram}",
        "мой api-ключ {hex32}",
        "секрет клиента: {uuid}",
        "залила на {pypi} случайно",
        "вот ключ\n{rsa}\nспасибо",
        "{pkcs8}",
        "DATABASE_URL=postgres://app:{random}@db.internal:5432/shop",
        "ftp://olga:{random}@files.example.net/",
        "Пользователь sa, Password={pw};",
        "[Код подтверждения {code}].",
        "мои [резервные коды {code}] и {recovery}",
        "SECRET_KEY = '{hex64}'",
        "секретный ключ вебхука {hex64}",
    ],
}
PLACE = re.compile(r"\[([^\]{}]*)\{(\w+)\}([^\]{}]*)\]|\{(\w+)\}")


def planted(seed: int) -> Iterator[Planted]:
    rng = Random(seed)
    for language, carriers in CARRIERS.items():
        for carrier in carriers:
            needles: list[str] = []

            def fill(found: re.Match[str], *, language: str = language, needles: list[str] = needles) -> str:
                kind = found[2] or found[4]
                value = MAKERS[kind](rng, language)
                if found[2]:
                    needles.append(f"{found[1]}{value}{found[3]}")
                    return needles[-1]
                if kind == "seed":
                    words = value.split()
                    needles.extend(" ".join(words[at : at + 4]) for at in range(9))
                elif kind == "phrase":
                    words = value.split()
                    needles.extend(" ".join(words[at : at + 3]) for at in range(2))
                elif "\n" in value:
                    needles.extend(value.split("\n")[1:-1])
                else:
                    needles.append(value)
                return value

            text = PLACE.sub(fill, carrier)
            question, _, answer = text.rpartition("|")
            yield Planted(language, question, answer, tuple(needles))
