"""What a secret is called, and the words between its name and its value, in English, Swedish, Finnish, Russian and a few more.

Invariant: these are sources of patterns only, for texts of any case; a name alone is never a secret.
"""

from __future__ import annotations

import re

PASSWORD = (
    r"(?:pass[ -]?words?|passwds?|pwd|pass[ -]?phrase|pass[ -]?code|wi-?fi (?:key|code)|network key|wpa2? key|seed phrase"
    r"|recovery phrase|mnemonic(?: phrase)?|pw|psw|memorable (?:word|name|place)|(?:safe|code|security)"
    r" ?word|master ?pass|passkey|security answer"
    r"|[^\W\d_]{0,20}-?l[öo]sen|(?:kod|säkerhets|kontroll)ord(?:et)?|salis(?:i|in|ta)?|(?:tunnus|koodi|turva)sana[^\W\d_]{0,4}|пасс?(?:ворд)?"
    r"|[^\W\d_]{0,20}l[öo]sen(?:ord|fras|kod)(?:et|en)?|l[öo]sen(?=\s*[:=])|[^\W\d_]{0,20}(?:återställnings"
    r"|återhämtnings)fras(?:en)?"
    r"|[^\W\d_]{0,20}salasana[^\W\d_]{0,6}|(?:sala|tunnus|palautus|siemen)lause[^\W\d_]{0,6}"
    r"|(?:[^\W\d_]{2,12}-)?парол(?:ь|я|ем|ю|е|и)(?![^\W\d_])|(?:парольн|ключев|кодов)\w{2,3} (?:фраз\w|слов\w)"
    r"|сид-?\s?фраз\w|мнемоническ\w+ фраз\w|фраз\w восстановления"
    r"|parool|passwort|kennwort|mot de passe|contrase[ñn]a|wachtwoord)"
)
# What it is for, between its name and the verb: the shortest stretch that does.
ABOUT = (
    r"(?:\s+(?:for|of|to|on|at|in|with|from|till|för|från|på|i|hos|av|åt|от|для|к|на|у|из)(?:\s+[\w.@'’&-]+){1,6}?"
    r"|(?:\s+(?=[а-яё])[\w-]+){1,3}?)?"
)
IS = r"(?:is|was|are|will be|becomes?|should be|has been|är|var|heter|blir|это|был|будет|так(?:ой|ая|ие)|ist|est|es)"
FINNISH = (
    r"(?:[^\W\d_]{0,20}salasana[^\W\d_]{0,6}|(?:sala|tunnus|palautus|siemen)lause[^\W\d_]{0,6}"
    r"|salis|(?:tunnus|koodi|turva)sana[^\W\d_]{0,4}|parool)"
)
FINNISH_IS = r"(?:on|oli|ovat|taitaa olla|lienee)"
SEED = (
    r"(?:(?:seed|recovery|backup|secret|mnemonic) phrase|mnemonic|[^\W\d_]{0,20}(?:fras|lause)[^\W\d_]{0,6}"
    r"|(?:сид-?\s?)?фраз\w)"
)
PIN = (
    r"(?:pin(?:[ -]?(?:codes?|number|koodi[^\W\d_]{0,12}|kod(?:en)?)|ni|n)?|пин(?:[ -]?код\w?)?"
    r"|tunnusluku[^\W\d_]{0,12}|(?:port|dörr|larm|bankkorts?|kort|lås)kod(?:en)?|(?:ovi|hälytys)koodi[^\W\d_]{0,12}"
    r"|код\w{0,2} (?:от |для )?(?:домофона|подъезда|двери|сейфа|сигнализации|карты))"
)
CVV = (
    r"(?:cvv2?|cvc2?|cvn|card verification (?:code|value|number)|security (?:code|number)"
    r"|(?:säkerhets|kontroll)kod(?:en)?|(?:turva|tarkistus)koodi[^\W\d_]{0,12}|(?:защитный )?код (?:безопасности|проверки)"
    r"|(?:three|four|3|4|last) (?:digits|numbers)(?= (?:on|at) the back)|(?:tre|fyra|3|4) siffror(?:na)?(?= på baksidan)"
    r"|(?:kolme|neljä|3|4) numeroa(?= (?:takana|kortin takana|kääntöpuolella))|(?:три|четыре|3|4) цифры(?= (?:на|с) об\w+))"
)
CVV_PLACE = (
    r"(?:\s+(?:code|number|(?:on|at) the back|of (?:the|my) card|på baksidan|(?:kortin )?takana|kääntöpuolella"
    r"|на обороте|с обратной стороны|карты))*"
)
CODES = (
    r"(?:(?:one[ -]?time|verification|log[ -]?in|sign[ -]?in|auth(?:entication|ori[sz]ation)?|2fa|mfa|two[ -]factor"
    r"|sms|security|recovery|backup|reset|access|unlock|activation|door|gate|alarm|safe|garage|lock|lock ?box)"
    r" (?:pass ?)?codes?|otp(?: code)?"
    r"|(?:engångs|verifierings|bekräftelse|aktiverings|inloggnings|återställnings|reserv|säkerhets)kod(?:en|er|erna)?"
    r"|(?:kertakäyttö|vahvistus|varmistus|aktivointi|kirjautumis|palautus|vara|turva)koodi[^\W\d_]{0,12}"
    r"|(?:резервн|одноразов|проверочн|секретн)\w{2} код\w{0,2}"
    r"|код\w{0,2} (?:подтверждения|активации|восстановления|из (?:смс|sms)))"
)
KEY = (
    r"(?:(?:api|access|secret|client|auth(?:entication|orization)?|refresh|session|private|encryption|signing|webhook|license"
    r"|licence|aws|ssh|deploy|bot|bearer|personal access|csrf)[ _-]?(?:api[ _-]?)?(?:key|token|secret|cookie)(?:[ _-]id)?"
    r"|tokens?|secrets?|credentials?|jwt|apikey"
    r"|(?:[^\W\d_]{1,30}-?)?nyckeln?|[^\W\d_]{0,30}hemlighet(?:en)?|(?:[^\W\d_]{1,30}-)?token(?:in|i|ia|ini)"
    r"|(?:[^\W\d_]{1,30}-)?(?:avain|avaime)[^\W\d_]{0,3}|[^\W\d_]{0,30}salaisuu[^\W\d_]{1,4}|(?:[^\W\d_]{1,30}-)?ключ\w{0,2}"
    r"|(?:[^\W\d_]{1,30}-)?токен\w{0,2}"
    r"|секрет\w{0,2})"
)
LOGIN = (
    r"(?:credentials?|creds|log[ -]?ins?|inloggning(?:en)?|inlogg|tunnu(?:s|kseni|kset)|kirjautuminen|вход|логин|уч[её]тк\w)"
)
# What is said of a password that is given for an example only: "is X a good password?".
JUDGED = re.compile(
    r"(?<!\w)(?:an?|ett|en|any|это)?\s*(?:good|great|strong(?: enough)?|safe|secure|bad|weak|terrible|decent|ok|okay|valid"
    r"|bra|starkt|säkert|dåligt|svagt|hyvä|vahva|turvallinen|huono|heikko|хорош\w\w|надёжн\w\w|надежн\w\w|сложн\w\w|плох\w\w|слаб\w\w)(?!\w)",
    re.IGNORECASE,
)
# What people say of how they chose one ("her dog's name as password"), and no value.
CHOICE = re.compile(
    r"favou?rite|favorit|lempi|pet\Z|(?:name|song|birthday|dates?|title|lyric|number|phrase|nickname|team|word|dog|cat|namn(?:et)?"
    r"|låt(?:en)?|titel|födelsedag(?:en)?|födelsedatum|smeknamn|hund(?:en)?|katt(?:en)?|lag(?:et)?|nimi|nimen|nimeä|syntymäpäivä\w*"
    r"|kappale\w*|имя|имени|кличк\w|дат[ау]|песн[яюи]|рождения|день|фамили\w+)s?\Z",
    re.I,
)
CHANGED = (
    r"(?:(?:chang|set|re-?set|updat|switch|mad|mak|renew|byt|rotat)\w*|ändra\w*|bytte|vaihdo\w*|vaihta\w*|muut\w*"
    r"|(?:с|по|за)мен(?:ял|ил|ю)\w*|измен\w+)"
)
# A question for a secret begins with one of these.
ASKING = (
    r"(?:what|which|enter|type|give|tell|send|need|provide|share|confirm|have|anna|vad|vilke[nt]|säg|skriv|ange|mikä|mitä|kerro"
    r"|syötä|lähetä|как(?:ой|ая|ов|ие)|назови\w*|введи\w*|скажи\w*|пришли\w*|напиши\w*)"
)
