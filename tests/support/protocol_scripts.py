"""What servers of all kinds send, as one table of scripts with what must come of each."""

from __future__ import annotations

from agentao.errors import BadResponse, ContextTooLong, ServerFailed
from tests.support import fake_openai as fake
from tests.support.fake_openai import chunk, event, say, stream, tool_delta
from tests.support.protocol_calls import ARGUMENTS, CALLS
from tests.support.protocol_case import SPOKEN, UV, UV_JSON, Case, in_pieces, rewritten

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
