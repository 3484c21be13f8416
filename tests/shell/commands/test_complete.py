"""What the arguments of commands are completed to: titles, tags, ids, models, files."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from agentao.errors import ConnectFailed
from agentao.shell.command import Command
from agentao.shell.commands import TABLE
from agentao.shell.commands.shell import help_command
from agentao.shell.context import CommandContext
from agentao.shell.help_page import help_page
from tests.support.golden import paint
from tests.support.shell_context import open_bench


def texts(line: str, ctx: CommandContext | None = None, after: str = "") -> list[str]:
    ctx = ctx or CommandContext()
    return [line[: each.start] + each.text + after for each in TABLE.complete(line, ctx, after)]


def test_completion_offers_titles_tags_ids_and_models(tmp_path: Path) -> None:
    """What is stored can be completed: by any part of a title, by the beginning of a tag."""
    bench = open_bench(tmp_path)
    bench.run("/memory add --tags tooling package_manager uv")
    bench.run("/memory add 编辑器 vim")
    assert texts("/memory delete Pack", bench.ctx) == ["/memory delete Package manager"]
    assert texts("/memory show 编", bench.ctx) == ["/memory show 编辑器"]
    assert texts("/memory show manag", bench.ctx) == ["/memory show Package manager"]
    assert texts("/memory tag to", bench.ctx) == ["/memory tag tooling"]
    bench.run("/memory delete Package manager")
    assert texts("/memory delete Pack", bench.ctx) == []
    assert texts("/memory restore Pack", bench.ctx) == ["/memory restore Package manager"]


def test_models_are_offered_as_they_get_known(tmp_path: Path) -> None:
    """The configured names at once; the server's list, asked for once in the background, as soon as it is there."""
    bench = open_bench(tmp_path, OPENAI_BASE_URL="http://127.0.0.1:9/v1", OPENAI_MODEL="set")
    hold, told = threading.Event(), threading.Event()
    listed = bench.list_models

    def list_models() -> list[str]:
        hold.wait(20)
        return listed()

    bench.list_models = list_models  # type: ignore[method-assign]
    bench.ctx.state.suggest_again = told.set
    assert texts("/model ", bench.ctx) == ["/model small", "/model set"]
    hold.set()
    assert told.wait(20)
    assert texts("/model ", bench.ctx) == ["/model small", "/model set", "/model Large"]
    assert texts("/model LA", bench.ctx) == ["/model Large"]
    found = TABLE.complete("/model s", bench.ctx)
    assert [each.description for each in found] == ["in use", ""]


def test_a_server_that_lists_no_models_is_asked_once(tmp_path: Path) -> None:
    """A failure is silent, and repeated by no key; without a server nothing is asked."""
    bench = open_bench(tmp_path, OPENAI_BASE_URL="http://127.0.0.1:9/v1")
    asked = threading.Semaphore(0)

    def refuse() -> list[str]:
        asked.release()
        raise ConnectFailed("no server")

    bench.list_models = refuse  # type: ignore[method-assign]
    assert texts("/model ", bench.ctx) == ["/model small"]
    assert asked.acquire(timeout=20)
    assert texts("/model ", bench.ctx) == ["/model small"]
    assert not asked.acquire(blocking=False)

    offline = open_bench(tmp_path / "offline")
    offline.list_models = refuse  # type: ignore[method-assign]
    assert texts("/model ", offline.ctx) == []
    assert not offline.ctx.state.models_asked


def test_any_tag_in_use_is_completed(tmp_path: Path) -> None:
    """However many tags there are, and the last one of several with commas between."""
    bench = open_bench(tmp_path)
    for number in range(11):
        bench.run(f"/memory add --tags {','.join(f't{number * 19 + n}' for n in range(19))},common key{number} value")
    assert texts("/memory tag t208", bench.ctx) == ["/memory tag t208"]
    assert texts("/memory add --tags new,comm", bench.ctx) == ["/memory add --tags new,common "]
    assert texts("/memory edit --tags common,comm", bench.ctx) == []


def test_completion_offers_files(tmp_path: Path) -> None:
    """Export and import complete paths."""
    (tmp_path / "notes.jsonl").touch()
    (tmp_path / "folder").mkdir()
    assert texts(f"/memory import {tmp_path}/no") == [f"/memory import {tmp_path}/notes.jsonl"]
    assert texts(f"/memory export {tmp_path}/fo") == [f"/memory export {tmp_path}/folder/"]


def test_a_title_completed_in_front_of_other_words_stays_apart(tmp_path: Path) -> None:
    """IN-14: nothing is glued to what stands behind the cursor."""
    bench = open_bench(tmp_path)
    bench.run("/memory add deploy_rule friday")
    assert texts("/memory delete Dep", bench.ctx, after="loy") == ["/memory delete Deploy rule loy"]
    assert texts("/memory delete Dep", bench.ctx, after=" loy") == ["/memory delete Deploy rule loy"]
    assert texts("/memory list --so", bench.ctx, after="--all") == ["/memory list --sort --all"]


@pytest.mark.parametrize("entry", list(TABLE), ids=lambda entry: entry.name)
def test_every_value_of_an_option_is_completed_and_explained(entry: Command) -> None:
    """Options come with their help; each of their fixed values with a word on what it means, and stands in the help."""
    ctx = CommandContext()
    offered = {each.text.strip(): each.description for each in TABLE.complete(f"/{entry.name} --", ctx)}
    assert offered == {param.flag: param.help for param in entry.options}
    pages = [" ".join(help_page(entry, TABLE).split())]
    if entry.where != "line":
        pages.append(" ".join(paint(help_command.run(ctx, words=entry.name), 80).split()))
    for param in entry.options:
        found = TABLE.complete(f"/{entry.name} {param.flag} ", ctx) if param.choices else []
        assert [each.text.strip() for each in found] == list(param.choices)
        assert all(each.description for each in found)
        assert all(choice in page for choice in param.choices for page in pages)


def test_an_early_part_of_a_line_is_completed(tmp_path: Path) -> None:
    """Only what stands before the cursor counts, wherever in the line it is."""
    assert texts("/memory li", after=" --all") == ["/memory list --all"]
    assert texts("  /mem", after="") == ["  /memory "]
    assert texts("/memory list --sort ti", after=" --all") == ["/memory list --sort title --all"]
    assert texts("/memory list --type=d") == ["/memory list --type=decision "]
