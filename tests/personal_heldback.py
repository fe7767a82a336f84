"""Sentences on secrets, identifiers and special categories that the rules were not written against.

They were written before the rules and are only counted.  Shapes of keys are put together here, so that no tool that
scans a repository takes them for real.
"""

from __future__ import annotations

# (text, what has to be masked in it, or None)
SECRETS: list[tuple[str, str | None]] = [
    ("Hey, quick one: my Netflix password is tr0ub4dor and my sister keeps changing it.", "tr0ub4dor"),
    ("I reset the router, the new wifi password is Bluebird!77", "Bluebird!77"),
    ("Could you store this: the PIN of my bank card is 8043.", "8043"),
    ("They texted me, the verification code is 551902", "551902"),
    ("For the payment use 5555 5555 5555 4444, expiry 04/29", "5555 5555 5555 4444"),
    ("and the cvc is 731 if they ask", "731"),
    ("Deploy fails. OPENAI_API_KEY=" + "sk-" + "Zx81kQpLm20vTyRa93bN" + " is set in the shell", "sk-" + "Zx81kQpLm20vTyRa93bN"),
    ("The db lives at postgres://app:w0lfram@10.0.0.5:5432/shop", "w0lfram"),
    (
        "Here is the GitHub token " + "ghp_" + "R7sK2mQ9vB4nX1cZ8lT5wY3pJ6hG0dFaEuLo",
        "ghp_" + "R7sK2mQ9vB4nX1cZ8lT5wY3pJ6hG0dFaEuLo",
    ),
    ("I changed my login password from sunflower9 to marigold12 yesterday", "marigold12"),
    ("mitt lösenord är Fjallraven22", "Fjallraven22"),
    ("salasanani on kissa1234", "kissa1234"),
    ("мой пароль: Zvezda2020", "Zvezda2020"),
    ("moonlight99 is my laptop password, please do not lose it", "moonlight99"),
    ("curl -H 'Authorization: Bearer " + "a8f3Kd92LmQ0xPz7Yt5W" + "' https://api.example.org/v1/me", "a8f3Kd92LmQ0xPz7Yt5W"),
    ("The passphrase of my key is purple elephants dance slowly.", "purple elephants dance slowly"),
    ("I forgot my password again and had to call support.", None),
    ("Our company changed the password rules: at least twelve characters.", None),
    ("My order number is 4029 3381 7756 and it has not shipped.", None),
    ("The fix is in commit 9fceb02d0ae598e95dc970b74767f19372d61af8.", None),
    ("ISBN 978-3-16-148410-0 is the one I want to read.", None),
    ("I pinned the recipe, it takes 4500 grams of flour.", None),
    ("The token economy of that game is broken.", None),
    ("My secret to good bread is patience.", None),
    ("The error code is 5031 and then the app restarts.", None),
    ("A password manager is on my list for this year.", None),
    ("The zip code of my new flat is 00530.", None),
    ("I keep my passport in the drawer, it expires in 2031.", None),
]

# (text, the kind of identifier in it, or None)
IDENTIFIERS: list[tuple[str, str | None]] = [
    ("Send the rent to DE89 3704 0044 0532 0130 00 please.", "iban"),
    ("You can write to me at jo.lind@example.se any time.", "email"),
    ("My number is +46 70 174 06 05, call after six.", "phone"),
    ("My personal code is 131052-308T.", "national_id"),
    ("I live at 14 Maple Street, Bristol.", "address"),
    ("The parcel weighed 12.5 kg and cost 45,90.", None),
    ("We scored 1312 points in 2024.", None),
]

# (text, whether it belongs to a special category)
SPECIAL: list[tuple[str, bool]] = [
    ("User was diagnosed with asthma", True),
    ("User goes to the mosque on Fridays", True),
    ("User is bisexual", True),
    ("User voted for the Social Democrats", True),
    ("User joined the trade union", True),
    ("User was convicted of theft in 2011", True),
    ("User takes antidepressants", True),
    ("User likes jazz", False),
    ("User works at the European Union", False),
    ("User has a meeting with the finance team", False),
    ("User bought a straight razor", False),
]
