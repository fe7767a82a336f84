"""Sentences on secrets, identifiers and special categories, written before the rules and used while writing them."""

from __future__ import annotations

# (text, what has to be masked in it, or None)
SECRETS: list[tuple[str, str | None]] = [
    ("My password is hunter2.", "hunter2"),
    ("By the way the password for the shared drive is Harbour#2019, write it down.", "Harbour#2019"),
    ("password: correcthorse", "correcthorse"),
    ("Log in with user anna and password Xk7!pq", "Xk7!pq"),
    ("Please use Winter2024 as the password for the guest account.", "Winter2024"),
    ("My pin is 4711", "4711"),
    ("the CVV is 123", "123"),
    ("Your one-time code is 482913. Do not share it.", "482913"),
    ("G-482913 is your Google verification code", "482913"),
    ("My card number is 4111 1111 1111 1111.", "4111 1111 1111 1111"),
    ("aws key " + "AKIA" + "Q7RZ4TUVW2XY5LMN", "AKIA" + "Q7RZ4TUVW2XY5LMN"),
    ("the api key is 9f8e7d6c5b4a39281706f5e4d3c2b1a0", "9f8e7d6c5b4a39281706f5e4d3c2b1a0"),
    ("mongodb+srv://admin:pa55word@cluster0.example.net/test", "pa55word"),
    ('config = {"password": "opensesame"}', "opensesame"),
    ("-----BEGIN RSA PRIVATE " + "KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE " + "KEY-----", "MIIEowIBAAKCAQEA"),
    ("My password is Fluffy and I live in Oslo.", "Fluffy"),
    ("my seed phrase: apple river stone cloud tiger lemon boat candle", "apple river stone cloud tiger lemon boat candle"),
    ("The password policy is annoying.", None),
    ("My password is too long to remember.", None),
    ("The password is wrong again.", None),
    ("I changed my password to something safer.", None),
    ("My password is my dog's name.", None),
    ("What is your password policy?", None),
    ("I need a PIN for the new card.", None),
    ("Order 4556 7375 8689 9855 1 is late.", None),
    ("def login(user: str, password: str) -> None: ...", None),
    ("password = os.environ['DB_PASSWORD']", None),
    ("The merge commit is 3b18e512dba79e4c8300dd08aeb37f8e728b8dad, no token needed.", None),
    ("He let the cat out of the bag, that was the secret.", None),
    ("The postal code is 90210.", None),
]

# (text, the kind of identifier in it, or None)
IDENTIFIERS: list[tuple[str, str | None]] = [
    ("My IBAN is FI21 1234 5600 0007 85.", "iban"),
    ("Mail me: anna.berg@example.org", "email"),
    ("Call me on +358 40 123 4567.", "phone"),
    ("My personnummer is 811218-9876.", "national_id"),
    ("My SSN is 536-90-4399.", "national_id"),
    ("My SNILS is 112-233-445 95.", "national_id"),
    ("I moved to Storgatan 12.", "address"),
    ("The IBAN FI21 1234 5600 0007 86 was refused.", None),
    ("We were 12 people at 14:30 on 2024-05-14.", None),
]

# (text, whether it belongs to a special category)
SPECIAL: list[tuple[str, bool]] = [
    ("User has diabetes", True),
    ("User is a practising Catholic", True),
    ("User is gay", True),
    ("User is a member of the Green Party", True),
    ("User is a union representative", True),
    ("User spent two years in prison", True),
    ("User has a BRCA mutation", True),
    ("User is of Romani descent", True),
    ("User threw a party on Saturday", False),
    ("User lives in Oslo", False),
    ("User works as a nurse", False),
    ("User wants to see the mass of the planet", False),
]
