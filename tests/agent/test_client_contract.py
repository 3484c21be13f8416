"""What every chat client keeps to: the same suite runs against the scripted one and the real one over loopback."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

import pytest

from agentao.agent.client import ChatClient, collect
from agentao.agent.messages import ChatRequest, Completed, Message, TextDelta, ToolSpec, Usage
from agentao.agent.openai_client import OpenAIClient
from agentao.agent.scripted_client import ScriptedClient
from agentao.agent.scripted_client import call as scripted_call
from agentao.agent.scripted_client import say as scripted_say
from agentao.errors import BadResponse, ClientError, ServerFailed
from tests.support.fake_openai import FakeOpenAI, Step, chunk, error, event, stream
from tests.support.fake_openai import call as served_call
from tests.support.fake_openai import say as served_say

ASK = ChatRequest("s", (Message("user", "hi"),), tools=(ToolSpec("save_memory", "Saves.", {"type": "object"}),))
SAVE: dict[str, object] = {"key": "a", "value": "你好"}


class Backend(Protocol):
    """Makes a client that will answer in a named way."""

    def __call__(self, *answers: str) -> object: ...


SCRIPTED = {
    "text": lambda: scripted_say("你好, world", usage=Usage(12, 5)),
    "call": lambda: scripted_call(SAVE),
    "cut": lambda: scripted_say("half", finish="cut"),
    "length": lambda: scripted_say("half", finish="length"),
    "broken": lambda: [TextDelta("half"), ServerFailed("upstream died")],
    "failed": lambda: ServerFailed("down"),
}
SERVED: dict[str, Step] = {
    "text": served_say("你好, world", prompt_tokens=12),
    "call": served_call("save_memory", SAVE),
    "cut": stream(chunk({"content": "half"}), done=False, framing="cut"),
    "length": served_say("half", finish="length"),
    "broken": stream(chunk({"content": "half"}), event({"error": {"message": "upstream died"}})),
    "failed": error(500, "down"),
}


@contextmanager
def scripted(answers: tuple[str, ...]) -> Iterator[ChatClient]:
    client = ScriptedClient(*(SCRIPTED[name]() for name in answers), model="fake-model")
    yield client
    client.assert_done()


@contextmanager
def served(answers: tuple[str, ...]) -> Iterator[ChatClient]:
    with FakeOpenAI(*(SERVED[name] for name in answers), strict="*") as server:
        client = OpenAIClient(base_url=server.base_url, model="fake-model", sleep=lambda _s: None)
        yield client
        client.close()
        assert not server.script


@pytest.fixture(params=[scripted, served], ids=["scripted", "served"])
def backend(request: pytest.FixtureRequest) -> Callable[..., object]:
    """Opens a client of each kind with the named answers."""
    return request.param


Open = Callable[[tuple[str, ...]], "contextmanager[ChatClient]"]


def test_a_text_comes_in_deltas_and_once_whole(backend: Open) -> None:
    """The deltas joined are the message, and exactly one Completed ends the stream, with the usage."""
    with backend(("text",)) as client:
        events = list(client.stream(ASK))

    *deltas, last = events
    assert isinstance(last, Completed)
    assert all(isinstance(e, TextDelta) for e in deltas)
    assert "".join(e.text for e in deltas if isinstance(e, TextDelta)) == last.message.content == "你好, world"
    assert last.finish_reason == "stop"
    assert last.message.complete
    assert last.usage is not None and last.usage.prompt_tokens == 12


def test_a_call_comes_whole_with_the_end(backend: Open) -> None:
    """Calls are never streamed in parts to the agent, and their arguments are as the model wrote them."""
    with backend(("call",)) as client:
        completed = collect(client.stream(ASK)).completed

    (made,) = completed.message.tool_calls
    assert completed.finish_reason == "tool_calls"
    assert (made.name, made.arguments) == ("save_memory", '{"key": "a", "value": "你好"}')


@pytest.mark.parametrize(("answer", "reason"), [("cut", "cut"), ("length", "length")])
def test_what_is_not_whole_is_marked(answer: str, reason: str, backend: Open) -> None:
    """A cut answer is an answer that says so."""
    with backend((answer,)) as client:
        completed = collect(client.stream(ASK)).completed

    assert completed.finish_reason == reason
    assert completed.message == Message("assistant", "half", complete=False)


@pytest.mark.parametrize("answer", ["broken", "failed"])
def test_a_failure_is_a_client_error_and_the_next_request_works(answer: str, backend: Open) -> None:
    """A client error comes out of the iterator, whenever it happens, and nothing is left behind."""
    with backend((answer, "text")) as client:
        with pytest.raises(ClientError):
            collect(client.stream(ASK))

        assert collect(client.stream(ASK)).text == "你好, world"


def test_nothing_is_asked_before_the_first_event_is_wanted(backend: Open) -> None:
    """Making the iterator costs nothing; dropping it unused plays nothing."""
    with backend(("text",)) as client:
        client.stream(ASK)

        assert collect(client.stream(ASK)).text == "你好, world"


def test_a_stream_may_be_closed_early_and_the_next_request_works(backend: Open) -> None:
    """Closing gives up the rest of the answer."""
    with backend(("text", "text")) as client:
        events = client.stream(ASK)
        assert isinstance(next(events), TextDelta)
        events.close()  # type: ignore[attr-defined]

        assert collect(client.stream(ASK)).text == "你好, world"


def test_models_are_listed_and_chosen(backend: Open) -> None:
    """The list is sorted, and the chosen name is the one in use."""
    with backend(()) as client:
        assert client.list_models() == ["fake-model"]
        assert client.supports_tools
        client.use_model("other")
        assert client.model == "other"


def test_collecting_a_stream_without_an_end_is_an_error() -> None:
    """A stream that just stops is no answer."""
    with pytest.raises(BadResponse):
        collect(iter([TextDelta("half")]))


def test_the_scripted_client_is_strict_both_ways() -> None:
    """An unexpected request fails, and so do an unused step and a history that a server would refuse."""
    client = ScriptedClient(scripted_say("a"))
    with pytest.raises(AssertionError, match="never played"):
        client.assert_done()
    with pytest.raises(AssertionError, match="blank"):
        list(client.stream(ChatRequest("s", (Message("user", " "),))))
    with pytest.raises(AssertionError, match="without its call"):
        list(client.stream(ChatRequest("s", (Message("user", "a"), Message("tool", "x", tool_call_id="1")))))
    list(client.stream(ASK))
    with pytest.raises(AssertionError, match="unexpected request"):
        list(client.stream(ASK))
