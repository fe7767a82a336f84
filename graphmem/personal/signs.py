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

# One of these stands in every text that has what the lists are named after.
PASSWORD_SIGNS = (
    "pass", "pwd", "pw", "psw", "wi-fi", "wifi", "key", "phrase", "mnemonic", "senord", "lösen", "losen", "fras", "salasana",
    "salis",
    "sana", "lause", "парол", "фраз", "слов", "пас", "parool", "kennwort", "mot de", "contrase", "wachtwoord", "memorable",
    "code word", "säkerhetsord", "kontrollord",
    "codeword", "safeword", "safe word", "safe-word", "security", "secret", "kodord", "maiden", "säkerhetsfr", "turvakys",
    "вопрос",
    "фамили",
)  # fmt: skip
LOGIN_SIGNS = (
    "log", "sign in", "signed in", "sign-in", "user", "creds", "credential", "använd", "tunnu", "kirjaut", "kirjaud", "käyttäj",
    "логин", "учетк", "учётк", "войти", "заход", "вход", "ftp", "vpn", "rdp", "imap", "smtp", "cpanel", "wp-admin", "nas",
    "account", "юзер",
)  # fmt: skip
OPEN_SIGNS = (
    "open", "unlock", "decrypt", "öppna", "låse", "låsa", "dekrypt", "packas", "avautu", "avataan", "auke", "purk", "откр",
    "распак",
    "расшиф", "разблок",
)  # fmt: skip
KEY_WORD_SIGNS = (
    "key", "nyckel", "avain", "avaime", "ключ", "psk", "cod", "licen", "recover", "serial", "activat", "kod", "koodi", "код",
    "лиценз",
    "bitlocker", "filevault", "icloud",
)  # fmt: skip
SWAP_SIGNS = ("changed", "switched", "bytte", "ändrade", "vaihdoin")

_SIGNS = (
    *PASSWORD_SIGNS, *LOGIN_SIGNS, *OPEN_SIGNS, *KEY_WORD_SIGNS, *SWAP_SIGNS, "left", "right", "clockwise", "vänster",
    "höger", "vase", "oikea", "лево", "право",
    *KEY_SIGNS, "pass", "pwd", "pin", "code", "key", "token", "secret", "credential", "creds", "cvv", "cvc", "cvn", "card ver",
    "security", "otp", "phrase", "mnemonic", "bearer", "basic", "://", "login", "log in", "jwt", "-u", "hooks", "wifi", "wi-fi",
    "sig=", "auth=", "kod", "koodi", "senord", "salasana", "парол", "пин", "код", "parool", "kennwort", "mot de", "contrase",
    "wachtwoord", "lösen", "losen", "fras", "lause", "фраз", "tunnu", "avain", "avaime", "salaisuu", "nyckel", "hemlighet",
    "ключ", "секрет", "токен", "inlogg", "kirjaut", "вход", "логин", "учетк", "учётк", "digits",
    "numbers on", "numbers at", "siffror", "numeroa", "цифры",
    "cookie", "sess", "sid", "csrf",
    "xsrf", "auth", "jwt", "sso", "aws", "_api", "dsn", "salt", " -p", " -a ", " -w ", "--", "/p:", "identified by", "wifi:",
    "define(",
    "seed", "admin", "root", "ubnt", "guest", "админ", "to verify", "to confirm", "to sign", "to log", "to complete",
)  # fmt: skip
_LONG_NUMBER = re.compile(r"\d(?:[ \u00a0\u2009\u202f._/–-]?\d){14}")
# Keys whose beginnings are too short to look for by themselves, and an address with something beside it.
KEY_FORMS = re.compile(r"(?:SK|AC)[0-9a-f]{32}|[A-Za-z0-9_-]{24}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27}")
# Digits may be a code, twelve short words a wallet's, four groups of four letters an application's.
_GROUPS = re.compile(
    r"\d[ -]?\d[ -]?[^\W_]|\d-\d|[^\W\d_]\d{2}|\b[a-z]{4}(?:[ -][a-z]{4}){3}\b|\b[a-z]{3,8}(?:[\s,]+[a-z]{3,8}){11}"
)
_MORE_KEYS = re.compile(r"[a-z]{2,}[0-9]?[-_.][a-z0-9]|[a-z0-9]{24}|:\S{3,}@")
_WITH_ADDRESS = re.compile(r"@[\w.-]+\s?[/|:]")


def may_hold_secret(text: str) -> bool:
    """Whether it is worth looking closely; False is certain but for what was asked for in the turn before."""
    low = text.lower()
    return (
        any(sign in low for sign in _SIGNS)
        or _GROUPS.search(text) is not None
        or _MORE_KEYS.search(low) is not None
        or _LONG_NUMBER.search(text) is not None
        or (("." in text or "SK" in text or "AC" in text) and KEY_FORMS.search(text) is not None)
        or ("@" in text and _WITH_ADDRESS.search(text) is not None)
    )
