"""Token estimates: right size for each script, cautious where nothing is known, and cuts that keep their limit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentao.agent.messages import Message, ToolCall, ToolSpec
from agentao.agent.tokens import cautious_tokens, cut_to_tokens, estimate_tokens, message_tokens, tools_tokens

# The figures were counted with the vocabularies o200k_base and DeepSeek V3, in this order.
COUNTED = [
    (
        "Please run the whole test suite before every commit, and tell me about flaky tests in two short lines.",
        (21, 22),
    ),
    ("每次提交之前都要先运行全部测试，发现不稳定的用例请用两行话告诉我，不要自动重试。", (30, 25)),
    ("部署流程：先合并到 release 分支，CI 打镜像推到 Harbor，再由 ArgoCD 同步到 k8s 集群。", (32, 30)),
    ('def add(a: int, b: int) -> int:\n    """Add two numbers."""\n    return a + b\n', (25, 25)),
    ('{"key": "user_python_version", "value": "3.11+", "tags": ["user", "preference"]}', (27, 29)),
]


@pytest.mark.parametrize(("text", "counted"), COUNTED)
def test_estimate_is_within_a_quarter_of_real_tokenizers(text: str, counted: tuple[int, int]) -> None:
    """English, Chinese, mixed text, code and JSON are counted within 25 % of each real vocabulary."""
    for real in counted:
        assert 0.75 * real <= estimate_tokens(text) <= 1.25 * real


def test_chinese_counts_by_character_not_by_quarter() -> None:
    """A Chinese text is never counted as a quarter of its characters, as a rule for English would."""
    text = "我们决定数据库选用这个方案" * 20

    assert estimate_tokens(text) > len(text) * 0.5


@given(st.text(alphabet="我们的测试abc ，。", max_size=200))
def test_cautious_is_never_below_the_estimate(text: str) -> None:
    """The cautious count is the larger one, and at least one token for each Chinese character."""
    assert cautious_tokens(text) >= estimate_tokens(text)
    assert cautious_tokens(text) >= sum("\u4e00" <= char <= "\u9fff" for char in text)


def test_empty_text_takes_nothing() -> None:
    """Only the empty text is free."""
    assert estimate_tokens("") == 0
    assert estimate_tokens(" ") == 1


def test_tool_calls_and_schemas_are_counted() -> None:
    """A message with a tool call takes more than its text, and a tool on offer takes room."""
    plain = Message("assistant", "好")
    calling = Message("assistant", "好", tool_calls=(ToolCall("1", "save_memory", '{"key": "a", "value": "b"}'),))

    assert message_tokens(calling) > message_tokens(plain) + 10
    assert tools_tokens([ToolSpec("save_memory", "Save.", {"type": "object"})]) > 10
    assert tools_tokens([]) == 0


@given(st.text(max_size=3_000), st.integers(min_value=30, max_value=300))
def test_cut_keeps_its_limit(text: str, limit: int) -> None:
    """A cut text fits the limit, and a text that fits is not touched."""
    mark = "[... left out ...]"

    cut = cut_to_tokens(text, limit, mark)

    assert estimate_tokens(cut) <= limit
    assert (cut == text) == (estimate_tokens(text) <= limit)


def test_cut_keeps_head_and_tail() -> None:
    """The beginning and the end of a long text survive, with the mark between them."""
    text = "BEGIN " + "word " * 5_000 + "END"

    cut = cut_to_tokens(text, 100, "[...]")

    assert cut.startswith("BEGIN")
    assert cut.endswith("END")
    assert "[...]" in cut
