"""The shape of a history: turns and rounds, and what may be taken out of it without breaking it.

A *turn* begins with a chat message of the user. A *round* is one assistant message together with the results of its
tool calls; nothing here ever parts the two.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from agentao.agent.messages import Message
from agentao.agent.tokens import cut_to_tokens, estimate_tokens, message_tokens, messages_tokens

LARGE_MESSAGE_TOKENS = 2_000
"""A message above this is worth shortening. Source: decisions, Compaction."""

SHORTENED_MESSAGE_TOKENS = 600
"""What a shortened message keeps: enough for what it was about and how it ended."""

WHOLE_TURNS = 4
"""The newest turns that are never shortened. Source: decisions, Compaction."""

Sizer = Callable[[Message], int]


@dataclass(frozen=True, slots=True)
class Plan:
    """How a history is divided for one compaction.

    ``summaries`` stay in front, ``early`` is replaced by a new summary, ``kept`` stays word for word. When older
    summaries are to be folded into the new one they stand at the head of ``early`` and ``summaries`` is empty.
    """

    summaries: tuple[Message, ...]
    early: tuple[Message, ...]
    kept: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Fitted:
    """The messages that go into a request, and what was left out of them."""

    messages: tuple[Message, ...]
    omitted_turns: int = 0
    cut_messages: int = 0


def split_turns(messages: Sequence[Message]) -> list[list[Message]]:
    """Divide a history into turns, oldest first; what stands before the first user message is a turn too."""
    turns: list[list[Message]] = []
    for message in messages:
        if not turns or message.role == "user":
            turns.append([])
        turns[-1].append(message)
    return turns


def split_rounds(messages: Sequence[Message]) -> list[list[Message]]:
    """Divide the messages of one turn into groups that must stay together, oldest first."""
    rounds: list[list[Message]] = []
    for message in messages:
        if not rounds or message.role != "tool":
            rounds.append([])
        rounds[-1].append(message)
    return rounds


def shorten_large(messages: Sequence[Message]) -> tuple[list[Message], int]:
    """Shorten large user and tool messages that stand before the newest ``WHOLE_TURNS`` turns.

    Head and tail stay, a mark between them names the tokens left out; results that report an error stay whole. Returns
    the new list, same length and order, and how many messages were shortened.
    """
    turns = split_turns([message for message in messages if message.kind == "chat"])
    recent = sum(len(turn) for turn in turns[-WHOLE_TURNS:])
    old = len(messages) - recent
    out: list[Message] = []
    count = 0
    for position, message in enumerate(messages):
        if position < old and message.kind == "chat" and message.role in ("user", "tool") and not message.error:
            tokens = estimate_tokens(message.content)
            if tokens > LARGE_MESSAGE_TOKENS:
                content = _shortened(message.content, tokens, SHORTENED_MESSAGE_TOKENS)
                out.append(replace(message, content=content))
                count += 1
                continue
        out.append(message)
    return out, count


def plan_compaction(
    messages: Sequence[Message], keep_tokens: int, fold_tokens: int, size: Sizer = message_tokens
) -> Plan:
    """Choose what a summary replaces: everything but the newest turns that together take at most ``keep_tokens``.

    The newest user message always stays. When its own turn is longer than ``keep_tokens``, the early rounds of that
    turn go too and the newest stay behind the message. Older summaries stay, unless they pass ``fold_tokens``.
    """
    summaries = [message for message in messages if message.kind == "summary"]
    turns = split_turns([message for message in messages if message.kind == "chat"])
    if not turns:
        return Plan(tuple(summaries), (), ())
    newest = turns[-1]
    if sum(size(message) for message in newest) > keep_tokens and len(newest) > 1:
        head, rounds = [newest[0]], split_rounds(newest[1:])
        if newest[0].role != "user":
            head, rounds = [], split_rounds(newest)
        early, tail = _newest(rounds, keep_tokens - sum(size(message) for message in head), size)
        kept = head + tail
        early = [message for turn in turns[:-1] for message in turn] + early
    else:
        early, kept = _newest(turns, keep_tokens, size)
    if early and sum(size(message) for message in summaries) > fold_tokens:
        return Plan((), (*summaries, *early), tuple(kept))
    return Plan(tuple(summaries), tuple(early), tuple(kept))


def _newest(groups: list[list[Message]], room_tokens: int, size: Sizer) -> tuple[list[Message], list[Message]]:
    """Split turns or rounds into early and newest; the very newest always stays: the model has yet to answer it."""
    position = len(groups) - 1
    used = sum(size(message) for message in groups[position])
    while position > 0:
        cost = sum(size(message) for message in groups[position - 1])
        if used + cost > room_tokens:
            break
        used += cost
        position -= 1
    return (
        [message for group in groups[:position] for message in group],
        [message for group in groups[position:] for message in group],
    )


def fit_messages(messages: Sequence[Message], limit_tokens: int, size: Sizer = message_tokens) -> Fitted:
    """Make the messages of one request fit, leaving out the oldest turns first; the history itself is not touched.

    Turns go before summaries, the newest turn never goes: when it alone is too long, its early rounds go, and then its
    longest texts are cut in the middle.
    """
    total = sum(size(message) for message in messages)
    if total <= limit_tokens:
        return Fitted(tuple(messages))
    turns = split_turns(messages)
    newest = turns.pop()
    omitted = 0
    for kind in ("chat", "summary"):
        for turn in list(turns):
            if total <= limit_tokens:
                break
            if turn[0].kind == kind:
                turns.remove(turn)
                total -= sum(size(message) for message in turn)
                omitted += 1
    rest = [message for turn in turns for message in turn]
    room = limit_tokens - sum(size(message) for message in rest)
    if sum(size(message) for message in newest) > room and len(newest) > 2:
        head = newest[:1] if newest[0].role == "user" else []
        _, tail = _newest(split_rounds(newest[len(head) :]), room - sum(map(size, head)), size)
        newest = head + tail
    newest, cut = _cut_longest(newest, room, size)
    return Fitted((*rest, *newest), omitted, cut)


def _cut_longest(messages: list[Message], room_tokens: int, size: Sizer) -> tuple[list[Message], int]:
    """Cut the longest texts, all to the same length, until the messages fit (or nothing more can be cut)."""
    out = list(messages)
    cut: set[int] = set()
    allowance = max(room_tokens, 200)
    while sum(size(message) for message in out) > room_tokens and allowance > 40:
        allowance = allowance * 3 // 4
        for position, message in enumerate(messages):
            shorter = _cut_message(message, allowance)
            if shorter != message:
                out[position] = shorter
                cut.add(position)
    return out, len(cut)


def _cut_message(message: Message, keep_tokens: int) -> Message:
    """The message with its text and the texts in its calls' arguments cut; the arguments stay a JSON object."""
    calls = tuple(replace(call, arguments=_cut_arguments(call.arguments, keep_tokens)) for call in message.tool_calls)
    return replace(message, content=_cut_text(message.content, keep_tokens), tool_calls=calls)


def _cut_arguments(arguments: str, keep_tokens: int) -> str:
    if estimate_tokens(arguments) <= keep_tokens:
        return arguments
    given = json.loads(arguments)
    cut = {name: _cut_text(one, keep_tokens) if isinstance(one, str) else one for name, one in given.items()}
    return json.dumps(cut, ensure_ascii=False) if cut != given else arguments


def _cut_text(text: str, keep_tokens: int) -> str:
    tokens = estimate_tokens(text)
    return _shortened(text, tokens, keep_tokens) if tokens > keep_tokens else text


def _shortened(text: str, tokens: int, keep_tokens: int) -> str:
    mark = f"[... about {max(tokens - keep_tokens, 1):,} tokens left out here ...]"
    return cut_to_tokens(text, keep_tokens, mark)


def crop_for_summary(messages: Sequence[Message], room_tokens: int) -> list[Message]:
    """Cut the longest messages until all fit into ``room_tokens``; the oldest are dropped as a last resort."""
    out, _ = _cut_longest(list(messages), room_tokens, message_tokens)
    while len(out) > 1 and messages_tokens(out) > room_tokens:
        out.pop(0)
    return out
