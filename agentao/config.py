"""Where everything lives and which model answers: the only reader of the environment, config files and default paths.

Keys and addresses come from the environment or from the home's ``config.toml``, never from a file inside a project: a
cloned repository must not be able to send the user's key elsewhere.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from agentao.errors import UsageError

MemoryContextPlace = Literal["system", "turn"]

DEFAULT_MODEL = "gpt-5-mini"
"""Asked of the provider's own address when no name is set; any other server is asked for its list instead."""

CONTEXT_WINDOW_TOKENS = 128_000
CONTEXT_WINDOW_MIN_TOKENS = 1_000
"""Below this not even the prompt fits."""
CONTEXT_WINDOW_MAX_TOKENS = 100_000_000

FIRST_TOKEN_TIMEOUT_S = 600
"""A local server may load a model for minutes before its first word."""
IDLE_TIMEOUT_S = 120

PLACES: tuple[MemoryContextPlace, ...] = ("system", "turn")

REFLOWING_VARIABLES = (
    "TMUX",
    "VTE_VERSION",
    "KITTY_WINDOW_ID",
    "ALACRITTY_WINDOW_ID",
    "WEZTERM_PANE",
    "KONSOLE_VERSION",
    "ITERM_SESSION_ID",
    "GHOSTTY_BIN_DIR",
)
REFLOWING_TERMS = ("tmux", "xterm-kitty", "alacritty", "foot", "wezterm", "xterm-ghostty")
"""By these, which the terminals set, those are known that wrap old lines anew; over ssh ``TERM`` alone arrives."""

YES = ("1", "true", "yes", "on")
NO = ("0", "false", "no", "off")


class ModelSettings(NamedTuple):
    """The server that answers. ``name`` is empty when the server is to be asked which models it has."""

    api_key: str = ""
    base_url: str = ""
    name: str = ""
    summary_name: str = ""
    context_window: int = CONTEXT_WINDOW_TOKENS
    first_token_timeout_s: int = FIRST_TOKEN_TIMEOUT_S
    idle_timeout_s: int = IDLE_TIMEOUT_S

    def __repr__(self) -> str:
        return f"ModelSettings(name={self.name!r})"  # never the key, nor a password in the address


class Settings(NamedTuple):
    """Everything that does not change while the program runs. ``origins`` says for each key where its value stands."""

    home: Path
    project_root: Path
    model: ModelSettings = ModelSettings()
    memory_context: MemoryContextPlace = "system"
    memory_on: bool = True
    trust_project: bool = False
    vi_mode: bool = False
    raw: bool = False
    color: bool = True
    dumb_terminal: bool = False
    reflows: bool = False
    editor: str = ""
    pager: str = ""
    origins: Mapping[str, str] = MappingProxyType({})

    @property
    def user_db(self) -> Path:
        """The store of what holds in every project."""
        return self.home / "memory.db"

    @property
    def project_db(self) -> Path:
        """The store of this project."""
        return self.project_root / ".agentao" / "memory.db"

    @property
    def one_store(self) -> bool:
        """True when both paths are the same file, as in the home folder: one store then serves both scopes."""
        return os.path.realpath(self.user_db) == os.path.realpath(self.project_db)

    @property
    def history_file(self) -> Path:
        """The lines typed so far."""
        return self.home / "history"

    @property
    def log_file(self) -> Path:
        """Tracebacks and counts, rotated."""
        return self.home / "agentao.log"

    @property
    def config_file(self) -> Path:
        """The user's settings; it need not exist."""
        return self.home / "config.toml"

    @property
    def project_config_file(self) -> Path:
        """Where a project might keep settings of its own. It is never read: a clone must not set keys or addresses."""
        return self.project_root / ".agentao" / "config.toml"

    @property
    def offline(self) -> bool:
        """True when neither a key nor an address is set, so that the built-in assistant answers."""
        return not self.model.api_key and not self.model.base_url


def current_environment() -> Mapping[str, str]:
    """The process's environment, for ``load_settings``."""
    return os.environ


def load_settings(
    environ: Mapping[str, str],
    cwd: Path,
    *,
    project: str | Path | None = None,
    memory_on: bool = True,
    trust_project: bool = False,
    top: Path | None = None,
) -> Settings:
    """Read the environment and the home's ``config.toml``; make no file.

    ``top``: the project is looked for from ``cwd`` up to here; None means the root of the file system.

    Raises:
        UsageError: names the file and line (or the variable), the key, and what is allowed.
    """
    cwd = Path(cwd).resolve()
    home, home_origin = _home(environ, cwd)
    root, root_origin = _project_root(environ, cwd, home, project, top)
    values = _Values(environ, home / "config.toml")
    values.origins.update(home=home_origin, project_root=root_origin)
    base_url = values.text("model.base_url", "OPENAI_BASE_URL", "")
    model = ModelSettings(
        api_key=values.text("model.api_key", "OPENAI_API_KEY", ""),
        base_url=base_url,
        name=values.text("model.name", "OPENAI_MODEL", "" if base_url else DEFAULT_MODEL),
        summary_name=values.text("model.summary_name", None, ""),
        context_window=values.number(
            "model.context_window",
            "AGENTAO_CONTEXT_WINDOW",
            CONTEXT_WINDOW_TOKENS,
            CONTEXT_WINDOW_MIN_TOKENS,
            CONTEXT_WINDOW_MAX_TOKENS,
        ),
        first_token_timeout_s=values.number("model.first_token_timeout_s", None, FIRST_TOKEN_TIMEOUT_S, 1, 86_400),
        idle_timeout_s=values.number("model.idle_timeout_s", None, IDLE_TIMEOUT_S, 1, 86_400),
    )
    memory_context = values.choice("prompt.memory_context", PLACES, "system")
    trusted = values.flag("trust_project", "AGENTAO_TRUST_PROJECT", False)
    if trust_project:
        values.origins["trust_project"] = "--trust-project"
    values.origins["memory_on"] = "default" if memory_on else "--no-memory"
    dumb = environ.get("TERM", "") in ("", "dumb", "unknown")
    color = not environ.get("NO_COLOR") and not dumb
    if color:
        values.origins["color"] = "default"
    else:
        values.origins["color"] = "environment TERM" if dumb else "environment NO_COLOR"
    return Settings(
        home=home,
        project_root=root,
        model=model,
        memory_context="turn" if memory_context == "turn" else "system",
        memory_on=memory_on,
        trust_project=trust_project or trusted,
        vi_mode=values.flag("shell.vi_mode", None, False),
        raw=values.flag("shell.raw", None, False),
        color=color,
        dumb_terminal=dumb,
        reflows=_reflows(environ),
        editor=values.first_of("VISUAL", "EDITOR"),
        pager=values.first_of("PAGER"),
        origins=values.origins,
    )


def _reflows(environ: Mapping[str, str]) -> bool:
    """True for a terminal that is known to wrap what stands on it anew when its width changes.

    xterm and GNU screen, which do not, may have been started from one that does.
    """
    if environ.get("STY") or (environ.get("XTERM_VERSION") and not environ.get("TMUX")):
        return False
    named = any(environ.get(name) for name in REFLOWING_VARIABLES)
    return named or environ.get("TERM", "").startswith(REFLOWING_TERMS)


def _home(environ: Mapping[str, str], cwd: Path) -> tuple[Path, str]:
    named = environ.get("AGENTAO_HOME", "").strip()
    if named:
        return _absolute(named, cwd, environ), "environment AGENTAO_HOME"
    return _user_folder(environ, cwd) / ".agentao", "default"


def _user_folder(environ: Mapping[str, str], cwd: Path) -> Path:
    named = environ.get("HOME", "").strip()
    if named:
        return (cwd / named).resolve()
    try:
        return Path.home()
    except RuntimeError:
        raise UsageError("No home folder is known; set HOME or AGENTAO_HOME to a folder.") from None


def _absolute(named: str, cwd: Path, environ: Mapping[str, str]) -> Path:
    if named == "~" or named.startswith("~/"):
        return (_user_folder(environ, cwd) / named[2:]).resolve()
    return (cwd / named).resolve()


def _project_root(
    environ: Mapping[str, str], cwd: Path, home: Path, project: str | Path | None, top: Path | None
) -> tuple[Path, str]:
    """The folder that ``.agentao/`` stands in or will be made in. Only names are looked at; no program is run."""
    given, origin = ("" if project is None else str(project)), "--project"
    if not given.strip():
        given, origin = environ.get("AGENTAO_PROJECT", "").strip(), "AGENTAO_PROJECT"
    if given:
        folder = _absolute(given, cwd, environ)
        if not _exists(folder, folder=True):
            raise UsageError(f"{origin} {given}: there is no such folder. Name a folder that exists.")
        return folder, origin if origin.startswith("--") else f"environment {origin}"
    own = {os.path.realpath(home), os.path.realpath(_user_folder(environ, cwd) / ".agentao")}
    folders = [cwd, *cwd.parents]
    if top in folders:
        del folders[folders.index(top) + 1 :]
    for folder in folders:
        inside = folder / ".agentao"
        if _exists(inside, folder=True) and os.path.realpath(inside) not in own:
            return folder, "the nearest folder with .agentao/"
    for folder in folders:
        if _exists(folder / ".git"):
            return folder, "the git top level"
    return cwd, "the working directory"


def _exists(path: Path, *, folder: bool = False) -> bool:
    """False also for what this user may not look at."""
    try:
        return path.is_dir() if folder else path.exists()
    except OSError:
        return False


_TABLE = r"\s*\[{1,2}\s*([A-Za-z0-9_.-]+)\s*\]{1,2}\s*(?:#.*)?$"
_KEY = r"\s*\"?([A-Za-z0-9_.-]+)\"?\s*="

FILE_KEYS: dict[str, tuple[str, ...]] = {
    "model": (
        "api_key",
        "base_url",
        "name",
        "summary_name",
        "context_window",
        "first_token_timeout_s",
        "idle_timeout_s",
    ),
    "prompt": ("memory_context",),
    "shell": ("vi_mode", "raw"),
}
"""Every table and key that ``config.toml`` may hold."""


class _Values:
    """Looks a key up in the environment, then in the file, then in the defaults, and notes where it was found."""

    def __init__(self, environ: Mapping[str, str], path: Path) -> None:
        self.origins: dict[str, str] = {}
        self._environ = environ
        self._path = path
        self._lines: dict[str, int] = {}
        self._file = self._read()

    def text(self, key: str, variable: str | None, default: str) -> str:
        return str(self._look(key, variable, default, str, _is_text, "text in quotes"))

    def number(self, key: str, variable: str | None, default: int, low: int, high: int) -> int:
        def allowed(value: object) -> bool:
            return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high

        return int(str(self._look(key, variable, default, _whole, allowed, f"a whole number from {low} to {high}")))

    def flag(self, key: str, variable: str | None, default: bool) -> bool:
        allowed = "1 or 0" if variable else "true or false"
        return bool(self._look(key, variable, default, _yes_no, lambda v: isinstance(v, bool), allowed))

    def choice(self, key: str, choices: tuple[str, ...], default: str) -> str:
        allowed = " or ".join(f'"{choice}"' for choice in choices)
        return str(self._look(key, None, default, str, lambda v: v in choices, allowed))

    def first_of(self, *variables: str) -> str:
        """The first of these variables that is set and not empty."""
        return next((value for name in variables if (value := self._environ.get(name, "").strip())), "")

    def _look(
        self,
        key: str,
        variable: str | None,
        default: object,
        read: Callable[[str], object],
        fits: Callable[[object], bool],
        allowed: str,
    ) -> object:
        typed = self._environ.get(variable, "").strip() if variable else ""
        if typed:
            value = read(typed)
            if not fits(value):
                raise UsageError(f"The environment variable {variable} must be {allowed}, not {_shown(typed)}.")
            self.origins[key] = f"environment {variable}"
            return value
        if key in self._file:
            value = self._file[key]
            if not fits(value):
                raise UsageError(f"{self._where(key)}: {key} must be {allowed}, not {_shown(value, key)}.")
            if value != "":
                self.origins[key] = self._where(key)
                return value.strip() if isinstance(value, str) else value
        self.origins[key] = "default"
        return default

    def _where(self, key: str) -> str:
        line = self._lines.get(key)
        return f"{self._path}, line {line}" if line else str(self._path)

    def _read(self) -> dict[str, object]:
        try:
            data = self._path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except OSError as exc:
            raise UsageError(f"{self._path} cannot be read: {exc.strerror}. Mend or remove it.") from None
        import tomllib

        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as exc:
            line = data.count(b"\n", 0, exc.start) + 1
            raise UsageError(f"{self._path}, line {line}: not UTF-8 text. Save the file as UTF-8.") from None
        try:
            tables = tomllib.loads(text)
        except tomllib.TOMLDecodeError as exc:
            found = re.search(r"\(at line (\d+), column (\d+)\)", str(exc))
            place = f", line {found[1]}, column {found[2]}" if found else ", at its end"
            reason = re.sub(r"\s*\(at .*\)$", "", str(exc))
            raise UsageError(f"{self._path}{place}: not valid TOML: {reason}.") from None
        self._note_lines(text)
        return self._flatten(tables)

    def _note_lines(self, text: str) -> None:
        table = ""
        for number, line in enumerate(text.splitlines(), 1):
            if header := re.match(_TABLE, line):
                table = header[1]
                self._lines.setdefault(table, number)
            elif key := re.match(_KEY, line):
                self._lines.setdefault(f"{table}.{key[1]}" if table else key[1], number)

    def _flatten(self, tables: dict[str, Any]) -> dict[str, object]:
        flat: dict[str, object] = {}
        for table, entries in tables.items():
            if table not in FILE_KEYS:
                owner = next((name for name, keys in FILE_KEYS.items() if table in keys), "")
                meant = f" (it belongs under [{owner}])" if owner else _meant(table, FILE_KEYS)
                tables_known = ", ".join(f"[{name}]" for name in FILE_KEYS)
                raise UsageError(f"{self._where(table)}: unknown name {table!r}{meant}; allowed are {tables_known}.")
            if not isinstance(entries, dict):
                raise UsageError(f"{self._where(table)}: {table} must be a table, written as [{table}].")
            for key, value in entries.items():
                name = f"{table}.{key}"
                if key not in FILE_KEYS[table]:
                    known = ", ".join(FILE_KEYS[table])
                    meant = _meant(key, FILE_KEYS[table])
                    raise UsageError(
                        f"{self._where(name)}: unknown key {key!r} in [{table}]{meant}; allowed are {known}."
                    )
                flat[name] = value
        return flat


def _meant(typed: str, names: Iterable[str]) -> str:
    """The nearest of the names, as a question for the middle of an error, or nothing."""
    import difflib

    near = difflib.get_close_matches(typed.lower(), names, 1)
    return f" (did you mean {near[0]}?)" if near else ""


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _whole(typed: str) -> object:
    return int(typed) if typed.isascii() and typed.isdigit() else typed


def _yes_no(typed: str) -> object:
    folded = typed.lower()
    return True if folded in YES else False if folded in NO else typed


def _shown(value: object, key: str = "") -> str:
    """The value as a message may repeat it: never a key, never long."""
    if key == "model.api_key":
        return f"a value of another kind ({type(value).__name__})"
    return repr(value)[:60]
