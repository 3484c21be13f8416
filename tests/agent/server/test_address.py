"""Addresses as people type them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentao.agent.server.address import parse_address, shown
from agentao.errors import ClientError, ConnectFailed


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("", "https://api.openai.com/v1"),
        ("https://api.openai.com/v1", "https://api.openai.com/v1"),
        ("https://api.deepseek.com", "https://api.deepseek.com/v1"),
        ("https://dashscope.aliyuncs.com/compatible-mode/v1", "https://dashscope.aliyuncs.com/compatible-mode/v1"),
        ("https://open.bigmodel.cn/api/paas/v4/", "https://open.bigmodel.cn/api/paas/v4"),
        ("https://openrouter.ai/api/v1/chat/completions", "https://openrouter.ai/api/v1"),
        ("https://x.example/v1beta/openai/", "https://x.example/v1beta/openai"),
        ("localhost:11434", "http://localhost:11434/v1"),
        ("127.0.0.1:1234/v1", "http://127.0.0.1:1234/v1"),
        ("192.168.1.7:8000", "http://192.168.1.7:8000/v1"),
        ("[::1]:8080/v1", "http://[::1]:8080/v1"),
        ("mybox:8080", "http://mybox:8080/v1"),
        ("api.moonshot.cn/v1", "https://api.moonshot.cn/v1"),
        ("HTTP://LOCALHOST:8080/V1", "http://localhost:8080/V1"),
        ("\u3000“http://h:1/v1”\n", "http://h:1/v1"),
        ("http://h:1//v1///", "http://h:1/v1"),
        ("http://h:1/v1/models", "http://h:1/v1"),
        ("http://h:1/v1?api-version=2", "http://h:1/v1"),
    ],
)
def test_an_address_is_understood_as_it_is_typed(typed: str, first: str) -> None:
    """Scheme, slashes, blanks, quotes and endpoints around the base are no obstacle."""
    assert parse_address(typed).roots[0] == first


@pytest.mark.parametrize(
    "typed", ["ftp://h/v1", "http://", "http://h:99999", "http://h:port", "http://[::1", "ws://h", "http://a b/v1"]
)
def test_what_is_no_web_address_is_refused_in_words(typed: str) -> None:
    """The message shows the address and names the setting."""
    with pytest.raises(ConnectFailed, match="OPENAI_BASE_URL"):
        parse_address(typed)


@pytest.mark.parametrize("typed", ["http://u:PASS@h:99999/v1", "ftp://u:PASS@h/v1", "u:PASS@[::1", "http://u:PASS@a b"])
def test_a_refused_address_shows_no_password(typed: str) -> None:
    """Whatever is wrong with it, user and password are left out."""
    with pytest.raises(ConnectFailed) as caught:
        parse_address(typed)

    assert "PASS" not in str(caught.value)


def test_the_login_is_read_and_kept_out_of_the_address() -> None:
    """user:pass@ is taken apart; no part of the dataclass's text shows the password."""
    address = parse_address("https://me:p%40ss@h.example/v1?key=abcd")

    assert (address.user, address.password) == ("me", "p@ss")
    assert address.roots == ("https://h.example/v1",)
    assert "p@ss" not in repr(address) and "abcd" not in repr(address)


@given(st.text(max_size=60))
def test_any_text_is_an_address_or_a_client_error(typed: str) -> None:
    """Nothing that can be typed ends in another exception, and what is shown holds no login."""
    try:
        address = parse_address(typed)
    except ClientError:
        return
    assert address.roots
    assert "@" not in shown(address.roots[0]).partition("://")[2].partition("/")[0]
