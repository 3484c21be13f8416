"""Secrets that only a name beside them gives away: ``password = …``, ``密码是 …``, ``the Azure key … is for CI``. Pure.

How much a value must look like a secret depends on its name (a password may be anything, a token is long) and on what
links the two: an assignment says more than mere neighbourhood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal, NamedTuple

from agentao.memory.secrets import words
from agentao.memory.secrets.values import (
    PASSWORD,
    RANDOM,
    WORD,
    is_public,
    is_random,
    is_sequence,
    is_stand_in,
    is_uuid,
    judge,
)
from agentao.memory.secrets.words import Name
from agentao.memory.text import compiled

Span = tuple[str, int, int]
"""Kind of secret in words, start, end."""

Rows = tuple[tuple[str, int], ...]
"""Literals, each with the place of its row in a table."""

Link = Literal["assigned", "tight", "called", "linked", "near", "paired"]
"""What stands between name and value: ``:``; ``=`` or an option; ``(``; a verb; nothing; a user's name."""

_WINDOW_CHARS = 160
_HEAD_CHARS = 120
"""How far from a name a value may stand, behind it and before it, in one line."""

_KIND_IN_WORDS: dict[Name, str] = {
    "password": "password",
    "short": "password",
    "secret": "password",
    "login": "password",
    "code": "access code",
    "key": "key or token",
    "bare": "key or token",
}

_NAME_OF_ANOTHER = rf"(?i)[ _-]{{1,2}}(?:{words.AFTER_NAME})(?![a-z])|{words.AFTER_NAME_ZH}"
_NOT_A_KEY = (
    r"(?i)(?:max|min|num|total|public|publickey|page|next|continuation|csrf|xsrf|no|per|of|prompt|completion)[ _-]?$"
)

_QUOTES = "\\\\\"'`“”‘’"
_ASSIGN = (
    rf"[{_QUOTES}\])}}*_]{{0,6}}[ \t]{{0,4}}(?:\([^()\n]{{0,40}}\)[ \t]{{0,2}})?(?:[*_]{{2}})?"
    r"(?:%3[dD]|:=|=>|->|<-|={1,3}|\?=|[:：]|→|⇒|\||>|~>)[ \t]{0,8}(?:[*_]{2}[ \t]{0,2})?"
    r"(?:\n[ \t>|-]{1,12}(?![\w.-]{1,40}[ \t]{0,2}[=:]))?"
    r"(?:[bru&]{1,2}(?=[\"']))?\\?"
    r"(?:(?:Bearer|Basic|Token|ApiKey|Api-Key|Key|SSWS|OAuth|sso-key|Digest|token|bearer)[ ]{1,2}(?=\S))?"
)
_TYPED = r"[&\w.\[\]<>?]{1,40}[ ]{0,2}=[ ]{0,2}(?=[\"'])"
_PAIR = (
    rf"[{_QUOTES}][ \t]{{0,2}},[ \t]{{0,2}}(?=[{_QUOTES}])|[{_QUOTES}]?[ \t]{{0,2}},?\s{{0,12}}[{_QUOTES}]?(?i:value"
    rf"|content)[{_QUOTES}]?[ \t]{{0,2}}[:=>][ \t]{{0,2}}"
    r"|[ \t]{1,2}(?=['\"`“])|\((?=[\"'])"
)
_VERBS = (
    r"is|was|are|be|equals?|becomes?|became|has been|set|changed|reset|updated|rotated|ist|lautet|est|es|é|è|är"
    r"|adalah|là|er|je|jest|to|use|using|try|enter|type|это"
)
_ADVERBS = (
    r"(?:[ ]{1,2}(?:now|still|currently|just|always|simply|actually|also|again|set|changed|reset|updated|rotated|to"
    r"|as|be|been|following|temporarily|equal|called)\b){0,4}"
)
_LINK = (
    rf"(?<=[\s\"'`)\]])(?:{_VERBS})(?![A-Za-z]){_ADVERBS}[ ]{{0,2}}[:=]?[ ]{{0,2}}"
    r"|(?=[设改换变定更重就还仍依用给是叫为即等填输写はは는은:：=→-])(?:[设改换变定](?:置)?[成为到]了?|(?:更新|重置"
    r"|设置)[成为]了?|[就还仍]是|依然是|[用给]的是|是|叫做?|为|即|等于|改用|用了?|填|输入|写的?是?|は|는|은"
    r"|(?<=[\s)\]」”\u2e80-\uffff])[:=]|[:=](?=\s)|→|->)(?:原来的|之前的|以前的|那个|这个|默认的?"
    r"|统一的?)?[ ]{0,2}[:：]?[ ]{0,2}"
)
_SENTENCE_END = r"[.!?;](?:\s|$)|[。！？；]"
_OPENING = r"[ \t]{0,2}(?:[-–—:,]{1,2}[ ]{1,2})?[(（\[【「『<*]{0,3}[ \t]{0,2}"
_QUOTED = (
    r"\"([^\"\n]{1,400})\"|'([^'\n]{1,400})'|`{1,3}([^`\n]{1,400})`{1,3}|“([^”\n]{1,400})”|‘([^’\n]{1,400})’"
    r"|「([^」\n]{1,400})」|『([^』\n]{1,400})』"
)
_TOKEN = r"[^\s\"'`“”‘’<>\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef\u3000-\u303f]{1,256}"
_TOKEN_END = r"[,;，；]|&(?=[a-z_][\w.-]*=\S)|\\n|(?<=\w)\)(?=.)"
_USER_AND = r"(?:user(?:name)?[ :=]{1,3})?([\w.@+-]{2,40})[ ]{0,2}[/|:,][ ]{0,2}(?:(?:pass|pw|password)[ :=]{1,3})?"
_WORDS = r"[a-z]{3,12}(?:[ ][a-z]{3,12}){3,9}"
_NEIGHBOUR_FIELD = (
    r"(?im)^[ \t]*-?[ \t]*[\"']?(?:user|username|host|hostname|email|login|server|ssid|db|database)[\"']?[ ]?[:=]"
)
_NUMBER_OF = (
    r"[ ]{0,2}(?:characters?|chars?|digits?|letters?|symbols?|times|days?|weeks?|months?|years?|hours?|minutes?|mins?"
    r"|seconds?|secs?|attempts?|tries|users?|tokens?|words?|bits?|bytes?|or |to \d|-\d|%"
    r"|位|个|字|次|天|日|号|年|月|周|小时|分|秒|多|以上|以内|人|条|版)"
)
_MARKUP = r"^-|%%|%0A|%[sduF]$|\]\(|\]\[|^\*+[A-Za-z_]\w*$|://"
"""Options, printf templates, links, ``**kwargs``, addresses: what stands beside a name in documents and code."""

_SIGNS = r"[A-Za-z0-9][!@#$%^&*]|[!@#$%^&*][A-Za-z0-9]"
_BEFORE = (
    r"[\"'`”」]?,?[ ]{0,2}(?:(?<=[\s\"'`”」,])(?:is|was|as|being|=|—|-)[ ]{1,2}"
    r"(?:(?:the|my|our|his|her|their|your|a|an|its)[ ])?[\w /.-]{0,30}|(?:是|作为|当作?|做|作)[^。！？\n]{0,16})$"
)
_HEX = r"(?:0x)?[0-9a-fA-F]{7,128}$"
_HASHES = (
    r"(?i)\b(?:commits?|revert\w*|merg\w+|releas\w+|deploy(?:ed|ment|s)?|branch|tags?|hash\w*|digests?|images?"
    r"|checksum|sha\d*|md5|revision|rolled)\b|回滚|提交|合并|哈希|镜像|发布|部署|版本"
)
_LABEL = (
    rf"(?i)(?:{words.HASH_LABELS})(?:[ ]of[ ][\w.-]{{1,30}})?[ \t]{{0,2}}[\"'`(\[#@]?(?:is|was|are|=|:|：|为|是"
    rf"|->)?[ \t]{{0,2}}"
    r"[\"'`(\[#@]{0,2}$"
)
_IN_AN_ADDRESS = r"\S{0,60}(?:://|\barn:|@|(?:sha\d{1,3}|h1)[-:=]|base64,|[#/?\\])\S{0,200}$"
_SERVICE = rf"(?<![a-z0-9])(?:{words.SERVICES})(?![a-z])|\bcredential|\blogin\b|凭证|凭据"
_UUID_SERVICE = rf"(?<![a-z0-9])(?:{words.UUID_SERVICES})(?![a-z])"
_UUID_MIDDLE = r"(?i)-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-"
_UUID = r"(?i)(?<![\w/-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])"


EVIDENT_MIN_CHARS = 20
EVIDENT_RUN = r"[A-Za-z0-9+/_-]{20}"
"""No shorter value is taken for a secret that is linked to no name."""


class _Value(NamedTuple):
    """A candidate: where it stands, and how it is tied to a name."""

    text: str
    start: int
    end: int
    name: Name
    link: Link
    quoted: bool = False

    @property
    def written(self) -> str:
        return self.text[self.start : self.end]

    @property
    def rest(self) -> str:
        return self.text[self.end : self.end + 16]

    @property
    def head(self) -> str:
        """The line up to the value, its last part."""
        line = self.text.rfind("\n", 0, self.start) + 1
        return self.text[max(line, self.start - _HEAD_CHARS) : self.start]


class _Named(NamedTuple):
    """A name that was found: where it begins and ends."""

    name: Name
    start: int
    end: int


@cache
def _name(place: int) -> tuple[Name, re.Pattern[str], re.Pattern[str] | None]:
    """The name of a row, its pattern from the literal on, and what stands before it where that is of any length."""
    name, literals, pattern, before = words.NAMES[place]
    behind, head = ("", re.compile(f"(?i:{before})")) if before.endswith("$") else (before, None)
    end = "" if literals[0] > "\u2e80" else words.NAME_END
    return name, re.compile(f"{behind}(?i:{pattern}){end}"), head


def find_named(text: str, low: str, literals: Rows, plain: set[str]) -> Iterator[Span]:
    """Values that a name gives away. ``low``: the text in small letters, of the same length; ``literals``: those of
    ``NAMES`` that may stand in it; ``plain``: long values known to be no secret, to which others are added.

    Every stretch of the text is searched once for each kind of name, however many names stand before it.
    """
    names = sorted(_found_names(text, low, literals), key=lambda found: found.start)
    searched: dict[Name, int] = {}
    covered = 0
    for found in names:
        clause = slice(max(found.end, searched.get(found.name, 0)), _clause_end(text, found.end))
        for value in _candidates(text, found, clause):
            if value.end > covered and _is_secret(value):
                covered = value.end
                yield _KIND_IN_WORDS[found.name], value.start, value.end
        searched[found.name] = max(clause.start, clause.stop)
    yield from _evident(text, low, [found.start for found in names if found.name not in ("login", "code")], plain)


def _found_names(text: str, low: str, literals: Rows) -> Iterator[_Named]:
    ends: set[tuple[Name, int]] = set()
    for literal, place in literals:
        at = low.find(literal)
        while at >= 0:
            name, pattern, head = _name(place)
            match = pattern.match(text, at)
            if match and (head is None or head.search(text, max(0, at - 30), at)) and (name, match.end()) not in ends:
                found = _Named(name, at, match.end())
                if not _speaks_of(text, found):
                    ends.add((name, match.end()))
                    yield found
            at = low.find(literal, at + 1)


def _speaks_of(text: str, found: _Named) -> bool:
    """``password policy``, ``token budget``, ``密码长度``: the name is part of another name."""
    if compiled(_NAME_OF_ANOTHER).match(text, found.end):
        return True
    return found.name in ("key", "bare") and bool(
        compiled(_NOT_A_KEY).search(text, max(0, found.start - 24), found.start)
    )


def _candidates(text: str, found: _Named, clause: slice) -> Iterator[_Value]:
    """What may be the value of a name, the likeliest first; ``clause``: what was not searched for an earlier name."""
    name, at = found.name, found.end
    option = bool(compiled(r"(?:^|\s)--?[\w-]{0,30}$").search(text, max(0, found.start - 33), found.start))
    if assign := compiled(_ASSIGN).match(text, at):
        link: Link = "tight" if option or "=" in assign.group() else "assigned"
        yield from _values_at(text, assign.end(), name, link)
        if typed := compiled(_TYPED).match(text, assign.end()):
            yield from _values_at(text, typed.end(), name, "tight")
    elif pair := compiled(_PAIR).match(text, at):
        yield from _values_at(text, pair.end(), name, "called")
    elif option and (space := compiled(r"[ ]{1,3}").match(text, at)):
        yield from _values_at(text, space.end(), name, "called")
    if name == "short":
        return
    yield from _linked(text, clause.start, clause.stop, name)
    opening = compiled(_OPENING).match(text, at)
    if opening and (opening.end() > at or text[at - 1] > "\u2e80" or text[at : at + 1] in "“「『"):
        yield from _values_at(text, opening.end(), name, "near")
    if name in ("password", "secret", "key"):
        yield from _before(text, found.start, name)


def _clause_end(text: str, at: int) -> int:
    line_end = text.find("\n", at, at + _WINDOW_CHARS)
    end = min(len(text), at + _WINDOW_CHARS) if line_end < 0 else line_end
    stop = compiled(_SENTENCE_END).search(text, at, end)
    return stop.end() if stop else end


def _linked(text: str, at: int, end: int, name: Name) -> Iterator[_Value]:
    """The words behind each verb of the clause, and password-like words close to the name."""
    for link in compiled(_LINK).finditer(text, at, end):
        yield from _values_at(text, link.end(), name, "linked")
    if name in ("password", "secret"):
        for token in compiled(_TOKEN).finditer(text, at, min(end, at + 60)):
            value = _trimmed(token.group())
            if token.start() > at and _has_sign_letter_digit(value) and "=" not in value:
                yield _Value(text, token.start(), token.start() + len(value), name, "near")


def _values_at(text: str, at: int, name: Name, link: Link) -> Iterator[_Value]:
    if quoted := compiled(_QUOTED).match(text, at):
        start, end = quoted.span(quoted.lastindex or 0)
        yield _Value(text, start, end - text[start:end].endswith("\\"), name, link, quoted=True)
    elif token := compiled(_TOKEN).match(text, at):
        value = _trimmed(token.group())
        start = at + len(value) - len(value.removeprefix("pass:"))
        yield _Value(text, start, at + len(value), name, link)
        phrase = compiled(_WORDS).match(text, at)
        if phrase and name == "password" and link != "near":
            yield _Value(text, phrase.start(), phrase.end(), name, link)
    if (
        name in ("password", "secret", "login")
        and (pair := compiled(_USER_AND).match(text, at))
        and (token := compiled(_TOKEN).match(text, pair.end()))
    ):
        yield _Value(text, pair.end(), pair.end() + len(_trimmed(token.group())), name, "paired")


def _trimmed(token: str) -> str:
    token = re.split(_TOKEN_END, token, maxsplit=1)[0].rstrip(".,:*_")
    while token[-1:] in (")", "]", "}") and token.count(token[-1]) > token.count(
        {")": "(", "]": "[", "}": "{"}[token[-1]]
    ):
        token = token[:-1].rstrip(".,:*_")
    return token


def _is_secret(value: _Value) -> bool:
    written = value.written.strip()
    low = written.lower()
    if not written or low in words.NOT_A_PASSWORD or written[0] in "=@:+/|&?)":
        return False
    if compiled(_MARKUP).search(written) or compiled(r"\barn:\S*$").search(value.head):
        return False
    if " " in written:
        return _is_phrase(value)
    if key_and_value := compiled(r"[A-Za-z_][\w.-]{0,40}=(?=[^=])").match(written):
        written = written[key_and_value.end() :]
    level = judge(written)
    if level == RANDOM:
        is_hash = value.link not in ("assigned", "tight") and compiled(_HEX).match(written)
        return value.name != "code" and not (is_hash and compiled(_HASHES).search(value.head))
    if value.name == "code":
        return _is_code(value, written)
    if value.name == "key":
        return _is_key(value, written, level)
    return value.name != "bare" and _is_password(value, written, level)


def _is_password(value: _Value, written: str, level: int) -> bool:
    loose = value.link in ("near", "paired")
    if value.name == "login" and value.link != "paired":
        return value.link == "assigned" and level == PASSWORD and _has_sign_letter_digit(written)
    if written.isdigit():
        named_so = value.name != "login" and (not loose or value.head.rstrip()[-1:] > "\u2e80")
        return named_so and level == PASSWORD and not compiled(_NUMBER_OF).match(value.rest)
    if level == WORD:
        return value.name in ("password", "short") and _is_word_password(value, written)
    return level == PASSWORD and (not loose or ("|" not in written and _is_telling(written)))


def _is_telling(written: str) -> bool:
    """Looks like a password without anything that links it to a name."""
    if _has_letter_and_digit(written):
        return len(written) >= 6
    if compiled(r"[A-Za-z]{3,}(?:[-._][A-Za-z]{3,}){2,}$").match(written):
        return words.FUNCTION_WORDS.isdisjoint(re.split("[-._]", written.lower()))
    mixed = written.isalpha() and len(written) >= 8 and not written[1:].islower() and not written.isupper()
    return mixed or (len(written) >= 5 and bool(compiled(r"[!@#$%^&*?+~]").search(written)))


def _is_key(value: _Value, written: str, level: int) -> bool:
    if is_sequence(written):
        return False
    if is_uuid(written) or compiled(r"(?:0x)?[0-9a-fA-F]{16,}$").match(written):
        return value.link not in ("near", "paired")
    if level != PASSWORD or not _has_letter_and_digit(written) or value.link in ("near", "paired"):
        return False
    least = {"tight": 8, "assigned": 10, "called": 12, "linked": 12}[value.link]
    return len(written) >= (8 if value.quoted and value.link == "assigned" else least)


def _is_code(value: _Value, written: str) -> bool:
    if compiled(r"\d{3,10}[#*]?$|\d{2,4}(?:[- ]\d{2,4}){1,3}$").match(written):
        return not compiled(_NUMBER_OF).match(value.rest)
    shape = compiled(r"(?=.*\d)[A-Za-z0-9]{4,12}(?:-[A-Za-z0-9]{3,12}){0,7}$")
    return value.link != "near" and bool(shape.match(written)) and judge(written) >= WORD


def _is_word_password(value: _Value, written: str) -> bool:
    """A plain word counts where nothing else can stand: in quotes, behind ``=``, or in a list of login fields."""
    if written.lower() in words.FUNCTION_WORDS or not _ends(value.rest):
        return False
    if value.link == "tight":
        return True
    if value.link == "assigned":
        return value.quoted or (written.islower() and bool(compiled(_NEIGHBOUR_FIELD).search(value.text)))
    return False


def _is_phrase(value: _Value) -> bool:
    """Plain words none of which builds sentences; without quotes four or more of them up to the end of the line."""
    phrase = value.written.split()
    if value.name != "password" or value.link == "near" or not 3 <= len(phrase) <= 10:
        return False
    if not value.quoted and not compiled(r"\.?[ ]*(?:\n|$)").match(value.rest):
        return False
    return all(word.isalpha() and 3 <= len(word) <= 12 and word.lower() not in words.FUNCTION_WORDS for word in phrase)


def _has_letter_and_digit(value: str) -> bool:
    return any(char.isdigit() for char in value) and any(char.isalpha() for char in value)


def _has_sign_letter_digit(value: str) -> bool:
    return _has_letter_and_digit(value) and bool(compiled(_SIGNS).search(value))


def _ends(rest: str) -> bool:
    """Nothing that would make the word before it part of a sentence follows."""
    return bool(compiled(r"[ \t]*(?:$|[\n,;&\"'`)\]}#。，；]|\.(?:\s|$))").match(rest))


def _before(text: str, at: int, name: Name) -> Iterator[_Value]:
    """``hunter2! is the password``, ``用 hunter2! 当密码``."""
    link = compiled(_BEFORE).search(text, max(0, at - 50), at)
    head = text[max(0, link.start() - 60) : link.start()].split() if link else []
    if not link or not head:
        return
    tokens = compiled(_TOKEN).findall(head[-1])
    written = _trimmed(tokens[-1]).lstrip("([{*_") if tokens else ""
    level = judge(written)
    if level == RANDOM or (name == "password" and level == PASSWORD):
        place = text.rindex(written, 0, link.start())
        yield _Value(text, place, place + len(written), name, "near")


def _evident(text: str, low: str, named: list[int], plain: set[str]) -> Iterator[Span]:
    """Random values that nothing explains, in a line that names a secret or a service that hands out keys."""
    if not compiled(EVIDENT_RUN).search(text):
        return
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        found = list(_unexplained(line, plain)) if len(line) >= EVIDENT_MIN_CHARS else []
        if found and (any(start <= at < end for at in named) or compiled(_SERVICE).search(low, start, end)):
            for at, stop, is_id in found:
                if not is_id or compiled(_UUID_SERVICE).search(low, start, end):
                    yield "key or token", start + at, start + stop
        start = end + 1


def _unexplained(line: str, plain: set[str]) -> Iterator[tuple[int, int, bool]]:
    """Start and end of each random value that nothing explains; last the UUIDs, which are one only to some services."""
    for token in compiled(r"[A-Za-z0-9+/=_.~-]{20,400}").finditer(line):
        value = token.group().strip("=.-_~").rpartition("=")[2]
        if value in plain:
            continue
        if not is_random(value, EVIDENT_MIN_CHARS) or is_stand_in(value) or is_sequence(value) or is_public(value):
            plain.add(value)
            continue
        at = line.index(value, token.start())
        if not _is_explained(line, at, value):
            yield at, at + len(value), False
    for token in compiled(_UUID).finditer(line) if compiled(_UUID_MIDDLE).search(line) else ():
        if not _is_explained(line, token.start(), token.group()):
            yield token.start(), token.end(), True


def _is_explained(line: str, at: int, value: str) -> bool:
    """A hash, an id, a part of an address: something random that is no secret."""
    before = line[max(0, at - 60) : at]
    if compiled(_LABEL).search(before) or compiled(_IN_AN_ADDRESS).search(before):
        return True
    return bool(compiled(_HEX).match(value) and compiled(_HASHES).search(line))
