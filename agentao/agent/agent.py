"""One conversation: request → tool calls → request, until the model is done. Yields events, knows no terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, Protocol

from agentao.agent.client import ChatClient
from agentao.agent.context import MemoryBlocks, MemoryContext, Recall, Retriever, join_blocks
from agentao.agent.events import AgentEvent, TurnEnded, TurnStatus
from agentao.agent.history import (
    FAILED,
    NO_ANSWER,
    NOT_KNOWN,
    STOPPED,
    close_turn,
    fit_for_history,
)
from agentao.agent.messages import (
    ChatRequest,
    Completed,
    Message,
    Notice,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    ToolSpec,
    Usage,
)
from agentao.agent.prompt import instructions
from agentao.agent.server.stream import replace_surrogates
from agentao.agent.tokens import estimate_tokens, messages_tokens, tools_tokens
from agentao.agent.tools import SAVE_MEMORY, run_call, save_memory_spec
from agentao.agent.turns import Fitted
from agentao.errors import BadResponse, ClientError, ContextTooLong, StoreError
from agentao.memory.renderer import MemoryPromptRenderer
from agentao.memory.retriever import MemoryRetriever

if TYPE_CHECKING:
    from agentao.memory.manager import MemoryManager

CONTEXT_WINDOW_TOKENS = 128_000
STEPS_MAX = 25
"""Requests in one turn: a model that saves one fact a request gets through a long list, a loop comes to its end."""

REPEATS_MAX = 3
"""The same call, or an answer cut within a call, this many times ends the turn."""

FAILED_ROUNDS_MAX = 4
"""Answers in a row of which every call failed."""

CUT_CALL = "This call was cut off by the answer's length limit. Nothing was saved. Send it again, with a shorter value."


class Compactor(Protocol):
    """What shortens a conversation; see ``compaction``."""

    window_tokens: int

    def estimate(self, messages: list[Message], fixed_tokens: int) -> int: ...
    def record_usage(self, estimated_tokens: int, usage: Usage | None) -> None: ...
    def used_tokens(self, messages: list[Message], fixed_tokens: int) -> int: ...
    def reply_tokens(self) -> int: ...
    def before_request(self, messages: list[Message], fixed_tokens: int) -> Iterator[AgentEvent]: ...
    def compact(self, messages: list[Message], fixed_tokens: int, hint: str = "") -> Iterator[AgentEvent]: ...
    def after_too_long(
        self, messages: list[Message], fixed_tokens: int, error: ClientError
    ) -> Iterator[AgentEvent]: ...
    def fit(self, messages: list[Message], fixed_tokens: int) -> tuple[Fitted, str]: ...


@dataclass(frozen=True, slots=True)
class ContextUsage:
    """How full the context window is. ``parts``: name and estimated tokens, in the order of the request."""

    parts: list[tuple[str, int]]
    used_tokens: int
    window_tokens: int
    cached_share: float | None = None
    """The share of the last request that the server took from its cache; None where it does not tell."""
    last_prefix_change: str = ""

    @property
    def share(self) -> float:
        """The part of the window in use, in [0, 1] and beyond."""
        return self.used_tokens / self.window_tokens if self.window_tokens else 0.0


@dataclass
class _Turn:
    """What has happened in the turn that runs."""

    asked: Message
    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    running: str = ""
    calls: Counter[tuple[str, str]] = field(default_factory=Counter)
    failed_rounds: int = 0
    cut_calls: int = 0
    too_long: bool = False
    sent: bool = False
    usage: Usage | None = None

    @property
    def question(self) -> str:
        return self.asked.content

    def end(self, status: TurnStatus, message: str = "") -> TurnEnded:
        return TurnEnded(status, message, self.usage)


class Agent:
    """Holds the messages of one conversation and runs its turns."""

    def __init__(
        self,
        manager: MemoryManager,
        client: ChatClient,
        *,
        retriever: Retriever | None = None,
        renderer: MemoryPromptRenderer | None = None,
        compactor: Compactor | None = None,
        context_window: int = CONTEXT_WINDOW_TOKENS,
        memory_context: Literal["system", "turn"] = "system",
    ) -> None:
        self.manager = manager
        self.client = client
        self.messages: list[Message] = []
        self.memory_context = memory_context
        self.last_usage: Usage | None = None
        self.last_recall: Recall | None = None
        """What the last request carried of memory: the stable block's plan, the candidates and which of them stood."""
        self._memory = MemoryContext(manager, retriever or MemoryRetriever(manager), renderer or MemoryPromptRenderer())
        self._compactor = compactor
        self._context_window = context_window
        self._tools = (save_memory_spec(),)
        self._turn: _Turn | None = None
        self._told_unread = False

    @property
    def window_tokens(self) -> int:
        """The context window in use; a server's refusal may have taught a smaller one."""
        return self._compactor.window_tokens if self._compactor else self._context_window

    # -- the prompt --------------------------------------------------------------------------------------------------

    def _build_system_prompt(self, query: str = "") -> str:
        """The system prompt for a question; up to ``</memory-stable>`` it stays the same until a memory changes."""
        return join_blocks(self._blocks(query), with_dynamic=self.memory_context == "system")

    def _blocks(self, query: str) -> MemoryBlocks:
        return self._memory.blocks(query, window_tokens=self.window_tokens, can_save=self.client.supports_tools)

    def _readable_blocks(self, query: str) -> tuple[MemoryBlocks, str]:
        """The blocks, or none and the reason when the stores cannot be read: a conversation goes on without them."""
        try:
            return self._blocks(query), ""
        except StoreError as error:
            fixed = instructions(memory_on=self.manager.enabled, can_save=self.client.supports_tools)
            return MemoryBlocks(fixed), str(error)

    def _offered_tools(self) -> tuple[ToolSpec, ...]:
        return self._tools if self.manager.enabled and self.client.supports_tools else ()

    # -- a turn ------------------------------------------------------------------------------------------------------

    def run_turn(self, text: str) -> Iterator[AgentEvent]:
        """Answer one message of the user; the last event is ``TurnEnded``.

        The history is valid for the next turn however this one ends: also when the iterator is closed or dropped, or
        KeyboardInterrupt is raised inside it (it is raised again).

        Raises:
            ClientError: the server gave no usable answer. What had been shown of it is kept as an incomplete answer;
                a question without any answer is taken out of the history again.
        """
        self._settle(STOPPED)
        text = replace_surrogates(text)
        if not text.strip():
            yield TurnEnded("empty", "There was nothing to send.")
            return
        turn = self._turn = _Turn(Message("user", text))
        self._memory.forget_question()
        self.messages.append(turn.asked)
        try:
            yield from self._steps(turn)
        except ClientError:
            self._settle_failed(turn)
            raise
        finally:
            if self._turn is turn:
                self._settle(STOPPED)

    def _steps(self, turn: _Turn) -> Iterator[AgentEvent]:
        """Requests, one after another, until an answer calls no tool or a limit is reached."""
        for _ in range(STEPS_MAX):
            completed = yield from self._ask(turn)
            if completed is None:
                continue
            ended = yield from self._take(turn, completed)
            if ended is not None:
                self._turn = None
                yield ended
                return
        yield self._stop(turn, f"The model went on calling its tool; the turn was ended after {STEPS_MAX} requests.")

    def _ask(self, turn: _Turn) -> Generator[AgentEvent, None, Completed | None]:
        """One request. Returns what came, or None when it has to be made again after a compaction."""
        turn.text.clear()
        turn.reasoning.clear()
        blocks, problem = self._readable_blocks(turn.question)
        if problem:
            yield Notice(f"The memories cannot be read, so this request goes without them: {problem}")
        yield from self._tell_unread(blocks.recall)
        fixed = self._fixed_tokens(blocks)
        if self._compactor is not None:
            yield from self._compactor.before_request(self.messages, fixed)
        messages = tuple(self.messages)
        if self._compactor is not None:
            fitted, left_out = self._compactor.fit(self.messages, fixed)
            messages = fitted.messages
            if left_out:
                yield Notice(left_out)
        in_system = self.memory_context == "system"
        request = ChatRequest(
            system=join_blocks(blocks, with_dynamic=in_system),
            messages=messages,
            tools=self._offered_tools(),
            turn_context="" if in_system else blocks.dynamic,
        )
        before, self.last_recall = self.last_recall, blocks.recall
        try:
            completed = yield from self._stream(turn, request)
        except ClientError as error:
            self._memory.note_sent(error.answered)
            if not error.answered:
                self.last_recall = before if turn.sent else blocks.recall and replace(blocks.recall, sent=False)
            if not isinstance(error, ContextTooLong) or self._compactor is None or turn.too_long:
                raise
            turn.too_long = turn.sent = True
            yield from self._compactor.after_too_long(self.messages, fixed, error)
            return None
        self._memory.note_sent(True)
        turn.sent = True
        turn.usage = completed.usage or turn.usage
        self.last_usage = completed.usage or self.last_usage
        if self._compactor is not None:
            self._compactor.record_usage(self._compactor.estimate(list(messages), fixed), completed.usage)
        return completed

    def _tell_unread(self, recall: Recall | None) -> Iterator[Notice]:
        """Say that recall does not know all memories: once, until it knows them again."""
        unread = 0 if recall is None else recall.unread
        if unread and not self._told_unread:
            yield Notice(
                f"The recall index is being brought up to date; {unread:,} older memories were left out this time. "
                "/memory search finds them."
            )
        self._told_unread = unread > 0

    def _stream(self, turn: _Turn, request: ChatRequest) -> Generator[AgentEvent, None, Completed]:
        """Pass on what comes, and keep it for the case that the turn is stopped."""
        events = self.client.stream(request)
        try:
            for event in events:
                if isinstance(event, Completed):
                    return event
                if isinstance(event, TextDelta):
                    turn.text.append(event.text)
                elif isinstance(event, ReasoningDelta):
                    turn.reasoning.append(event.text)
                yield event
        finally:
            if isinstance(events, Generator):
                events.close()
        raise BadResponse("The answer stopped before its end. Ask again.")

    def _take(self, turn: _Turn, completed: Completed) -> Generator[AgentEvent, None, TurnEnded | None]:
        """Put an answer into the history and run its calls. Returns the turn's end, or None to go on."""
        message, reason = completed.message, completed.finish_reason
        text, calls = message.content, message.tool_calls
        if reason == "cut":
            close_turn(self.messages, NO_ANSWER, text, message.reasoning or "")
            return turn.end("incomplete", "The connection ended early; the answer may be incomplete.")
        if not calls:
            if not text.strip():
                close_turn(self.messages, NO_ANSWER)
                return turn.end("empty", _no_answer(completed))
            self.messages.append(message)
            if reason == "length":
                return turn.end("incomplete", "The answer reached its length limit and is incomplete.")
            if reason == "content_filter":
                return turn.end("incomplete", "The provider's content filter ended the answer.")
            return turn.end("done")
        kept = fit_for_history(message, len(self.messages))
        self.messages.append(kept)
        turn.text.clear()
        turn.reasoning.clear()
        if reason in ("length", "content_filter"):
            return self._refuse_cut_calls(turn, kept)
        failed = 0
        for call, stored in zip(calls, kept.tool_calls, strict=True):
            turn.running = stored.id
            run = run_call(self.manager, call, enabled=self.manager.enabled)
            self.messages.append(Message("tool", run.text, tool_call_id=stored.id, error=run.error))
            turn.running = ""
            failed += run.error
            yield run.event
        turn.failed_rounds = turn.failed_rounds + 1 if failed == len(calls) else 0
        return self._check_repeats(turn, calls)

    def _refuse_cut_calls(self, turn: _Turn, kept: Message) -> TurnEnded | None:
        self.messages.extend(Message("tool", CUT_CALL, tool_call_id=call.id, error=True) for call in kept.tool_calls)
        turn.cut_calls += 1
        if turn.cut_calls < REPEATS_MAX:
            return None
        told = f"The model's call was cut off {REPEATS_MAX} times by the length limit; nothing was saved."
        return self._stop(turn, told)

    def _check_repeats(self, turn: _Turn, calls: tuple[ToolCall, ...]) -> TurnEnded | None:
        turn.calls.update({(c.name, c.arguments) if c.name.strip() == SAVE_MEMORY else ("", "") for c in calls})
        if max(turn.calls.values()) >= REPEATS_MAX:
            return self._stop(turn, f"The model repeated the same call {REPEATS_MAX} times; the turn was ended.")
        if turn.failed_rounds >= FAILED_ROUNDS_MAX:
            return self._stop(turn, f"The model's calls failed {FAILED_ROUNDS_MAX} times in a row; the turn was ended.")
        return None

    def _stop(self, turn: _Turn, message: str) -> TurnEnded:
        close_turn(self.messages, f"({message})")
        return turn.end("step_limit", message)

    # -- ending early ------------------------------------------------------------------------------------------------

    def _settle(self, note: str) -> None:
        """Close a turn that was left open, so that the history is valid."""
        turn = self._turn
        if turn is not None:
            results = {turn.running: NOT_KNOWN} if turn.running else {}
            close_turn(self.messages, note, "".join(turn.text), "".join(turn.reasoning), results)
            self._turn = None  # last: a second Ctrl-C before leaves the turn to be closed by the next one

    def _settle_failed(self, turn: _Turn) -> None:
        """After a failure: a question without any answer goes, what was shown or done stays."""
        last = self.messages[-1] if self.messages else None
        if last is turn.asked and not "".join(turn.text).strip():
            self.messages.pop()
            self._turn = None
        else:
            self._settle(FAILED)

    # -- around the turns --------------------------------------------------------------------------------------------

    def compact(self, hint: str = "") -> Iterator[AgentEvent]:
        """Summarise the early part of the conversation now; ``hint`` says what to keep."""
        self._settle(STOPPED)
        if self._compactor is not None:
            yield from self._compactor.compact(self.messages, self._fixed_tokens(self._readable_blocks("")[0]), hint)

    def clear(self) -> None:
        """Drop the conversation; memories and summaries stay."""
        self._turn = None
        self.messages.clear()
        self.last_usage = None

    def new_session(self) -> str:
        """Begin a new conversation under a new session id, which is returned."""
        self.clear()
        return self.manager.new_session()

    def context_usage(self) -> ContextUsage:
        """How the window would be used by the next request."""
        blocks = self._readable_blocks("")[0]
        recalled = self.last_recall.dynamic.text if self.last_recall else ""
        parts = [
            ("instructions", estimate_tokens(blocks.fixed)),
            ("saved facts", estimate_tokens(blocks.stable)),
            ("recalled facts", estimate_tokens(recalled)),
            ("tool", tools_tokens(self._offered_tools())),
            ("messages", messages_tokens(self.messages)),
        ]
        used = sum(tokens for _, tokens in parts)
        if self._compactor is not None:
            used = self._compactor.used_tokens(self.messages, used - parts[-1][1])
            parts.append(("room for the reply", self._compactor.reply_tokens()))
        usage, cached = self.last_usage, None
        if usage is not None and usage.cached_tokens is not None:
            cached = min(1.0, usage.cached_tokens / usage.prompt_tokens)
        return ContextUsage(parts, used, self.window_tokens, cached, self._memory.last_prefix_change)

    def _fixed_tokens(self, blocks: MemoryBlocks) -> int:
        texts = (blocks.fixed, blocks.stable, blocks.dynamic)
        return sum(estimate_tokens(text) for text in texts) + tools_tokens(self._offered_tools())


def _no_answer(completed: Completed) -> str:
    if completed.finish_reason == "length":
        return "No answer came: the length limit was used up before the first word."
    if completed.finish_reason == "content_filter":
        return "No answer came: the provider's content filter held it back."
    if completed.message.reasoning:
        return "No answer came: the model only reasoned. Ask again."
    return "No answer came from the model. Ask again."
