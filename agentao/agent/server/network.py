"""Which proxy a request goes through, from the usual variables, handed in as values.

The HTTP library's own reading of the environment is switched off: it refuses to start on ``socks://`` and on IPv6
entries in ``NO_PROXY``, even for a server that needs no proxy at all.
"""

from __future__ import annotations

import ipaddress
import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, unquote, urlsplit

from agentao.agent.server.address import Address, is_loopback, shown
from agentao.errors import ConnectFailed

PROXY_VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")
"""The variables that ``Network.from_environ`` looks at, in both cases of letters."""

_PROXY_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Proxy:
    """One proxy: the variable that named it, its whole address, and what may be shown of it."""

    variable: str
    url: str = field(repr=False)
    shown: str
    host: str
    port: int
    secrets: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Network:
    """The network's settings as the shell read them: variable name → value."""

    variables: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> Network:
        """Keep what concerns proxies and certificates; empty values count as not set, lower case wins."""
        kept: dict[str, str] = {}
        for name in PROXY_VARIABLES:
            for spelled in (name.lower(), name):
                value = environ.get(spelled, "").strip()
                if value:
                    kept[spelled] = value
                    break
        return cls(kept)

    def _get(self, name: str) -> tuple[str, str]:
        for spelled in (name.lower(), name):
            if self.variables.get(spelled):
                return spelled, self.variables[spelled]
        return name, ""

    def certificates(self) -> ssl.SSLContext | bool:
        """The trusted certificates: those of SSL_CERT_FILE or SSL_CERT_DIR, or True for the usual ones.

        Raises:
            ConnectFailed: they cannot be read; the message names the variables.
        """
        ca_file, ca_dir = self._get("SSL_CERT_FILE")[1], self._get("SSL_CERT_DIR")[1]
        if not (ca_file or ca_dir):
            return True
        try:
            return ssl.create_default_context(cafile=ca_file or None, capath=ca_dir or None)
        except OSError as error:
            told = f"SSL_CERT_FILE or SSL_CERT_DIR cannot be used: {error}. Correct it or unset it."
            raise ConnectFailed(told) from None

    def proxy_for(self, address: Address) -> Proxy | None:
        """The proxy for this server, or None: loopback addresses and what NO_PROXY names go straight.

        Raises:
            ConnectFailed: the variable that applies holds no usable proxy address; the message names the variable.
        """
        if is_loopback(address.host) or _is_exempt(address, self._get("NO_PROXY")[1]):
            return None
        for name in (address.scheme.upper() + "_PROXY", "ALL_PROXY"):
            variable, value = self._get(name)
            if value:
                return parse_proxy(variable, value)
        return None


def parse_proxy(variable: str, value: str) -> Proxy:
    """Read a proxy address; ``socks://`` means SOCKS5, no scheme means HTTP.

    Raises:
        ConnectFailed: it cannot be read or its kind is not supported; the message holds no user and no password.
    """
    whole = value if "://" in value else "http://" + value
    if whole.startswith("socks://"):
        whole = "socks5" + whole.removeprefix("socks")
    try:
        parts = urlsplit(whole)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    if not host or re.search(r"\s", whole):
        raise ConnectFailed(f"The variable {variable} holds no usable proxy address. Correct it or unset it.")
    if parts.scheme not in ("http", "https", "socks5", "socks5h"):
        raise ConnectFailed(
            f"The variable {variable} names a proxy of a kind that is not supported ({shown(whole)}); "
            "http, https and socks5 work. Correct it, unset it, or name the server in NO_PROXY."
        )
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    login = f"{quote(user, safe='')}:{quote(password, safe='')}@" if user or password else ""
    place = (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")
    secrets = tuple(s for s in (parts.password, password, quote(password, safe="")) if s)
    url, bare = f"{parts.scheme}://{login}{place}", f"{parts.scheme}://{place}"
    return Proxy(variable, url, bare, host, port or _PROXY_PORTS.get(parts.scheme, 1080), secrets)


def _is_exempt(address: Address, no_proxy: str) -> bool:
    host = address.host.casefold().rstrip(".")
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        ip = None
    for entry in re.split(r"[,\s]+", no_proxy.casefold()):
        if entry == "*":
            return True
        if not entry:
            continue
        name, port = _entry_parts(entry)
        if port and port != address.port:
            continue
        if ip is not None:
            try:
                if ip in ipaddress.ip_network(name, strict=False):
                    return True
            except (ValueError, TypeError):
                continue
        else:
            name = name.removeprefix("*").strip(".")
            if name and (host == name or host.endswith("." + name)):
                return True
    return False


def _entry_parts(entry: str) -> tuple[str, int | None]:
    """``host:port``, ``[::1]:port``, ``::1``, ``fd00::/8``, ``http://host`` → host or network, port."""
    entry = entry.rpartition("://")[2]
    bracketed = re.fullmatch(r"\[([^\]]*)\](?::(\d+))?", entry)
    if bracketed:
        return bracketed[1], int(bracketed[2]) if bracketed[2] else None
    if entry.count(":") == 1:
        name, _, port = entry.partition(":")
        return name, int(port) if port.isdigit() else None
    return entry, None
