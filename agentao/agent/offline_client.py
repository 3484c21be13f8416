"""The assistant without a language model: it keeps what it is asked to keep, and looks up what it was told.

It is a chat client like any other: it calls the same tool and reads the same two memory blocks of the system prompt, so
guard, store and recall are the real ones. Where it understands nothing it says that no model is connected, and how to
connect one.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from agentao.agent import offline_phrases as phrases
from agentao.agent.messages import ChatEvent, ChatRequest, Completed, Message, TextDelta, ToolCall
from agentao.errors import RequestRefused
from agentao.memory import tokenizer
from agentao.memory.recall.question import Clue, parse
from agentao.memory.text import fold

KEY_MAX_WORDS = 5
"""A key made from a free sentence names its first content words; more make it unreadable."""

KEY_MAX_CHARS = 48
ANSWER_FACTS_MAX = 5

_FACT = re.compile(r"<fact (?P<attributes>[^>]*)>\n(?P<lines>.*?)\n</fact>", re.DOTALL)
_HAN = re.compile(r"[\u4e00-\u9fff]")
_NOT_WORD = re.compile(r"[^\w+#]+")


@dataclass(frozen=True, slots=True)
class KnownFact:
    """One fact as it stands in a memory block; ``recalled`` marks those that recall found for this very question."""

    key: str
    title: str
    value: str
    recalled: bool


class OfflineClient:
    """Answers from rules and from the memory blocks; a ``ChatClient``."""

    model = "offline"
    supports_tools = True

    def stream(self, request: ChatRequest) -> Iterator[ChatEvent]:
        """Yield the answer line by line, or one ``save_memory`` call.

        Raises:
            RequestRefused: a summary was asked for, which needs a language model.
        """
        if request.purpose == "summary":
            raise RequestRefused(phrases.NO_SUMMARY)
        last = request.messages[-1]
        if last.role == "tool":
            yield from _say(_after_saving(request))
            return
        call = _requested_save(last.content, known_facts(request))
        if call is not None and request.tools:
            identity = hashlib.sha256(f"{len(request.messages)} {call}".encode()).hexdigest()[:12]
            made = ToolCall(f"offline_{identity}", "save_memory", json.dumps(call, ensure_ascii=False))
            yield Completed(Message("assistant", "", tool_calls=(made,)), "tool_calls")
            return
        language = _language(last.content)
        if call is not None:
            yield from _say(phrases.MEMORY_OFF[language])
            return
        told = any(text in message.content for message in request.messages for text in phrases.NO_MODEL.values())
        no_model = (phrases.STILL_NO_MODEL if told else phrases.NO_MODEL)[language]
        yield from _say(_answer(last.content, known_facts(request), language, no_model))

    def list_models(self) -> list[str]:
        """Only itself."""
        return [self.model]

    def use_model(self, name: str) -> None:
        """There is nothing to switch to.

        Raises:
            RequestRefused: any other name.
        """
        if name != self.model:
            raise RequestRefused(phrases.NO_OTHER_MODEL)


def known_facts(request: ChatRequest) -> list[KnownFact]:
    """The facts in the request's memory blocks, those of ``<memory-stable>`` first."""
    facts: dict[str, KnownFact] = {}
    for match in _FACT.finditer(f"{request.system}\n{request.turn_context}"):
        fields = dict(line.split(":", 1) for line in match["lines"].split("\n") if ":" in line)
        fields = {name: html.unescape(text.strip()).replace("\\n", "\n") for name, text in fields.items()}
        title = fields.get("title", "")
        value = fields.get("value", fields.get("excerpt", ""))
        facts.setdefault(title, KnownFact(fields.get("key", title), title, value, "score=" in match["attributes"]))
    return list(facts.values())


def _language(text: str) -> str:
    return "zh" if _HAN.search(text) else "en"


def _say(text: str) -> Iterator[ChatEvent]:
    for line in text.splitlines(keepends=True):
        yield TextDelta(line)
    yield Completed(Message("assistant", text), "stop")


# -- saving ------------------------------------------------------------------


def _requested_save(text: str, known: list[KnownFact]) -> dict[str, str] | None:
    """The arguments of ``save_memory`` that a message asks for, or None when it asks for something else."""
    if phrases.ASKS_IF_REMEMBERED.search(text):
        return None
    if asked := phrases.REMEMBER.match(text):
        return _as_memory(asked["fact"].strip())
    if update := phrases.UPDATE.match(text):
        name = update["en"] or update["zh"] or update["ba"]
        value = update["en_value"] or update["zh_value"] or update["ba_value"]
        same = _best_named(name, known)
        if same is not None:
            return {"key": same.key, "value": value.strip()}
    return None


def _as_memory(fact: str) -> dict[str, str]:
    """Key and value for a free statement."""
    if match := phrases.NAME.match(fact):
        return {"key": "user_name", "value": (match["en"] or match["zh"]).strip()}
    about_user = bool(phrases.FIRST_PERSON.search(fact))
    if match := phrases.VALUE_OF.match(fact):
        name = match["en"] or match["zh"] or match["bare"] or match["subject"]
        value = match["en_value"] or match["zh_value"] or match["bare_value"] or match["subject_value"]
        prefix = "user_" if about_user and phrases.FIRST_PERSON.search(fact[: match.end() - len(value)]) else ""
        if key := _key_of(name):
            return {"key": key if key.startswith(prefix) else prefix + key, "value": _without_stop(value)}
    for key, pattern in phrases.KINDS:
        if (about_user or key in phrases.ABOUT_ANSWERS) and re.search(pattern, fact, re.IGNORECASE):
            return {"key": key, "value": _without_stop(fact)}
    return {"key": ("user_" if about_user else "") + _key_of(fact), "value": _without_stop(fact)}


def _without_stop(text: str) -> str:
    text = text.strip()
    return text[:-1].rstrip() if text[-1:] in ".。" and not text.endswith("..") else text


def _key_of(text: str) -> str:
    """A readable key: the first content words of a text, with a short digest when words had to be left out."""
    if _HAN.search(text):
        parts = [part for part in _NOT_WORD.split(phrases.FIRST_PERSON.sub("", text)) if part]
        key = "_".join(parts)
    else:
        surfaces = [word.surface for word in tokenizer.words(text)]
        parts = list(dict.fromkeys(surfaces)) or [part for part in _NOT_WORD.split(text.lower()) if part]
        key = "_".join(parts[:KEY_MAX_WORDS])
        if len(parts) > KEY_MAX_WORDS:
            key = f"{key[:KEY_MAX_CHARS]}_{_digest(text)}"
    if len(key) > KEY_MAX_CHARS + 5:
        key = f"{key[:KEY_MAX_CHARS]}_{_digest(text)}"
    return key


def _digest(text: str) -> str:
    return hashlib.sha256(fold(text).encode()).hexdigest()[:4]


def _best_named(name: str, known: list[KnownFact]) -> KnownFact | None:
    """The stored fact whose key and title share most words with a name; at least half of the name's words."""
    wanted = set(tokenizer.terms(name))
    if not wanted:
        return None
    best = max(known, key=lambda fact: len(wanted & _name_terms(fact)), default=None)
    if best is None or len(wanted & _name_terms(best)) * 2 < len(wanted):
        return None
    return best


def _name_terms(fact: KnownFact) -> set[str]:
    return set(tokenizer.terms(f"{fact.key.replace('_', ' ')} {fact.title}"))


def _after_saving(request: ChatRequest) -> str:
    """The words that follow a tool result: what was saved, or why not."""
    asked = next(message for message in reversed(request.messages) if message.role == "user")
    language = _language(asked.content)
    result = request.messages[-1]
    if result.error:
        return phrases.SAVE_FAILED[language].format(result.content)
    call = next(message for message in reversed(request.messages) if message.tool_calls).tool_calls[-1]
    return phrases.SAVED[language].format(json.loads(call.arguments)["value"])


# -- answering ------------------------------------------------------------------


def _answer(text: str, known: list[KnownFact], language: str, no_model: str) -> str:
    if forget := phrases.FORGET.match(text):
        name = forget["en"] or forget["zh"]
        same = _best_named(name, known)
        return phrases.HOW_TO_FORGET[language].format(same.title if same else name)
    wants_all = bool(phrases.ASKS_FOR_ALL.search(text))
    if not wants_all and not phrases.QUESTION.search(text) and not phrases.ASKS_IF_REMEMBERED.search(text):
        return no_model
    if wants_all and not known:
        return phrases.NOTHING_STORED[language]
    facts = known if wants_all else _about(text, known)
    if not facts:
        return f"{phrases.NOT_FOUND[language]}\n\n{no_model}"
    colon = "：" if language == "zh" else ": "
    return "\n".join([phrases.FOUND[language], *(f"- {fact.title}{colon}{fact.value}" for fact in facts)])


def _about(question: str, known: list[KnownFact]) -> list[KnownFact]:
    """The facts a question is about, best first: those that share most words with it, else those that recall found."""
    clues = parse(question).clues
    shared = {fact: _shared(clues, _name_terms(fact) | set(tokenizer.terms(fact.value))) for fact in known}
    top = max(shared.values(), default=0.0)
    if top == 0:
        return [fact for fact in known if fact.recalled][:ANSWER_FACTS_MAX]
    ranked = sorted(known, key=lambda fact: (-shared[fact], not fact.recalled))
    return [fact for fact in ranked[:ANSWER_FACTS_MAX] if shared[fact] * 2 >= top]


def _shared(clues: tuple[Clue, ...], terms: set[str]) -> float:
    """How many words of a question a fact has, synonyms counting less."""
    return sum(
        clue.share * max((strength for term, strength in clue.terms if term in terms), default=0.0) for clue in clues
    )
