"""A fake OpenAI-compatible server on 127.0.0.1: records every request, plays a script, can be strict.

    with FakeOpenAI(say("hello"), call("save_memory", {"key": "a", "value": "b"}), say("saved")) as server:
        ... talk to server.base_url ...
    server.requests[0].body["messages"]

A step of the script is an ``Answer`` (or a function of the request that returns one). Each chat request takes the
next step; when the script is over ``otherwise`` answers. ``Delay(45)`` waits 45 × ``time_scale`` seconds.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.strict_openai import refusal

Json = dict[str, Any]


@dataclass(frozen=True)
class Delay:
    """Wait this many seconds (scaled by the server's ``time_scale``) before the next piece."""

    seconds: float


@dataclass(frozen=True)
class Hold:
    """Wait until the test sets this event."""

    event: threading.Event = field(default_factory=threading.Event)


class Reached:
    """Set ``event`` when the answer gets here, so that a test knows how far the client has read at least."""

    def __init__(self) -> None:
        self.event = threading.Event()


@dataclass(frozen=True)
class AwaitHangup:
    """Wait until the client closes the connection; the server's ``hangups`` counts it."""

    seconds: float = 20.0


@dataclass(frozen=True)
class Reset:
    """Break the connection at once, with a TCP reset."""


Piece = bytes | Delay | Hold | Reached | AwaitHangup | Reset


@dataclass(frozen=True)
class Answer:
    """One HTTP answer. ``pieces`` are written one by one, each ``bytes`` in one send.

    ``framing``: ``chunked`` (ends properly), ``cut`` (chunked, closed without the last chunk), ``close`` (no length,
    the end of the connection is the end of the answer), ``length`` (Content-Length).
    """

    pieces: tuple[Piece, ...] = ()
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "text/event-stream; charset=utf-8"),)
    framing: str = "chunked"
    before: tuple[Piece, ...] = ()
    """Played before the status line."""


@dataclass(frozen=True)
class Recorded:
    """One request as it came in; the names of the headers in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    raw: bytes

    @property
    def body(self) -> Json:
        return dict(json.loads(self.raw)) if self.raw else {}

    @property
    def system(self) -> str:
        """The system prompt."""
        return next((m["content"] for m in self.body["messages"] if m["role"] == "system"), "")

    @property
    def last_user(self) -> str:
        """The newest user message."""
        return next((m["content"] for m in reversed(self.body["messages"]) if m["role"] == "user"), "")


Step = Answer | Callable[[Recorded], Answer]


# -- building chunks -------------------------------------------------------------------------------------------------


def chunk(delta: Json | None = None, finish: str | None = None, **extra: Any) -> Json:
    """One ``chat.completion.chunk``."""
    return {
        "id": "chatcmpl-fake",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": "fake-model",
        "choices": [{"index": 0, "delta": delta or {}, "finish_reason": finish}],
        **extra,
    }


def event(data: Json | str) -> bytes:
    """One server-sent event."""
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return f"data: {text}\n\n".encode("utf-8", "surrogatepass")


DONE = event("[DONE]")


def usage(prompt: int | None, completion: int = 5, cached: int | None = None) -> Json:
    """A chunk without choices that only carries usage."""
    total = (prompt or 0) + completion
    counts: Json = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total}
    if cached is not None:
        counts["prompt_tokens_details"] = {"cached_tokens": cached}
    return {**chunk(), "choices": [], "usage": counts}


def tool_delta(
    name: str | None = None, arguments: str | None = None, *, index: int | None = None, id: str | None = None
) -> Json:
    """One entry of ``delta.tool_calls``; what is None is left out, as some servers do."""
    function: Json = {}
    if name is not None:
        function["name"] = name
    if arguments is not None:
        function["arguments"] = arguments
    entry: Json = {"type": "function", "function": function}
    if index is not None:
        entry["index"] = index
    if id is not None:
        entry["id"] = id
    return entry


def split(data: bytes, size: int) -> tuple[bytes, ...]:
    """Cut bytes into sends of ``size`` bytes, whatever they hold."""
    return tuple(data[at : at + size] for at in range(0, len(data), size))


def stream(*chunks: Json | bytes | Piece, done: bool = True, **answer: Any) -> Answer:
    """A streamed answer from chunks (dicts become events; pieces stand as they are)."""
    pieces: list[Piece] = [event(c) if isinstance(c, dict) else c for c in chunks]
    if done:
        pieces.append(DONE)
    return Answer(pieces=tuple(pieces), **answer)


def say(text: str, *, prompt_tokens: int | None = None, finish: str | None = "stop", step: int = 12) -> Answer:
    """A streamed text answer."""
    parts = [text[at : at + step] for at in range(0, len(text), step)] or [""]
    chunks: list[Json] = [chunk({"role": "assistant", "content": parts[0]})]
    chunks += [chunk({"content": part}) for part in parts[1:]]
    chunks.append(chunk({}, finish))
    if prompt_tokens is not None:
        chunks.append(usage(prompt_tokens, max(1, len(text) // 4)))
    return stream(*chunks)


def call(name: str, arguments: Json | str, *, id: str = "call_1", finish: str = "tool_calls", text: str = "") -> Answer:
    """A streamed answer with one tool call."""
    return calls((name, arguments, id), finish=finish, text=text)


def calls(*wanted: tuple[str, Json | str, str], finish: str = "tool_calls", text: str = "") -> Answer:
    """A streamed answer with several tool calls: (name, arguments, id)."""
    chunks: list[Json] = [chunk({"role": "assistant", "content": text or None})]
    for index, (name, arguments, id) in enumerate(wanted):
        whole = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        middle = len(whole) // 2
        chunks.append(chunk({"tool_calls": [tool_delta(name, "", index=index, id=id)]}))
        chunks += [chunk({"tool_calls": [tool_delta(None, p, index=index)]}) for p in (whole[:middle], whole[middle:])]
    chunks.append(chunk({}, finish))
    return stream(*chunks)


def save(key: str, value: Any, tags: Any = None, *, id: str = "call_1") -> Answer:
    """A streamed ``save_memory`` call."""
    arguments: Json = {"key": key, "value": value}
    if tags is not None:
        arguments["tags"] = tags
    return call("save_memory", arguments, id=id)


def error(status: int, message: str = "refused", *, headers: Iterable[tuple[str, str]] = (), **fields: Any) -> Answer:
    """An error answer with OpenAI's JSON body."""
    body = json.dumps({"error": {"message": message, **fields}}).encode()
    return Answer((body,), status, (("Content-Type", "application/json"), *headers), "length")


BAD_GATEWAY = "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"


def page(status: int, html: str = BAD_GATEWAY) -> Answer:
    """An HTML page, as proxies send it."""
    return Answer((html.encode(),), status, (("Content-Type", "text/html"),), "length")


def json_answer(body: Any, status: int = 200) -> Answer:
    """A plain JSON answer."""
    return Answer((json.dumps(body).encode(),), status, (("Content-Type", "application/json"),), "length")


# -- the server ------------------------------------------------------------------------------------------------------


class FakeOpenAI:
    """The server, a context manager. ``strict`` names rules of ``strict_openai`` (``"*"``: the usual ones)."""

    def __init__(
        self,
        *script: Step,
        otherwise: Step | None = None,
        models: Sequence[str] = ("fake-model",),
        strict: Iterable[str] = (),
        context_tokens: int | None = None,
        root: str = "/v1",
        time_scale: float = 1.0,
        lists_models: bool = True,
    ) -> None:
        self.script: list[Step] = list(script)
        self.otherwise: Step = otherwise or say("ok")
        self.models = list(models)
        self.strict = frozenset(strict)
        self.context_tokens = context_tokens
        self.root = root.rstrip("/")
        self.time_scale = time_scale
        self.lists_models = lists_models
        self.requests: list[Recorded] = []
        """The chat requests, in the order of arrival, the refused ones too."""
        self.refused: list[str] = []
        """What the strict rules refused."""
        self.others: list[Recorded] = []
        """Everything else that was asked for: model lists, wrong paths."""
        self.hangups = 0
        self.hung_up = threading.Event()
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.fake = self
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def base_url(self) -> str:
        return self.origin + self.root

    @property
    def bodies(self) -> list[Json]:
        """The JSON bodies of the chat requests."""
        return [recorded.body for recorded in self.requests]

    def play(self, *steps: Step) -> None:
        """Append to the script."""
        with self._lock:
            self.script.extend(steps)

    def __enter__(self) -> FakeOpenAI:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def answer_chat(self, recorded: Recorded) -> Answer:
        with self._lock:
            self.requests.append(recorded)
            problem = refusal(recorded.body, self.strict, self.context_tokens)
            if problem is not None:
                self.refused.append(problem.message)
                return error(problem.status, problem.message, code=problem.code, type="invalid_request_error")
            step = self.script.pop(0) if self.script else self.otherwise
        return step if isinstance(step, Answer) else step(recorded)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    fake: FakeOpenAI

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is part of the game."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: Any) -> None:
        """Silence: the tests read the records."""

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        fake = self.server.fake
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        recorded = Recorded(self.command, self.path, headers, raw)
        if self.command == "POST" and self.path == fake.root + "/chat/completions":
            self._play(fake.answer_chat(recorded))
            return
        fake.others.append(recorded)
        if self.command == "GET" and self.path == fake.root + "/models" and fake.lists_models:
            listed = [{"id": name, "object": "model", "owned_by": "fake"} for name in fake.models]
            self._play(json_answer({"object": "list", "data": listed}))
        else:
            self._play(json_answer({"detail": "Not Found"}, 404))

    def _play(self, answer: Answer) -> None:
        if not all(self._piece(piece, "raw") for piece in answer.before):
            return
        self.send_response(answer.status)
        for name, value in answer.headers:
            self.send_header(name, value)
        if answer.framing == "length":
            self.send_header("Content-Length", str(sum(len(p) for p in answer.pieces if isinstance(p, bytes))))
        elif answer.framing == "close":
            self.send_header("Connection", "close")
        else:
            self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        whole = all(self._piece(piece, answer.framing) for piece in answer.pieces)
        if whole and answer.framing == "chunked":
            self.wfile.write(b"0\r\n\r\n")
        elif answer.framing in ("close", "cut"):
            self.close_connection = True

    def _piece(self, piece: Piece, framing: str) -> bool:
        """Play one piece; False ends the answer."""
        fake = self.server.fake
        if isinstance(piece, bytes):
            if framing in ("chunked", "cut"):
                piece = b"%x\r\n%s\r\n" % (len(piece), piece)
            self.wfile.write(piece)
        elif isinstance(piece, Delay):
            return not fake.closing.wait(piece.seconds * fake.time_scale)
        elif isinstance(piece, Hold):
            return piece.event.wait(20)
        elif isinstance(piece, Reached):
            piece.event.set()
        elif isinstance(piece, AwaitHangup):
            self.close_connection = True
            return not self._hung_up(piece.seconds)
        else:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
            self.connection.close()
            self.close_connection = True
            return False
        return True

    def _hung_up(self, seconds: float) -> bool:
        self.connection.settimeout(seconds)
        try:
            gone = self.connection.recv(1) == b""
        except TimeoutError:
            return False
        except OSError:
            gone = True
        if gone:
            self.server.fake.hangups += 1
            self.server.fake.hung_up.set()
        return gone
