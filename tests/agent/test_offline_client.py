"""The assistant without a model: what it keeps, under which key, what it looks up, and what it honestly cannot do."""

from __future__ import annotations

import json

import pytest

from agentao.agent.client import collect
from agentao.agent.messages import ChatRequest, Message, ToolCall, ToolSpec
from agentao.agent.offline_client import OfflineClient
from agentao.errors import RequestRefused
from agentao.memory.guard import MemoryGuard
from agentao.memory.models import MemoryRecord, RecallCandidate
from agentao.memory.renderer import MemoryPromptRenderer

TOOL = ToolSpec("save_memory", "Save.", {"type": "object"})


def ask(text: str, system: str = "", tools: tuple[ToolSpec, ...] = (TOOL,)) -> Message:
    """The whole assistant message for one user message."""
    request = ChatRequest(system=system, messages=(Message("user", text),), tools=tools)
    return collect(OfflineClient().stream(request)).completed.message


def blocks(*facts: tuple[str, str, str], recalled: tuple[tuple[str, str], ...] = ()) -> str:
    """A system prompt with real rendered blocks."""
    records = [
        MemoryRecord(str(number), "user", "note", key, title, value) for number, (key, title, value) in enumerate(facts)
    ]
    candidates = [
        RecallCandidate(f"r{number}", "project", "note", title, excerpt, 0.5, ("keyword_hit",))
        for number, (title, excerpt) in enumerate(recalled)
    ]
    renderer = MemoryPromptRenderer()
    return f"{renderer.render_stable_block(records)}\n{renderer.render_dynamic_block(candidates)}"


SAVES = [
    ("remember that I prefer nvim", "user_preferred_editor", "I prefer nvim"),
    ("Please remember: we use tabs in this repo", "use_tabs_repo", "we use tabs in this repo"),
    ("remember my name is Ada", "user_name", "Ada"),
    ("remember the API endpoint is https://api.example.com/v1?x=1", "api_endpoint", "https://api.example.com/v1?x=1"),
    ("don't forget that Bob owns billing", "bob_owns_billing", "Bob owns billing"),
    ("remember C++ builds need gcc 13", "c_plus_plus_builds_need_gcc_13", "C++ builds need gcc 13"),
    ("save to memory: deploys need two approvals", "deploys_need_two_approvals", "deploys need two approvals"),
    ("remember db = postgres 16", "db", "postgres 16"),
    ("记住 我叫小明", "user_name", "小明"),
    ("记住我喜欢用 vim", "user_preferred_editor", "我喜欢用 vim"),
    ("请记住：端口是 8080", "端口", "8080"),
    ("帮我记一下，部署只能在周二", "部署只能在周二", "部署只能在周二"),
    ("记住以后用中文回答", "user_answer_language", "以后用中文回答"),
    ("记住我的时区是 UTC+8", "user_时区", "UTC+8"),
]


@pytest.mark.parametrize(("text", "key", "value"), SAVES)
def test_remember_calls_the_tool_under_a_sensible_key(text: str, key: str, value: str) -> None:
    """ "Remember …" in either language becomes one save_memory call; what is about the user gets a user_ key."""
    (call,) = ask(text).tool_calls
    arguments = json.loads(call.arguments)

    assert call.name == "save_memory"
    assert MemoryGuard().normalize_key(arguments["key"]) == key
    assert arguments["value"] == value


@pytest.mark.parametrize(
    "text",
    [
        "do you remember my name?",
        "你还记得我叫什么吗",
        "save memory usage",
        "hello",
        "你好",
        "store the results in a list",
    ],
)
def test_nothing_is_saved_unasked(text: str) -> None:
    """Questions and other requests call no tool."""
    assert ask(text).tool_calls == ()


def test_two_long_statements_never_share_a_key() -> None:
    """Keys made of the first words of a long statement stay different for different statements."""
    same = "remember the nightly import job reads from the warehouse and writes to bucket "

    first, second = (json.loads(ask(same + end).tool_calls[0].arguments)["key"] for end in ("alpha", "beta"))

    assert first != second


@pytest.mark.parametrize(
    ("text", "value"), [("更新 Python 版本为 3.12", "3.12"), ("update the python version to 3.12", "3.12")]
)
def test_an_update_keeps_the_stored_key(text: str, value: str) -> None:
    """Giving a stored fact another value calls the tool with the same key."""
    known = blocks(("python_版本", "Python 版本", "3.11"), ("editor", "Editor", "vim"))

    (call,) = ask(text, known).tool_calls

    assert json.loads(call.arguments) == {"key": "python_版本", "value": value}


@pytest.mark.parametrize(
    ("question", "said", "unsaid"),
    [
        ("which editor do I use?", "- Preferred editor: nvim", "endpoint"),
        ("我用什么编辑器？", "- Preferred editor：nvim", "endpoint"),
        ("what is the api endpoint", "- Api endpoint: https://a.example/<v1>", "nvim"),
        ("Python 版本是多少？", "- Python 版本：3.11", "nvim"),
        ("what do you know about me?", "- Preferred editor: nvim", "No language model"),
        ("你都记得什么", "- Python 版本：3.11", "没有连接"),
    ],
)
def test_questions_are_answered_from_the_blocks(question: str, said: str, unsaid: str) -> None:
    """A question about what was told is answered from the facts in the prompt, and from those that fit only."""
    known = blocks(
        ("preferred_editor", "Preferred editor", "nvim"),
        ("api_endpoint", "Api endpoint", "https://a.example/<v1>"),
        ("python_版本", "Python 版本", "3.11"),
    )

    text = ask(question, known).content

    assert said in text
    assert unsaid not in text


def test_what_recall_found_is_used_even_without_shared_words() -> None:
    """A fact from <memory-context> answers a question in other words."""
    known = blocks(("a", "A", "b"), recalled=(("Deploy window", "Tuesdays only"),))

    assert "Tuesdays only" in ask("when may we ship?", known).content


@pytest.mark.parametrize(
    ("text", "word"), [("write a poem about the sea", "OPENAI_API_KEY"), ("写一首诗", "没有连接语言模型")]
)
def test_anything_else_says_that_no_model_is_connected(text: str, word: str) -> None:
    """Without a model it says so in the user's language, with OpenAI, DeepSeek and Ollama as examples."""
    answer = ask(text).content

    assert word in answer
    assert all(name in answer for name in ("OpenAI", "DeepSeek", "Ollama"))
    assert all(len(line) <= 60 for line in answer.splitlines() if line.startswith("    "))
    assert "\n（" not in answer


@pytest.mark.parametrize("text", ["write a poem", "which port does redis use?", "写一首诗"])
@pytest.mark.parametrize("first", ["hello there", "你好呀"])
def test_how_to_connect_a_model_is_said_once(first: str, text: str) -> None:
    """What is not understood later in a conversation gets one line about it; both name /help."""
    told = ask(first)
    messages = (Message("user", first), told, Message("user", text))
    again = collect(OfflineClient().stream(ChatRequest("", messages, tools=(TOOL,)))).completed.message.content

    assert "/help" in told.content
    assert "OPENAI" not in again
    assert "/help" in again.splitlines()[-1]


def test_an_unknown_thing_is_not_made_up() -> None:
    """A question about something never told is answered so."""
    assert "find nothing" in ask("which port does redis use?", blocks(("a", "A", "b"))).content
    assert "还没有任何记忆" in ask("你记得什么？").content


def test_the_result_of_the_tool_decides_what_is_said() -> None:
    """After a save it says what it remembers; after a refusal it repeats the reason and claims nothing."""
    call = ToolCall("1", "save_memory", '{"key": "user_name", "value": "Ada"}')
    said = Message("user", "remember my name is Ada")
    asked = Message("assistant", "", tool_calls=(call,))

    def after(result: Message) -> str:
        return collect(OfflineClient().stream(ChatRequest("", (said, asked, result), (TOOL,)))).text

    assert after(Message("tool", "Saved.", tool_call_id="1")) == "I will remember: Ada"
    assert after(Message("tool", "The disk is full.", tool_call_id="1", error=True)) == (
        "I could not save that: The disk is full."
    )


def test_with_memory_off_nothing_is_claimed() -> None:
    """Without the tool on offer it says that memory is off."""
    assert "Memory is off" in ask("remember that I prefer nvim", tools=()).content


def test_forgetting_names_the_command() -> None:
    """It cannot delete, and says which command can."""
    known = blocks(("preferred_editor", "Preferred editor", "nvim"))

    assert "/memory delete Preferred editor" in ask("forget my editor", known).content


def test_summaries_and_other_models_are_refused() -> None:
    """A summary needs a model, and there is no other model to switch to."""
    client = OfflineClient()

    with pytest.raises(RequestRefused):
        collect(client.stream(ChatRequest("", (Message("user", "x"),), purpose="summary")))
    with pytest.raises(RequestRefused):
        client.use_model("gpt-5")
    assert client.list_models() == ["offline"]
