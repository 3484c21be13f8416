"""Settings: where files lie, what the environment and config.toml say, and what an error names."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentao.config import CONTEXT_WINDOW_TOKENS, Settings, load_settings
from agentao.errors import UsageError


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A user's folder."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def load(home: Path, cwd: Path | None = None, config: str | bytes | None = None, **environ: str) -> Settings:
    if config is not None:
        (home / ".agentao").mkdir(exist_ok=True)
        data = config.encode() if isinstance(config, str) else config
        (home / ".agentao" / "config.toml").write_bytes(data)
    folder = cwd or home.parent / "work"
    folder.mkdir(parents=True, exist_ok=True)
    # What stands above the test's own folders, such as a stray /tmp/.agentao, is not the test's.
    return load_settings({"HOME": str(home), **environ}, folder, top=home.parent)


def error(home: Path, config: str | bytes | None = None, **environ: str) -> str:
    with pytest.raises(UsageError) as caught:
        load(home, config=config, **environ)
    return str(caught.value)


def test_files_lie_in_the_home_and_in_the_project(home: Path, tmp_path: Path) -> None:
    """The home is ``~/.agentao`` and the project's store stands in the project's ``.agentao``."""
    settings = load(home)
    assert settings.home == home / ".agentao"
    assert settings.user_db == home / ".agentao" / "memory.db"
    assert settings.history_file == home / ".agentao" / "history"
    assert settings.project_db == tmp_path / "work" / ".agentao" / "memory.db"
    assert not settings.one_store


def test_loading_makes_no_file(home: Path, tmp_path: Path) -> None:
    """Reading the settings leaves no trace on the disk."""
    load(home)
    assert list(home.iterdir()) == []
    assert list((tmp_path / "work").iterdir()) == []


def test_agentao_home_moves_the_home(home: Path, tmp_path: Path) -> None:
    """``AGENTAO_HOME`` wins; ``~`` in it is the user's folder; an empty one counts as not set."""
    assert load(home, AGENTAO_HOME=str(tmp_path / "else")).home == tmp_path / "else"
    assert load(home, AGENTAO_HOME="~/inner").home == home / "inner"
    assert load(home, AGENTAO_HOME="  ").home == home / ".agentao"


def test_the_project_root_is_the_nearest_folder_with_agentao(home: Path, tmp_path: Path) -> None:
    """ST-26: ``.agentao/`` upwards wins over the git top level, which wins over the working directory."""
    deep = tmp_path / "repo" / "a" / "b"
    assert load(home, deep).project_root == deep
    (tmp_path / "repo" / ".git").mkdir()
    found = load(home, deep)
    assert found.project_root == tmp_path / "repo"
    assert found.origins["project_root"] == "the git top level"
    (tmp_path / "repo" / "a" / ".agentao").mkdir()
    assert load(home, deep).project_root == tmp_path / "repo" / "a"


def test_a_git_worktree_counts_as_a_top_level(home: Path, tmp_path: Path) -> None:
    """ST-26: A ``.git`` file, as in worktrees and submodules, marks a top level too."""
    deep = tmp_path / "tree" / "src"
    deep.mkdir(parents=True)
    (tmp_path / "tree" / ".git").write_text("gitdir: elsewhere")
    assert load(home, deep).project_root == tmp_path / "tree"


def test_the_homes_own_agentao_is_no_project(home: Path) -> None:
    """A folder below the user's home is its own project although ``~/.agentao`` lies above it."""
    (home / ".agentao").mkdir()
    assert load(home, home / "notes").project_root == home / "notes"


def test_a_start_in_the_home_folder_has_one_store(home: Path) -> None:
    """When both paths are one file, the settings say so."""
    assert load(home, home).one_store


def test_a_named_project_wins_and_must_exist(home: Path, tmp_path: Path) -> None:
    """``--project`` wins over ``AGENTAO_PROJECT``; a folder that is not there is named in the error."""
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    environ = {"HOME": str(home), "AGENTAO_PROJECT": str(tmp_path / "one")}
    assert load_settings(environ, tmp_path).project_root == tmp_path / "one"
    assert load_settings(environ, tmp_path, project="two").project_root == tmp_path / "two"
    with pytest.raises(UsageError, match=r"--project nowhere: there is no such folder"):
        load_settings(environ, tmp_path, project="nowhere")
    with pytest.raises(UsageError, match="AGENTAO_PROJECT"):
        load_settings({"HOME": str(home), "AGENTAO_PROJECT": "/nowhere"}, tmp_path)


def test_an_empty_variable_hides_no_key_of_the_file(home: Path) -> None:
    """INS-02: ``OPENAI_API_KEY=`` in the environment counts as not set."""
    settings = load(home, config='[model]\napi_key = "sk-file"\n', OPENAI_API_KEY="")
    assert settings.model.api_key == "sk-file"
    assert not settings.offline
    assert settings.origins["model.api_key"].endswith("config.toml, line 2")


def test_the_environment_wins_over_the_file(home: Path) -> None:
    """A variable that is set wins, and the origin says so."""
    config = '[model]\nname = "one"\nbase_url = "http://a/v1"\ncontext_window = 9000\n'
    settings = load(home, config=config, OPENAI_MODEL="two", AGENTAO_CONTEXT_WINDOW="8000")
    assert (settings.model.name, settings.model.base_url) == ("two", "http://a/v1")
    assert settings.model.context_window == 8_000
    assert settings.origins["model.name"] == "environment OPENAI_MODEL"


def test_without_key_and_address_the_shell_is_offline(home: Path) -> None:
    """Neither a key nor an address: the built-in assistant answers. An address alone is enough for a server."""
    settings = load(home)
    assert settings.offline
    assert settings.model.context_window == CONTEXT_WINDOW_TOKENS
    assert not load(home, OPENAI_BASE_URL="http://127.0.0.1:1/v1").offline


@pytest.mark.parametrize(
    ("environ", "reflows"),
    [
        ({"TERM": "xterm-256color"}, False),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7006"}, True),
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "screen-256color", "TMUX": "/tmp/tmux-0/default,1,0"}, True),
        ({"TERM": "screen.xterm-256color", "STY": "1.pts", "VTE_VERSION": "7006"}, False),
        ({"TERM": "xterm", "XTERM_VERSION": "XTerm(379)", "VTE_VERSION": "7006"}, False),
        ({"TERM": "screen", "XTERM_VERSION": "XTerm(379)", "TMUX": "/tmp/tmux-0/default,1,0"}, True),
    ],
)
def test_terminals_that_wrap_anew_are_known(home: Path, environ: dict[str, str], reflows: bool) -> None:
    """Only a terminal that is known to wrap old lines anew counts as one: a wrong yes would eat lines of an answer."""
    assert load(home, **environ).reflows == reflows


def test_nothing_is_read_from_files_inside_a_project(home: Path, tmp_path: Path) -> None:
    """A cloned repository cannot set the address that the key is sent to."""
    project = tmp_path / "clone"
    (project / ".agentao").mkdir(parents=True)
    for place in (project / ".agentao" / "config.toml", project / "config.toml", project / ".env"):
        place.write_text(
            'OPENAI_BASE_URL="http://evil/v1"\n[model]\nbase_url = "http://evil/v1"\napi_key = "sk-evil"\n'
        )
    assert load(home, project).offline


def test_the_key_shows_in_no_repr(home: Path) -> None:
    """The key and the proxies' passwords stand in no printed form of the settings."""
    settings = load(home, OPENAI_API_KEY="sk-SENTINEL", HTTPS_PROXY="http://u:SENTINEL@127.0.0.1:9")
    assert "SENTINEL" not in repr(settings)


@pytest.mark.parametrize(
    ("config", "wanted"),
    [
        ("[model]\nname = 3\n", ["line 2", "model.name", "text in quotes", "3"]),
        ("\n[model]\ncontext_window = 10\n", ["line 3", "model.context_window", "from 1000 to"]),
        ('[model]\ncontext_window = "128k"\n', ["line 2", "whole number", "'128k'"]),
        ("[model]\ncontext_window = true\n", ["line 2", "whole number"]),
        ('[prompt]\nmemory_context = "always"\n', ["line 2", '"system" or "turn"', "'always'"]),
        ("[shell]\nvi_mode = 1\n", ["line 2", "shell.vi_mode", "true or false"]),
        ('[model]\nmodel = "x"\n', ["line 2", "unknown key 'model'", "api_key, base_url, name"]),
        ("# a comment\n[server]\n", ["line 2", "unknown name 'server'", "[model], [prompt], [shell]"]),
        ("name = 1\n", ["line 1", "unknown name 'name' (it belongs under [model])"]),
        ("[modle]\n", ["line 1", "unknown name 'modle' (did you mean model?)"]),
        ("[model]\nnmae = 1\n", ["line 2", "unknown key 'nmae' in [model] (did you mean name?)"]),
        ("[shell]\n[shell.Vi]\nx = 1\n", ["line 2", "unknown key 'Vi' in [shell]", "allowed are vi_mode, raw"]),
        ("#\n[[model]]\nname = 1\n", ["line 2", "must be a table, written as [model]"]),
        ("[model]\nidle_timeout_s = -1\n", ["line 2", "from 1 to 86400, not -1"]),
        ("[model]\nname = ['a']\n", ["line 2", "text in quotes, not ['a']"]),
        (b"\x00", ["line 1, column 1", "not valid TOML"]),
        ("model = 1\n", ["line 1", "must be a table"]),
        ("[model]\nname = \n", ["line 2, column", "not valid TOML"]),
        ("[model]\n[model]\n", ["not valid TOML"]),
        (b'[model]\nname = "\xff"\n', ["line 2", "not UTF-8"]),
    ],
)
def test_an_error_names_file_line_key_and_what_is_allowed(home: Path, config: str | bytes, wanted: list[str]) -> None:
    """Whoever reads the message can mend the file without a manual."""
    message = error(home, config)
    assert str(home / ".agentao" / "config.toml") in message
    assert "\n" not in message
    for part in wanted:
        assert part in message, message


def test_a_wrong_key_is_not_repeated(home: Path) -> None:
    """An error about ``api_key`` holds no part of its value."""
    assert "SENTINEL" not in error(home, '[model]\napi_key = ["SENTINEL"]\n')


@pytest.mark.parametrize(
    ("variable", "value"), [("AGENTAO_CONTEXT_WINDOW", "lots"), ("AGENTAO_TRUST_PROJECT", "maybe")]
)
def test_an_error_names_the_variable(home: Path, variable: str, value: str) -> None:
    """A wrong variable is named with what it may hold."""
    message = error(home, **{variable: value})
    assert variable in message
    assert repr(value) in message


def test_a_file_with_a_byte_order_mark_and_crlf_is_read(home: Path) -> None:
    """What Windows editors write is read too."""
    assert load(home, config=b'\xef\xbb\xbf[model]\r\nname = "x"\r\n').model.name == "x"


def test_a_folder_in_place_of_the_file_is_named(home: Path) -> None:
    """A config file that cannot be read is one clear line."""
    (home / ".agentao" / "config.toml").mkdir(parents=True)
    assert "cannot be read" in error(home)


def test_switches_of_the_shell(home: Path) -> None:
    """``[shell]`` and ``[prompt]`` are read; no colour under ``NO_COLOR`` and on a dumb terminal."""
    config = '[shell]\nvi_mode = true\nraw = true\n[prompt]\nmemory_context = "turn"\n'
    settings = load(home, config=config, TERM="xterm", EDITOR="nano", VISUAL="vim -f")
    assert (settings.vi_mode, settings.raw, settings.memory_context, settings.color) == (True, True, "turn", True)
    assert settings.editor == "vim -f"
    assert not load(home, NO_COLOR="1", TERM="xterm").color
    dumb = load(home, TERM="dumb")
    assert dumb.dumb_terminal
    assert not dumb.color
    assert not load(home).color, "without TERM nobody knows what the terminal understands"


def test_trust_comes_from_the_option_or_the_variable(home: Path, tmp_path: Path) -> None:
    """``--trust-project`` and ``AGENTAO_TRUST_PROJECT=1`` mean the same."""
    assert not load(home).trust_project
    assert load(home, AGENTAO_TRUST_PROJECT="1").trust_project
    assert not load(home, AGENTAO_TRUST_PROJECT="0").trust_project
    given = load_settings({"HOME": str(home)}, tmp_path, trust_project=True, memory_on=False)
    assert given.trust_project
    assert not given.memory_on
