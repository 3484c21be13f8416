"""``agentao doctor``: what is configured, and whether each part works. Changes nothing and stores nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agentao.agent.client import ChatClient, collect
from agentao.agent.messages import ChatRequest, Completion, Message
from agentao.agent.server.address import check_key, parse_address
from agentao.agent.server.local_servers import LocalServer, find_local_servers
from agentao.agent.tools import SAVE_MEMORY, parse_arguments, save_memory_spec
from agentao.errors import ClientError, ModelNotFound
from agentao.memory.storage.health import look_at

CheckStatus = Literal["ok", "warning", "failed", "skipped"]
CheckName = Literal["configuration", "server", "answer", "tool", "project store", "user store", "local server"]

PROBE_SYSTEM = "You are being tested. Do exactly what the message asks, and nothing else."
PROBE_QUESTION = "Answer with the single word: ready"
PROBE_SAVE = f"Call the tool {SAVE_MEMORY} once, with the key doctor_check and the value ready."
MODELS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check; ``hint`` says what to do, or is empty."""

    name: CheckName
    status: CheckStatus
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Connection:
    """What is configured, as far as it may be shown. ``origins``: setting → where its value stands."""

    base_url: str = ""
    model: str = ""
    api_key: str = ""
    origins: tuple[tuple[str, str], ...] = ()

    def __repr__(self) -> str:
        return f"Connection({self.base_url!r}, {self.model!r}, key {'set' if self.api_key else 'not set'})"

    @property
    def offline(self) -> bool:
        """True when neither a key nor an address is set."""
        return not self.api_key.strip() and not self.base_url.strip()


def diagnose(
    connection: Connection,
    client: ChatClient | None,
    *,
    project_db: Path,
    user_db: Path,
    local_servers: Callable[[], Sequence[LocalServer]] = find_local_servers,
) -> Iterator[Check]:
    """Yield the checks one by one, as they are done; the slow ones come last. ``client`` None: offline."""
    yield check_store("project store", project_db)
    if user_db != project_db:
        yield check_store("user store", user_db)
    yield check_configuration(connection)
    for server in local_servers():
        in_use = _is_at(connection, server)
        message = f"{server.name} answers at {server.base_url}" + (" (in use)" if in_use else "")
        yield Check("local server", "ok", message, "" if in_use else f"To connect it: {server.connect_line}")
    if client is None or connection.offline:
        yield Check("server", "skipped", "No language model is connected, so there is no server to ask.")
        return
    reachable, check = check_server(client)
    yield check
    if not reachable:
        yield Check("answer", "skipped", "Not asked: the server cannot be reached.")
        yield Check("tool", "skipped", "Not asked: the server cannot be reached.")
        return
    answer = check_answer(client)
    yield answer
    if answer.status == "failed":
        yield Check("tool", "skipped", "Not asked: the model does not answer.")
    else:
        yield check_tool(client)


def check_store(name: Literal["project store", "user store"], path: Path) -> Check:
    """Is the file there, whole and writable."""
    seen = look_at(path)
    if seen.problem:
        status: CheckStatus = "warning" if seen.exists and not seen.writable and seen.memories else "failed"
        return Check(name, status, seen.problem)
    if not seen.exists:
        return Check(name, "ok", f"{path} is not there yet; it is made at the first start.")
    count = "1 memory" if seen.memories == 1 else f"{seen.memories:,} memories"
    return Check(name, "ok", f"{path} is healthy: {count}, {seen.size_bytes / 1024:,.0f} KiB.")


def check_configuration(connection: Connection) -> Check:
    """Which server and model are set, and from where; a key that cannot be sent is found here."""
    if connection.offline:
        return Check(
            "configuration",
            "warning",
            "No language model is configured: neither a key nor an address is set; the offline assistant answers.",
            "Set OPENAI_API_KEY, or OPENAI_BASE_URL for another server, or [model] in config.toml.",
        )
    try:
        address = parse_address(connection.base_url)
        check_key(connection.api_key)
    except ClientError as error:
        return Check("configuration", "failed", str(error))
    key = "a key is set" if connection.api_key.strip() else "no key is set"
    parts = [address.roots[0], f"model {connection.model}" if connection.model else "no model chosen", key]
    where = ", ".join(f"{name} from {origin}" for name, origin in connection.origins)
    return Check("configuration", "ok", "; ".join(parts) + (f" ({where})" if where else "") + ".")


def check_server(client: ChatClient) -> tuple[bool, Check]:
    """Does the server answer at all, and does it have the model; True when it can be asked further."""
    try:
        names = client.list_models()
    except ModelNotFound:
        return True, Check("server", "warning", "The server gives no list of its models.")
    except ClientError as error:
        return error.kind not in ("connect", "auth", "timeout"), Check("server", "failed", str(error))
    some = ", ".join(names[:MODELS_SHOWN]) + (" …" if len(names) > MODELS_SHOWN else "")
    if client.model and names and client.model not in names:
        return True, Check(
            "server",
            "warning",
            f"The server answers, but its list does not name the model {client.model}.",
            f"It has: {some}",
        )
    count = "1 model" if len(names) == 1 else f"{len(names)} models"
    return True, Check("server", "ok", f"The server answers; it has {count}{': ' + some if some else ''}.")


def check_answer(client: ChatClient) -> Check:
    """Does the model answer a short question."""
    request = ChatRequest(PROBE_SYSTEM, (Message("user", PROBE_QUESTION),), purpose="probe")
    try:
        completion = collect(client.stream(request))
    except ClientError as error:
        return Check("answer", "failed", str(error))
    if completion.text.strip():
        return Check("answer", "ok", f"{client.model} answers.", _notices(completion))
    return Check("answer", "warning", f"{client.model} gave an empty answer.", _notices(completion))


def check_tool(client: ChatClient) -> Check:
    """Does the model call the tool when asked to; nothing is saved."""
    request = ChatRequest(PROBE_SYSTEM, (Message("user", PROBE_SAVE),), tools=(save_memory_spec(),), purpose="probe")
    try:
        completion = collect(client.stream(request))
    except ClientError as error:
        return Check("tool", "failed", str(error))
    hint = "It cannot save memories by itself; /memory add can, and saved facts still reach it."
    if not client.supports_tools:
        return Check("tool", "warning", f"{client.model} has no tools.", hint)
    calls = [call for call in completion.completed.message.tool_calls if call.name == SAVE_MEMORY]
    if not calls:
        return Check("tool", "warning", f"{client.model} did not call {SAVE_MEMORY} when asked to.", hint)
    arguments = parse_arguments(calls[0].arguments)
    if isinstance(arguments, str) or not {"key", "value"} <= arguments.keys():
        return Check("tool", "warning", f"{client.model} called {SAVE_MEMORY}, but not as it must be called.", hint)
    return Check("tool", "ok", f"{client.model} calls {SAVE_MEMORY}.", _notices(completion))


def _is_at(connection: Connection, server: LocalServer) -> bool:
    try:
        address = parse_address(connection.base_url)
    except ClientError:
        return False
    return address.is_loopback and server.base_url.endswith(f":{address.port}/v1")


def _notices(completion: Completion) -> str:
    return " ".join(completion.notices)
