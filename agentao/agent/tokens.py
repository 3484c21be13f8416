"""Token counts without a tokenizer: an estimate by script and kind of character, and a cautious one for triggers.

No tokenizer is shipped: the server's one is unknown, and a vocabulary costs megabytes and start-up time. The weights
are fitted to the byte-pair vocabularies o200k_base and DeepSeek V3 on English, Chinese and mixed prose, code and JSON;
on mixed texts the estimate stays within 25 % of both.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from agentao.agent.messages import Message, ToolSpec

MESSAGE_OVERHEAD_TOKENS = 4
"""Role and separators of one message. Source: the chat format of OpenAI's models (3 per message and the role)."""

TOOL_CALL_OVERHEAD_TOKENS = 10
"""Id, type and braces of one tool call in the common chat templates."""

_PIECES = re.compile(
    r"""
      (?P<han>[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+)
    | (?P<kana>[\u3040-\u30ff]+)
    | (?P<hangul>[\uac00-\ud7af]+)
    | (?P<latin>[A-Za-z]+)
    | (?P<digits>[0-9]+)
    | (?P<letters>[^\W\d_A-Za-z]+)
    | (?P<newline>\n\s*)
    | (?P<blank>[ \t]+)
    | (?P<wide_punctuation>[\u3000-\u303f\uff00-\uffef]+)
    | (?P<punctuation>[\x21-\x7e]+)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_HAN, _KANA, _HANGUL, _LATIN, _DIGITS, _LETTERS, _NEWLINE, _BLANK, _WIDE, _PUNCTUATION, _OTHER = range(1, 12)

_WORD_PLAIN_CHARS = 6
"""A Latin word up to this length is about one token; each further character adds a seventh."""


def _measure(text: str) -> tuple[float, int]:
    """Return the estimated tokens and how many CJK characters (punctuation too) the text has."""
    total = 0.0
    cjk = 0
    for match in _PIECES.finditer(text):
        kind = match.lastindex
        length = match.end() - match.start()
        if kind == _LATIN:
            total += 1.0 if length <= _WORD_PLAIN_CHARS else 1.0 + 0.15 * (length - _WORD_PLAIN_CHARS)
        elif kind == _BLANK:
            total += 0.8 if length > 1 else 0.0
        elif kind == _HAN:
            total += 0.7 * length
            cjk += length
        elif kind == _PUNCTUATION:
            total += 1.0 + 0.3 * (length - 1)
        elif kind == _DIGITS:
            total += 1.25 * -(-length // 3)
        elif kind == _NEWLINE:
            total += 0.4
        elif kind == _WIDE:
            total += 0.75 * length
            cjk += length
        elif kind == _LETTERS:
            total += 0.36 * length
        elif kind in (_KANA, _HANGUL):
            total += (0.52 if kind == _KANA else 0.66) * length
            cjk += length
        else:
            total += 1.5
    return total, cjk


@lru_cache(maxsize=4096)
def _measured(text: str) -> tuple[float, int]:
    return _measure(text)


def estimate_tokens(text: str) -> int:
    """The likely number of tokens of a text; 0 only for the empty text."""
    return max(1, round(_measured(text)[0])) if text else 0


def cautious_tokens(text: str) -> int:
    """As ``estimate_tokens``, but a whole token for each CJK character, as older and smaller vocabularies need."""
    if not text:
        return 0
    total, cjk = _measured(text)
    return max(1, round(total + 0.35 * cjk))


def message_tokens(message: Message, *, cautious: bool = False) -> int:
    """The tokens one message takes in a request, its tool calls included."""
    count = cautious_tokens if cautious else estimate_tokens
    total = MESSAGE_OVERHEAD_TOKENS + count(message.content)
    for call in message.tool_calls:
        total += TOOL_CALL_OVERHEAD_TOKENS + count(call.name) + count(call.arguments)
    return total


def messages_tokens(messages: Iterable[Message], *, cautious: bool = False) -> int:
    """The tokens of several messages together."""
    return sum(message_tokens(message, cautious=cautious) for message in messages)


def tools_tokens(tools: Sequence[ToolSpec]) -> int:
    """The tokens of the tool schemas in a request."""
    return sum(
        TOOL_CALL_OVERHEAD_TOKENS
        + estimate_tokens(tool.name)
        + estimate_tokens(tool.description)
        + estimate_tokens(json.dumps(tool.parameters, ensure_ascii=False))
        for tool in tools
    )


def cut_to_tokens(text: str, limit_tokens: int, mark: str) -> str:
    """Keep head and tail of a text so that it takes at most ``limit_tokens``, with ``mark`` between them.

    The head gets two thirds. A text that fits comes back as it is; a limit below the mark's size leaves the mark alone.
    """
    if estimate_tokens(text) <= limit_tokens:
        return text
    room = limit_tokens - estimate_tokens(mark) - 2
    if room <= 0:
        return mark
    keep_chars = int(len(text) * room / estimate_tokens(text))
    while True:
        head = keep_chars * 2 // 3
        tail = keep_chars - head
        shortened = f"{text[:head].rstrip()}\n{mark}\n{text[len(text) - tail :].lstrip()}"
        if keep_chars <= 0 or _measure(shortened)[0] <= limit_tokens:
            return shortened if keep_chars > 0 else mark
        keep_chars = keep_chars * 9 // 10
