"""The real client: what goes over the wire, and what it learns of a server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import openai
import pytest

from agentao.agent import openai_client
from agentao.agent.client import collect
from agentao.agent.messages import (
    ChatRequest,
    Completed,
    Message,
    ReasoningDelta,
    ToolCall,
    ToolSpec,
)
from agentao.agent.openai_client import MAPPED
from agentao.errors import (
    AuthFailed,
    ModelNotFound,
    RequestRefused,
)
from tests.support import fake_openai as fake
from tests.support.asking import ASK, Connect, failure
from tests.support.fake_openai import FakeOpenAI, chunk, error, stream

TOOL = ToolSpec("save_memory", "Saves.", {"type": "object", "properties": {}})
ROOT = Path(__file__).parents[2]


# -- the request -----------------------------------------------------------------------------------------------------


def test_the_same_request_is_the_same_bytes(connect: Connect) -> None:
    """A server's prefix cache sees one spelling: key order, tool schema and messages never vary."""
    with FakeOpenAI() as server:
        request = ChatRequest("s", (Message("user", "你好"),), tools=(TOOL,))
        for client in (connect(server), connect(server)):
            collect(client.stream(request))
            collect(client.stream(request))

        assert len({recorded.raw for recorded in server.requests}) == 1
        assert list(server.bodies[0]["messages"][0]) == ["role", "content"]
        assert server.bodies[0]["stream_options"] == {"include_usage": True}


def test_turn_context_stands_before_the_newest_user_message_in_the_request_only(connect: Connect) -> None:
    """The recalled facts travel with the question, also behind tool results, and leave the message itself alone."""
    call = ToolCall("a", "save_memory", "{}")
    history = (
        Message("user", "one"),
        Message("assistant", "two"),
        Message("user", "three"),
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", "done", tool_call_id="a"),
    )
    with FakeOpenAI(strict="*") as server:
        collect(connect(server).stream(ChatRequest("s", history, turn_context="<memory-context>x</memory-context>")))

    sent = server.bodies[0]["messages"]
    assert [m["content"] for m in sent if m["role"] == "user"] == [
        "one",
        "<memory-context>x</memory-context>\n\nthree",
    ]


def test_reasoning_is_streamed_and_not_sent_back_unasked(connect: Connect) -> None:
    """Reasoning is shown as it comes, kept beside the message, and no server gets it that did not ask for it."""
    with FakeOpenAI(
        stream(chunk({"reasoning": "hm "}), chunk({"reasoning": "so"}), chunk({"content": "hi"}, "stop"))
    ) as server:
        client = connect(server)
        events = list(client.stream(ASK))
        done = events[-1]
        assert isinstance(done, Completed)
        collect(client.stream(ChatRequest("s", (Message("user", "a"), done.message, Message("user", "b")))))

    assert [e.text for e in events if isinstance(e, ReasoningDelta)] == ["hm ", "so"]
    assert done.message.reasoning == "hm so"
    assert "reasoning" not in server.requests[1].raw.decode()


def test_a_server_that_wants_reasoning_back_gets_it_in_its_own_field(connect: Connect) -> None:
    """After the refusal the field is sent, under the name that the server uses, for the rest of the session."""
    call = ToolCall("a", "save_memory", "{}")
    thought = stream(chunk({"reasoning_content": "hm"}), chunk({"content": "x"}, "stop"))
    with FakeOpenAI(thought, strict=("*", "wants_reasoning")) as server:
        client = connect(server)
        collect(client.stream(ASK))
        history = (
            Message("user", "a"),
            Message("assistant", "", tool_calls=(call,), reasoning="because"),
            Message("tool", "ok", tool_call_id="a"),
        )
        collect(client.stream(ChatRequest("s", history)))
        collect(client.stream(ChatRequest("s", history)))

    assert len(server.refused) == 1
    assert [m.get("reasoning_content") for m in server.bodies[-1]["messages"]] == [None, None, "because", None]


def test_max_tokens_is_spelt_as_the_model_wants_it(connect: Connect) -> None:
    """A model that knows only max_completion_tokens is asked again with it, once."""
    with FakeOpenAI(strict=("*", "max_tokens")) as server:
        client = connect(server)
        for _ in range(2):
            collect(client.stream(ChatRequest("s", ASK.messages, max_tokens=50)))

    assert [b.get("max_tokens") for b in server.bodies] == [50, None, None]
    assert server.bodies[-1]["max_completion_tokens"] == 50


@pytest.mark.parametrize(
    ("rule", "tools"),
    [("stream_options", ()), ("tools", (TOOL,)), ("no_system", ())],
)
def test_what_a_server_lacks_is_left_out_for_the_session_and_said_once(
    rule: str, tools: tuple[ToolSpec, ...], connect: Connect
) -> None:
    """LLM-16, LLM-20: One retry without it; later requests leave it out from the start, and the notice is not
    repeated."""
    request = ChatRequest("s", ASK.messages, tools=tools)
    with FakeOpenAI(strict=("*", rule)) as server:
        client = connect(server)
        first, second = collect(client.stream(request)), collect(client.stream(request))

    assert len(first.notices) == 1
    assert second.notices == ()
    assert len(server.refused) == 1
    assert client.supports_tools is (rule != "tools")


def test_another_model_is_tried_with_tools_again(connect: Connect) -> None:
    """What one model lacks says nothing about the next."""
    with FakeOpenAI(strict=("*", "tools")) as server:
        client = connect(server)
        collect(client.stream(ChatRequest("s", ASK.messages, tools=(TOOL,))))
        assert not client.supports_tools

        client.use_model("other")

        assert client.supports_tools
        assert client.model == "other"


def test_a_400_that_names_nothing_is_sent_once_and_one_about_content_at_most_twice(connect: Connect) -> None:
    """LLM-13: A refusal is no weather: the same request is not tried again."""
    history = (
        Message("user", "a"),
        Message("assistant", "", tool_calls=(ToolCall("a", "save_memory", "{}"),)),
        Message("tool", "ok", tool_call_id="a"),
    )
    with FakeOpenAI(error(400, "I do not like it")) as server:
        assert isinstance(failure(connect(server)), RequestRefused)
        assert len(server.requests) == 1
    with FakeOpenAI(*[error(400, "content: invalid value")] * 5) as server:
        assert isinstance(failure(connect(server), ChatRequest("s", history)), RequestRefused)
        assert len(server.requests) == 2


# -- models ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "listing",
    [
        {"object": "list", "data": [{"id": "b"}, {"id": "a"}]},
        {"models": [{"name": "b"}, {"model": "a"}]},
        {"data": ["b", "a"]},
        [{"id": "a"}, {"id": "b"}],
    ],
)
def test_models_are_listed_sorted_in_any_form(
    listing: object, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OpenAI's list and those of local servers give the same sorted names."""
    with FakeOpenAI() as server:
        monkeypatch.setattr(fake, "json_answer", lambda _body, _status=200: _plain(listing))
        assert connect(server).list_models() == ["a", "b"]


def _plain(body: object) -> fake.Answer:
    return fake.Answer((json.dumps(body).encode(),), 200, (("Content-Type", "application/json"),), "length")


def test_a_servers_only_model_is_used_when_none_was_chosen(connect: Connect) -> None:
    """One model on offer needs no choice, and the user is told; of several the names are shown."""
    with FakeOpenAI(models=["qwen3"]) as server:
        client = connect(server, model="")
        completion = collect(client.stream(ASK))
        assert server.bodies[0]["model"] == "qwen3"
        assert "qwen3" in completion.notices[0]
    with FakeOpenAI(models=["a", "b"]) as server:
        told = failure(connect(server, model=""))
        assert isinstance(told, ModelNotFound)
        assert "a, b" in str(told)
        assert not server.requests


# -- addresses and keys ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "form", ["{0}/v1", "{0}/v1/", "{0}/v1//", "{0}", " {0}/v1 ", "{0}/v1/chat/completions", "{0}/"]
)
@pytest.mark.parametrize("root", ["/v1", ""])
def test_a_base_address_works_in_every_form(form: str, root: str, connect: Connect) -> None:
    """LLM-17: With and without /v1, slashes, blanks or the full path, the server is found, or the address called is
    shown."""
    with FakeOpenAI(root=root) as server:
        client = connect(base_url=form.format(server.origin))
        if root == "" and "/v1" in form:
            assert "/v1/chat/completions answered 404" in str(failure(client))
            return
        assert collect(client.stream(ASK)).text == "ok"
        assert collect(client.stream(ASK)).text == "ok"
        assert len(server.requests) == 2
        assert client.list_models() == ["fake-model"]


def test_a_wrong_path_shows_the_address_that_was_called(connect: Connect) -> None:
    """LLM-17: No server at this path: the message names the whole address."""
    with FakeOpenAI(root="/api/v9") as server:
        told = failure(connect(base_url=server.origin + "/v1"))

    assert isinstance(told, ModelNotFound)
    assert f"{server.origin}/v1/chat/completions" in str(told)


@pytest.mark.parametrize(("key", "position"), [("sk-abʋc", 6), ("“sk-abc”", 1), ("sk abc", 3), ("sk-a\nbc", 5)])
def test_a_key_that_no_header_carries_is_named_by_position(key: str, position: int, connect: Connect) -> None:
    """LLM-18: The message says where the bad character is and shows nothing of the key; nothing is sent."""
    with FakeOpenAI() as server:
        told = failure(connect(server, api_key=key))

    assert isinstance(told, AuthFailed)
    assert f"position {position} " in str(told)
    assert "abc" not in str(told) and "sk" not in str(told)
    assert not server.requests


def test_a_line_break_after_the_key_is_dropped(connect: Connect) -> None:
    """LLM-18: A key read from a file with its newline just works."""
    with FakeOpenAI() as server:
        collect(connect(server, api_key=" sk-abc\n").stream(ASK))

    assert server.requests[0].headers["authorization"] == "Bearer sk-abc"


def test_without_a_key_no_authorization_is_sent(connect: Connect) -> None:
    """Local servers need none, and some refuse an invented one."""
    with FakeOpenAI() as server:
        client = connect(server, api_key="")
        collect(client.stream(ASK))
        client.list_models()

    assert "authorization" not in server.requests[0].headers
    assert "authorization" not in server.others[0].headers


def test_a_login_in_the_address_is_used_and_never_shown(connect: Connect) -> None:
    """user:password@ becomes the header that carries it, and stands in no message."""
    with FakeOpenAI(error(401, "no cHVwcGU6UEFTUy1TRU5USU5FTA== for PASS-SENTINEL")) as server:
        address = server.base_url.replace("://", "://puppe:PASS-SENTINEL@")
        client = connect(base_url=address, api_key="")
        told = str(failure(client))

    assert server.requests[0].headers["authorization"].startswith("Basic ")
    assert "SENTINEL" not in told + repr(client) + client.url
    assert "127.0.0.1" in told


def test_organisation_headers_go_to_openai_only(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package reads OPENAI_ORG_ID by itself; another provider does not learn it."""
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-secret")
    with FakeOpenAI() as server:
        collect(connect(server).stream(ASK))

    assert "secret" not in str(server.requests[0].headers)


# -- the package -----------------------------------------------------------------------------------------------------


def test_every_exception_of_the_package_is_mapped() -> None:
    """A new version's new exception is seen here first."""
    pending: list[type[BaseException]] = [openai.OpenAIError]
    known: set[type[BaseException]] = set()
    while pending:
        kind = pending.pop()
        known.add(kind)
        pending += [sub for sub in kind.__subclasses__() if sub.__module__.startswith("openai")]
    named = [getattr(openai, name) for name in dir(openai) if name.endswith(("Error", "Exception"))]
    known.update(value for value in named if isinstance(value, type) and issubclass(value, Exception))

    assert {kind.__name__ for kind in known if not kind.__name__.startswith("_")} <= MAPPED.keys()


def test_importing_the_client_does_not_import_the_package() -> None:
    """The package takes half a second; the prompt does not wait for it, and preload() fetches it."""
    code = (
        "import sys; from agentao.agent.openai_client import OpenAIClient, preload; OpenAIClient(model='m').model;"
        "assert not {'openai', 'httpx', 'httpx2'} & sys.modules.keys(); preload(); assert 'openai' in sys.modules"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", code], check=True, env=env, timeout=60)


def test_ctrl_c_during_the_import_leaves_no_half_of_the_package() -> None:
    """A question that is stopped while the package is being imported harms neither the next one nor a preload."""
    code = """
import os, signal, sys, threading
from agentao.agent.openai_client import OpenAIClient
from agentao.errors import ConnectFailed

signal.signal(signal.SIGINT, signal.default_int_handler)  # the tests may run where it is ignored

class CtrlC:
    struck = False

    def find_spec(self, name, path=None, target=None):
        if name == "openai._client" and not self.struck:
            self.struck = True
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, CtrlC())
client = OpenAIClient(model="m", base_url="http://127.0.0.1:1")
try:
    client.list_models()
except KeyboardInterrupt:
    print("stopped")
for thread in threading.enumerate():
    if thread is not threading.current_thread():
        thread.join()
parts = [name for name in sys.modules if name.startswith("openai.")]
assert "openai" in sys.modules or not parts, parts
try:
    client.list_models()
except ConnectFailed:
    print("asked")
"""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, timeout=60)
    assert (done.stdout, done.stderr, done.returncode) == ("stopped\nasked\n", "", 0)


def test_the_key_is_in_no_dump_of_the_client(connect: Connect) -> None:
    """Neither repr nor the object's variables, as a traceback with locals prints them, show the key."""
    with FakeOpenAI(error(500, "your key sk-test-SENTINEL failed")) as server:
        client = connect(server, api_key="sk-test-SENTINEL")
        told = failure(client)

    assert "SENTINEL" not in str(told) + repr(told) + repr(client) + repr(vars(client))
    assert told.__cause__ is None
    assert openai_client.OpenAIClient.__repr__(client).startswith("OpenAIClient(")


def test_a_server_without_a_list_of_models_is_told_as_such_and_still_answers(connect: Connect) -> None:
    """The message names the list's address and does not blame the server's; the chat goes on where it was."""
    with FakeOpenAI(lists_models=False) as server:
        client = connect(base_url=server.origin)
        for _ in range(2):
            with pytest.raises(ModelNotFound, match=r"/models answered 404.*no list of its models"):
                client.list_models()
            assert collect(client.stream(ASK)).text == "ok"

    assert len(server.requests) == 2
