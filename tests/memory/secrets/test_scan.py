"""What counts as a secret and what only speaks of one; all values here are made up."""

from __future__ import annotations

import re
import sys
from re._parser import parse  # type: ignore[import-not-found]
from typing import Any

import pytest

from agentao.memory.secrets import names, scan, shapes, values, views, words
from agentao.memory.secrets.scan import find_secrets, find_secrets_in, mask

MIXED = "k3J9dkLs0Qp2mNxv8ZrT5yUiOpAsDfGhJkLzXcVbNm7Wq4Er"
HEX = "9f8e7d6c5b4a39281706f5e4d3c2b1a0"

SECRETS = [
    ("provider key", f"The OpenAI key is sk-proj-{MIXED}"),
    ("provider key in Chinese", f"记住：GitHub token 为 ghp_{MIXED[:36]}"),
    ("full width", "密码：Ｗｉｎｔｅｒ２０２４"),
    ("split by invisible characters", f"ghp_{MIXED[:10]}\u200b{MIXED[10:20]}\u2060{MIXED[20:36]}"),
    ("wrapped by the terminal", f"github_pat_{MIXED[:22]}\n    {MIXED[22:40]}"),
    ("joined strings", f'token = "ghp_{MIXED[:18]}" + "{MIXED[18:36]}"'),
    ("a name and a random value", f"The Azure key {HEX} is wired into the nightly job"),
    ("a service and a random value", f"- **Twilio**: `{HEX}`"),
    ("assignment", "DB_PASSWORD=Winter2024"),
    ("YAML", "db:\n  user: app\n  password: sunshine\n"),
    ("JSON", '{"user": "bob", "password": "letmein"}'),
    ("XML", '<property name="password" value="Winter2024"/>'),
    ("prose", "The admin password for harrier is qinghua5768"),
    ("prose in Chinese", "数据库密码改成了 walnut2599，别忘了"),
    ("phrase of words", "passphrase: correct horse battery staple"),
    ("other languages", "Das Passwort lautet Winter2024"),
    ("address", "postgresql://app:Winter2024@db.internal/main"),
    ("driver's address", "app:Winter2024@tcp(db:3306)/app"),
    ("connection string", "Server=db;User Id=sa;Password=Winter2024;Encrypt=true"),
    ("header", "curl -H 'Authorization: Basic Ym9iOldpbnRlcjIwMjQ=' https://x.example.com"),
    ("command line", "mysql -u root -pWinter2024 app"),
    ("login file", "machine api.example.com login bob password Winter2024"),
    ("user and password", "the login for the NAS is admin / Winter2024"),
    ("cookie", "Cookie: JSESSIONID=8F3A9C2D1E4B5A6978C0D1E2F3A4B5C6"),
    ("webhook", f"https://oapi.dingtalk.com/robot/send?access_token={HEX}{HEX}"),
    ("private key", f"-----BEGIN OPENSSH PRIVATE KEY-----\n{MIXED}\n-----END OPENSSH PRIVATE KEY-----"),
    ("token with three parts", f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.{MIXED}"),
    ("PIN", "My debit card PIN is 4821"),
    ("card", "My card: 4539 1488 0343 6467 exp 12/27"),
    ("seed phrase", "助记词：legal winner thank year wave sausage worth useful legal winner thank yellow"),
    ("seed of one-time passwords", "otpauth://totp/ACME:bob?secret=JBSWY3DPEHPK3PXP&issuer=ACME"),
    ("recovery codes", "Recovery codes: 8f3k2-9dkq1, 7hs82-kd92l"),
]

HARMLESS = [
    ("policy", "The password policy requires at least 12 characters and one symbol."),
    ("policy in Chinese", "密码至少 13 位，要有大小写和数字"),
    ("where it is kept", "OpenAI 的密钥放在 1Password 里，不写进记忆"),
    ("who knows it", "password: ask Mina on the day"),
    ("talk", "No Firebase API key in the build at all."),
    ("environment", "apiKey: import.meta.env.VITE_KEY"),
    ("variable", "password: ${DB_PASSWORD} in the compose file"),
    ("stand-in", "Set GITHUB_TOKEN=<your-api-key> before running."),
    ("crossed out", "OPENAI_API_KEY=xxxxxxxxxxxxxxxx goes in .env.sample"),
    ("sample key of the AWS documents", "AKIAIOSFODNN7EXAMPLE"),
    ("sample address", "postgres://user:password@localhost:5432/app"),
    ("code", 'token = request.headers["X-Auth-Token"]'),
    ("type", "password: Optional[str] = None"),
    ("counts", "max_tokens: 4096; the token budget is 120000"),
    ("commit", "The commit that rotated the token is 0089d032cec28931dc873a45d7970d4147ee139a."),
    ("digest", "python@sha256:1ca0853b91f9cf935aa8f695fe3464556b9101da95c7f005bc5a09478a4ec8fe"),
    ("id", "The tenant id of mosaic is 8bc49864-898d-478a-8897-86fd540948a4."),
    ("public key", f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{MIXED[:43]} Mina@laptop"),
    ("certificate", f"-----BEGIN CERTIFICATE-----\nMIIB{MIXED}\n-----END CERTIFICATE-----"),
    ("publishable key", f"pk_live_{MIXED[:24]} is the publishable Stripe key"),
    ("ISBN", "The user is reading ISBN 978-0-5498-0272-3"),
    ("prefix", "Tokens starting with xoxb- are bot tokens"),
    ("pattern", "The GitHub token pattern is ghp_[A-Za-z0-9]{36}"),
    ("hash", "passwords are hashed with argon2id, AES-256-GCM for the vault"),
]


@pytest.mark.parametrize("text", [text for _, text in SECRETS], ids=[name for name, _ in SECRETS])
def test_secrets_are_found_and_masked(text: str) -> None:
    """Each kind of secret is found, and the masked text has none left."""
    assert find_secrets(text)
    assert not find_secrets(mask(text))


@pytest.mark.parametrize("text", [text for _, text in HARMLESS], ids=[name for name, _ in HARMLESS])
def test_talk_about_secrets_is_fine(text: str) -> None:
    """Text that only speaks of secrets, or only looks random, is stored and shown as it is."""
    assert find_secrets(text) == []
    assert mask(text) == text


def test_many_texts_are_judged_as_each_alone() -> None:
    """What else is searched in the same call changes no verdict."""
    texts = [text for _, text in SECRETS + HARMLESS]

    assert list(find_secrets_in(texts)) == [find_secrets(text) for text in texts]


def test_wide_letters_are_found_in_their_places() -> None:
    """What is found stands where the reader sees it, also where one character reads as several, or as none."""
    text = "…数据库密码​：Ｗｉｎｔｅｒ２０２４"

    assert [text[found.start : found.end] for found in find_secrets(text)] == ["Ｗｉｎｔｅｒ２０２４"]


def test_shapes_without_a_literal_are_as_long_as_the_runs_they_are_tried_on() -> None:
    """No shape that nothing but its length gives away matches a shorter run than those it is tried on."""
    shortest = [parse(pattern).getwidth()[0] for _, literals, pattern in shapes.SHAPES if literals == "*"]

    assert min(shortest) >= shapes.UNANCHORED_MIN_CHARS


# -- work --------------------------------------------------------------------------------------------------------------

HOSTILE = [
    "password=",
    "password is ",
    "密码是",
    "pass:",
    "token key code ",
    "sk-",
    "eyJ",
    "://:@",
    "a:b@",
    "-----BEGIN RSA PRIVATE KEY-----",
    "1234 ",
    "abc ",
    '"',
    "a/a@a:1",
    "A.B",
    "(",
    "\u200b",
    "．",
    "login admin/",
    "x=\n",
    "recovery code 1a1a1a1a ",
    "-us",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_work_grows_with_the_text_alone(piece: str) -> None:
    """Four times the text takes at most about four times the calls, whatever is in it, up to the longest value."""
    find_secrets(piece * 20)  # patterns compile once
    short, long = (calls(piece * (size // len(piece))) for size in (2_000, 8_000))

    assert long <= 4.6 * short + 2_000


def calls(text: str) -> int:
    """How many functions run, built-in ones too, while a text is searched."""
    count = 0

    def note(_frame: object, event: str, _arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        find_secrets(text)
    finally:
        sys.setprofile(before)
    return count


def test_no_pattern_repeats_a_repetition_without_end() -> None:
    """Within a repetition everything has a bound, so that no text makes a pattern try it in endlessly many ways."""
    patterns = [pattern for module in (names, values, scan, views) for pattern in texts_of(module)]
    patterns += [row[2] for row in shapes.SHAPES] + [row[2] for row in words.NAMES]

    assert len(patterns) > 200
    assert [pattern for pattern in patterns if has_nested_endless(parse(pattern), inside=False)] == []


def texts_of(module: object) -> list[str]:
    """Every constant of a module that is a pattern: a private name in capitals, or the patterns of a table."""
    found: list[str] = []
    for name, value in vars(module).items():
        if not re.fullmatch(r"_[A-Z_]+", name) or name.endswith("_TEXT"):
            continue
        for one in value if isinstance(value, tuple) else (value,):
            found += [part for part in (one if isinstance(one, tuple) else (one,)) if isinstance(part, str)]
    return found


def has_nested_endless(parsed: Any, inside: bool) -> bool:
    for operation, argument in parsed:
        name = str(operation)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            _, most, body = argument
            endless = str(most) == "MAXREPEAT"
            if (endless and inside) or has_nested_endless(body, inside or endless or most > 1):
                return True
            continue
        for part in argument if isinstance(argument, (list, tuple)) else (argument,):
            for body in part if isinstance(part, list) else (part,):
                if hasattr(body, "data") and has_nested_endless(body, inside):
                    return True
    return False
