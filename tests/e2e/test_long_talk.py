"""Days of talk in a small window: compaction inside the real program, and what of it the next session is told."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest

from tests.e2e.conftest import Start, live, rows
from tests.support.fake_openai import Answer, AwaitHangup, FakeOpenAI, Reached, Recorded, call, error, say, stream
from tests.support.terminal import CTRL_C, CTRL_D, Terminal, model

WINDOW = 8_000
SESSION = re.compile(r"<session>\n(.*?)\n</session>", re.DOTALL)
SUMMARY = "[Conversation Summary]"


def is_summary_request(request: Recorded) -> bool:
    return request.system.startswith("You write the summary")


def small_window(server: FakeOpenAI) -> dict[str, str]:
    return {**model(server.base_url), "AGENTAO_CONTEXT_WINDOW": str(WINDOW)}


def question(number: int) -> str:
    """Some eighty tokens of what people type, in turn English and Chinese."""
    if number % 2:
        return f"第 {number} 个问题：我们继续讨论部署方案，上线之前要检查哪些指标，出了问题怎么回退，谁来值班？" * 2
    return f"Question {number}:" + " how should the import job treat rows with a missing price and a broken date?" * 3


def ask(term: Terminal, line: str) -> None:
    """One turn; a long line redraws the toolbar while it is typed, so the answer is waited for first."""
    term.enter(line)
    term.wait(lambda: re.search(r"Answer \d|Noted", term.new) is not None, "an answer")
    term.prompt()


class Assistant:
    """Answers like a model: saves every tenth turn, writes a summary when asked, counts tokens or does not."""

    def __init__(self, *, reports_usage: bool) -> None:
        self.reports_usage = reports_usage
        self.summaries = 0

    def __call__(self, request: Recorded) -> Answer:
        if is_summary_request(request):
            self.summaries += 1
            return say(f"State - summary number {self.summaries}. 决定：周二上线。")
        prompt_tokens = None
        if self.reports_usage:
            text = str(request.body["messages"])
            prompt_tokens = sum(1 if ord(char) > 127 else 0.25 for char in text)
        last = request.body["messages"][-1]
        if last["role"] == "tool":
            return say("Noted.", prompt_tokens=round(prompt_tokens) if prompt_tokens else None)
        asked = re.search(r"(\d+)", request.last_user)
        number = int(asked.group(1)) if asked else 0
        if last["role"] == "user" and number and number % 10 == 0:
            return call("save_memory", {"key": f"fact_{number}", "value": f"value {number}"}, id=f"call_{number}")
        answer = f"Answer {number}. 先看延迟和错误率，再决定。 " + "It depends on the source of the row. " * 4
        return say(answer, prompt_tokens=round(prompt_tokens) if prompt_tokens else None)


@pytest.mark.slow
@pytest.mark.parametrize(("reports_usage", "turns"), [(True, 60), (False, 120)], ids=["usage", "no usage"])
def test_a_long_talk_never_meets_the_limit(start: Start, project: Path, *, reports_usage: bool, turns: int) -> None:
    """RQ-22: 120 turns in 8,000 tokens: no request is refused, summaries are rows, and the next session is told
    once."""
    assistant = Assistant(reports_usage=reports_usage)
    with FakeOpenAI(otherwise=assistant, strict=("*",), context_tokens=WINDOW) as server:
        term = start(env=small_window(server))
        for number in range(1, turns + 1):
            ask(term, question(number))
        assert "Compacted" in term.text
        term.send(CTRL_D)
        assert term.end() == 0

        assert server.refused == []
        asked = [request for request in server.requests if not is_summary_request(request)]
        firsts = [request for request in asked if request.body["messages"][-1]["role"] == "user"]
        assert [request.last_user for request in firsts] == [question(n) for n in range(1, turns + 1)]

        database = project / ".agentao" / "memory.db"
        saved = rows(
            database,
            "SELECT session_id, tokens_before, messages_summarized, summary_text FROM session_summaries ORDER BY id",
        )
        assert len(saved) == assistant.summaries >= 2
        assert len({row[0] for row in saved}) == 1
        assert all(WINDOW * 0.5 < int(str(row[1])) < WINDOW for row in saved)
        assert sum(int(str(row[2])) for row in saved) < 2 * len(asked)
        assert all(int(str(row[2])) >= 4 for row in saved)
        assert [key for key, _ in live(database)] == [f"fact_{n}" for n in range(10, turns + 1, 10)]
        assert SESSION.search(asked[-1].system) is None
        assert any(SUMMARY in str(message["content"]) for message in asked[-1].body["messages"])

        again = start(env=small_window(server))
        again.enter("hello again")
        again.prompt()
        request = server.requests[-1]

    (tail,) = SESSION.findall(request.system)
    assert len(tail) <= 800
    newest = [str(row[3]) for row in saved[-3:]]
    assert all(request.system.count(text) == 1 for text in newest)
    assert [tail.index(text) for text in newest] == sorted(tail.index(text) for text in newest)
    assert SUMMARY not in str(request.body["messages"][1:])


def test_facts_stay_in_the_prompt_through_a_compaction(start: Start) -> None:
    """CMP-08: The stable block after a compaction is byte for byte the one before, and no fact is in the summary
    request."""
    with FakeOpenAI(otherwise=Assistant(reports_usage=True), strict=("*",)) as server:
        term = start(env=small_window(server))
        for number in (10, 20, 30):
            term.enter(f"keep {number}")
            term.prompt()
        term.enter("what now?")
        term.prompt()
        before = server.requests[-1].system
        term.enter("/compact the ports")
        term.see("Compacted")
        term.prompt()
        summary = server.requests[-1]
        term.enter("what now?")
        term.prompt()
        after = server.requests[-1].system

    assert is_summary_request(summary)
    assert "the ports" in summary.system
    assert "<memory-stable>" not in str(summary.body)
    end = before.index("</memory-stable>")
    assert after[:end] == before[:end]


def test_the_new_question_follows_the_summary_word_for_word(start: Start) -> None:
    """CMP-06: When a question triggers the compaction, the request ends with it, behind the summary of what is done."""
    asked = "now Y 7:" + " please think about the other thing" * 30
    with FakeOpenAI(otherwise=Assistant(reports_usage=False), strict=("*",)) as server:
        term = start(env=small_window(server))
        for number in range(1, 60):
            ask(term, question(number))
            if "Compacted" in term.new:
                break
        ask(term, asked)

    messages = server.requests[-1].body["messages"]
    assert str(messages[1]["content"]).startswith(SUMMARY)
    assert messages[-1] == {"role": "user", "content": asked}


def test_ctrl_c_cancels_a_compaction(start: Start, project: Path) -> None:
    """Ctrl-C while the summary is written changes nothing, and the talk goes on with every message in place."""
    reached = Reached()
    with FakeOpenAI(say("one"), say("two"), stream(reached, AwaitHangup(), done=False), say("three")) as server:
        term = start(env=small_window(server))
        for line in ("first", "second"):
            term.enter(line)
            term.prompt()
        term.enter("/compact")
        assert reached.event.wait(20)
        term.send(CTRL_C)
        term.prompt()
        term.enter("third")
        term.prompt()

    contents = [message["content"] for message in server.requests[-1].body["messages"][1:]]
    assert contents == ["first", "one", "second", "two", "third"]
    assert rows(project / ".agentao" / "memory.db", "SELECT * FROM session_summaries") == []


def test_a_length_error_leads_to_one_compaction_and_one_retry(start: Start) -> None:
    """A server with a smaller window than assumed refuses once; the user sees an answer and a line, no error."""
    refused = error(
        400, "This model's maximum context length is 2000 tokens, you requested 2300.", code="context_length_exceeded"
    )
    with FakeOpenAI(otherwise=Assistant(reports_usage=False)) as server:
        term = start(env=model(server.base_url))
        for number in range(1, 8):
            ask(term, question(number))
        server.play(refused)
        term.enter("short question 9")
        term.see("Answer 9")
        term.prompt()

    assert "Compacted" in term.text
    assert "2,000" in term.text
    kinds = [is_summary_request(request) for request in server.requests[7:]]
    assert kinds == [False, True, False]


def test_a_throttling_message_is_no_length_error(start: Start) -> None:
    """CMP-10: “Too many tokens, please wait” is waited out; nothing is compacted."""
    with FakeOpenAI(error(429, "Too many tokens, please wait", headers=(("Retry-After", "0"),)), say("fine")) as server:
        term = start(env=model(server.base_url))
        term.enter("hello")
        term.see("fine")
        term.prompt()

    assert "Compacted" not in term.text
    assert len(server.requests) == 2


def test_a_huge_message_is_sent_cut_and_the_talk_goes_on(start: Start) -> None:
    """60,000 characters in a window of 8,000: a line tells what was left out, and the next turn works."""
    with FakeOpenAI(otherwise=Assistant(reports_usage=False), strict=("*",), context_tokens=WINDOW) as server:
        term = start(env=small_window(server))
        term.send("\x1b[200~" + "long story " * 5_500 + "\x1b[201~")
        term.enter("")
        term.wait(lambda: "the middle of a long message" in " ".join(term.new.split()), "the line")
        term.see("Answer")
        term.prompt()
        ask(term, "and now 8?")

    assert server.refused == []
    assert server.requests[-1].last_user == "and now 8?"


def test_compaction_happens_inside_a_long_tool_loop(start: Start) -> None:
    """CMP-12: Twenty calls in one turn with growing text outgrow the window; it is compacted within the turn."""

    def loop(request: Recorded) -> Answer:
        if is_summary_request(request):
            return say("State - facts were saved.")
        loop.calls += 1  # type: ignore[attr-defined]
        number = loop.calls  # type: ignore[attr-defined]
        if number > 20:
            return say("All done.")
        arguments = {"key": f"k{number}", "value": f"{number} " + "many words " * 100}
        return call("save_memory", arguments, id=f"c{number}", text="thinking " * 20 * number)

    loop.calls = 0  # type: ignore[attr-defined]
    with FakeOpenAI(otherwise=loop, strict=("*",), context_tokens=WINDOW) as server:
        term = start(env=small_window(server))
        term.enter("save a lot")
        term.see("All done.")
        term.prompt()

    assert server.refused == []
    assert any(is_summary_request(request) for request in server.requests)
    assert server.requests[-1].last_user == "save a lot"


def test_sigterm_in_a_compaction_leaves_healthy_stores(start: Start, project: Path) -> None:
    """The program ends at once, what was saved is there, and the database is whole."""
    reached = Reached()
    script = (call("save_memory", {"key": "port", "value": "8080"}), say("ok"), say("two"))
    with FakeOpenAI(*script, stream(reached, AwaitHangup(), done=False)) as server:
        term = start(env=small_window(server))
        for line in ("keep the port", "second"):
            term.enter(line)
            term.prompt()
        term.enter("/compact")
        assert reached.event.wait(20)
        term.kill(signal.SIGTERM)
        term.end()

    database = project / ".agentao" / "memory.db"
    assert live(database) == [("port", "8080")]
    assert rows(database, "PRAGMA integrity_check") == [("ok",)]


def test_new_session_hands_the_summary_over_as_a_past_one(start: Start) -> None:
    """RQ-22: /new begins a session whose prompt holds the old one's summary as a past session's, and no message of
    it."""
    with FakeOpenAI(otherwise=Assistant(reports_usage=False)) as server:
        term = start(env=small_window(server))
        for line in ("first 1", "second 2"):
            term.enter(line)
            term.prompt()
        term.enter("/compact")
        term.see("Compacted")
        term.prompt()
        term.enter("/new")
        term.prompt()
        term.enter("hello 3")
        term.prompt()
        request = server.requests[-1]

    assert len(SESSION.findall(request.system)) == 1
    assert "summary number 1" in request.system
    assert [message["content"] for message in request.body["messages"][1:]] == ["hello 3"]
