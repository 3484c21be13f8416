"""What servers of all kinds send, as one table of scripts with what must come of each."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from agentao.errors import BadResponse, ClientError, ContextTooLong, ServerFailed
from tests.support import fake_openai as fake
from tests.support.fake_openai import Step, chunk, event, say, stream, tool_delta

UV = {"key": "package_manager", "value": "uv"}
VIM = {"key": "user_editor", "value": "nvim"}
UV_JSON, VIM_JSON = json.dumps(UV), json.dumps(VIM)
BOTH = {"package_manager": "uv", "user_editor": "nvim"}
SPOKEN = "你好🌍 — grüße"


@dataclass(frozen=True)
class Case:
    """One script and what must come of it."""

    name: str
    script: Sequence[Step]
    status: str = "done"
    text: str | None = None
    """The answer shown, all requests together."""
    saved: dict[str, str] | None = None
    """Key → value of every memory afterwards."""
    requests: int | None = None
    strict: Sequence[str] = ("*",)
    error: type[ClientError] | None = None
    says: str = ""
    """Words that must stand in the turn's end, a notice, a refusal or the error."""
    hides: str = ""
    """Words that must stand in none of them."""


def deltas(*entries: dict[str, Any] | list[dict[str, Any]], finish: str | None = "tool_calls") -> fake.Answer:
    """A stream in which each of ``entries`` is one chunk's tool_calls."""
    chunks = [chunk({"tool_calls": e if isinstance(e, list) else [e]}) for e in entries]
    return stream(*chunks, chunk({}, finish))


def in_pieces(answer: fake.Answer, size: int, **changes: Any) -> fake.Answer:
    """The same answer with its bytes cut anew."""
    whole = b"".join(p for p in answer.pieces if isinstance(p, bytes))
    return fake.Answer(fake.split(whole, size), **changes)


def rewritten(answer: fake.Answer, change: Callable[[bytes], bytes]) -> fake.Answer:
    """The same answer with its bytes changed."""
    return fake.Answer((change(b"".join(p for p in answer.pieces if isinstance(p, bytes))),))


FIRST, SECOND = UV_JSON[:9], UV_JSON[9:]

STREAMS = [
    Case("plain text", [say("hello")], text="hello", saved={}),
    Case("one byte a send", [in_pieces(say(SPOKEN), 1)], text=SPOKEN),
    Case("three bytes a send", [in_pieces(say(SPOKEN), 3)], text=SPOKEN),
    Case("CRLF", [rewritten(say(SPOKEN), lambda b: b.replace(b"\n", b"\r\n"))], text=SPOKEN),
    Case("CR alone", [rewritten(say("hi"), lambda b: b.replace(b"\n", b"\r"))], text="hi"),
    Case(
        "CRLF one byte a send",
        [in_pieces(rewritten(say(SPOKEN), lambda b: b.replace(b"\n", b"\r\n")), 1)],
        text=SPOKEN,
    ),
    Case("no blank after data:", [rewritten(say("hi"), lambda b: b.replace(b"data: ", b"data:"))], text="hi"),
    Case(
        "keep-alive comments",
        [stream(b": ping\n\n", b":\n", chunk({"content": "hi"}), b": x\n\n", chunk({}, "stop"))],
        text="hi",
    ),
    Case(
        "event names and ids",
        [stream(b"event: message\nid: 1\nretry: 5\n" + event(chunk({"content": "hi"}, "stop")))],
        text="hi",
    ),
    Case("no [DONE]", [stream(chunk({"content": "hi"}, "stop"), done=False)], text="hi"),
    Case("no finish reason, but [DONE]", [stream(chunk({"content": "hi"}))], text="hi"),
    Case(
        "no end of the connection after [DONE]",
        [stream(chunk({"content": "hi"}, "stop"), fake.DONE, fake.AwaitHangup())],
        text="hi",
    ),
    Case(
        "no end after the finish reason",
        [stream(chunk({"content": "hi"}, "stop"), fake.AwaitHangup(), done=False)],
        text="hi",
    ),
    Case(
        "first chunk without content",
        [stream(chunk({"role": "assistant"}), chunk({"content": None}), chunk({"content": "hi"}, "stop"))],
        text="hi",
    ),
    Case(
        "a null delta and choices that are null or empty",
        [
            stream(
                {"choices": None},
                {"choices": []},
                {"choices": [{"index": 0, "delta": None}]},
                chunk({"content": "hi"}, "stop"),
            )
        ],
        text="hi",
    ),
    Case("content in parts", [stream(chunk({"content": [{"type": "text", "text": "hi"}]}, "stop"))], text="hi"),
    Case(
        "a second choice is left out",
        [stream({"choices": [{"index": 1, "delta": {"content": "no"}}]}, chunk({"content": "hi"}, "stop"))],
        text="hi",
    ),
    Case(
        "not streamed at all",
        [fake.json_answer({"choices": [{"message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}]})],
        text="hi",
    ),
    Case(
        "bad bytes become U+FFFD",
        [
            fake.Answer(
                (b'data: {"choices":[{"delta":{"content":"a\xe2\x80b"},"finish_reason":"stop"}]}\n\n', fake.DONE)
            )
        ],
        text="a\ufffdb",
    ),
    Case(
        "a lone surrogate becomes U+FFFD",
        [
            fake.Answer(
                (b'data: {"choices":[{"delta":{"content":"a\\ud83db"},"finish_reason":"stop"}]}\n\n', fake.DONE)
            ),
            say("ok"),
        ],
        text="a\ufffdb",
    ),
    Case(
        "a surrogate pair in two chunks",
        [
            fake.Answer(
                (
                    b'data: {"choices":[{"delta":{"content":"\\ud83c"}}]}\n\n',
                    b'data: {"choices":[{"delta":{"content":"\\udf0d"},"finish_reason":"stop"}]}\n\n',
                    fake.DONE,
                )
            )
        ],
        text="🌍",
    ),
    Case(
        "reasoning_content is not the answer",
        [stream(chunk({"reasoning_content": "hm"}), chunk({"content": "hi"}, "stop"))],
        text="hi",
    ),
    Case(
        "reasoning is not the answer", [stream(chunk({"reasoning": "hm"}), chunk({"content": "hi"}, "stop"))], text="hi"
    ),
    Case(
        "escape sequences pass as they are, for the shell to clean",
        [stream(chunk({"content": "\x1b]52;c;ZXZp"}), chunk({"content": "bA==\x07\x1b[2J"}, "stop"))],
        text="\x1b]52;c;ZXZpbA==\x07\x1b[2J",
    ),
    Case("a refusal is an answer", [stream(chunk({"refusal": "no"}, "stop"))], text="no"),
]

CALLS = [
    Case(
        "with index",
        [fake.calls(("save_memory", UV, "a"), ("save_memory", VIM, "b")), say("ok")],
        saved=BOTH,
        requests=2,
    ),
    Case(
        "one byte a send",
        [in_pieces(fake.calls(("save_memory", {"key": "城市", "value": "你好🌍"}, "a")), 1), say("ok")],
        saved={"城市": "你好🌍"},
    ),
    Case(
        "no index, in one chunk",
        [deltas([tool_delta("save_memory", UV_JSON, id="a"), tool_delta("save_memory", VIM_JSON, id="b")]), say("ok")],
        saved=BOTH,
    ),
    Case(
        "no index, no ids, in one chunk",
        [deltas([tool_delta("save_memory", UV_JSON), tool_delta("save_memory", VIM_JSON)]), say("ok")],
        saved=BOTH,
    ),
    Case(
        "no index, ids repeated",
        [
            deltas(
                tool_delta("save_memory", FIRST, id="a"),
                tool_delta(None, SECOND, id="a"),
                tool_delta("save_memory", VIM_JSON[:5], id="b"),
                tool_delta(None, VIM_JSON[5:], id="b"),
            ),
            say("ok"),
        ],
        saved=BOTH,
    ),
    Case(
        "no index, ids missing on continuation",
        [
            deltas(
                tool_delta("save_memory", FIRST, id="a"),
                tool_delta(None, SECOND),
                tool_delta("save_memory", "", id="b"),
                tool_delta(None, VIM_JSON),
            ),
            say("ok"),
        ],
        saved=BOTH,
    ),
    Case(
        "no index, both continued in one chunk",
        [
            deltas(
                [tool_delta("save_memory", FIRST, id="a"), tool_delta("save_memory", VIM_JSON[:5], id="b")],
                [tool_delta(None, SECOND), tool_delta(None, VIM_JSON[5:])],
            ),
            say("ok"),
        ],
        saved=BOTH,
    ),
    Case(
        "index only on continuation",
        [
            deltas(
                tool_delta("save_memory", "", id="a"),
                tool_delta(None, UV_JSON, index=0),
                tool_delta("save_memory", "", id="b"),
                tool_delta(None, VIM_JSON, index=1),
            ),
            say("ok"),
        ],
        saved=BOTH,
    ),
    Case(
        "one with index, one without",
        [
            deltas(tool_delta("save_memory", UV_JSON, index=0, id="a"), tool_delta("save_memory", VIM_JSON, id="b")),
            say("ok"),
        ],
        saved=BOTH,
    ),
    Case(
        "index 0 for all, new ids",
        [
            deltas(
                tool_delta("save_memory", UV_JSON, index=0, id="a"),
                tool_delta("save_memory", VIM_JSON, index=0, id="b"),
            ),
            say("ok"),
        ],
        saved=BOTH,
    ),
    Case(
        "interleaved by index",
        [
            deltas(
                tool_delta("save_memory", FIRST, index=0, id="a"),
                tool_delta("save_memory", VIM_JSON[:5], index=1, id="b"),
                tool_delta(None, SECOND, index=0),
                tool_delta(None, VIM_JSON[5:], index=1),
            ),
            say("ok"),
        ],
        saved=BOTH,
    ),
    Case(
        "the name in every piece",
        [deltas(tool_delta("save_memory", FIRST), tool_delta("save_memory", SECOND)), say("ok")],
        saved={"package_manager": "uv"},
    ),
    Case(
        "the name in pieces",
        [
            deltas(
                tool_delta("save_", None, index=0, id="a"),
                tool_delta("memory", None, index=0),
                tool_delta(None, UV_JSON, index=0),
            ),
            say("ok"),
        ],
        saved={"package_manager": "uv"},
    ),
    Case(
        "arguments as an object",
        [
            stream(
                chunk(
                    {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "save_memory", "arguments": UV}}]},
                    "tool_calls",
                )
            ),
            say("ok"),
        ],
        saved={"package_manager": "uv"},
    ),
    Case(
        "old function_call",
        [
            stream(
                chunk({"function_call": {"name": "save_memory", "arguments": FIRST}}),
                chunk({"function_call": {"arguments": SECOND}}, "function_call"),
            ),
            say("ok"),
        ],
        saved={"package_manager": "uv"},
    ),
    Case(
        "one id for two calls", [fake.calls(("save_memory", UV, "a"), ("save_memory", VIM, "a")), say("ok")], saved=BOTH
    ),
    Case("no ids", [fake.calls(("save_memory", UV, ""), ("save_memory", VIM, "")), say("ok")], saved=BOTH),
    Case(
        "finish stop",
        [fake.call("save_memory", UV, finish="stop"), say("ok")],
        saved={"package_manager": "uv"},
        requests=2,
    ),
    Case(
        "no finish reason",
        [deltas(tool_delta("save_memory", UV_JSON, index=0, id="a"), finish=None), say("ok")],
        saved={"package_manager": "uv"},
    ),
    Case("tool_calls without a call", [say("hello", finish="tool_calls")], text="hello", requests=1),
    Case(
        "text and call",
        [fake.call("save_memory", UV, text="One moment. "), say("Done.")],
        text="One moment. Done.",
        saved={"package_manager": "uv"},
    ),
    Case(
        "three calls, one key twice",
        [
            fake.calls(
                ("save_memory", UV, "a"),
                ("save_memory", VIM, "b"),
                ("save_memory", {"key": "package_manager", "value": "poetry"}, "c"),
            ),
            say("ok"),
        ],
        saved={"package_manager": "poetry", "user_editor": "nvim"},
    ),
    Case("said but not called", [say("好的，我记住了")], text="好的，我记住了", saved={}),
    Case(
        "a lone surrogate in the value",
        [fake.call("save_memory", '{"key": "k", "value": "a\\ud83db"}'), say("ok")],
        saved={"k": "a\ufffdb"},
    ),
]

ARGUMENTS = [
    Case("empty", [fake.call("save_memory", ""), say("ok")], saved={}, requests=2, says="key and value"),
    Case("an empty object", [fake.call("save_memory", "{}"), say("ok")], saved={}, says="key and value"),
    Case("a null value", [fake.call("save_memory", '{"key": "a", "value": null}'), say("ok")], saved={}, says="value"),
    *(
        Case(f"invalid: {bad[:20]}", [fake.call("save_memory", bad), say("ok")], saved={}, says="no valid JSON")
        for bad in ("{key: 'a'}", '{"key":"a",}', UV_JSON + VIM_JSON, '{"key":"a","value":NaN}', "{", "[" * 100_000)
    ),
    *(
        Case(f"no object: {bad[:20]}", [fake.call("save_memory", bad), say("ok")], saved={}, says="one JSON object")
        for bad in ("null", "[]", '"text"', "3")
    ),
    Case("a megabyte of junk", [fake.call("save_memory", "x" * 1_000_000), say("ok")], saved={}, says="no valid JSON"),
    Case(
        "tags as a JSON list in a string",
        [fake.call("save_memory", {**UV, "tags": '["a","b"]'}), say("ok")],
        saved={"package_manager": "uv"},
    ),
    Case("tags null", [fake.call("save_memory", {**UV, "tags": None}), say("ok")], saved={"package_manager": "uv"}),
    Case(
        "tags mixed",
        [fake.call("save_memory", {**UV, "tags": [1, None, ""]}), say("ok")],
        saved={"package_manager": "uv"},
    ),
    Case(
        "tags of another kind", [fake.call("save_memory", {**UV, "tags": {"a": 1}}), say("ok")], saved={}, says="tags"
    ),
    Case("a number as key", [fake.call("save_memory", {"key": 123, "value": "x"}), say("ok")], saved={"123": "x"}),
    Case(
        "an object as value",
        [fake.call("save_memory", {"key": "k", "value": {"a": 1}}), say("ok")],
        saved={"k": '{"a": 1}'},
    ),
    Case(
        "an extra field",
        [fake.call("save_memory", {**UV, "scope": "user"}), say("ok")],
        saved={"package_manager": "uv"},
    ),
    Case(
        "the same bad call for ever",
        [fake.call("save_memory", "") for _ in range(3)],
        status="step_limit",
        saved={},
        requests=3,
        says="repeated",
    ),
    Case(
        "the same good call for ever",
        [fake.call("save_memory", UV) for _ in range(3)],
        status="step_limit",
        saved={"package_manager": "uv"},
        requests=3,
    ),
    Case(
        "other bad calls for ever",
        [fake.call("save_memory", f'{{"key": {n}') for n in range(4)],
        status="step_limit",
        saved={},
        requests=4,
    ),
    *(
        Case(
            f"unknown tool {name!r}",
            [fake.call(name, UV, id="z")] * 3,
            status="step_limit",
            saved={},
            requests=3,
            says="no tool",
        )
        for name in ("", " ", "save_to_memory", "a" * 5_000)
    ),
    Case(
        "cut by length, then whole",
        [
            fake.call("save_memory", '{"key":"a","value":"half', finish="length"),
            fake.call("save_memory", UV),
            say("ok"),
        ],
        saved={"package_manager": "uv"},
        requests=3,
    ),
    Case(
        "cut by length, and parses",
        [fake.call("save_memory", '{"key":"a","value":"half"}', finish="length"), say("ok")],
        saved={},
    ),
    Case(
        "cut by length three times",
        [fake.call("save_memory", '{"key":"a","value":"half', finish="length")] * 3,
        status="step_limit",
        saved={},
        requests=3,
        says="cut off",
    ),
    Case(
        "a secret",
        [fake.call("save_memory", {"key": "api", "value": "sk-proj-" + "a1B2" * 10}), say("ok")],
        saved={},
        hides="a1B2a1B2",
    ),
    Case(
        "one step too many",
        [fake.call("save_memory", {"key": f"fact {n}", "value": str(n)}) for n in range(25)],
        status="step_limit",
        requests=25,
        says="25",
    ),
]

ENDS = [
    Case(
        "cut: the connection ends",
        [stream(chunk({"content": "half an"}), done=False, framing="close")],
        status="incomplete",
        text="half an",
        says="incomplete",
    ),
    Case(
        "cut: the chunked body ends",
        [stream(chunk({"content": "half an"}), done=False, framing="cut")],
        status="incomplete",
        text="half an",
        says="incomplete",
    ),
    Case(
        "cut: a reset",
        [stream(chunk({"content": "half an"}), fake.Delay(0.05), fake.Reset(), done=False)],
        status="incomplete",
        text="half an",
    ),
    Case(
        "cut within a call",
        [
            stream(
                chunk({"tool_calls": [tool_delta("save_memory", UV_JSON, index=0, id="a")]}), done=False, framing="cut"
            )
        ],
        status="incomplete",
        saved={},
        requests=1,
    ),
    Case(
        "cut within an event",
        [stream(chunk({"content": "half"}), b'data: {"choi', done=False, framing="cut")],
        status="incomplete",
        text="half",
    ),
    Case("length", [say("a long answ", finish="length")], status="incomplete", text="a long answ", says="length limit"),
    Case("content filter", [say("well", finish="content_filter")], status="incomplete", says="content filter"),
    *(
        Case(f"blank: {text!r}", [say(text)], status="empty", says="No answer")
        for text in ("", "\n", " \t\n", "\u3000")
    ),
    Case(
        "only reasoning",
        [stream(chunk({"reasoning_content": "hm"}), chunk({}, "stop"))],
        status="empty",
        says="reasoned",
    ),
    Case(
        "only reasoning, cut by length",
        [stream(chunk({"reasoning_content": "hm"}), chunk({}, "length"))],
        status="empty",
        says="length limit",
    ),
    Case(
        "blank after a save", [fake.call("save_memory", UV), say("")], status="empty", saved={"package_manager": "uv"}
    ),
    Case(
        "error object after text",
        [stream(chunk({"content": "well"}), event({"error": {"message": "upstream died"}}))],
        error=ServerFailed,
        says="upstream died",
    ),
    Case(
        "error object at once",
        [stream(event({"error": {"message": "upstream died", "code": 502}}))],
        error=ServerFailed,
        says="upstream died",
    ),
    Case(
        "error event",
        [stream(b"event: error\n" + event({"message": "upstream died"}))],
        error=ServerFailed,
        says="upstream died",
    ),
    Case(
        "error in the choice",
        [
            stream(
                {
                    "choices": [
                        {"index": 0, "delta": {}, "error": {"message": "upstream died"}, "finish_reason": "error"}
                    ]
                }
            )
        ],
        error=ServerFailed,
        says="upstream died",
    ),
    Case("error text", [stream(event({"error": "upstream died"}))], error=ServerFailed, says="upstream died"),
    Case(
        "error of length in the stream",
        [stream(event({"error": {"message": "too big", "code": "context_length_exceeded"}}))],
        error=ContextTooLong,
    ),
    Case(
        "error with status 200",
        [fake.json_answer({"error": {"message": "upstream died"}})],
        error=ServerFailed,
        says="upstream died",
    ),
    Case("a page with status 200", [fake.page(200)], error=BadResponse, says="502 Bad Gateway"),
    Case("a page with status 502", [fake.page(502)], error=ServerFailed, says="502 Bad Gateway", requests=1),
    Case("broken JSON", [stream(b"data: {broken\n\n")], error=BadResponse, says="no JSON"),
    Case("a list", [stream(b"data: []\n\n")], error=BadResponse),
    Case("nothing at all", [fake.Answer(())], error=BadResponse, says="empty answer"),
    Case("only [DONE]", [stream()], status="empty"),
]

LACKING = [
    Case(
        "stream_options refused",
        [say("hi"), say("again")],
        text="hi",
        strict=("*", "stream_options"),
        requests=2,
        says="usage is estimated",
    ),
    Case("tools refused", [say("hi")], text="hi", strict=("*", "tools"), requests=2, says="cannot save memories"),
    Case(
        "stream_options and tools refused", [say("hi")], text="hi", strict=("*", "stream_options", "tools"), requests=3
    ),
    Case(
        "limits in the schema refused",
        [fake.call("save_memory", UV), say("ok")],
        saved={"package_manager": "uv"},
        strict=("*", "plain_schema"),
        requests=3,
    ),
    Case("no system role", [say("hi")], text="hi", strict=("*", "no_system"), requests=2),
    Case(
        "content null refused",
        [fake.call("save_memory", UV), say("ok")],
        saved={"package_manager": "uv"},
        strict=("*", "content_null"),
        requests=3,
        says="empty text",
    ),
    Case(
        "content empty refused",
        [fake.call("save_memory", UV), say("ok")],
        saved={"package_manager": "uv"},
        strict=("*", "content_empty"),
        requests=2,
    ),
    Case(
        "content missing refused",
        [fake.call("save_memory", UV), say("ok")],
        saved={"package_manager": "uv"},
        strict=("*", "content_missing"),
        requests=2,
    ),
    Case(
        "reasoning wanted back",
        [
            stream(
                chunk({"reasoning_content": "hm"}),
                *(
                    c
                    for c in [
                        chunk({"tool_calls": [tool_delta("save_memory", UV_JSON, index=0, id="a")]}, "tool_calls")
                    ]
                ),
            ),
            say("ok"),
        ],
        saved={"package_manager": "uv"},
        strict=("*", "wants_reasoning"),
        requests=3,
    ),
    Case(
        "reasoning not wanted",
        [
            stream(
                chunk({"reasoning_content": "hm"}),
                chunk({"tool_calls": [tool_delta("save_memory", UV_JSON, index=0, id="a")]}, "tool_calls"),
            ),
            say("ok"),
        ],
        saved={"package_manager": "uv"},
        strict=("*", "no_reasoning"),
        requests=2,
    ),
    Case(
        "alternation",
        [fake.call("save_memory", UV), say("ok")],
        saved={"package_manager": "uv"},
        strict=("*", "alternation"),
        requests=2,
    ),
]

GROUPS = {"stream": STREAMS, "call": CALLS, "arguments": ARGUMENTS, "end": ENDS, "lacking": LACKING}
