"""Faults of servers and networks: what each is called, what is tried again, and that Ctrl-C works in every wait."""

from __future__ import annotations

import gc
import signal
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest

from agentao.agent.client import collect
from agentao.agent.messages import (
    Notice,
    TextDelta,
)
from agentao.errors import (
    AuthFailed,
    ClientError,
    ConnectFailed,
    ContextTooLong,
    ModelNotFound,
    RateLimited,
    RequestRefused,
    ResponseTimeout,
    ServerFailed,
)
from tests.support import fake_openai as fake
from tests.support.asking import ASK, Connect, failure
from tests.support.fake_openai import FakeOpenAI, chunk, error, stream

# -- faults ----------------------------------------------------------------------------------------------------------

FAULTS = [
    (error(400, "odd request"), RequestRefused, "odd request"),
    (error(401, "Incorrect API key provided"), AuthFailed, "OPENAI_API_KEY"),
    (error(402, "Insufficient Balance"), RateLimited, "credit"),
    (error(403, "not in your region"), AuthFailed, "region"),
    (error(404, "The model `gpt-9` does not exist", code="model_not_found"), ModelNotFound, "/model"),
    (error(400, "Invalid model name passed in model=gpt-9. Call /v1/models to view models."), ModelNotFound, "/model"),
    (error(400, "Model Not Exist"), ModelNotFound, "/model"),
    (error(408, "too slow"), ResponseTimeout, "too slow"),
    (error(409, "conflict"), RequestRefused, "conflict"),
    (error(413, "Payload Too Large"), ContextTooLong, "too long"),
    (error(422, "unprocessable"), RequestRefused, "unprocessable"),
    (error(429, "You exceeded your current quota", code="insufficient_quota"), RateLimited, "credit"),
    (error(500, "boom"), ServerFailed, "boom"),
    (error(502, "bad gateway"), ServerFailed, "502"),
    (error(504, "gateway timeout"), ServerFailed, "504"),
    (error(529, "overloaded"), ServerFailed, "overloaded"),
    (fake.page(500), ServerFailed, "502 Bad Gateway"),
    (fake.page(403, "<html><body><h1>Blocked</h1></body></html>"), AuthFailed, "Blocked"),
    (fake.Answer((), 301, (("Location", "https://elsewhere.example/v1"),), "length"), RequestRefused, "301"),
    (error(400, "This model's maximum context length is 8192 tokens."), ContextTooLong, "8192"),
    (error(400, "prompt is too long: 9000 tokens > 8192 maximum"), ContextTooLong, "too long"),
    (error(400, "输入长度超过限制"), ContextTooLong, "输入长度超过限制"),
    (error(400, "Range of input length should be [1, 30720]"), ContextTooLong, "30720"),
    (
        error(400, "the request exceeds the available context size", type="exceed_context_size_error"),
        ContextTooLong,
        "",
    ),
    (error(400, "x", code="context_length_exceeded"), ContextTooLong, ""),
    (fake.json_answer({"detail": [{"loc": ["body"], "msg": "field required"}]}, 422), RequestRefused, "field required"),
    (fake.json_answer({"object": "error", "message": "told so", "code": 400}, 400), RequestRefused, "told so"),
    (fake.json_answer([{"error": {"message": "in a list"}}], 400), RequestRefused, "in a list"),
    (fake.Answer((b"",), 500, (), "length"), ServerFailed, "500"),
    (fake.Answer((b"\xff\xfe\x00",), 500, (), "length"), ServerFailed, "500"),
]


@pytest.mark.parametrize(("answer", "kind", "words"), FAULTS, ids=lambda value: getattr(value, "__name__", "")[:30])
def test_each_refusal_has_its_error_and_is_sent_once(
    answer: fake.Answer, kind: type[ClientError], words: str, connect: Connect, waits: list[float]
) -> None:
    """CMP-10: One line that names the address and the cause; nothing is sent twice."""
    with FakeOpenAI(answer, answer) as server:
        told = failure(connect(server))

        assert type(told) is kind
        assert told.answered
        assert words in str(told)
        assert len(server.requests) == 1
        assert waits == []
        assert kind is ContextTooLong or server.origin in str(told)


@pytest.mark.parametrize(
    ("headers", "paused"),
    [
        ([], [1.0]),
        ([("Retry-After", "7")], [7.0]),
        ([("Retry-After", "0")], [1.0]),
        ([("Retry-After", "2500ms")], [2.5]),
        ([("Retry-After", "20s")], [20.0]),
        ([("retry-after-ms", "4000")], [4.0]),
        ([("Retry-After", "Tue, 01 Dec 2026 12:00:30 GMT")], [30.0]),
        ([("Retry-After", "Tue, 01 Dec 2026 11:00:00 GMT")], [1.0]),
        ([("Retry-After", "soon")], [1.0]),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_server_is_waited_for_as_it_asks(
    status: int, headers: list[tuple[str, str]], paused: list[float], connect: Connect, waits: list[float]
) -> None:
    """Every form of Retry-After is understood, the wait is shown, and the answer arrives; nothing is compacted."""
    noon = datetime(2026, 12, 1, 12, 0, 0, tzinfo=UTC)
    with FakeOpenAI(error(status, "Too many tokens, please wait", headers=headers)) as server:
        completion = collect(connect(server, clock=lambda: noon).stream(ASK))

    assert completion.text == "ok"
    assert waits == paused
    assert str(status) in completion.notices[0]


def test_a_server_that_loads_its_model_is_waited_for(connect: Connect, waits: list[float]) -> None:
    """A local server that answers 503 while it loads gets the time of a first token; one notice says so."""
    loading = error(503, "Loading model", type="unavailable_error")
    with FakeOpenAI(*[loading] * 20) as server:
        completion = collect(connect(server).stream(ASK))
        assert completion.text == "ok"
        assert len(completion.notices) == 1
        assert waits == [3.0] * 20
    waits.clear()
    with FakeOpenAI(otherwise=loading) as server:
        assert isinstance(failure(connect(server, first_token_timeout_s=9)), ServerFailed)
        assert waits[:3] == [3.0] * 3


def test_a_server_that_stays_busy_is_given_up_after_few_tries(connect: Connect, waits: list[float]) -> None:
    """Three waits that grow, then one line."""
    with FakeOpenAI(otherwise=error(429, "slow down")) as server:
        told = failure(connect(server))

        assert isinstance(told, RateLimited)
        assert len(server.requests) == 4
        assert waits == [1.0, 3.0, 9.0]


def test_a_wait_beyond_the_users_patience_is_told_and_not_made(connect: Connect, waits: list[float]) -> None:
    """An hour is for the user to decide."""
    with FakeOpenAI(error(429, "slow down", headers=[("Retry-After", "3600")])) as server:
        told = failure(connect(server))

    assert "3600 s" in str(told)
    assert waits == []


@pytest.mark.parametrize(
    "answer",
    [
        fake.Answer(before=(fake.Reset(),)),
        fake.Answer(status=200, pieces=(fake.Reset(),)),
    ],
)
def test_a_connection_that_breaks_after_sending_is_not_tried_again(answer: fake.Answer, connect: Connect) -> None:
    """The server may have received the request: it is the user who asks again. The head alone is an answer."""
    with FakeOpenAI(answer) as server:
        told = failure(connect(server))

        assert isinstance(told, ServerFailed)
        assert told.answered == bool(answer.pieces == (fake.Reset(),))
        assert len(server.requests) == 1


def test_a_refused_connection_is_tried_once_more_and_told(connect: Connect, waits: list[float], free_port: int) -> None:
    """Nothing was sent, so one more try is safe; then one line with the address and what to check."""
    client = connect(base_url=f"http://127.0.0.1:{free_port}/v1")
    notices: list[str] = []
    with pytest.raises(ConnectFailed, match=r"refused.*server running") as caught:
        for one in client.stream(ASK):
            assert isinstance(one, Notice)
            notices.append(one.text)

    assert f"127.0.0.1:{free_port}" in str(caught.value)
    assert len(notices) == 1
    assert not caught.value.answered
    assert waits == [1.0]
    with pytest.raises(ConnectFailed):
        client.list_models()


def test_an_unknown_name_is_told_as_such(connect: Connect) -> None:
    """A host that cannot be found is named, with the cause."""

    def unknown(host: str, port: int) -> None:
        raise OSError(-2, "Name or service not known")

    told = failure(connect(base_url="https://api.nowhere.example/v1", resolve=unknown))

    assert isinstance(told, ConnectFailed)
    assert "api.nowhere.example" in str(told)
    assert "name cannot be found" in str(told)


def test_a_server_without_tls_behind_https_is_told_as_such(connect: Connect, waits: list[float]) -> None:
    """A failed handshake is no matter of waiting."""
    with FakeOpenAI() as server:
        told = failure(connect(base_url=server.base_url.replace("http:", "https:")))

    assert isinstance(told, ConnectFailed)
    assert "SSL_CERT_FILE" in str(told)
    assert waits == []


def test_a_slow_first_token_is_waited_for_and_a_stall_is_not(connect: Connect) -> None:
    """LLM-26: The first token has its own, long limit; a silence later ends the answer with an error that says so."""
    slow = stream(fake.Delay(20), chunk({"content": "hi"}), chunk({}, "stop"), before=(fake.Delay(45),))
    stalled = stream(chunk({"content": "half"}), fake.AwaitHangup(), done=False)
    with FakeOpenAI(slow, stalled, time_scale=0.01) as server:
        client = connect(server, first_token_timeout_s=5, idle_timeout_s=0.2)
        assert collect(client.stream(ASK)).text == "hi"
        assert len(server.requests) == 1

        told = failure(client)

        assert isinstance(told, ResponseTimeout)
        assert server.hung_up.wait(5)
        assert len(server.requests) == 2


def test_no_first_token_within_the_limit_ends_the_wait(connect: Connect) -> None:
    """LLM-26: The limit can be set; when it is over, the request is given up and not sent again."""
    with FakeOpenAI(fake.Answer(before=(fake.AwaitHangup(),))) as server:
        told = failure(connect(server, first_token_timeout_s=0.3))

        assert isinstance(told, ResponseTimeout)
        assert server.hung_up.wait(5)
        assert len(server.requests) == 1


# -- stopping --------------------------------------------------------------------------------------------------------


def test_closing_the_iterator_ends_the_request(connect: Connect) -> None:
    """The server sees the connection go, so that it stops working for nobody."""
    with FakeOpenAI(stream(chunk({"content": "one"}), fake.AwaitHangup(), done=False)) as server:
        events = connect(server).stream(ASK)
        assert next(events) == TextDelta("one")

        events.close()  # type: ignore[attr-defined]

        assert server.hung_up.wait(5)


@pytest.fixture
def ctrl_c() -> Iterator[Callable[[threading.Event], None]]:
    """Sends the interrupt signal to this process as soon as an event is set, as the terminal does on Ctrl-C.

    No garbage is collected meanwhile: Python drops what is raised in a callback of the collector (hypothesis has one).
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.disable()

    def press(event: threading.Event) -> None:
        def wait_and_press() -> None:
            if event.wait(20):
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

        threading.Thread(target=wait_and_press, daemon=True).start()

    yield press
    gc.enable()
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("where", ["before the headers", "before the first token", "within the answer"])
def test_ctrl_c_works_while_waiting(where: str, connect: Connect, ctrl_c: Callable[[threading.Event], None]) -> None:
    """LLM-26: The wait ends at once, wherever it is, and the connection is closed."""
    reached = fake.Reached()
    wait = (reached, fake.AwaitHangup())
    answer = {
        "before the headers": fake.Answer(before=wait),
        "before the first token": fake.Answer(pieces=wait),
        "within the answer": stream(chunk({"content": "one"}), *wait, done=False),
    }[where]
    with FakeOpenAI(answer) as server:
        ctrl_c(reached.event)
        with pytest.raises(KeyboardInterrupt):
            collect(connect(server).stream(ASK))

        assert server.hung_up.wait(5)
        assert len(server.requests) == 1


def test_ctrl_c_works_while_a_name_is_looked_up(connect: Connect, ctrl_c: Callable[[threading.Event], None]) -> None:
    """A name service that does not answer holds nobody up."""
    reached, never = threading.Event(), threading.Event()

    def hang(host: str, port: int) -> None:
        reached.set()
        never.wait(20)

    ctrl_c(reached)
    with pytest.raises(KeyboardInterrupt):
        collect(connect(base_url="https://api.nowhere.example/v1", resolve=hang).stream(ASK))
    never.set()
