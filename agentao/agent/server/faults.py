"""What went wrong at the server or on the way to it → the client error that says so; no secret gets into its words."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import quote

from agentao.agent.messages import ChatRequest
from agentao.agent.server.network import Proxy
from agentao.agent.server.stream import replace_surrogates
from agentao.agent.server.wire import Adaptation
from agentao.errors import (
    AuthFailed,
    BadResponse,
    ClientError,
    ConnectFailed,
    ContextTooLong,
    ModelNotFound,
    RateLimited,
    RequestRefused,
    ResponseTimeout,
    ServerFailed,
)

MESSAGE_MAX_CHARS = 300
"""A server's own words are cut here; a web page or an echoed request would fill the screen."""
RETRY_WAIT_MAX_S = 60.0
"""Longer waits are not made silently for the user: the error tells how long the server wants."""


class Redactor:
    """Takes secrets out of text that others wrote: the key, passwords of proxies and addresses."""

    def __init__(self, secrets: Iterable[str]) -> None:
        forms: set[str] = set()
        for secret in secrets:
            if len(secret) >= 4:
                forms |= {secret, quote(secret, safe=""), base64.b64encode(secret.encode("utf-8", "replace")).decode()}
        self._forms = sorted(forms, key=len, reverse=True)

    def __call__(self, error: ClientError) -> ClientError:
        """The same error without secrets in its words."""
        text = str(error)
        for form in self._forms:
            text = text.replace(form, "***")
        same = type(error)(" ".join(text.split()))
        same.answered = error.answered
        return same


def one_line(text: str) -> str:
    """Printable characters of a text on one line, cut to a length for people."""
    text = replace_surrogates(text[: 8 * MESSAGE_MAX_CHARS])
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return text if len(text) <= MESSAGE_MAX_CHARS else text[: MESSAGE_MAX_CHARS - 1] + "…"


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a server said in place of an answer. ``status`` 0: an error object inside a stream."""

    status: int
    message: str
    code: str = ""
    param: str = ""
    is_json: bool = True

    @property
    def words(self) -> str:
        """All that can name the cause, folded."""
        return f"{self.message} {self.code} {self.param}".casefold()


def read_refusal(status: int, text: str) -> Refusal:
    """Read an error body: OpenAI's form, its many variants, a web page, or plain text."""
    try:
        data: Any = json.loads(text)
    except (ValueError, RecursionError):
        title = re.search(r"<title[^>]*>(.*?)</title>", text, re.IGNORECASE | re.DOTALL)
        plain = title[1] if title else re.sub(r"<[^>]*>", " ", text)
        return Refusal(status, one_line(plain), is_json=False)
    return refusal_from(data, status)


def refusal_from(data: Any, status: int = 0) -> Refusal:
    """Read a parsed error object."""
    if isinstance(data, list) and data:
        data = data[0]
    error = data.get("error", data) if isinstance(data, dict) else data
    if not isinstance(error, dict):
        return Refusal(status, one_line(str(error)))
    message = next((error[k] for k in ("message", "msg", "detail", "error", "title") if error.get(k)), "")
    whole = message if isinstance(message, str) else json.dumps(message, ensure_ascii=False)
    inner = error.get("metadata")
    if isinstance(inner, dict) and isinstance(inner.get("raw"), str):
        whole += " " + inner["raw"]
    code = " ".join(str(error[k]) for k in ("code", "type", "status") if error.get(k))
    if not status and str(error.get("code", "")).isdigit():
        status = int(error["code"])
    return Refusal(status, one_line(whole) or one_line(json.dumps(error)), code, str(error.get("param") or ""))


_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size|string_above_max_length|maximum context|context (length|window|size)"
    r"|(prompt|input|request|messages?)( is| are)? too (long|large)|too many (input )?tokens|reduce the length"
    r"|max(imum)?_?(prompt|input)_?tokens|range of input length|input length|maximum (input|prompt) length"
    r"|exceeds? the (model'?s?|available) (max|context)"
    r"|(输入|上下文|提示|消息|内容|长度|tokens?).{0,12}(超过|超出|过长|超长|上限)"
    r"|(超过|超出).{0,12}(长度|上下文|限制|token)"
)
_NO_CREDIT = re.compile(
    r"insufficient_quota|insufficient balance|billing|exceeded your current quota|余额|欠费|credits?\b"
)
_TOOLS = r"\b(tools?|tool[_ ](use|choice|call\w*)|function[ _]call\w*|functions)\b"
_NO_TOOLS = re.compile(
    rf"(not|n't|unsupported|no endpoints).{{0,40}}{_TOOLS}"
    rf"|{_TOOLS}.{{0,40}}(not (be )?(supported|allowed|permitted|available)|unsupported|requires? --|n't support)"
    r"|(unrecognized|unknown|extra|unexpected).{0,60}\btools?\b"
    r"|\btools?\b.{0,20}(extra (fields|inputs)|unexpected)|不支持.{0,12}(工具|函数|tool|function)"
    r"|(工具|函数|tools?|function).{0,12}不支持"
)
_NO_SYSTEM = re.compile(
    r"system.{0,12}(role|message|prompt|instruction).{0,30}(not|n't|unsupported)"
    r"|(unknown|invalid|unsupported).{0,20}role.{0,12}system"
)
_NO_MODEL = re.compile(
    r"model_not_found|(invalid|unknown|no such) model"
    r"|model\b.{0,60}(not found|does(n't| not) exist|not exist)|模型.{0,20}不存在"
)
_MODEL_WORDS = re.compile(r"\bmodels?\b|模型")


def too_long(refusal: Refusal) -> bool:
    """True when the request does not fit the context window; throttling in the same words is something else."""
    if refusal.status in (429, 401, 403) or refusal.status >= 501:
        return False
    return refusal.status == 413 or bool(_TOO_LONG.search(refusal.words))


def adaptation_for(refusal: Refusal, request: ChatRequest, tried: frozenset[Adaptation]) -> Adaptation | None:
    """What to leave out or spell in another way, when the refusal names it and it has not been tried yet."""
    if refusal.status not in (400, 404, 405, 406, 415, 422, 500, 501) or too_long(refusal):
        return None
    words = refusal.words
    found: list[Adaptation] = []
    if "stream_options" in words or "include_usage" in words:
        found.append("no_stream_options")
    if request.max_tokens is not None and "max_completion_tokens" in words and "max_tokens" in words:
        found += ["max_completion_tokens", "no_max_tokens"]
    if "reasoning_content" in words and re.search(r"miss|must|require|need|passed? back|缺少|必须", words):
        found.append("return_reasoning")
    if re.search(r"alternat|roles? must|unexpected role|consecutive|after role|same role", words):
        found.append("alternate")
    if _NO_SYSTEM.search(words):
        found.append("no_system")
    if "content" in words and any(m.tool_calls and not m.content.strip() for m in request.messages):
        found.append("empty_content")
    tools_matter = request.tools or any(m.role == "tool" or m.tool_calls for m in request.messages)
    if request.tools and re.search(r"min_?length|max_?length|max_?items|schema", words):
        found.append("plain_schema")
    if tools_matter and (_NO_TOOLS.search(words) or refusal.param in ("tools", "tool_choice")):
        found.append("no_tools")
    return next((one for one in found if one not in tried), None)


def said(adaptation: Adaptation) -> str:
    """The line that tells the user, once a session."""
    return {
        "no_stream_options": "This server does not report token usage in a stream; usage is estimated.",
        "no_tools": "This model cannot call tools, so it cannot save memories; /memory add still can.",
        "plain_schema": "This server knows no limits in a tool's description; they are left out from now on.",
        "empty_content": "This server wants an empty text beside tool calls; it is sent so from now on.",
        "no_system": "This model has no system role; the instructions travel in the first user message.",
        "alternate": "This server wants user and assistant to take turns; neighbouring messages are joined.",
        "max_completion_tokens": "This model counts max_completion_tokens; it is sent so from now on.",
        "no_max_tokens": "This server takes no limit for the answer; none is sent from now on.",
        "return_reasoning": "This server wants the model's reasoning back; it is sent so from now on.",
    }[adaptation]


def retry_after_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """How long the server asks to wait: seconds, a date, milliseconds, or with a unit; None when it does not say."""
    millis = headers.get("retry-after-ms", "").strip()
    if re.fullmatch(r"\d+(\.\d+)?", millis):
        return float(millis) / 1000
    value = headers.get("retry-after", "").strip()
    counted = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(ms|s|sec|seconds?|m|min|minutes?)?", value, re.IGNORECASE)
    if counted:
        unit = (counted[2] or "s").casefold()
        return float(counted[1]) * (0.001 if unit == "ms" else 60 if unit.startswith("m") else 1)
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, TypeError):
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - now).total_seconds())


def may_be_sent_again(refusal: Refusal, wait_s: float | None) -> bool:
    """True when the server says that it did not take the request and the wait is one that a user would sit through."""
    if refusal.status not in (429, 503):
        return False
    if wait_s is None:
        return not _NO_CREDIT.search(refusal.words)
    return wait_s <= RETRY_WAIT_MAX_S


def is_loading(refusal: Refusal) -> bool:
    """True when a local server is still loading the model and answers as soon as that is done."""
    return refusal.status == 503 and "loading" in refusal.words


def error_object(chunk: Mapping[str, Any]) -> Refusal | None:
    """The refusal inside a stream: an ``error`` in the chunk or in its choice, or a bare message without choices."""
    if chunk.get("error"):
        return refusal_from(chunk)
    choices = chunk.get("choices")
    if isinstance(choices, list):
        errors = [c["error"] for c in choices if isinstance(c, dict) and c.get("error")]
        return refusal_from(errors[0]) if errors else None
    if "usage" not in chunk and any(k in chunk for k in ("message", "detail", "msg")):
        return refusal_from(chunk)
    return None


def is_path_unknown(refusal: Refusal) -> bool:
    """True when nothing answers at this path, as against an unknown model."""
    if refusal.status not in (404, 405):
        return False
    return not _MODEL_WORDS.search(refusal.words) and not _NO_TOOLS.search(refusal.words)


def error_for(refusal: Refusal, *, url: str, model: str, wait_s: float | None = None) -> ClientError:
    """The client error for a refusal; ``url`` is the address that was called, without secrets."""
    status, words = refusal.status, refusal.message.rstrip(".。!！ ") or "no reason given"
    at = f"{url} answered {status}" if status else f"{url} broke off its answer"
    if too_long(refusal):
        return ContextTooLong(f"The request is too long for {model}: {words}")
    if status == 402 or (status in (0, 429) and _NO_CREDIT.search(refusal.words)):
        return RateLimited(f"{at}: {words}. The account has no credit left; check it at the provider.")
    if status in (401, 407):
        return AuthFailed(f"{at}: {words}. The key is missing or wrong; check OPENAI_API_KEY or [model] api_key.")
    if status == 403:
        return AuthFailed(f"{at}: {words}. This key may not use {model} here, or the address is blocked.")
    if is_path_unknown(refusal) and url.endswith("/models"):
        return ModelNotFound(
            f"{at}: {words}. This server gives no list of its models; OPENAI_MODEL or /model names one."
        )
    if is_path_unknown(refusal):
        return ModelNotFound(f"{at}: {words}. No model server is at this address; check OPENAI_BASE_URL.")
    if status == 404 or (status in (0, 400, 422) and _NO_MODEL.search(refusal.words)):
        return ModelNotFound(f"{at}: {words}. /model shows the names that this server has; {model!r} was asked for.")
    if status == 408:
        return ResponseTimeout(f"{at}: {words}. The server gave up waiting; ask again.")
    if status == 429:
        later = f" It asks to wait {wait_s:.0f} s." if wait_s else ""
        return RateLimited(f"{at}: {words}.{later} Ask again later.")
    if status == 0 or status >= 500:
        return ServerFailed(f"{at}: {words}. The fault is the server's; ask again.")
    return RequestRefused(f"{at}: {words}. The server does not accept this request as it is.")


_NO_NAME = re.compile(r"name or service|name service|getaddrinfo|name resolution|nodename|no address|host name")
_NEVER_SENT = ("ConnectError", "ConnectTimeout", "PoolTimeout", "ProxyError", "UnsupportedProtocol", "InvalidURL")


def was_never_sent(cause: BaseException) -> bool:
    """True when the server cannot have received anything, so that asking again is safe."""
    return any(kind.__name__ in _NEVER_SENT for kind in type(cause).__mro__)


def transport_error(cause: BaseException, *, url: str, proxy: Proxy | None, waited_s: float) -> ClientError:
    """The client error for a fault below HTTP, told by the name of the HTTP library's exception."""
    kinds = [kind.__name__ for kind in type(cause).__mro__]
    words = re.sub(r"\[Errno -?\d+\] ", "", one_line(str(cause))) or type(cause).__name__
    through = f" through the proxy {proxy.shown} ({proxy.variable})" if proxy else ""
    if "ConnectTimeout" in kinds or "PoolTimeout" in kinds:
        return ConnectFailed(f"No connection to {url}{through} in time. Check the address and the network.")
    if "TimeoutException" in kinds:
        return ResponseTimeout(f"{url} sent nothing for {waited_s:.0f} s; the answer was given up. Ask again.")
    if "ProxyError" in kinds:
        return ConnectFailed(f"No connection to {url}{through}: {words}. Check the proxy.")
    if was_never_sent(cause) or isinstance(cause, OSError):
        lower = words.casefold()
        if "ssl" in lower or "certificate" in lower or "tls" in lower:
            hint = "Check the address and the clock; SSL_CERT_FILE may name a company's certificate."
        elif _NO_NAME.search(lower):
            hint = "The name cannot be found; check the address and the network."
        elif proxy:
            hint = f"Check the proxy or unset {proxy.variable}."
        else:
            hint = "Is the server running? Check OPENAI_BASE_URL and the network."
        return ConnectFailed(f"No connection to {url}{through}: {words}. {hint}")
    if "LocalProtocolError" in kinds:
        return RequestRefused(f"The request to {url} could not be made: a header or the address is not valid.")
    if "DecodingError" in kinds:
        return BadResponse(f"The answer of {url} could not be unpacked: {words}. Ask again.")
    return ServerFailed(f"The connection to {url}{through} broke before an answer came: {words}. Ask again.")


def may_pass(cause: BaseException) -> bool:
    """True when nothing was sent and another try can help: not with a bad certificate, proxy or address."""
    kinds = {kind.__name__ for kind in type(cause).__mro__}
    if not was_never_sent(cause) or kinds & {"UnsupportedProtocol", "InvalidURL", "ProxyError"}:
        return False
    return not re.search(r"ssl|certificate|tls", str(cause).casefold())


def model_names(text: str) -> list[str] | None:
    """The names in a list of models, sorted: OpenAI's form and the forms of local servers; None when it is no list."""
    try:
        data: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(data, dict):
        data = data.get("data") or data.get("models") or ([] if {"data", "models"} & data.keys() else None)
    if not isinstance(data, list):
        return None
    found: set[str] = set()
    for entry in data:
        named = [entry] if isinstance(entry, str) else []
        if isinstance(entry, dict):
            named = [entry[f] for f in ("id", "name", "model") if isinstance(entry.get(f), str)]
        found.update(name for name in named[:1] if name)
    return sorted(found)
