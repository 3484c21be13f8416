"""The key, and the passwords of addresses and proxies, reach no log, no error and no dump, whatever fails."""

from __future__ import annotations

import io
import logging
import traceback
from collections.abc import Callable, Iterator

import pytest

from agentao.agent.agent import Agent
from agentao.agent.client import collect
from agentao.agent.openai_client import OpenAIClient
from agentao.agent.server.network import Network
from agentao.errors import ClientError
from agentao.memory.manager import MemoryManager
from tests.support import fake_openai as fake
from tests.support.asking import ASK
from tests.support.fake_openai import FakeOpenAI, error, say, stream

KEY = "sk-test-SENTINEL"


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Everything that any logger says, at the lowest level."""
    text = io.StringIO()
    handler = logging.StreamHandler(text)
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield text
    root.removeHandler(handler)
    root.setLevel(level)


ANSWERS = {
    "fine": say("hello"),
    "echoed by the server": error(401, f"Incorrect API key provided: {KEY}"),
    "echoed in a page": fake.page(500, f"<html>Authorization: Bearer {KEY}</html>"),
    "echoed in the stream": stream(fake.event({"error": {"message": f"bad key {KEY}"}})),
    "echoed as broken JSON": stream(f"data: {{{KEY}\n\n".encode()),
    "broken": fake.Answer(before=(fake.Reset(),)),
}


@pytest.mark.parametrize("case", ANSWERS)
def test_the_key_is_in_no_log_and_no_error(case: str, connect: Callable[..., OpenAIClient], log: io.StringIO) -> None:
    """Also where the server repeats it, with every logger at its most talkative and the traceback printed whole."""
    with FakeOpenAI(ANSWERS[case]) as server:
        client = connect(server, api_key=KEY)
        told = ""
        try:
            collect(client.stream(ASK))
        except ClientError:
            told = traceback.format_exc()

    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert "SENTINEL" not in told
    assert "SENTINEL" not in log.getvalue()


@pytest.mark.parametrize(
    ("settings", "proxies"),
    [
        ({"base_url": "http://u:PASS-SENTINEL@127.0.0.1:{port}/v1"}, {}),
        ({"base_url": "https://u:PASS-SENTINEL@127.0.0.1:{port}/v1"}, {}),
        ({"base_url": "https://u:PASS-SENTINEL@127.0.0.1:no/v1"}, {}),
        ({"base_url": "https://model.example/v1"}, {"HTTPS_PROXY": "http://u:PASS-SENTINEL@127.0.0.1:{port}"}),
        ({"base_url": "https://model.example/v1"}, {"HTTPS_PROXY": "http://u:PASS-SENTINEL@127.0.0.1:no"}),
        ({"base_url": "https://model.example/v1"}, {"ALL_PROXY": "gopher://u:PASS-SENTINEL@127.0.0.1:{port}"}),
        ({"base_url": "https://model.example/v1"}, {"ALL_PROXY": "u:PASS-SENTINEL@127.0.0.1:{port}"}),
    ],
)
def test_passwords_in_addresses_are_in_no_log_and_no_error(
    settings: dict[str, str],
    proxies: dict[str, str],
    connect: Callable[..., OpenAIClient],
    free_port: int,
    log: io.StringIO,
) -> None:
    """SEC-17: The host may be named, the password never; also when nothing listens or the address is malformed."""
    network = Network.from_environ({k: v.format(port=free_port) for k, v in proxies.items()})
    client = connect(**{k: v.format(port=free_port) for k, v in settings.items()}, network=network)

    with pytest.raises(ClientError):
        collect(client.stream(ASK))
    with pytest.raises(ClientError) as caught:
        client.list_models()

    told = "".join(traceback.format_exception(caught.value))
    for text in (told, log.getvalue(), repr(client), client.url, repr(vars(client))):
        assert "SENTINEL" not in text


def test_a_key_in_the_query_of_an_address_is_used_and_not_shown(connect: Callable[..., OpenAIClient]) -> None:
    """Some gateways take the key there; the request carries it, no message does."""
    with FakeOpenAI() as server:
        client = connect(base_url=server.base_url + "?api-key=PASS-SENTINEL", api_key="")
        with pytest.raises(ClientError) as caught:
            collect(client.stream(ASK))

    assert server.others[0].path == "/v1/chat/completions?api-key=PASS-SENTINEL"
    assert "SENTINEL" not in str(caught.value) + repr(client) + client.url


def test_a_refused_secret_is_not_sent_again(manager: MemoryManager, connect: Callable[..., OpenAIClient]) -> None:
    """A tool call with a key in any field is stored nowhere, and the next request does not carry it."""
    key = "sk-proj-" + "a1B2c3D4e5" * 4
    token = "ghp_" + "a1B2c3D4e5" * 4
    with FakeOpenAI(fake.save("api", key, [token]), say("refused")) as server:
        agent = Agent(manager, connect(server))
        list(agent.run_turn("keep it"))
        list(agent.run_turn("what did you keep?"))

    assert "a1B2c3D4e5" not in "".join(recorded.raw.decode() for recorded in server.requests)
    assert manager.get_all_entries() == []
    stored = b"".join(
        path.read_bytes() for store in manager.stores if store.path for path in store.path.parent.iterdir()
    )
    assert b"a1B2c3D4e5" not in stored
