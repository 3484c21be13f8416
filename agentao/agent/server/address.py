"""Where the model's server is, and the key for it: what people type, made usable or refused in plain words."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit

from agentao.errors import AuthFailed, ConnectFailed

DEFAULT_BASE_URL = "https://api.openai.com/v1"

_AROUND = " \t\r\n\v\f\u00a0\u3000\u200b\u200e\u200f\ufeff\"'`“”‘’<>"  # what a copied address carries at its ends
_ENDPOINTS = ("/chat/completions", "/completions", "/models", "/responses", "/chat")
_VERSION = re.compile(r"/v\d+\w*(/|$)")


@dataclass(frozen=True, slots=True)
class Address:
    """A server's base address without its secrets. ``roots``: the addresses to try, the likeliest first."""

    roots: tuple[str, ...]
    scheme: str
    host: str
    port: int
    query: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    user: str = ""
    password: str = field(default="", repr=False)

    @property
    def is_loopback(self) -> bool:
        """True when the server runs on this machine."""
        return is_loopback(self.host)


def is_ip(host: str) -> bool:
    """True for an address in numbers."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """True for ``localhost`` and the loopback addresses."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_near(host: str) -> bool:
    """True for hosts that people reach without TLS: this machine, private addresses, names without a dot."""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return is_loopback(host) or "." not in host


def parse_address(text: str) -> Address:
    """Read a base address: with or without scheme, ``/v1``, trailing slashes, blanks around it, or the full path.

    Raises:
        ConnectFailed: it is no web address; the message shows it without user and password.
    """
    typed = text.strip(_AROUND) or DEFAULT_BASE_URL
    if "://" not in typed:
        host = typed.rpartition("@")[2].partition("/")[0]
        bare = host.rpartition(":")[0] if re.search(r":\d*$", host) and not host.endswith("]") else host
        typed = ("http://" if _is_near(bare.strip("[]").casefold()) else "https://") + typed
    try:
        parts = urlsplit(typed)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise ConnectFailed(_no_address(typed, "its host or port cannot be read")) from None
    if parts.scheme not in ("http", "https"):
        raise ConnectFailed(_no_address(typed, "it must start with http:// or https://"))
    if not host or any(c.isspace() or not c.isprintable() for c in typed):
        raise ConnectFailed(_no_address(typed, "it has no host" if not host else "it has a blank inside"))
    shown_host = f"[{host}]" if ":" in host else host
    origin = f"{parts.scheme}://{shown_host}" + (f":{port}" if port is not None else "")
    path = re.sub(r"/{2,}", "/", parts.path).rstrip("/")
    for endpoint in _ENDPOINTS:
        if path.endswith(endpoint):
            path = path.removesuffix(endpoint)
            break
    if not path:
        roots: tuple[str, ...] = (origin + "/v1", origin)
    elif _VERSION.search(path):
        roots = (origin + path,)
    else:
        roots = (origin + path, f"{origin}{path}/v1")
    return Address(
        roots=roots,
        scheme=parts.scheme,
        host=host,
        port=port or (443 if parts.scheme == "https" else 80),
        query=tuple(parse_qsl(parts.query, keep_blank_values=True)),
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
    )


def _no_address(typed: str, why: str) -> str:
    return f"{shown(typed)!r} is no usable server address: {why}. Correct OPENAI_BASE_URL or [model] base_url."


def shown(url: str) -> str:
    """The address without user, password, query and fragment, for messages."""
    scheme, mark, rest = url.partition("://")
    if not mark:
        scheme, rest = "", url
    authority, slash, path = rest.partition("/")
    path = re.split(r"[?#]", path, maxsplit=1)[0]
    return scheme + mark + re.split(r"[?#]", authority.rpartition("@")[2], maxsplit=1)[0] + slash + path


def check_key(key: str) -> str:
    """The key as a header can carry it; blanks and line breaks around it are dropped.

    Raises:
        AuthFailed: a character inside cannot stand in a header; the message names its position, never the key.
    """
    for position, char in enumerate(key.rstrip(), 1):
        inside = position > len(key) - len(key.lstrip())
        if inside and not "!" <= char <= "~":
            kind = "a blank or line break" if char.isspace() else "not a plain letter, digit or sign"
            raise AuthFailed(
                f"The API key has a character at position {position} that cannot be sent ({kind}). "
                "Copy the key again into OPENAI_API_KEY or [model] api_key."
            )
    return key.strip()
