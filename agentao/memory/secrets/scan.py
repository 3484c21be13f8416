"""Finds secrets in text: providers' keys, private keys, passwords in URLs and assignments, cards, seed phrases. Pure.

Most patterns are tried only where a literal stands that gives them away. They compile at first use, and none can
backtrack without bound.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from agentao.memory.secrets.names import EVIDENT_MIN_CHARS, EVIDENT_RUN, Rows, Span, find_named
from agentao.memory.secrets.shapes import APART, BOUND, SHAPES, UNANCHORED_MIN_CHARS
from agentao.memory.secrets.values import PASSWORD, WORD, is_plausible, is_random, is_stand_in, judge
from agentao.memory.secrets.views import View, joined, lowered, read
from agentao.memory.secrets.words import NAMES
from agentao.memory.text import compiled

_RUN = r"[a-z0-9_+/=.~%:$?&@-]{16,}"
_PEM = (
    r"-{2,10}[ ]?BEGIN[ A-Z0-9]{0,40}(?:PRIVATE KEY|SECRET KEY|Static key V1|STATIC KEY V1)(?: BLOCK)?[ ]?-{2,10}"
    r"(?:(?:\\[nr]|[\s\w+/=:,.\"'>|-]){0,9000}?-{2,10}[ ]?END[ \w]{4,40}-{2,10}|(?:\\[nr]|[\s\w+/=]){0,9000})"
)
_URL = r"(?<![A-Za-z0-9])([A-Za-z][A-Za-z0-9+.-]{1,24})://([^\s/@:\"'<>]{0,120}):([^\s@/\"'<>]{1,200}(?:[^\s@\"'<>]{0,80}[^\s@\"'<>/])?)@(?=[\w.\[$<{-])"
_URL_TOKEN = r"(?<![A-Za-z0-9])https?://([^\s/@:\"'<>]{16,200})@[\w.-]"
_JWT = r"(?<![\w-])eyJ[\w-]{6,4000}\.(?:eyJ)?[\w-]{6,8000}\.[\w-]{10,4000}"
_BASIC = r"(?i)\bbasic[ ]{1,3}([A-Za-z0-9+/_-]{6,400}={0,2})"
_DOCKER_AUTH = r"(?i)[\"']?\b_?auth[\"']?[ ]{0,2}[:=][ ]{0,2}[\"']?([A-Za-z0-9+/]{8,400}={0,2})"
_DSN = r"(?<![\w:/.-])[\w.+-]{1,60}:([^\s:@/\"'<>]{3,100})@(?:(?:tcp|unix|udp)?\(|[\w.-]{1,100}:\d{2,5}(?!\d))"
_ORACLE = r"(?<![\w/.-])[\w$#]{1,30}/([^\s/@\"'<>]{4,60})@(?://)?[\w.-]{1,100}:\d{4,5}"
_PGPASS = r"(?m)^[\w.*-]{1,100}:(?:\d{2,5}|\*):[\w.*-]{1,60}:[\w.*-]{1,60}:(\S{4,100})$"
_PGPASS_COLONS = 4
_NETRC = r"(?i)\blogin\s{1,4}\S{1,80}\s{1,4}password\s{1,4}(\S{4,100})"
_WIFI_QR = r"WIFI:(?:[TSHR]:[^;]{0,80};){0,4}P:([^;\s]{4,80});"
_OTPAUTH = r"(?i)otpauth://[^\s?]{0,200}\?[^\s]{0,300}?secret=([A-Z2-7]{12,128})"
_OTP_SEED = (
    r"(?i)(?:totp|2fa|mfa|otp|authenticator|two[- ]factor|google auth\w*|两步验证|两步|二次验证|动态口令"
    r"|验证器)[^\n]{0,40}?(?-i:(?<![A-Za-z0-9])((?=[A-Z2-7 ]{0,30}[2-7])[A-Z2-7]{16,64}"
    r"|(?:[A-Z2-7]{4}[ -]){3,15}[A-Z2-7]{4}|(?:[a-z2-7]{4}[ ]){3,15}[a-z2-7]{4})(?![A-Za-z0-9]))"
)
_CODE = (
    r"(?:(?=[\w-]{0,60}\d)[A-Za-z0-9]{4,8}(?:-[A-Za-z0-9]{4,8}){1,5}|(?=[a-z0-9]{0,16}\d)(?=[a-z0-9]{0,16}[a-z])"
    r"[a-z0-9]{8,16}|\d{4}[ ]\d{4}|\d{8})"
)
_RECOVERY = (
    r"(?i)(?:(?:recovery|backup|rescue|scratch|emergency)[ _-](?:codes?|keys?)|恢复码|恢复密钥|备用码|备用验证码"
    r"|救援码)[^\n]{0,40}?\n?[ \t*-]{0,6}"
    rf"(?-i:(?<![\w-])({_CODE}(?:[,;、\s][ ]?{_CODE}){{0,15}})(?![\w-]))"
)
_COOKIE = (
    r"(?i)(?:(?<![A-Za-z])(?:jsessionid|phpsessid|sessionid|session_?token|connect\.sid|asp\.net_sessionid"
    r"|_session_id|remember_token|laravel_session|sessdata|bduss|stoken|wordpress_logged_in\w{0,40}"
    r"|__secure-[\w.-]{1,40}|__host-[\w.-]{1,40}|auth_token|sid|session|li_at|ct0|xs|datr)=)([\w%.+/~:|-]{12,2000})"
)
_CARD = r"(?<![\d.-])(?:\d{4}([ -]?)\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?|3[47]\d{2}([ -]?)\d{6}\2\d{5})(?![\d.]\d|\d|-\d)"
_CARD_DIGITS = r"\d[\d -]{13}"
_CARD_WORDS = (
    r"(?i)\b(?:cards?|visa|master ?card|amex|american express|unionpay|discover|credit|debit|cvv2?|cvc2?|expiry"
    r"|expires|exp|payment)\b|卡|信用|银联|支付|付款|有效期"
)
_SEED_WORDS = (
    r"seed[ _-](?:phrase|words)|recovery[ _-](?:phrase|words)|backup[ _-](?:phrase|words)|secret[ _-](?:phrase|words)"
    r"|wallet[ _-](?:phrase|words)|wallet seed|mnemon[iıİ]c|助记词|种子短语|种子词|恢复短语|记忆词|ニーモニック"
)
_SEED_LIST = r"(?<![\w-])(?:\d{1,2}[.)][ ]?)?[a-z]{3,8}(?:[,，]?\s{1,4}(?:\d{1,2}[.)][ ]?)?[a-z]{3,8}){11,23}(?![\w-])"
_SEED_LIST_ZH = r"[\u4e00-\u9fff](?:[ ][\u4e00-\u9fff]){11,23}"
_NOT_SEED_TEXT = (
    "the and for are was were has had not but from been with our its his her she they them than also into over these"
    " those which while would could should their your after before because since until being does did how why who"
    " whom any each per via non yet nor let using uses user users file files"
)
_NOT_SEED = frozenset(_NOT_SEED_TEXT.split())
_SEED_MIN_CHARS = 12 + 11
_SEED_COUNTS = (12, 15, 18, 21, 24)
_CODES = (
    (
        "otp|2fa|mfa|authent|two-factor|two factor|google auth|两步|二次验证|动态口令|验证器",
        _OTP_SEED,
        "one-time-password seed",
    ),
    (
        "|".join(
            f"{word}{link}{kind}"
            for word in ("recovery", "backup", "rescue", "scratch", "emergency")
            for link in " _-"
            for kind in ("code", "key")
        )
        + "|恢复码|恢复密钥|备用码|备用验证码|救援码",
        _RECOVERY,
        "recovery code",
    ),
    ("phrase|words|mnemon|wallet seed|助记词|短语|种子词|记忆词|ニーモニック", _SEED_WORDS, "seed phrase"),
)
"""Literals one of which stands in whatever the pattern matches, the pattern, the kind. (To a pattern, a dotless i is an
i, too: no literal has one.) The last pattern finds words that a phrase follows."""
_COMMANDS = (
    ("sshpass", r"sshpass\s+-p[ ]?[\"']?([^\s\"']{3,100})"),
    ("mysql maria", r"(?:mysql|mariadb)(?:dump|admin|import|sh)?\b[^\n|;]{0,160}?\s-p[\"']?([^\s\"'-][^\s\"']{2,100})"),
    ("login", r"\blogin\b[^\n|;]{0,160}?\s-p[ =][\"']?([^\s\"'-][^\s\"']{2,100})"),
    (
        "curl",
        r"\bcurl\b[^\n|;]{0,300}?\s(?:-u|--user|--proxy-user)[ =]?[\"']?[^\s:\"']{0,80}:([^\s\"'@]{3,100})",
    ),
    ("redis-cli", r"redis-cli\b[^\n|;]{0,160}?\s-a[ ][\"']?([^\s\"'-][^\s\"']{3,100})"),
    ("mongo", r"mongo\w{0,10}\b[^\n|;]{0,160}?\s-p[ ]?[\"']?([^\s\"'-][^\s\"']{3,100})"),
    ("ldap", r"ldap\w{3,8}\b[^\n|;]{0,200}?\s-w[ ][\"']?([^\s\"'-][^\s\"']{3,100})"),
    ("sqlcmd bcp", r"(?:sqlcmd|bcp|isql)\b[^\n|;]{0,160}?\s-P[ ]?[\"']?([^\s\"'-][^\s\"']{3,100})"),
    ("7z zip rar", r"\b(?:7za?|unzip|zip|rar|unrar)\b[^\n|;]{0,120}?\s-[pP][ ]?[\"']?([^\s\"'-][^\s\"']{3,100})"),
    ("htpasswd", r"htpasswd\b[^\n|;]{0,40}-\w*b\w*\s\S+\s\S+\s[\"']?([^\s\"']{3,100})"),
    (
        "smb rdesktop xfreerdp",
        r"(?:-U[ ]?[\"']?[\w\\.-]{1,60}%|/p:|rdesktop\b[^\n]{0,80}\s-p[ ])[\"']?([^\s\"']{4,100})",
    ),
    (
        "net",
        r"net\s+use\b[^\n]{0,120}/user:\S+\s+[\"']?([^\s\"'/]{4,100})|net\s+user\s+\S+\s+[\"']?([^\s\"'/]{4,100})",
    ),
    ("openssl", r"-(?:passin|passout|pass|k)\s+(?:pass:)?[\"']?([^\s\"':-][^\s\"':]{3,100})"),
    ("storepass keypass", r"-(?:storepass|keypass)\s+[\"']?([^\s\"'-][^\s\"']{3,100})"),
    ("chpasswd", r"echo\s+[\"']?[\w.-]{1,40}:([^\s\"']{3,100})[\"']?\s*\|\s*(?:sudo\s+)?chpasswd"),
    ("requirepass masterauth", r"\b(?:requirepass|masterauth)\s+[\"']?([^\s\"']{4,200})"),
    ("授权码", r"授权码[^\nA-Za-z]{0,6}([A-Za-z]{16})(?![A-Za-z])"),
    (
        "@",
        r"[\w.+-]{1,60}@[\w-]{1,60}(?:\.[\w-]{1,60}){1,4}(?::|[ ]{1,2}[/|:]?["
        r" ]{0,2})((?=[^\s]{0,40}\d)(?=[^\s]{0,40}[A-Za-z])[A-Za-z0-9!@#$%^&*]{1,30}[!@#$%^&*][^\s\"']{0,30})",
    ),
    ("securestring", r"(?i)ConvertTo-SecureString\s+(?:-String\s+)?[\"']([^\"'\n]{3,100})"),
    ("sqlplus", r"sqlplus\s+(?:-\w{1,10}\s{1,4}){0,4}[\w$#]{1,30}/([^\s/@\"']{3,60})"),
    ("-stdin", r"(?:echo|printf)\s+(?:-n\s+)?[\"']?([^\s\"'|]{4,100})[\"']?\s*\|[^\n|]{0,80}-stdin"),
    ("sudo", r"echo\s+[\"']?([^\s\"'|]{4,100})[\"']?\s*\|\s*sudo\s+-S"),
)


_LOGIN_TOOLS = ("docker", "podman", "oc", "az", "cf", "helm", "skopeo", "buildah")


@dataclass(frozen=True, slots=True)
class Finding:
    """One secret: what kind it is (words for a message) and where it stands in the text that was searched."""

    kind: str
    start: int
    end: int


_BLOCK_SIGNS = ("begin", "putty-user-key-file", "eyj", "ls0tls1crudjti")
_LOGIN_SIGNS = ("@", "basic ", "auth", "password", "wifi:", "cookie", "sess", "bduss")
"""Without any of them, ``_block_spans`` and ``_login_spans`` find nothing: small letters of what these look for."""


class _ShapeSigns(NamedTuple):
    """What in a text could be a provider's key or token, or (``evident``) a long random value."""

    apart: Rows
    shapes: Rows
    unanchored: bool
    evident: bool


class _Signs(NamedTuple):
    """What in a text could give a secret away; nothing else needs to be looked for in any part of it."""

    names: Rows
    commands: Rows
    codes: Rows
    shapes: _ShapeSigns
    block: bool
    login: bool
    cards: bool
    plain: set[str]


@cache
def _tables() -> tuple[Rows, Rows, Rows, Rows]:
    """The literals of names, of commands, of codes, and of those shapes that something may part from the value."""
    return (
        tuple((literal, at) for at, row in enumerate(NAMES) for literal in row[1].split("|")),
        tuple((literal, at) for at, row in enumerate(_COMMANDS) for literal in row[0].split()),
        tuple((literal, at) for at, row in enumerate(_CODES) for literal in row[0].split("|")),
        tuple((literal, at) for at, row in enumerate(SHAPES) for literal in row[1].split() if literal in APART),
    )


@cache
def _plain_tables() -> tuple[Rows, ...]:
    return tuple(tuple(row for row in rows if row[0].isascii()) for rows in _tables())


@cache
def _heads() -> dict[tuple[str, ...], list[tuple[str, int]]]:
    """The literals of the other shapes, by their first two letters."""
    heads: dict[tuple[str, ...], list[tuple[str, int]]] = {}
    for place, row in enumerate(SHAPES):
        for literal in row[1].split():
            if literal != "*" and literal not in APART:
                heads.setdefault((literal[0], literal[1]), []).append((literal, place))
    return heads


def _signs(low: str) -> _Signs:
    tables = _plain_tables() if low.isascii() else _tables()
    names, commands, codes = (tuple([row for row in rows if row[0] in low]) for rows in tables[:3])
    has = low.__contains__
    return _Signs(
        names,
        commands,
        codes,
        _shape_signs(low),
        block=any(map(has, _BLOCK_SIGNS)),
        login=bool(commands) or low.count(":") >= _PGPASS_COLONS or any(map(has, _LOGIN_SIGNS)),
        cards=compiled(_CARD_DIGITS).search(low) is not None,
        plain=set(),
    )


def _shape_signs(low: str) -> _ShapeSigns:
    runs = _runs(low)
    together, heads = " ".join(runs), _heads()
    near = [row for head in heads.keys() & set(pairwise(together)) for row in heads[head]]
    longest = max(map(len, runs), default=0)
    return _ShapeSigns(
        apart=tuple([row for row in _tables()[3] if row[0] in low]),
        shapes=tuple([row for row in near if row[0] in together]),
        unanchored=longest >= UNANCHORED_MIN_CHARS,
        evident=longest >= EVIDENT_MIN_CHARS and compiled(EVIDENT_RUN).search(together) is not None,
    )


def _standing(rows: Rows, low: str) -> dict[int, None]:
    """The places of those rows whose literal stands in the text, each once."""
    return dict.fromkeys([place for literal, place in rows if literal in low])


def _runs(low: str) -> list[str]:
    """Stretches that could hold a token."""
    found: list[str] = compiled(_RUN).findall(low)
    return found


@cache
def _shape(place: int) -> tuple[bool, re.Pattern[str]]:
    """Whether the literal must begin a word, and the pattern without that condition: so the search is a fast one."""
    pattern = SHAPES[place][2]
    return pattern.startswith(BOUND), re.compile(pattern.removeprefix(BOUND), re.ASCII)


_UNANCHORED = tuple(place for place, row in enumerate(SHAPES) if row[1] == "*")


def find_secrets(text: str) -> list[Finding]:
    """Every secret in the text, in the order of the text; spans may overlap."""
    return next(find_secrets_in([text]))


def find_secrets_in(texts: Iterable[str]) -> Iterator[list[Finding]]:
    """``find_secrets`` for each of the texts. A literal that stands in none of them is looked for only once."""
    views = [read(text) for text in texts]
    lows = [lowered(view.text) for view in views]
    longest = max(lows, key=len, default="")
    signs = _signs("\n".join([longest, *[low for low in lows if low not in longest]]))
    for view, low in zip(views, lows, strict=True):
        yield _find(view, low, signs)


def _find(view: View, low: str, signs: _Signs) -> list[Finding]:
    found = [Finding(kind, *view.span(start, end)) for kind, start, end in _spans(view.text, low, signs)]
    one = joined(view)
    if one is not None:
        low = lowered(one.text)
        found += [Finding(kind, *one.span(at, end)) for kind, at, end in _shape_spans(one.text, low, _shape_signs(low))]
        found += [Finding("JWT", *one.span(*m.span())) for m in compiled(_JWT).finditer(one.text)]
    return sorted(found, key=lambda finding: (finding.start, -finding.end))


def mask(text: str) -> str:
    """The text with every secret replaced by ``[kind removed]``."""
    out: list[str] = []
    at = 0
    for finding in find_secrets(text):
        if finding.end <= at:
            continue
        if finding.start >= at:
            out += [text[at : finding.start], f"[{finding.kind} removed]"]
        at = finding.end
    return "".join([*out, text[at:]])


def _spans(text: str, low: str, signs: _Signs) -> Iterator[Span]:
    yield from _shape_spans(text, low, signs.shapes)
    if signs.block:
        yield from _block_spans(text)
    if signs.login:
        yield from _login_spans(text, low, signs)
    yield from _code_spans(text, low, signs)
    if signs.names or (signs.shapes.evident and len(text) >= EVIDENT_MIN_CHARS):
        yield from find_named(text, low, signs.names, signs.plain)


def _shape_spans(text: str, low: str, signs: _ShapeSigns) -> Iterator[Span]:
    if not (signs.apart or signs.shapes or signs.unanchored):
        return
    places = set(_standing(signs.apart, low))
    if signs.unanchored:
        places.update(_UNANCHORED)
    if signs.shapes:
        places.update(_standing(signs.shapes, " ".join(_runs(low))))
    for place in sorted(places):
        kind = SHAPES[place][0]
        bounded, pattern = _shape(place)
        for match in pattern.finditer(text):
            if bounded and match.start() and text[match.start() - 1].isalnum() and text[match.start() - 1].isascii():
                continue
            if is_plausible(match.group(1)):
                yield kind, match.start(), match.end()


def _block_spans(text: str) -> Iterator[Span]:
    if "--" in text and "BEGIN" in text:
        for match in compiled(_PEM).finditer(text):
            if re.search(r"[A-Za-z0-9+/]{20}", match.group()[match.group().index("BEGIN") :]):
                yield "private key", match.start(), match.end()
    if "PuTTY-User-Key-File" in text and "Private-Lines" in text:
        start = text.index("Private-Lines")
        yield "private key", start, len(text)
    if "eyJ" in text:
        for match in compiled(_JWT).finditer(text):
            yield "JWT", match.start(), match.end()
    if "LS0tLS1CRUdJTi" in text:
        for match in compiled(r"LS0tLS1CRUdJTi[A-Za-z0-9+/]{20,9000}={0,2}").finditer(text):
            if "PRIVATE KEY" in _decoded(match.group()[:120]):
                yield "private key", match.start(), match.end()


def _login_spans(text: str, low: str, signs: _Signs) -> Iterator[Span]:
    """Passwords whose place gives them away: in addresses, in headers, behind options of known commands."""
    if "://" in text and "@" in text:
        for match in compiled(_URL).finditer(text):
            user, password = match.group(2, 3)
            if _is_password(password) and password != user and not password.split("/")[0].isdigit():
                yield "password in an address", match.start(3), match.end(3)
        for match in compiled(_URL_TOKEN).finditer(text):
            if is_random(match.group(1)) and "sentry" not in low:
                yield "token in an address", match.start(1), match.end(1)
    if "@" in text:
        for pattern in (_DSN, _ORACLE):
            for match in compiled(pattern).finditer(text):
                if judge(match.group(1)) >= PASSWORD:
                    yield "password in an address", match.start(1), match.end(1)
    for word, pattern in (("basic ", _BASIC), ("auth", _DOCKER_AUTH)):
        if word in low and (word != "auth" or compiled(r"auth[\"']?[ ]{0,2}[:=]").search(low)):
            for match in compiled(pattern).finditer(text):
                user, colon, password = _decoded(match.group(1)).partition(":")
                if colon and user.isprintable() and password.isprintable() and _is_password(password):
                    yield "password in a header", match.start(1), match.end(1)
    for word, pattern in ((":", _PGPASS), ("password", _NETRC), ("wifi:", _WIFI_QR), ("otpauth:", _OTPAUTH)):
        if word in low and (word != ":" or low.count(":") >= _PGPASS_COLONS):
            for match in compiled(pattern).finditer(text):
                if judge(match.group(1)) >= WORD and not is_stand_in(match.group(1)):
                    yield "password", match.start(1), match.end(1)
    for place in _standing(signs.commands, low):
        if _COMMANDS[place][0] == "login" and not any(map(low.__contains__, _LOGIN_TOOLS)):
            continue
        for match in compiled(_COMMANDS[place][1]).finditer(text):
            group = match.lastindex or 0
            if _is_password(match.group(group).rstrip(".,;)")):
                yield "password on a command line", match.start(group), match.end(group)
    if "=" in text and ("cookie" in low or "sess" in low or "bduss" in low):
        for match in compiled(_COOKIE).finditer(text):
            if is_random(match.group(1), 12) or compiled(r"(?=.*\d)[0-9a-fA-F]{16,}$").match(match.group(1)):
                yield "session cookie", match.start(1), match.end(1)


def _code_spans(text: str, low: str, signs: _Signs) -> Iterator[Span]:
    """Card numbers, one-time-password seeds, recovery codes, seed phrases."""
    if signs.cards and compiled(_CARD_DIGITS).search(text):
        for match in compiled(_CARD).finditer(text):
            grouped = bool(match.group(1) or match.group(2))
            if _is_card(re.sub(r"\D", "", match.group())) and (
                grouped or compiled(_CARD_WORDS).search(low) or text.strip() == match.group()
            ):
                yield "card number", match.start(), match.end()
    named = False
    for place in _standing(signs.codes, low) if signs.codes else ():
        _, pattern, kind = _CODES[place]
        if pattern is _SEED_WORDS:
            named = bool(compiled(pattern).search(low))
            continue
        for match in compiled(pattern).finditer(text):
            if not is_stand_in(match.group(1)):
                yield kind, match.start(1), match.end(1)
    count = len(text.split()) if len(text) >= _SEED_MIN_CHARS else 0
    if count < 12:
        return
    if named or count in _SEED_COUNTS:
        for match in compiled(_SEED_LIST).finditer(text):
            phrase = compiled(r"[a-z]{3,8}").findall(match.group())
            whole = len(phrase) == count
            if (named or whole) and _NOT_SEED.isdisjoint(phrase) and len(set(phrase)) >= len(phrase) - 3:
                yield "seed phrase", match.start(), match.end()
    if named:
        for match in compiled(_SEED_LIST_ZH).finditer(text):
            yield "seed phrase", match.start(), match.end()


def _is_password(value: str) -> bool:
    """What stands where only a password can: anything that is no stand-in."""
    plain = value.strip("[]()").lower()
    stand_ins = ("password", "passwd", "pass", "pwd", "pw", "secret", "token", "user", "username", "changeme", "p")
    return (
        len(value) >= 3
        and not is_stand_in(value)
        and plain not in stand_ins
        and not compiled(r"^[A-Z][A-Z_]{2,}$").match(value)
    )


def _is_card(digits: str) -> bool:
    """A card network's number range and a right check digit (Luhn). Source: ISO/IEC 7812."""
    if not compiled(r"4|5[1-5]|2[2-7]|3[47]|35|6011|64|65|62").match(digits) or len(set(digits)) < 4:
        return False
    total = 0
    for place, char in enumerate(reversed(digits)):
        digit = int(char) * (2 if place % 2 else 1)
        total += digit - 9 if digit > 9 else digit
    return total % 10 == 0


def _decoded(text: str) -> str:
    """The text that base 64 stands for; empty when it is none."""
    padded = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(padded + "=" * (-len(padded) % 4), validate=True).decode("utf-8")
    except ValueError:
        return ""
