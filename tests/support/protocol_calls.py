"""How servers send tool calls, and what models put into them."""

from __future__ import annotations

from tests.support import fake_openai as fake
from tests.support.fake_openai import chunk, say, stream, tool_delta
from tests.support.protocol_case import BOTH, UV, UV_JSON, VIM, VIM_JSON, Case, deltas, in_pieces

FIRST, SECOND = UV_JSON[:9], UV_JSON[9:]


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
