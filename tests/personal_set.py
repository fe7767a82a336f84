"""Sentences in four languages with and without numbers that check: carriers written by hand, numbers drawn from a seed.

Written before the rules were looked at. Each sentence names what has to be found in it: a kind and the very number, or
nothing, where the number is one of an order, a parcel or a book, or fails its own check.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

import personal_numbers


class Sentence(NamedTuple):
    language: str
    text: str
    kind: str | None
    number: str | None


KINDS = {"iban": "iban", "card": "card"}  # every other number that checks is one of a person: national_id
PLACE = re.compile(r"\{(\w+)\}")

# Each carrier is used twice, with two numbers.
WITH: dict[str, list[str]] = {
    "en": [
        "My IBAN is {iban}, please send the refund there.",
        "Send the rent to {iban} (Lisa's account) by Friday",
        "account: {iban}",
        "I've moved banks; the new one is {iban}.",
        "They asked for an IBAN so I gave them {iban} and my name.",
        "I paid with {card} and it was declined twice.",
        "card no. {card}, exp 09/28",
        "Use my Visa {card} for the hotel please",
        "{card} is the card I want to close.",
        "The number on the front: {card}. Anything else you need?",
        "My SSN is {ssn}.",
        "social security number {ssn}, born in Ohio",
        "The form wants {ssn} in the box for me.",
        "My NHS number is {nhs}, could you keep it for the appointment?",
        "NHS no: {nhs}",
        "I'm Canadian, my SIN is {sin}",
        "Social insurance number: {sin}. That's me.",
        "my Swedish personal number is {personnummer}",
        "My Estonian ID code is {isikukood}.",
    ],
    "sv": [
        "Mitt IBAN är {iban}.",
        "Sätt in hyran på {iban} senast fredag, tack.",
        "kontonummer (IBAN): {iban}",
        "Jag har bytt bank, nya kontot är {iban} om du undrar",
        "De ville ha IBAN så jag skrev {iban} och mitt namn.",
        "Jag betalade med {card} men köpet gick inte igenom.",
        "kortnr {card}, giltigt till 09/28",
        "Ta hotellet på mitt Mastercard {card} är du snäll",
        "{card} är kortet jag vill spärra.",
        "Numret på framsidan: {card}. Behöver du något mer?",
        "Mitt personnummer är {personnummer}.",
        "personnr: {personnummer_plain}",
        "Jag heter Karin, {personnummer}, och vill boka tid.",
        "Mitt samordningsnummer är {samordning} tills vidare.",
        "Pappas personnummer: {personnummer_plain}, han är folkbokförd i Umeå",
        "De skrev {personnummer} på remissen, det stämmer.",
        "Mitt norska fødselsnummer är {fodselsnummer}.",
        "Jag är finländare och min personbeteckning är {hetu}",
        "Hon har personnummer {personnummer} och bor i Lund.",
    ],
    "fi": [
        "IBAN-numeroni on {iban}.",
        "Maksa vuokra tilille {iban} perjantaihin mennessä.",
        "tilinumero: {iban}",
        "Vaihdoin pankkia, uusi tili on {iban} jos kysyvät",
        "Pyysivät IBANia, joten annoin {iban} ja nimeni.",
        "Maksoin kortilla {card} mutta maksu ei mennyt läpi.",
        "kortin nro {card}, voimassa 09/28",
        "Varaa hotelli Visalla {card}, kiitos",
        "{card} on se kortti, jonka haluan sulkea.",
        "Etupuolen numero: {card}. Tarvitsetko vielä jotain?",
        "Henkilötunnukseni on {hetu}.",
        "hetu {hetu}, asun Turussa",
        "Olen Matti, {hetu}, ja haluan varata ajan.",
        "Äidin sotu on {hetu}, laita se lomakkeelle",
        "Lähetteessä luki {hetu} ja se pitää paikkansa.",
        "Minulla on ruotsalainen henkilönumero {personnummer}.",
        "Virolainen henkilökoodini on {isikukood}",
        "Hän ilmoitti tunnuksen {hetu} puhelimessa.",
        "HETU: {hetu}",
    ],
    "ru": [
        "Мой IBAN: {iban}, верните деньги туда.",
        "Переведи за квартиру на {iban} до пятницы",
        "счёт {iban}",
        "Я сменил банк, новый счёт {iban}, запиши.",
        "Они попросили IBAN, и я дала {iban} и своё имя.",
        "Я заплатил картой {card}, но платёж не прошёл.",
        "номер карты {card}, до 09/28",
        "Забронируй гостиницу по моей карте {card} пожалуйста",
        "{card} — эту карту я хочу закрыть.",
        "Номер на лицевой стороне: {card}. Что ещё нужно?",
        "Мой ИНН {inn}.",
        "ИНН: {inn}, живу в Казани",
        "Для налоговой нужен мой ИНН, он такой: {inn}",
        "Мой СНИЛС {snils}.",
        "СНИЛС мамы — {snils_plain}, впиши в заявление",
        "В анкете указан {snils}, всё верно.",
        "снилс: {snils_plain}",
        "Я живу в Хельсинки, мой хету {hetu}",
        "Мой эстонский личный код {isikukood}.",
    ],
}

WITHOUT: dict[str, list[str]] = {
    "en": [
        "The bank says the IBAN {bad_iban} does not exist.",
        "Is {bad_iban} even a valid account?",
        "The shop refused {bad_card}, I must have mistyped it.",
        "My NHS number is not {bad_nhs}, that's a typo",
        "Is {bad_sin} a real SIN?",
        "The SSN {bad_ssn} in the example is invalid.",
        "My order {order} still hasn't arrived.",
        "ticket #{order} is closed",
        "The book I want is ISBN {isbn}.",
        "tracking number {tracking}",
        "I'm on build {version} of the app.",
        "The invoice was {amount} dollars.",
        "The log starts at {stamp} and then stops",
        "Call the plumber on {phone} tomorrow.",
        "The phone's IMEI is {imei}.",
        "Commit {order} broke the build",
        "The meter showed {order} this morning.",
        "Flight AY{order} was late again.",
        "My library has {order} books and {order} songs.",
    ],
    "sv": [
        "Banken säger att IBAN {bad_iban} inte finns.",
        "Är {bad_iban} ens ett riktigt konto?",
        "Butiken nekade {bad_card}, jag skrev nog fel.",
        "Personnumret {bad_personnummer} är felskrivet.",
        "Jag råkade skriva {bad_personnummer} i formuläret",
        "Är {bad_hetu} en riktig personbeteckning?",
        "Min beställning {order} har inte kommit.",
        "ärende {order} är stängt",
        "Boken jag vill ha är ISBN {isbn}.",
        "kollinummer {tracking}",
        "Jag kör version {version} av appen.",
        "Fakturan var på {amount} kronor.",
        "Loggen börjar {stamp} och slutar sedan",
        "Ring rörmokaren på {phone} i morgon.",
        "Telefonens IMEI är {imei}.",
        "OCR-nummer {order} på fakturan",
        "Mätaren stod på {order} i morse.",
        "Artikel {order} är slut i lager.",
        "Biblioteket har {order} böcker och {order} låtar.",
    ],
    "fi": [
        "Pankin mukaan IBAN {bad_iban} ei ole olemassa.",
        "Onko {bad_iban} edes oikea tili?",
        "Kauppa ei hyväksynyt korttia {bad_card}, kirjoitin varmaan väärin.",
        "Henkilötunnus {bad_hetu} on väärin.",
        "Kirjoitin vahingossa {bad_hetu} lomakkeelle",
        "Onko {bad_personnummer} oikea ruotsalainen numero?",
        "Tilaukseni {order} ei ole tullut.",
        "tiketti {order} on suljettu",
        "Haluamani kirja on ISBN {isbn}.",
        "lähetystunnus {tracking}",
        "Minulla on sovelluksen versio {version}.",
        "Lasku oli {amount} euroa.",
        "Loki alkaa {stamp} ja loppuu siihen",
        "Soita putkimiehelle {phone} huomenna.",
        "Puhelimen IMEI on {imei}.",
        "Viitenumero {order} laskussa",
        "Mittarin lukema oli {order} aamulla.",
        "Tuote {order} on loppu varastosta.",
        "Kirjastossa on {order} kirjaa ja {order} kappaletta.",
    ],
    "ru": [
        "Банк говорит, что IBAN {bad_iban} не существует.",
        "Это вообще настоящий счёт, {bad_iban}?",
        "Магазин не принял карту {bad_card}, я, наверное, ошибся.",
        "ИНН {bad_inn} написан с ошибкой.",
        "СНИЛС {bad_snils} неверный.",
        "Я случайно написал {bad_snils} в анкете",
        "Мой заказ {order} так и не пришёл.",
        "заявка {order} закрыта",
        "Книга, которую я хочу: ISBN {isbn}.",
        "трек-номер {tracking}",
        "У меня версия {version} приложения.",
        "Счёт был на {amount} рублей.",
        "Журнал начинается {stamp} и обрывается",
        "Позвони сантехнику {phone} завтра.",
        "IMEI телефона {imei}.",
        "Квитанция {order} оплачена",
        "Счётчик показывал {order} утром.",
        "Товара {order} нет на складе.",
        "В библиотеке {order} книг и {order} песен.",
    ],
}


def sentences(seed: int) -> Iterator[Sentence]:
    rng = Random(seed)
    for language in WITH:
        for carrier in WITH[language] * 2:
            name = PLACE.search(carrier)
            assert name is not None
            number = getattr(personal_numbers, name[1])(rng)
            yield Sentence(language, carrier.replace(name[0], number), KINDS.get(name[1], "national_id"), number)
        for carrier in (WITHOUT[language] * 2)[:-1]:
            text = PLACE.sub(lambda name: getattr(personal_numbers, name[1])(rng), carrier)
            yield Sentence(language, text, None, None)
