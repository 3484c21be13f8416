"""Tells a value that looks like a secret from words, names, references, versions, paths and stand-ins. Pure."""

from __future__ import annotations

import re

from agentao.memory.text import compiled

WORD = 1
"""One plain word: a password only where nothing else can stand."""
PASSWORD = 2
"""Letters with digits or signs, or a phrase of words in one piece: a password beside a name that says so."""
RANDOM = 3
"""No person wrote this."""

_NAME_PARTS_TEXT = (
    "password passwords passwd pass pwd passphrase secret secrets token tokens key keys apikey cred creds credential"
    " credentials auth env var vars config settings cfg conf vault ref name field value user username login cert tls"
    " ssl file path url uri id ids header param params arg args manager policy hash service client server prod dev"
    " test tests default my your the app api db"
)
_NAME_PARTS = frozenset(_NAME_PARTS_TEXT.split())
"""Words that make an identifier the name of a thing, not the thing."""

_REFERENCE_ROOTS_TEXT = (
    "settings config cfg conf os env process import self this app ctx context options opts args params props req"
    " request res response data user secrets credentials creds vars var values local module each system environment"
    " constants kwargs state account session client form body headers payload input event deno bun django flask"
    " global globals environ steps github gitlab needs matrix inputs builder spring vault keyring window document"
    " localstorage module parser obj item row record entry model schema z yup joi models types typing sys json yaml"
    " toml package"
)
_REFERENCE_ROOTS = frozenset(_REFERENCE_ROOTS_TEXT.split())

_FILE_ENDINGS_TEXT = (
    "json yaml yml toml py js jsx ts tsx env txt md rst pem key crt cer pub ini cfg conf sh bash zsh go rs java kt"
    " rb php c h cpp cs swift xml html css db sqlite sql log csv lock properties gpg asc age kdbx p12 jks enc tf vue"
    " svelte exe dll so zip tar gz pdf png jpg svg"
)
_FILE_ENDINGS = frozenset(_FILE_ENDINGS_TEXT.split())
_HOST_ENDINGS_TEXT = (
    "com org net io dev internal local localhost corp lan example test cn co uk de fr jp ru eu us app cloud ai me"
    " edu gov svc cluster home intranet xyz tech info biz in nl se no ch at it es"
)
_HOST_ENDINGS = frozenset(_HOST_ENDINGS_TEXT.split())

_TECH_TEXT = (
    "sha md aes des rsa dsa ecdsa hs rs es ps ed utf iso base oauth oidc saml argon argon2id argon2 bcrypt scrypt"
    " pbkdf tls ssl mtls http https ipv pkcs rfc nist sp fips u2f fido webauthn mfa totp hotp otp fa 1password k8s"
    " s3 ec2 auth web p curve x chacha poly blake crc win mp h hmac gpt claude python py node nodejs java jdk log4j"
    " i18n l10n a11y e2e gcm cbc ecb ctr kdf hkdf jwt jws jwe jwk ntlm ntlmv kerberos ldap ldapv scram pg postgres"
    " mysql redis vue angular npm cp arm amd i386 rc beta alpha build rev gen lts jpeg ubuntu debian macos ios"
    " android neo4j n8n d3 b2b b2c wpa wep ssh sshv snmp snmpv imap pop smtp tcp udp socks bip slip eip erc pep cve"
    " ietf pci soc gdpr hipaa v id q step stage phase part page chapter section version issue pr ticket room floor"
    " level plan option day week sprint line port cvss owasp asvs"
)
_TECH = frozenset(_TECH_TEXT.split())


_VARIABLE = (
    r"^[<\[{(].*[>\]})]$|\$\{|\$\(|\{\{|<[a-z][\w -]{0,40}>|^%\w{1,60}%$|^\$[A-Za-z_]\w*$|^\$(?:env|this|_\w+)\b"
    r"|^[:@?][a-z_]\w*$|^%[sd]$|\[[^\]]{0,20}[a-zA-Z]-[zZ]|^![A-Z][A-Za-z]+$|^ENC[\[(]"
)
_CROSSED_OUT = r"\.\.\.|…|\*{3}|•|x{4}|\?{3}|_{4}|-{4}|#{4}|^[x*.?_#-]+$"
_PLACEHOLDER = (
    r"(?:^|[^a-z])(?:yours?|examples?|sample|placeholder|change-?_?me|redacted|removed|masked|hidden|insert|replace|dummy"
    r"|foobar|lorem|goes-?here|not[-_ ]?set|unset|undefined|fill-?_?me)(?:[^a-z]|$)"
    r"|(?:^|[^a-z0-9])(?:foo|bar|todo|tbd|here|goes|n/a|none|null|nil)(?:[^a-z0-9]|$)"
)
_KEPT_ELSEWHERE = (
    r"^(?:op|vault|aws-?sm|ssm|keyring|env|file|secret|secretsmanager|arn|azurekeyvault|gcp|sm|sops|enc|ref|pass|bw|lpass)"
    r"(?::|\()"
)
_STAND_IN = f"(?i){_VARIABLE}|{_CROSSED_OUT}|{_PLACEHOLDER}|{_KEPT_ELSEWHERE}"
_SEQUENCES = (
    "1234567890",
    "0123456789",
    "abcdefghij",
    "0987654321",
    "qwertyuiop",
    "deadbeef",
    "abcdef123",
    "123456789abc",
)
_CODE = r"\w\(|\(\)|=>|::|->|^[A-Za-z_.!]+(?:\|\||&&)|\w[=!]==?\w|\w\[|^[{\[(]"
_DOTTED = r"^[A-Za-z_$][\w$]{0,80}(?:\??\.[A-Za-z_$][\w$]{0,80}){1,12}$"
_IDENTIFIER = r"^[A-Za-z_$@.-][\w$.\-:]*$"
_CONSTANT = r"^[A-Z][A-Z0-9]{0,40}(?:_[A-Z0-9]{1,40}){1,12}$"
_VERSION = r"(?i)^[v=^~<>]{0,3}\d{1,9}(?:\.\d{1,9}){1,8}(?:[-+._a-z][-+._a-z0-9]{0,80})?$|^v\d{1,9}$"
_UNIT = (
    r"(?i)^[<>~≥≤]?\d{1,12}(?:[.,:]\d{1,12}){0,6}(?:-\d{1,12})?-?(?:[kmgt]i?b?|b|bits?|bytes?|m?s|secs?|seconds?"
    r"|mins?|minutes?|hr?s?|hours?|d|days?|w|weeks?|mo|months?|y|yrs?|years?|x|px|r?em|pt|vh|vw|[rqt]ps|rpm|[kmg]?hz"
    r"|v|kw|am|pm|st|nd|rd|th|chars?|characters?|words?|times|tokens?|items?|users?|usd|eur|rmb|c|f|fps|dpi|[mck]m"
    r"|kg|lbs?|oz|cores?|cpus?|digits?|steps?|lines?|pages?|%|°|万|元|位|天|次|个)$|^\d+(?:-\d+)?-[A-Za-z]+$"
)
_DATE = (
    r"^\d{4}[-/.年]\d{1,2}(?:[-/.月]\d{1,2}日?)?(?:T[\d:.Z+-]*)?$|^\d{1,2}[:/.]\d{2}(?:[:/.]\d{2,4})?$|^20\d\d-?[qQ]\d$"
)
_ADDRESS = r"^\d{1,3}(?:\.\d{1,3}){3}(?:[:/]\d+)?$|^[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){3,7}$"
_TICKET = r"^[A-Z][A-Z0-9]{0,9}-\d{1,6}$|^#\d+$|^#[0-9a-fA-F]{3,8}$|^![0-9]+$"
_UUID = r"(?i)^\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?$"
_PATH = (
    r"^(?:[A-Za-z]:)?(?:~|\.{1,2})?[\\/]|^[\w.@-]{1,100}(?:/[\w.@-]{1,100}){1,20}/?(?:#\w{1,60})?$|^[\w-]+\\[\w\\.-]+$"
)
_URL = r"(?i)^[a-z][a-z0-9+.-]{1,20}://"
_EMAIL = (
    r"^[\w.+-]{1,80}@[\w-]{1,80}(?:\.[\w-]{1,80}){1,8}$|^@[\w.-]+$|^[\w.-]+@[\w.-]+:\S*$|^[\w./-]+@(?:sha256:"
    r"|v?\d{1,3}(?:\.\d{1,9}){0,6}$)"
)
_PHRASE = r"^[A-Za-z]{2,20}(?:[-._ ][A-Za-z0-9]{2,20}){2,}$"
_CAMEL = r"^[A-Za-z]?[a-z]{1,20}\d?(?:[A-Z][a-z]{1,20}\d?|[A-Z]{1,5}\d?(?=[A-Z][a-z]|$)){1,12}(?:\.[a-z]{1,5})?$"
_WORD = r"[A-Z][a-z]{3,}|(?<![A-Za-z])[a-z]{4,}|(?<![A-Z])[A-Z]{5,}(?![A-Z])"
_CLUSTER = r"(?i)[bcdfghjklmnpqrstvwxz]{4}|^[^aeiou]+$"
"""No readable word has four such letters in a row, or no vowel at all; a few do, and then other parts tell."""
_PLAIN_PART = r"[A-Z]{0,20}[a-z]{1,40}(?:[A-Z][a-z]{1,40}){0,4}\d?|[A-Za-z]?[a-z]*\d{0,4}[a-z]{0,2}|[A-Z]+\d{0,4}|\d+"
_SIGN = r"[A-Za-z0-9].*[!@#$%^&*?+=~|][A-Za-z0-9!@#$%^&*?+=~|._-]*|^[!@#$%^&*?+=~|].*[A-Za-z0-9]"
_HEX = r"^(?:0x)?[0-9a-fA-F]{24,}$"
_PUBLIC = (
    r"^(?:cus|pi|price|prod|acct|sub|in|ch|evt|txn|req|seti|si|dpl|prj|team|asst|thread|msg|run|file|org|proj|batch"
    r"|chatcmpl|resp|usr|pk|pub|phc|app|vol|i|sg|subnet|vpc|ami|snap|eni|rtb|igw|arn|sha\d*|md5|gid|sb_publishable"
    r"|ssh|ecdsa|data|order|inv|GHSA|CVE|job|task|trace|span|build|img|node|pod|deploy|deployment|wandb|ca-pub|UA"
    r"|GTM|G|AW)[_:-]|^AAAA[BCE]|^MII|^MF[kow]|^MCow|^iVBOR|^/9j/|^R0lGOD|^UEsDB|^LS0tLS1CRUdJTiB(?:DRVJU|QVUJM)"
    r"|^(?:Qm[1-9A-Za-z]{44}|baf[a-z0-9]{50,})$|^6L[a-zA-Z0-9_-]{38}$"
)


def is_stand_in(value: str) -> bool:
    """A stand-in for a value: ``<your-key>``, ``${VAR}``, ``xxxx``, ``AKIA…EXAMPLE``, a place in a secrets store."""
    if compiled(_STAND_IN).search(value):
        return True
    return value.endswith(("EXAMPLE", "EXAMPLEKEY"))


def is_sequence(value: str) -> bool:
    """``1234567890abcdef``: what a person types who needs something that looks like a key."""
    low = value.lower()
    return any(sequence in low for sequence in _SEQUENCES)


def is_plausible(body: str) -> bool:
    """The variable part of a provider's token could be a real one: no stand-in, no plain words."""
    if is_stand_in(body) or not set(body) - set("xX0*.-_"):
        return False
    if any(char.isdigit() for char in body):
        parts = [part for part in re.split(r"[-_.]", body) if part]
        return len(parts) < 3 or not all(re.fullmatch(r"\d{1,6}|[a-z]+\d{0,2}", part) for part in parts)
    if body.isalpha() and (body.islower() or body.isupper()):
        return len(body) >= (30 if body.islower() else 16)
    return _run_share(body) >= 0.3 and not body.islower()


def _run_share(value: str) -> float:
    """Runs of one kind of character (small, capital, digit) per character; about 0.3 in CamelCase, 0.6 in base 62."""
    runs = size = 0
    last = ""
    for char in value:
        kind = "d" if char.isdigit() else "u" if char.isupper() else "l" if char.islower() else ""
        if kind:
            size += 1
            runs += kind != last
        last = kind
    return runs / size if size else 0.0


def is_random(value: str, least: int = 16) -> bool:
    """No person wrote this: long, varied, digits among the letters; no version, path, or name with a number."""
    size = len(value)
    if size < least or not value.isascii() or not compiled(r"\d").search(value):
        return False
    if compiled(r"[()\[\]{}<>|]").search(value):
        return False
    digits = sum(map(str.isdigit, value))
    letters = sum(map(str.isalpha, value))
    if letters < 3 or digits + letters < size * 0.7 or len(set(value)) < 8:
        return False
    if compiled(_HEX).match(value):
        return digits >= 4 and letters >= 3
    if compiled(_UUID).match(value) or compiled(_VERSION).match(value) or compiled(_DATE).match(value):
        return False
    if value.count("/") >= 2 and _is_path(value):
        return False
    if all(compiled(_PLAIN_PART).fullmatch(part) for part in re.split(r"[-_./=~+]", value) if part):
        return False
    mixed = any(char.isupper() for char in value) and any(char.islower() for char in value)
    found = compiled(_WORD).findall(value)
    readable = sum(len(word) for word in found if not compiled(_CLUSTER).search(word))
    if readable > size * (0.5 if mixed or size < 20 else 0.6):
        return False
    if _run_share(value) >= (0.36 if mixed else 0.26):
        return True
    return size >= 20 and len(compiled(_CLUSTER).findall(value)) >= 2


def _is_path(value: str) -> bool:
    parts = [part for part in re.split(r"[/\\]", value) if part]
    plain = sum(
        bool(re.fullmatch(r"[a-z0-9]*[a-z._-][a-z._-]*\d{0,3}|[A-Z]?[a-z]+|\d+|[\w-]+\.[a-z]{1,5}", part))
        for part in parts
    )
    return plain >= len(parts) - 1


def is_public(value: str) -> bool:
    """An identifier that may be seen: a provider's object id, a publishable or public key, a certificate, a picture."""
    return bool(compiled(_PUBLIC).search(value))


def is_uuid(value: str) -> bool:
    """A UUID, in any case, with or without braces."""
    return bool(compiled(_UUID).match(value))


def judge(value: str) -> int:
    """0, ``WORD``, ``PASSWORD`` or ``RANDOM``: how much a value, in one piece, looks like a secret by itself."""
    if len(value) < 4 or is_stand_in(value):
        return 0
    if is_public(value):
        return 0
    if is_random(value):
        return RANDOM
    if _is_reference(value):
        return 0
    has_digit = any(char.isdigit() for char in value)
    has_letter = any(char.isalpha() for char in value)
    if not has_letter:
        return (
            PASSWORD if value.isdigit() or (has_digit and len(set(value)) >= 4 and compiled(_SIGN).search(value)) else 0
        )
    if has_digit:
        return PASSWORD if len(value) >= 5 else WORD
    if compiled(_SIGN).search(value):
        return PASSWORD if len(value) >= 6 else 0
    if compiled(_PHRASE).match(value):
        return PASSWORD
    inner = value[1:]
    if value.isalpha() and len(value) >= 8 and not inner.islower() and not inner.isupper() and not _is_camel(value):
        return PASSWORD
    return WORD if value.isalpha() else 0


def _is_camel(value: str) -> bool:
    """``DraftAutosaver``: readable words with a capital each, not letters in wild order, and no number behind them."""
    if not compiled(_CAMEL).match(value) or value[-1].isdigit() or _run_share(value) >= 0.47:
        return False
    humps = compiled(r"[A-Z]?[a-z]{2,}").findall(value)
    acronyms = compiled(r"[A-Z]{3,}").findall(value)
    return len(acronyms) <= 1 and all(compiled(r"(?i)[aeiouy]").search(hump) for hump in humps)


def _is_technical(value: str) -> bool:
    """An algorithm, a standard, a product or a step with its number: ``AES-256-GCM``, ``OAuth2``, ``step3``."""
    found = False
    for part in re.split(r"[-_/.+#]", value.lower()):
        word = compiled(r"\d*([a-z]+)\d*[a-z]?").fullmatch(part)
        if part in _TECH or (word and word.group(1) in _TECH):
            found = True
        elif part and not part.isdigit():
            return False
    return found


def _is_reference(value: str) -> bool:
    """A name, a place or a measure: something that only speaks of a value."""
    for pattern in (_CODE, _CONSTANT, _VERSION, _UNIT, _DATE, _ADDRESS, _TICKET, _URL, _EMAIL):
        if compiled(pattern).search(value):
            return True
    if _is_technical(value) or _is_camel(value):
        return True
    if compiled(_PATH).match(value) and _is_path(value):
        return True
    parts = [part.lower() for part in re.split(r"[._\-/:]", value) if part]
    if not parts:
        return True
    if compiled(_DOTTED).match(value):
        if (
            value.rpartition(".")[2][0].isupper()
            or parts[0] in _REFERENCE_ROOTS
            or parts[-1] in _FILE_ENDINGS
            or parts[-1] in _HOST_ENDINGS
        ):
            return True
    elif "." in value and parts[-1] in _FILE_ENDINGS | _HOST_ENDINGS:
        return True
    if compiled(_IDENTIFIER).match(value):
        words = [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", value)]
        named = sum(word in _NAME_PARTS for word in words)
        digits = sum(char.isdigit() for char in value)
        if named and digits < 2:
            return True
        if value.islower() and "_" in value and digits < 2:
            return True
    return False
