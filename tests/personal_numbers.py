"""Numbers with a check of their own: drawn from a seeded source, written in the ways people write them.

The checks are worked out here and not taken from the code under test, so that one mistake cannot hide in both.
"""

from __future__ import annotations

from random import Random

HETU = "0123456789ABCDEFHJKLMNPRSTUVWXY"
IBAN_LENGTHS = {"FI": 18, "SE": 24, "DE": 22, "EE": 20, "NL": 18, "NO": 15, "GB": 22, "FR": 27, "PL": 28, "ES": 24}


def digits(rng: Random, n: int, *, first: str = "0123456789") -> str:
    return rng.choice(first) + "".join(rng.choice("0123456789") for _ in range(n - 1))


def luhn(body: str) -> str:
    doubled = [int(d) * (2 if place % 2 == 0 else 1) for place, d in enumerate(reversed(body))]
    return str(-sum(d // 10 + d % 10 for d in doubled) % 10)


def weighted(body: str, weights: list[int]) -> int:
    return sum(int(d) * w for d, w in zip(body, weights, strict=True))


def grouped(text: str, sizes: list[int], by: str) -> str:
    parts, at = [], 0
    for size in sizes:
        parts.append(text[at : at + size])
        at += size
    return by.join(part for part in [*parts, text[at:]] if part)


def other_digit(rng: Random, text: str) -> str:
    """The same with the last digit, and so the check, wrong."""
    place = max(i for i, c in enumerate(text) if c.isdigit())
    return text[:place] + str((int(text[place]) + rng.randint(1, 9)) % 10) + text[place + 1 :]


def iban(rng: Random) -> str:
    country = rng.choice(sorted(IBAN_LENGTHS))
    n = IBAN_LENGTHS[country] - 4
    body = (
        ("WEST" + digits(rng, n - 4))
        if country == "GB"
        else ("ABNA" + digits(rng, n - 4))
        if country == "NL"
        else digits(rng, n)
    )
    number = "".join(str(int(c, 36)) for c in body + country + "00")
    whole = f"{country}{98 - int(number) % 97:02d}{body}"
    style = rng.randrange(5)
    if style == 0:
        return whole
    if style == 1:
        return whole.lower()
    return grouped(whole, [4] * 7, {2: " ", 3: "\u00a0", 4: "-"}[style])


def card(rng: Random) -> str:
    prefix = rng.choice(["4539", "4716", "5218", "5412", "2221", "2200", "2204", "3714", "6011", "4000"])
    body = prefix + digits(rng, (14 if prefix[0] == "3" else 15) - len(prefix))
    whole = body + luhn(body)
    by = rng.choice(["", " ", "-", " "])
    return grouped(whole, [4, 6, 5] if len(whole) == 15 else [4, 4, 4, 4], by)


def _date(rng: Random) -> tuple[str, str, str]:
    return f"{rng.randint(1, 28):02d}", f"{rng.randint(1, 12):02d}", f"{rng.randint(1935, 2005)}"


def personnummer(rng: Random, *, moved: int = 0) -> str:
    day, month, year = _date(rng)
    body = year[2:] + month + f"{int(day) + moved:02d}" + digits(rng, 3)
    whole = body[:6] + "-" + body[6:] + luhn(body)
    return year[:2] + whole if rng.random() < 0.5 else whole


def personnummer_plain(rng: Random) -> str:
    return personnummer(rng).replace("-", "")


def samordning(rng: Random) -> str:
    return personnummer(rng, moved=60)


def fodselsnummer(rng: Random) -> str:
    while True:
        day, month, year = _date(rng)
        body = day + month + year[2:] + digits(rng, 3)
        first = -weighted(body, [3, 7, 6, 1, 8, 9, 4, 5, 2]) % 11
        second = -weighted(f"{body}{first % 10}", [5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11
        # the three digits tell the century: 000-499 stand for 1900-1999, 500-999 for 2000-2039
        if first < 10 and second < 10 and (int(body[6:9]) < 500) == (year < "2000"):
            whole = f"{body}{first}{second}"
            return rng.choice([whole, whole[:6] + " " + whole[6:]])


def hetu(rng: Random) -> str:
    day, month, year = _date(rng)
    number = f"{rng.randint(2, 899):03d}"
    check = HETU[int(day + month + year[2:] + number) % 31]
    mark = rng.choice("ABCDEF") if year >= "2000" else rng.choice("---YXWVU")
    return f"{day}{month}{year[2:]}{mark}{number}{check}"


def isikukood(rng: Random) -> str:
    day, month, year = _date(rng)
    body = rng.choice("34" if year < "2000" else "56") + year[2:] + month + day + digits(rng, 3)
    check = weighted(body, [1, 2, 3, 4, 5, 6, 7, 8, 9, 1]) % 11
    if check == 10:
        check = weighted(body, [3, 4, 5, 6, 7, 8, 9, 1, 2, 3]) % 11 % 10
    return f"{body}{check}"


def inn(rng: Random) -> str:
    body = rng.choice(["77", "78", "50", "66"]) + digits(rng, 8)
    body += str(weighted(body, [7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11 % 10)
    return body + str(weighted(body, [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11 % 10)


def snils(rng: Random) -> str:
    body = digits(rng, 9, first="123456789")
    check = weighted(body, list(range(9, 0, -1))) % 101 % 100
    return f"{body[:3]}-{body[3:6]}-{body[6:]} {check:02d}"


def snils_plain(rng: Random) -> str:
    return snils(rng).replace("-", "").replace(" ", "")


def nhs(rng: Random) -> str:
    while True:
        body = digits(rng, 9, first="4567")
        check = -weighted(body, list(range(10, 1, -1))) % 11
        if check < 10:
            whole = f"{body}{check}"
            return rng.choice([whole, f"{whole[:3]} {whole[3:6]} {whole[6:]}", f"{whole[:3]}-{whole[3:6]}-{whole[6:]}"])


def sin(rng: Random) -> str:
    body = digits(rng, 8, first="1234567")
    return grouped(body + luhn(body), [3, 3, 3], rng.choice([" ", "-"]))


def ssn(rng: Random) -> str:
    return f"{rng.randint(101, 665)}-{rng.randint(11, 99)}-{rng.randint(1001, 9899)}"


def isbn(rng: Random) -> str:
    body = "978" + digits(rng, 9)
    check = -sum(int(d) * (3 if i % 2 else 1) for i, d in enumerate(body)) % 10
    return rng.choice([f"{body}{check}", grouped(f"{body}{check}", [3, 1, 4, 4, 1], "-")])


def imei(rng: Random) -> str:
    body = "35" + digits(rng, 12)
    return body + luhn(body)


def order(rng: Random) -> str:
    return digits(rng, rng.choice([8, 10, 11, 12]), first="123456789")


def version(rng: Random) -> str:
    return f"{rng.randint(1, 30)}.{rng.randint(0, 99)}.{rng.randint(0, 9999)}-{digits(rng, 8)}"


def tracking(rng: Random) -> str:
    return rng.choice(["RR" + digits(rng, 9) + "SE", "1Z" + digits(rng, 16), "JJFI" + digits(rng, 17), "00" + digits(rng, 18)])


def amount(rng: Random) -> str:
    return rng.choice([f"{rng.randint(1, 99)} {digits(rng, 3)} {digits(rng, 3)},50", f"{digits(rng, 7, first='123')}.00"])


def stamp(rng: Random) -> str:
    day, month, year = _date(rng)
    return rng.choice(
        [f"{year}-{month}-{day} 14:30:05", f"{day}{month}{year[2:]}-{digits(rng, 4)}.log", f"{year}{month}{day}T143005"]
    )


def phone(rng: Random) -> str:
    return rng.choice(
        [f"+46 70 {digits(rng, 3)} {digits(rng, 2)} {digits(rng, 2)}", f"040-{digits(rng, 7)}", f"8 800 {digits(rng, 3)}-55-35"]
    )


def bad_iban(rng: Random) -> str:
    return other_digit(rng, iban(rng))


def bad_card(rng: Random) -> str:
    return other_digit(rng, card(rng))


def bad_personnummer(rng: Random) -> str:
    return other_digit(rng, personnummer(rng))


def bad_hetu(rng: Random) -> str:
    good = hetu(rng)
    return good[:-1] + rng.choice([c for c in HETU if c != good[-1]])


def bad_snils(rng: Random) -> str:
    return other_digit(rng, snils(rng))


def bad_inn(rng: Random) -> str:
    return other_digit(rng, inn(rng))


def bad_nhs(rng: Random) -> str:
    return other_digit(rng, nhs(rng))


def bad_sin(rng: Random) -> str:
    return other_digit(rng, sin(rng))


def bad_ssn(rng: Random) -> str:
    return rng.choice(["000", "666", "912"]) + ssn(rng)[3:]
