"""Long answers read well: every line stands once, at any size of the window, and steers nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.e2e.conftest import Start
from tests.support.fake_openai import FakeOpenAI, Hold, Reached, chunk, event, say, stream, tool_delta
from tests.support.terminal import HOME, model

TABLE = "\n| name | 名字 |\n|---|---|\n" + "".join(f"| row {n} | 第{n}行 |\n" for n in range(20))
LONG = "\n\n".join(f"line {n:03d}: 你好，世界 — 这是第 {n} 行的内容" for n in range(200)) + "\n" + TABLE


def pieces(text: str, size: int = 7) -> list[bytes]:
    """The events of an answer in small parts."""
    return [event(chunk({"content": text[at : at + size]})) for at in range(0, len(text), size)]


@pytest.mark.parametrize(("rows", "columns"), [(24, 80), (20, 40), (50, 200)])
def test_a_long_answer_stands_once_in_screen_and_scroll_back(start: Start, rows: int, columns: int) -> None:
    """IN-12: two hundred numbered lines and a table, streamed, are each seen exactly once."""
    with FakeOpenAI(stream(*pieces(LONG), chunk({}, "stop"))) as server:
        term = start(rows=rows, columns=columns, env=model(server.base_url))
        term.enter("tell me all")
        term.prompt()

    assert re.findall(r"line (\d{3}):", term.text) == [f"{n:03d}" for n in range(200)]
    assert re.findall(r"row (\d+) ", term.text) == [str(n) for n in range(20)]
    assert "writing" not in term.text


def test_resizing_during_an_answer_doubles_nothing(start: Start) -> None:
    """IN-10, IN-12: made narrow and wide again in mid-answer, the text still stands once, and one prompt follows."""
    holds = [Hold() for _ in range(3)]
    reached = [Reached() for _ in range(3)]
    quarter = len(LONG) // 4
    script: list[object] = []
    for at, (mark, hold) in enumerate(zip(reached, holds, strict=True)):
        script += [*pieces(LONG[at * quarter : (at + 1) * quarter]), mark, hold]
    script += [*pieces(LONG[3 * quarter :]), chunk({}, "stop")]
    with FakeOpenAI(stream(*script)) as server:
        term = start(env=model(server.base_url))
        term.enter("tell me all")
        for mark, hold, columns in zip(reached, holds, (30, 120, 80), strict=True):
            term.wait(mark.event.is_set)
            term.see("writing")
            term.resize(24, columns)
            hold.event.set()
        term.prompt()

    text = term.text.replace("\n", "")
    assert re.findall(r"line (\d{3}):", text) == [f"{n:03d}" for n in range(200)]
    assert [row for row in term.display if row.startswith("agentao>")] == ["agentao>"]


def test_resizing_at_the_prompt_keeps_the_draft(start: Start) -> None:
    """IN-10: a half-typed line of wide characters survives 80 → 30 → 120 columns, with one prompt on the screen."""
    with FakeOpenAI() as server:
        term = start(env=model(server.base_url))
        draft = "你好世界 half typed, 还没写完的一行"
        term.send(draft)
        term.wait(lambda: term.draft() == draft)
        term.resize(24, 30)
        term.wait(lambda: term.draft() == "你好世界 half typed,\n还没写完的一行")
        term.resize(24, 120)
        term.wait(lambda: "fake-model · context 0% · 0 memories" in term.display)
        assert [row for row in term.display if row.startswith("agentao>")] == [f"agentao> {draft}"]
        term.send("\r")
        term.see("ok\n")

    assert [recorded.last_user for recorded in server.requests] == [draft]


def squeezed(text: str) -> str:
    """The text without blanks and line breaks: where a row ends, its last blank cannot be seen."""
    return "".join(text.split())


@pytest.mark.parametrize("keys", ["", HOME], ids=["cursor at the end", "cursor at the start"])
def test_a_terminal_that_wraps_anew_shows_one_prompt(start: Start, keys: str) -> None:
    """IN-10: where narrowing wraps the drawn rows, no part of them stays behind, and nothing above them is eaten."""
    draft = "你好世界 half typed, 还没写完的一行 that is longer than the window will be, 一直写到这里为止"
    with FakeOpenAI() as server:
        term = start(env=model(server.base_url) | {"TMUX": "/tmp/tmux,1,0"}, rows=30)
        term.enter("/memory add editor nvim")
        term.prompt()
        term.enter("/memory list")
        term.prompt()
        term.send(draft + keys)
        term.wait(lambda: term.draft().replace("\n", "") == draft)
        for columns in (30, 120, 41, 24, 100):
            term.send("")
            term.reflow(30, columns)
            term.prompt()
            term.wait(lambda: squeezed(term.draft()) == squeezed(draft))
            assert squeezed(term.text).count("halftyped") == 1
            assert term.text.count("agentao>") == 3
            assert "1 memory." in term.text
        term.send("\r")
        term.see("ok\n")

    assert [recorded.last_user for recorded in server.requests] == [draft]


def test_an_answer_steers_no_terminal(start: Start) -> None:
    """SEC-10: escape sequences in an answer, split over two chunks, and in a stored fact never reach the terminal."""
    evil = "safe \x1b]52;c;ZXZpbA==\x07\x1b[2J\x1b]0;title\x07 end\n"
    parts = [event(chunk({"content": evil[:6]})), event(chunk({"content": evil[6:]}))]
    with FakeOpenAI(stream(*parts, chunk({}, "stop"))) as server:
        term = start(env=model(server.base_url))
        term.enter("hello")
        term.prompt()
        term.enter("/raw")
        term.prompt()

    assert b"\x1b]" not in term.raw
    assert b"\x1b[2J" not in term.raw
    assert b"\x07" not in term.raw
    assert "safe" in term.text
    assert "end" in term.text


def test_markdown_is_drawn_and_raw_is_not(start: Start) -> None:
    """Answers are drawn as Markdown; after ``/raw`` they stand as they came."""
    answer = "Some **bold** text.\n\n1. one\n2. two\n\n```python\nprint('x')\n```\n"
    with FakeOpenAI(otherwise=say(answer)) as server:
        term = start(env=model(server.base_url))
        term.enter("hello")
        term.prompt()
        drawn = term.new
        term.enter("/raw")
        term.prompt()
        term.enter("hello")
        term.prompt()
        raw = term.new

    assert "Some bold text." in drawn
    assert "print('x')" in drawn
    assert "```" not in drawn
    assert answer.strip() in raw


def test_reasoning_is_one_line_that_can_be_opened(start: Start, home: Path) -> None:
    """What a model thinks is one dim line with its size; ``/reasoning`` shows the last, safe for the terminal."""
    thought = "**musings** of the \x1b]0;title\x07model\n" * 20
    first = [event(chunk({"reasoning_content": thought[at : at + 50]})) for at in range(0, len(thought), 50)]
    asked = chunk({"tool_calls": [tool_delta("save_memory", '{"key": "editor", "value": "nvim"}', index=0, id="c1")]})
    script = [
        stream(*first, *pieces("The answer."), chunk({}, "stop")),
        stream(chunk({"reasoning": "I shall save it."}), asked, chunk({}, "tool_calls")),
        stream(chunk({"reasoning": "Now I tell."}), *pieces("Saved."), chunk({}, "stop")),
    ]
    with FakeOpenAI(*script) as server:
        term = start(env=model(server.base_url))
        term.enter("hello")
        term.prompt()
        answered = term.new
        term.enter("/reasoning")
        term.prompt()
        opened = term.new
        term.enter("save it")
        term.prompt()
        term.enter("/reasoning")
        term.prompt()
        both = term.new
        term.enter("once more")
        term.prompt()
        term.enter("/reasoning")
        term.prompt()
        none = term.new

    assert "musings" not in answered
    assert re.search(rf"\(thought for \d+ s: {len(thought):,} characters; /reasoning shows it\)", answered)
    assert opened.count("**musings** of the \\x1b]0;title\\x07model") == 20
    assert b"\x1b]0" not in term.raw
    assert "I shall save it.\n\nNow I tell." in both
    assert "The last answer came without reasoning." in none
    assert not any(word in recorded.raw for word in (b"musings", b"I shall save it") for recorded in server.requests)
    stored = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert b"musings" not in stored


def test_reasoning_in_a_single_answer_promises_no_command(start: Start) -> None:
    """``agentao -p`` in a terminal tells the size only, for there is no shell to open it in."""
    thought = event(chunk({"reasoning_content": "musings"}))
    with FakeOpenAI(stream(thought, *pieces("The answer."), chunk({}, "stop"))) as server:
        term = start("-p", "hello", env=model(server.base_url), ready=False)
        assert term.end() == 0
    assert "7 characters)" in term.text
    assert "/reasoning" not in term.text


def test_a_server_that_cannot_be_reached_is_one_line_and_the_chat_goes_on(start: Start) -> None:
    """A failed request names the address, shows no traceback, and the next one works."""
    with FakeOpenAI() as gone:
        address = gone.base_url
    term = start(env=model(address))
    term.enter("hello")
    term.prompt()
    assert address.removeprefix("http://").split("/")[0] in term.new
    assert "Traceback" not in term.text
    term.enter("/memory list")
    term.prompt()
    assert "Nothing is remembered" in term.new
