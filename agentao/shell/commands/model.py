"""The model, and the settings it comes from."""

from typing import TYPE_CHECKING, Annotated

from agentao.errors import ClientError, UsageError
from agentao.shell.command import Arg, command
from agentao.shell.commands.complete import model_names
from agentao.shell.context import CommandContext

if TYPE_CHECKING:
    from agentao.shell.results import Config, Diagnosis, Models

NEAR_MODELS = 5

CONNECT_HINT = (
    "No language model is connected: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own, and start again."
)


@command("model", topic="model", where="shell", busy="Asking the server", examples=("/model", "/model gpt-5-mini"))
def model(
    ctx: CommandContext,
    name: Annotated[str | None, Arg("The model to use from now on.", rest=True, complete=model_names)] = None,
) -> "Models":
    """Show or switch the model.

    To connect one, set these before the start, or write them into the [model] table of config.toml: OPENAI_API_KEY,
    for another server than OpenAI's its OPENAI_BASE_URL (Ollama: http://localhost:11434/v1, without a key), and
    OPENAI_MODEL. /doctor checks the connection, /config show names the file.
    """
    from agentao.shell.results import Models

    client = ctx.client
    names: list[str] = []
    problem = ""
    if ctx.settings.offline:
        problem = CONNECT_HINT
    else:
        try:
            names = client.list_models()
            ctx.state.models = tuple(names)
        except ClientError as exc:
            problem = str(exc)
    url = getattr(client, "url", "")
    if name is None:
        return Models(client.model, url, tuple(names), problem)
    wanted = name.strip()
    if names and wanted not in names:
        near = [each for each in names if wanted.casefold() in each.casefold()][:NEAR_MODELS]
        if len(near) != 1 or near[0].casefold() != wanted.casefold():
            tail = f" Did you mean {' or '.join(near)}?" if near else " /model lists those it has."
            raise UsageError(f"The server has no model {wanted!r}.{tail}")
        wanted = near[0]
    before = client.model
    client.use_model(wanted)
    return Models(client.model, url, problem=problem, changed=before != client.model)


@command("doctor", topic="model", busy="Checking", examples=("agentao doctor", "agentao doctor --json"))
def doctor(ctx: CommandContext) -> "Diagnosis":
    """Check settings, stores, server and model.

    Nothing is changed or stored. Model servers that answer on this machine are named with the line that connects them.
    """
    from agentao.agent.doctor import Connection, diagnose
    from agentao.shell.app import make_client
    from agentao.shell.results import Diagnosis

    settings = ctx.settings
    chosen = settings.model
    keys = ("api_key", "base_url", "name")
    connection = Connection(
        base_url=chosen.base_url,
        model=chosen.name,
        api_key=chosen.api_key,
        origins=tuple((key, settings.origins.get(f"model.{key}", "default")) for key in keys),
    )
    client = None if settings.offline else make_client(settings)
    return Diagnosis(tuple(diagnose(connection, client, project_db=settings.project_db, user_db=settings.user_db)))


@command("config show", topic="model", examples=("agentao config show", "agentao config show --json"))
def config_show(ctx: CommandContext) -> "Config":
    """Show settings and where they come from."""
    from agentao.shell.results import Config, ConfigValue

    settings = ctx.settings
    chosen = settings.model
    values = {
        "home": str(settings.home),
        "project_root": str(settings.project_root),
        "model.api_key": "set" if chosen.api_key else None,
        "model.base_url": _without_login(chosen.base_url) or None,
        "model.name": chosen.name or None,
        "model.summary_name": chosen.summary_name or None,
        "model.context_window": chosen.context_window,
        "model.first_token_timeout_s": chosen.first_token_timeout_s,
        "model.idle_timeout_s": chosen.idle_timeout_s,
        "prompt.memory_context": settings.memory_context,
        "shell.vi_mode": settings.vi_mode,
        "shell.raw": settings.raw,
        "memory_on": settings.memory_on,
        "trust_project": settings.trust_project,
        "color": settings.color,
    }
    entries = tuple(ConfigValue(key, value, settings.origins.get(key, "default")) for key, value in values.items())
    own, other = settings.config_file, settings.project_config_file
    ignored = other if other != own and other.exists() else None
    return Config(entries, own, own.exists(), ignored)


def _without_login(url: str) -> str:
    """The address without a user and password in it."""
    scheme, mark, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{mark}{host.rpartition('@')[2]}{slash}{path}" if mark else url.rpartition("@")[2]
