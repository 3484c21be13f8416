"""What is typed and pasted arrives as it was meant, whatever the terminal and the language."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.e2e.conftest import Start
from tests.support.fake_openai import FakeOpenAI, Hold, Reached, chunk, say, stream
from tests.support.terminal import CTRL_C, CTRL_D, LEFT, TAB, UP, model, paste


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_a_pasted_block_is_one_unsent_text(start: Start, line_end: str) -> None:
    """IN-01: three pasted lines stand at the prompt, unsent; Enter sends them as one message."""
    with FakeOpenAI() as server:
        term = start(env=model(server.base_url))
        term.send(paste(line_end.join(("a", "b", "c", ""))))
        term.wait(lambda: term.draft() == "a\nb\nc")
        assert server.requests == []
        term.send("\r")
        term.wait(lambda: bool(server.requests))  # what is left of the paste's own drawing is no new prompt
        term.prompt()

    assert [recorded.last_user for recorded in server.requests] == ["a\nb\nc"]


def test_a_pasted_command_with_more_lines_is_no_command(start: Start) -> None:
    """IN-01: a paste that begins with a command's words runs nothing."""
    with FakeOpenAI() as server:
        term = start(env=model(server.base_url))
        term.send(paste("/memory clear\nand more\n") + "\r")
        term.prompt()

    assert [recorded.last_user for recorded in server.requests] == ["/memory clear\nand more"]


def test_what_is_pasted_during_a_reply_waits_at_the_next_prompt(start: Start) -> None:
    """IN-02: a paste and typed keys, Enter too, become the draft of the next prompt; nothing is sent by itself."""
    reached, hold = Reached(), Hold()
    slow = stream(chunk({"role": "assistant", "content": "one moment"}), reached, hold, chunk({}, "stop"))
    with FakeOpenAI(slow) as server:
        term = start(env=model(server.base_url))
        term.enter("hello")
        assert reached.event.wait(20)
        term.send(paste("one\ntwo\nthree\n") + " typo\x7fed\r")
        hold.event.set()
        term.prompt()
        assert term.draft() == "one\ntwo\nthree typed"
        assert len(server.requests) == 1
        term.send("\r")
        term.prompt()

    assert server.requests[-1].last_user == "one\ntwo\nthree typed"


def test_a_paste_before_the_prompt_is_drawn_waits_there(start: Start) -> None:
    """IN-02: a paste that comes while the program still starts is the unsent text of the first prompt."""
    with FakeOpenAI() as server:
        term = start(env=model(server.base_url), ready=False)
        term.wait(lambda: b"\x1b[?2004h" in term.raw)
        term.send(paste("one\ntwo 你好\nthree\n"))
        term.prompt()
        term.wait(lambda: term.draft() == "one\ntwo 你好\nthree")
        assert server.requests == []
        term.send("\r")
        term.see("ok\n")

    assert [recorded.last_user for recorded in server.requests] == ["one\ntwo 你好\nthree"]


def test_lines_that_came_with_the_first_are_not_sent_after_it(start: Start) -> None:
    """IN-02: lines pasted without marks send the first; the rest waits as a draft."""
    with FakeOpenAI() as server:
        term = start(env=model(server.base_url))
        term.send("first\rsecond\rthird\r")
        term.prompt()
        assert term.draft() == "second\nthird"

    assert [recorded.last_user for recorded in server.requests] == ["first"]


def test_commands_typed_ahead_all_run(start: Start) -> None:
    """Lines that arrive while a command runs are run after it."""
    term = start()
    term.send("/memory add editor nvim\r/memory add shell fish\r/memory list\r/exit\r")
    assert term.end() == 0
    assert "fish" in term.text
    assert "nvim" in term.text


@pytest.mark.parametrize("while_replying", [False, True], ids=["at the prompt", "during a reply"])
def test_a_large_paste_arrives_whole(start: Start, while_replying: bool) -> None:
    """IN-03: 64 KB of text with Chinese and emoji reach the server byte for byte."""
    lines = [f"{number:03d} 你好，世界 🚀 café " + "文字" * 50 for number in range(200)]
    text = "\n".join(lines)
    assert len(text.encode()) > 64_000
    reached, hold = Reached(), Hold()
    slow = stream(chunk({"role": "assistant", "content": "one moment"}), reached, hold, chunk({}, "stop"))
    with FakeOpenAI(*([slow] if while_replying else [])) as server:
        term = start(env=model(server.base_url))
        if while_replying:
            term.enter("hello")
            assert reached.event.wait(20)
        term.send(paste(text))
        if while_replying:
            hold.event.set()
        term.wait(lambda: any("199 你好" in row for row in term.display))
        term.send("\r")
        term.prompt()

    received = server.requests[-1].last_user
    assert hashlib.sha256(received.encode()).digest() == hashlib.sha256(text.encode()).digest()


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("/home/u/a.txt 里有什么", "/home/u/a.txt 里有什么"),
        ("/api/接口的实现", "/api/接口的实现"),
        ("//memory list", "/memory list"),
        ("苹果、梨", "苹果、梨"),
    ],
)
def test_a_line_that_only_looks_like_a_command_is_sent(start: Start, typed: str, sent: str) -> None:
    """IN-04, I18-09: paths and text with commas of another script go to the model as they are."""
    with FakeOpenAI() as server:
        term = start(env=model(server.base_url))
        term.enter(typed)
        term.prompt()

    assert [recorded.last_user for recorded in server.requests] == [sent]


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("/memroy list", "/memory list"),
        ("/memory lsit", "/memory list"),
        (" /memory list", "Nothing is remembered"),
        ("／memory list", "Nothing is remembered"),
        ("、memory list", "Nothing is remembered"),
    ],
)
def test_a_command_is_never_sent_to_the_model(start: Start, typed: str, shown: str) -> None:
    """IN-04, I18-09: a mistyped command names the nearest; a leading blank or a slash of another width is no matter."""
    with FakeOpenAI() as server:
        term = start(env=model(server.base_url))
        term.enter(typed)
        term.prompt()

    assert shown.lower() in term.new.lower()
    assert server.requests == []


def test_invalid_text_becomes_a_replacement_and_the_chat_goes_on(start: Start, home: Path) -> None:
    """IN-05: stray bytes and halves of characters, typed or streamed, are replaced; chat and history go on."""
    half = stream(chunk({"role": "assistant", "content": "half \ud83d done"}), chunk({}, "stop"))
    with FakeOpenAI(half, say("fine")) as server:
        term = start(env=model(server.base_url))
        term.send(b"bad \xe2\x80 bytes\r")
        term.prompt()
        term.enter("and now?")
        term.prompt()
        assert "fine" in term.text
        term.send(CTRL_D)
        assert term.end() == 0
        again = start(env=model(server.base_url))
        again.send(UP)
        again.wait(lambda: again.draft() == "and now?")

    assert "\ufffd" in server.requests[0].last_user
    assert server.requests[0].last_user.startswith("bad ")
    assert (home / ".agentao" / "history").read_text(encoding="utf-8")


def test_ctrl_c_at_the_prompt_clears_the_line_or_says_how_to_leave(start: Start) -> None:
    """IN-06: Ctrl-C at a draft clears it, at an empty prompt it prints a hint; it neither exits nor sends."""
    with FakeOpenAI() as server:
        term = start(env=model(server.base_url))
        term.send("half a thought")
        term.wait(lambda: term.draft() == "half a thought")
        term.send(CTRL_C)
        term.wait(lambda: term.draft() == "")
        term.send(CTRL_C)
        term.see("Ctrl-D or /exit leaves.")
        term.prompt()
        term.enter("still here")
        term.prompt()

    assert [recorded.last_user for recorded in server.requests] == ["still here"]


@pytest.mark.parametrize("blank", ["", "   ", "\u3000", "\x16\t", paste("\n\n\n")], ids=repr)
def test_blank_input_is_neither_sent_nor_remembered(start: Start, home: Path, blank: str) -> None:
    """IN-13: nothing but blanks, of whatever width, makes no request and no entry of the history."""
    with FakeOpenAI() as server:
        term = start(env=model(server.base_url))
        term.enter("first")
        term.prompt()
        term.enter(blank)
        term.prompt()
        term.send(UP)
        term.wait(lambda: term.draft() == "first")

    assert len(server.requests) == 1
    assert (home / ".agentao" / "history").read_text(encoding="utf-8").count("\n+") == 1


def test_completion_in_front_of_a_draft_keeps_the_draft(start: Start) -> None:
    """IN-14: a command completed before other words stays apart from them, and no placeholder is put in."""
    term = start()
    term.send("/mempls check" + LEFT * len("pls check"))
    term.wait(lambda: term.draft().startswith("/mempls check"))
    term.send(TAB)
    term.wait(lambda: term.draft().startswith("/memory pls check"))
    assert term.draft().split("\n")[0] == "/memory pls check"


def test_a_character_put_into_the_middle_of_wide_ones_lands_there(start: Start) -> None:
    """I18-10: inserting into a line of wide characters neither doubles nor eats text, on screen and at the server."""
    with FakeOpenAI() as server:
        term = start(env=model(server.base_url))
        term.send("你好世界abcdef" + LEFT * 6 + "，")
        term.wait(lambda: term.draft() == "你好世界，abcdef")
        term.send("\r")
        term.prompt()

    assert [recorded.last_user for recorded in server.requests] == ["你好世界，abcdef"]


def test_a_backslash_or_alt_enter_begins_another_line(start: Start) -> None:
    """A trailing backslash, and Alt-Enter, continue the input on a next line; Enter then sends all of it."""
    with FakeOpenAI() as server:
        term = start(env=model(server.base_url))
        term.send("one\\\rtwo\x1b\rthree\r")
        term.prompt()

    assert [recorded.last_user for recorded in server.requests] == ["one\ntwo\nthree"]


@pytest.mark.parametrize(
    "typed", ["/memory search don't", '/memory search "半个引号', "/memory delete a b", "/memory search C:\\x\\x"]
)
def test_quotes_and_backslashes_are_letters(start: Start, typed: str) -> None:
    """IN-18: an argument is used as typed; a lone quote is no fault."""
    term = start()
    term.enter(typed)
    term.prompt()
    assert "quotation" not in term.new
    assert "Something went wrong" not in term.new
