"""Proxies, as the usual variables name them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from agentao.agent.client import collect
from agentao.agent.openai_client import OpenAIClient
from agentao.agent.server.address import parse_address
from agentao.agent.server.network import Network, parse_proxy
from agentao.errors import ClientError, ConnectFailed
from tests.support.asking import ASK
from tests.support.fake_openai import FakeOpenAI

AWKWARD = (
    "localhost,::1,[::1],fd00::/8,10.0.0.0/8,.corp.example,*.lan,host.example:8443,https://odd.example, [fe80::1]:80"
)


def proxy_of(url: str, **variables: str) -> str | None:
    found = Network.from_environ(variables).proxy_for(parse_address(url))
    return found.url if found else None


@pytest.mark.parametrize(
    ("url", "straight"),
    [
        ("http://localhost:1/v1", True),
        ("http://127.0.0.1:1/v1", True),
        ("http://[::1]:1/v1", True),
        ("http://[fd12::5]:1/v1", True),
        ("http://10.1.2.3/v1", True),
        ("http://11.1.2.3/v1", False),
        ("https://corp.example/v1", True),
        ("https://api.corp.example/v1", True),
        ("https://notcorp.example/v1", False),
        ("https://box.lan/v1", True),
        ("https://host.example:8443/v1", True),
        ("https://host.example/v1", False),
        ("https://odd.example/v1", True),
        ("http://[fe80::1]/v1", True),
        ("https://api.openai.com/v1", False),
    ],
)
def test_no_proxy_is_read_in_all_its_forms(url: str, straight: bool) -> None:
    """Names, suffixes, ports, addresses of both kinds and networks; none of them stops the start."""
    assert (proxy_of(url, ALL_PROXY="http://p:1", NO_PROXY=AWKWARD) is None) is straight


def test_a_star_switches_proxies_off() -> None:
    """NO_PROXY=* means no proxy at all."""
    assert proxy_of("https://api.openai.com", HTTPS_PROXY="http://p:1", NO_PROXY="*") is None


def test_the_scheme_chooses_the_variable_and_lower_case_wins() -> None:
    """HTTPS_PROXY for https, HTTP_PROXY for http, ALL_PROXY for the rest; an empty value counts as not set."""
    assert proxy_of("https://a.example", HTTPS_PROXY="http://s:1", HTTP_PROXY="http://p:1") == "http://s:1"
    assert proxy_of("http://a.example", HTTPS_PROXY="http://s:1", HTTP_PROXY="p:1") == "http://p:1"
    assert proxy_of("https://a.example", HTTPS_PROXY="", ALL_PROXY="socks5h://a:1") == "socks5h://a:1"
    assert proxy_of("https://a.example", HTTPS_PROXY="http://up:1", https_proxy="http://low:1") == "http://low:1"
    assert proxy_of("https://a.example") is None


@pytest.mark.parametrize(
    "value", ["socks4://h:1", "ftp://h:1", "http://", "http://h:port", "http://a b:1", "http://[::1"]
)
def test_a_proxy_that_cannot_be_used_names_its_variable(value: str) -> None:
    """The user learns which variable to correct."""
    with pytest.raises(ConnectFailed, match="HTTPS_PROXY"):
        parse_proxy("HTTPS_PROXY", value)


def test_passwords_of_proxies_are_shown_nowhere() -> None:
    """The whole address is used, and only scheme, host and port can be seen; odd characters survive."""
    proxy = parse_proxy("HTTPS_PROXY", "http://me:p%40ss w@h:3128".replace(" ", "%20"))

    assert proxy.url == "http://me:p%40ss%20w@h:3128"
    assert proxy.shown == "http://h:3128"
    assert "p%40ss" not in repr(proxy) and "p@ss" not in repr(proxy)
    assert "me:" not in repr(Network.from_environ({"HTTPS_PROXY": proxy.url}))


@pytest.mark.parametrize("everywhere", [True, False])
def test_a_local_server_answers_whatever_the_proxy_variables_say(
    everywhere: bool, connect: Callable[..., OpenAIClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    """socks:// in ALL_PROXY and IPv6 in NO_PROXY stop neither start nor chat, in our values or in the environment."""
    variables = {"ALL_PROXY": "socks://127.0.0.1:7897", "NO_PROXY": "localhost,127.0.0.1,::1,[::1],fd00::/8"}
    if everywhere:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
            monkeypatch.setenv(name.lower(), value)
    with FakeOpenAI() as server:
        client = connect(server, network=Network.from_environ(variables))

        assert collect(client.stream(ASK)).text == "ok"
        assert client.list_models() == ["fake-model"]


def test_the_environment_is_not_read_behind_our_back(
    connect: Callable[..., OpenAIClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the proxies that were handed in count: one in the environment alone is not used."""
    with FakeOpenAI(root="http://model.invalid/v1") as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.origin)
        client = connect(base_url="http://model.invalid/v1", resolve=lambda _host, _port: None)
        with pytest.raises(ConnectFailed):
            collect(client.stream(ASK))

    assert proxy.requests == []


def test_a_socks_proxy_without_its_package_is_told_as_such(
    connect: Callable[..., OpenAIClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line names the variable and what to install; a local server needs neither."""
    monkeypatch.setitem(sys.modules, "socksio", None)
    network = Network.from_environ({"ALL_PROXY": "socks://127.0.0.1:7897"})

    with pytest.raises(ConnectFailed, match=r"ALL_PROXY.*socksio"):
        collect(connect(base_url="https://api.example/v1", network=network).stream(ASK))
    with FakeOpenAI() as server:
        assert collect(connect(server, network=network).stream(ASK)).text == "ok"


@pytest.mark.parametrize("scheme", ["http", "socks", "socks5"])
@pytest.mark.parametrize("url", ["http://model.example/v1", "https://model.example/v1"])
def test_a_proxy_that_does_not_answer_is_named_with_its_variable_and_without_its_password(
    url: str, scheme: str, connect: Callable[..., OpenAIClient], free_port: int
) -> None:
    """SEC-17: One line: the proxy's host, the variable, what to do; the password is nowhere."""
    network = Network.from_environ({"ALL_PROXY": f"{scheme}://u:PASS-SENTINEL@127.0.0.1:{free_port}"})
    client = connect(base_url=url, network=network)

    with pytest.raises(ClientError) as caught:
        collect(client.stream(ASK))

    told = str(caught.value)
    assert isinstance(caught.value, ConnectFailed)
    assert "ALL_PROXY" in told and f"127.0.0.1:{free_port}" in told
    assert "SENTINEL" not in told + repr(client) + repr(vars(client))


def test_a_proxy_is_used_for_a_server_that_is_not_here(connect: Callable[..., OpenAIClient]) -> None:
    """The request goes to the proxy with the server's whole address."""
    with FakeOpenAI(root="http://model.example/v1") as proxy:
        network = Network.from_environ({"HTTP_PROXY": proxy.origin})
        client = connect(base_url="http://model.example/v1", network=network)

        assert collect(client.stream(ASK)).text == "ok"

    assert proxy.requests[0].path == "http://model.example/v1/chat/completions"


def test_certificates_that_cannot_be_read_name_their_variable(
    connect: Callable[..., OpenAIClient], tmp_path: Path
) -> None:
    """A company's certificate file with a wrong path is a line, not a traceback."""
    network = Network.from_environ({"SSL_CERT_FILE": str(tmp_path / "none.pem")})

    with pytest.raises(ConnectFailed, match="SSL_CERT_FILE"):
        collect(connect(base_url="https://127.0.0.1:9/v1", network=network).stream(ASK))
