"""Signs: the quick look that most texts need no more than.

Invariant: every pattern for secrets needs one of these signs, so a text without any holds none that could be found.
"""

from __future__ import annotations

import re

# One of these, in lower case, stands in every key of known form.
KEY_SIGNS = (
    "akia", "asia", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat", "glpat", "sk-", "sk_", "rk_",
    "whsec", "xox", "xapp", "aiza", "ya29", "gocspx", "npm_", "pypi-", "hf_", "dop_v1", "shpat_", "shpss_", "shpca_",
    "sg.", "key-", "age-secret", "eyj", ":aa",
)  # fmt: skip

_SIGNS = (
    *KEY_SIGNS, "pass", "pwd", "pin", "code", "key", "token", "secret", "credential", "creds", "cvv", "cvc", "cvn", "card ver",
    "security", "otp", "phrase", "mnemonic", "bearer", "basic", "://", "login", "log in", "jwt", "-u", "hooks", "wifi", "wi-fi",
    "sig=", "auth=", "kod", "koodi", "senord", "salasana", "парол", "пин", "код", "parool", "kennwort", "mot de", "contrase",
    "wachtwoord", "lösen", "losen", "fras", "lause", "фраз", "tunnu", "avain", "avaime", "salaisuu", "nyckel", "hemlighet",
    "ключ", "секрет", "токен", "inlogg", "kirjaut", "вход", "логин", "учетк", "учётк", "digits",
    "numbers on", "numbers at", "siffror", "numeroa", "цифры",
    "_pw", "pw:", "pw=", "to verify", "to confirm", "to sign", "to log", "to complete",
)  # fmt: skip
_LONG_NUMBER = re.compile(r"\d(?:[ -]?\d){14}")
# Keys whose beginnings are too short to look for by themselves, and an address with something beside it.
KEY_FORMS = re.compile(r"(?:SK|AC)[0-9a-f]{32}|[A-Za-z0-9_-]{24}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27}")
_WITH_ADDRESS = re.compile(r"@[\w.-]+\s?[/|:]")


def may_hold_secret(text: str) -> bool:
    """Whether it is worth looking closely; False is certain but for what was asked for in the turn before."""
    low = text.lower()
    return (
        any(sign in low for sign in _SIGNS)
        or _LONG_NUMBER.search(text) is not None
        or (("." in text or "SK" in text or "AC" in text) and KEY_FORMS.search(text) is not None)
        or ("@" in text and _WITH_ADDRESS.search(text) is not None)
    )
