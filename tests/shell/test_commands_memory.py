"""The memory commands against real stores: looking, changing, going back, moving."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from agentao.errors import GuardError, NotFound, SensitiveMemoryError, StoreError, UsageError
from agentao.memory import db
from agentao.shell import results
from agentao.shell.commands import TABLE
from agentao.shell.perform import means_yes, perform
from tests.support.memories import change
from tests.support.shell_context import Bench, open_bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Two empty stores."""
    return open_bench(tmp_path)


def titles(result: results.Result) -> list[str]:
    assert isinstance(result, results.Memories)
    return [record.title for record in result.memories]


def fill(bench: Bench, count: int) -> None:
    for number in range(count):
        bench.run(f"/memory add key_{number} value {number}")


# -- looking -----------------------------------------------------------------------------------------------------------


def test_an_option_behind_the_words_of_a_search_is_pointed_at(bench: Bench) -> None:
    """It is searched for like any word; where nothing is found, the view says where options stand."""
    bench.run("/memory add port --limit 3 is the port")
    late, found = bench.run("/memory search port --all"), bench.run("/memory search port --limit 3")
    assert isinstance(late, results.Memories)
    assert isinstance(found, results.Memories)
    assert (late.total, found.total) == (0, 1)
    assert late.hint.startswith("Options stand before the words")
    assert not found.hint


def test_the_list_shows_both_scopes_newest_first(bench: Bench) -> None:
    """``/memory`` and ``/memory list`` show all live memories; ``user`` and ``project`` show one scope."""
    bench.run("/memory add package_manager uv")
    bench.run("/memory add --tags user preferred_editor nvim")
    bench.run("/memory add user_name 小明")
    bench.run("/memory delete user name")
    assert titles(bench.run("/memory")) == ["Preferred editor", "Package manager"]
    assert titles(bench.run("/memory list")) == ["Preferred editor", "Package manager"]
    assert titles(bench.run("/memory user")) == ["Preferred editor"]
    assert titles(bench.run("/memory project")) == ["Package manager"]


def test_an_update_moves_a_memory_to_the_top(bench: Bench) -> None:
    """The newest change comes first; ``--sort`` orders otherwise."""
    for key in ("beta", "alpha", "gamma"):
        bench.run(f"/memory add {key} x")
    bench.run("/memory add beta y")
    assert titles(bench.run("/memory")) == ["Beta", "Gamma", "Alpha"]
    assert titles(bench.run("/memory --sort created")) == ["Gamma", "Alpha", "Beta"]
    assert titles(bench.run("/memory --sort title")) == ["Alpha", "Beta", "Gamma"]


def test_a_list_by_name_takes_both_stores_and_shows_its_first(bench: Bench) -> None:
    """By title whatever the case, or by type and then by title; of many only those that are shown, with the count."""
    for line in ("zebra x", "user_home x --tags preference", "Apple x", "apricot x --tags decision"):
        key, value, *tags = line.split()
        bench.run(f"/memory add {' '.join((*tags, key, value))}")
    assert titles(bench.run("/memory --sort title")) == ["Apple", "Apricot", "User home", "Zebra"]
    assert titles(bench.run("/memory --sort type")) == ["Apricot", "Apple", "Zebra", "User home"]
    first = bench.run("/memory --sort title --limit 2")
    assert isinstance(first, results.Memories)
    assert (titles(first), first.total) == (["Apple", "Apricot"], 4)


def test_a_long_store_shows_its_newest_fifty(bench: Bench) -> None:
    """The list says how many there are and how to see the rest; JSON has them all."""
    fill(bench, 60)
    result = bench.run("/memory")
    assert isinstance(result, results.Memories)
    assert (len(result.memories), result.total) == (50, 60)
    assert "--all" in result.more
    assert titles(result)[0] == "Key 59"
    assert len(titles(bench.run("/memory --all"))) == 60
    assert titles(bench.run("/memory --limit 2")) == ["Key 59", "Key 58"]
    bench.ctx.json = True
    assert len(titles(bench.run("/memory"))) == 60
    with pytest.raises(UsageError, match="cannot go together"):
        bench.run("/memory --limit 2 --all")


def test_the_list_can_be_of_one_type(bench: Bench) -> None:
    """``--type`` filters; the count is that of the type."""
    bench.run("/memory add --tags decision db we chose postgres")
    bench.run("/memory add lunch noodles")
    result = bench.run("/memory --type decision")
    assert isinstance(result, results.Memories)
    assert (titles(result), result.total) == (["Db"], 1)


def test_one_store_for_both_scopes_lists_nothing_twice(tmp_path: Path) -> None:
    """Started in the home folder, one file serves both scopes."""
    from agentao.memory.manager import MemoryManager
    from agentao.memory.store import SQLiteMemoryStore

    bench = open_bench(tmp_path)
    manager = MemoryManager(SQLiteMemoryStore.open(tmp_path / "one" / "memory.db"))
    bench.manager = manager
    bench.run("/memory add user_name 小明")
    bench.run("/memory add package_manager uv")
    result = bench.run("/memory")
    assert isinstance(result, results.Memories)
    assert result.total == 2
    assert titles(bench.run("/memory user")) == ["User name"]
    assert titles(bench.run("/memory project")) == ["Package manager"]


def test_search_marks_what_it_looked_for(bench: Bench) -> None:
    """All words must occur; the words to mark come with the answer; none found is no error."""
    bench.run("/memory add package_manager uv, not pip")
    bench.run("/memory add 部署 每次提交前先运行测试")
    result = bench.run("/memory search UV package")
    assert isinstance(result, results.Memories)
    assert (titles(result), result.terms) == (["Package manager"], ("uv", "package"))
    assert titles(bench.run("/memory search 运行测试")) == ["部署"]
    assert titles(bench.run("/memory search 测")) == ["部署"]
    for nothing in ("uv nothere", "%", '"', "a_b", "-"):
        assert titles(bench.run(f"/memory search {nothing}")) == []


def test_tags_match_whole_and_in_any_case(bench: Bench) -> None:
    """RQ-28: ``java`` is not ``javascript``, and ``%`` and quotes mean nothing special."""
    for key, tag in (("a", "java"), ("b", "javascript"), ("c", "Java"), ("d", "后端"), ("e", "后端服务")):
        bench.run(f"/memory add --tags {tag} {key} x")
    assert sorted(titles(bench.run("/memory tag java"))) == ["A", "C"]
    assert sorted(titles(bench.run("/memory tag JAVA"))) == ["A", "C"]
    assert titles(bench.run("/memory tag 后端")) == ["D"]
    assert titles(bench.run("/memory tag #后端")) == ["D"]
    for nothing in ("%", '"', "_", "*", "nope"):
        assert titles(bench.run(f"/memory tag {nothing}")) == []
    assert bench.run("/memory tags") == results.Tags((("java", 2), ("javascript", 1), ("后端", 1), ("后端服务", 1)))


def test_show_gives_one_whole_with_its_history(bench: Bench) -> None:
    """By title, key, id or the beginning of an id, quoted or not."""
    bench.run("/memory add package_manager pip")
    bench.run("/memory add package_manager uv")
    for target in ("Package manager", "package manager", "package_manager", '"Package manager"'):
        result = bench.run(f"/memory show {target}")
        assert isinstance(result, results.MemoryShown)
        ((record, events),) = result.memories
        assert record.content == "uv"
        assert [event.event_type for event in events] == ["update", "create"]
    again = bench.run(f"/memory show {record.id}")
    assert isinstance(again, results.MemoryShown)
    assert again.memories[0][0] == record
    with pytest.raises(NotFound, match="nope"):
        bench.run("/memory show nope")


# -- changing ----------------------------------------------------------------------------------------------------------


def test_add_goes_through_the_guard(bench: Bench) -> None:
    """By hand as by the model: scope and type are inferred, a secret is refused, an empty key too."""
    result = bench.run("/memory add --tags 用户，Editor user_editor vim")
    assert isinstance(result, results.MemorySaved)
    assert (result.outcome.record.scope, result.outcome.record.tags) == ("user", ["用户", "editor"])
    with pytest.raises(SensitiveMemoryError) as caught:
        bench.run("/memory add key sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD")
    assert "abcdefghijkl" not in str(caught.value)
    with pytest.raises(GuardError):
        bench.run("/memory add 🚀 x")
    with pytest.raises(GuardError, match="8,000"):
        bench.run("/memory add long " + "x" * 8_001)


def test_add_without_a_value_opens_the_editor(bench: Bench) -> None:
    """Long values are written in the user's editor; an empty file saves nothing."""
    result = bench.run("/memory add notes", edited="line one\nline two\n")
    assert isinstance(result, results.MemorySaved)
    assert result.outcome.record.content == "line one\nline two"
    with pytest.raises(UsageError, match="nothing was changed"):
        bench.run("/memory add other", edited="  \n")
    with pytest.raises(UsageError, match="nothing was changed"):
        bench.run("/memory add other", edited=None)


def test_edit_changes_value_or_tags_and_keeps_the_rest(bench: Bench) -> None:
    """The editor begins with the stored value; tags, type and scope stay unless they are given."""
    bench.run("/memory add --tags user,editor c++ vim")
    result = bench.run("/memory edit C++", edited="neovim\n")
    assert isinstance(result, results.MemorySaved)
    record = result.outcome.record
    assert (record.content, record.tags, record.scope, record.key_normalized) == (
        "neovim",
        ["user", "editor"],
        "user",
        "c_plus_plus",
    )
    result = bench.run("/memory edit --tags decision c_plus_plus")
    assert isinstance(result, results.MemorySaved)
    assert (result.outcome.record.tags, result.outcome.record.content) == (["decision"], "neovim")
    assert result.outcome.record.scope == "user"
    call = TABLE.parse("memory edit c++")
    draft = call.draft(bench.ctx)
    assert draft is not None
    assert draft.text == "neovim"


def test_edit_of_two_scopes_asks_which(bench: Bench) -> None:
    """Where both scopes have the title, the error names both ids."""
    bench.run("/memory add --scope user indent tabs")
    bench.run("/memory add --scope project indent spaces")
    with pytest.raises(UsageError) as caught:
        bench.run("/memory edit --value x indent")
    assert "(user)" in str(caught.value)
    assert "(project)" in str(caught.value)


@pytest.mark.parametrize("line", ["/memory edit k1 new value", '/memory edit "k1 new"'])
def test_a_value_typed_behind_the_title_is_told_its_place(bench: Bench, line: str) -> None:
    """What names no memory may be a title and a new value: the error names --value."""
    bench.run("/memory add k1 old")
    with pytest.raises(NotFound, match='A new value goes behind --value: /memory edit --value "NEW VALUE" TITLE'):
        bench.run(line)
    with pytest.raises(NotFound) as one_word:
        bench.run("/memory edit k2")
    assert "--value" not in str(one_word.value)


def test_delete_names_what_it_removed_and_from_where(bench: Bench) -> None:
    """RQ-29, ST-05: title first, then key; both scopes; restored again."""
    bench.run("/memory add --scope user indent tabs")
    bench.run("/memory add --scope project indent 4 空格")
    result = bench.run("/memory delete Indent")
    assert isinstance(result, results.MemoriesChanged)
    assert {(record.scope, record.content) for record in result.memories} == {("user", "tabs"), ("project", "4 空格")}
    assert bench.manager.count() == 0
    with pytest.raises(NotFound):
        bench.run("/memory delete indent")
    bench.run("/memory undo")
    assert bench.manager.count() == 2


def test_clear_wants_a_clear_yes(bench: Bench) -> None:
    """UX-10: it says what will go; anything but yes removes nothing, and nobody to ask is exit code 2."""
    bench.run("/memory add user_name x")
    bench.run("/memory add fact y")
    bench.manager.save_session_summary("We talked.", 10, 2)
    call = TABLE.parse("memory clear")
    question = call.question(bench.ctx)
    assert question is not None
    for part in ("1 user memory", "1 project memory", "1 session summary", "/memory undo"):
        assert part in question.text
    assert bench.run("/memory clear", yes=False) == results.Notice(("Nothing was done.",), {"change": "none"})
    with pytest.raises(UsageError, match="--yes"):
        perform(call, bench.ctx, None, None)
    assert bench.manager.count() == 2
    result = bench.run("/memory clear")
    assert isinstance(result, results.Notice)
    assert (result.data["user"], result.data["project"], result.data["summaries"]) == (1, 1, 1)
    assert bench.manager.count() == 0
    assert bench.manager.get_recent_session_summaries() == []
    bench.run("/memory undo")
    assert bench.manager.count() == 2


def test_two_locked_stores_are_told_in_good_time(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """CC-02: a command that needs five locks, all of them held, waits for two of them at most before it says so."""
    monkeypatch.setattr(db, "LOCK_WAIT_S", 0.2)
    monkeypatch.setattr(db, "COMMAND_WAIT_S", 0.4)
    tries: list[str] = []
    with ExitStack() as stack:
        for store in bench.manager.stores:
            assert store.path
            writer = stack.enter_context(closing(sqlite3.connect(store.path, isolation_level=None)))
            writer.execute("BEGIN IMMEDIATE")
            store.connection.set_trace_callback(tries.append)
        with pytest.raises(StoreError, match="user memories were not cleared"):
            bench.run("/memory clear --yes")
    looks = [sql for sql in tries if sql.startswith("BEGIN")]
    assert len(looks) <= 2 * 0.2 / (db.LOCK_POLL_MS / 1000) + 5


def test_clear_of_nothing_asks_nothing(bench: Bench) -> None:
    """There is nothing to lose, so there is nothing to ask."""
    assert TABLE.parse("memory clear").question(bench.ctx) is None
    assert bench.run("/memory clear", yes=False).lines == ("There is nothing to remove.",)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("answer", "yes"),
    [("y", True), ("YES", True), ("是", True), ("", False), ("n", False), ("yy", False), ("yes please", False)],
)
def test_only_a_plain_yes_is_a_yes(answer: str, yes: bool) -> None:
    """Enter alone and everything that is not yes is no."""
    assert means_yes(answer + "\n") is yes


def test_memory_can_be_switched_off_and_on(bench: Bench) -> None:
    """``off`` leaves memory out of the conversation; the commands still work."""
    bench.run("/memory off")
    assert not bench.manager.enabled
    bench.run("/memory add k v")
    assert titles(bench.run("/memory")) == ["K"]
    bench.run("/memory on")
    assert bench.manager.enabled


def test_trust_says_whether_it_changed_anything(bench: Bench) -> None:
    """A store of one's own is trusted already."""
    result = bench.run("/memory trust")
    assert isinstance(result, results.Notice)
    assert result.data == {"trusted": True, "changed": False}


# -- going back --------------------------------------------------------------------------------------------------------


def test_history_tells_who_changed_what(bench: Bench) -> None:
    """All events or those of one memory, newest first, deleted ones too; ``--limit`` says when there is more."""
    bench.run("/memory add editor vim")
    bench.run("/memory add editor emacs")
    bench.run("/memory delete editor")
    result = bench.run("/memory history editor")
    assert isinstance(result, results.MemoryHistory)
    assert [event.event_type for event in result.events] == ["delete", "update", "create"]
    assert {event.detail["actor"] for event in result.events} == {"user"}
    result = bench.run("/memory history --limit 2")
    assert isinstance(result, results.MemoryHistory)
    assert (len(result.events), result.more) == (2, True)


def test_undo_of_another_sessions_change_asks(bench: Bench) -> None:
    """With no change of this session it shows the stores' last change and asks."""
    bench.run("/memory add editor vim")
    assert TABLE.parse("memory undo").question(bench.ctx) is None
    bench.manager.new_session()
    question = TABLE.parse("memory undo").question(bench.ctx)
    assert question is not None
    assert "save of 1 memory" in question.text
    assert "Editor" in question.text
    bench.run("/memory undo")
    assert bench.manager.count() == 0
    with pytest.raises(NotFound):
        bench.run("/memory undo")


def test_undo_asks_before_it_passes_over_a_change(bench: Bench) -> None:
    """Where the last change was overwritten since, it says so, shows the one before it and asks."""
    bench.run("/memory add port 8080")
    bench.run("/memory add editor vim")
    change(bench.settings.project_db, "UPDATE memories SET content = 'emacs' WHERE title = 'Editor'")
    question = TABLE.parse("memory undo").question(bench.ctx)
    assert question is not None
    assert '"Editor" was changed again since' in question.text
    assert "The last change before: save of 1 memory (Port)" in question.text
    bench.run("/memory undo", yes=False)
    assert bench.manager.count() == 2
    bench.run("/memory undo")
    assert [record.content for record in bench.manager.get_all_entries()] == ["emacs"]


def test_purge_really_removes_after_asking(bench: Bench) -> None:
    """What was deleted cannot be restored afterwards."""
    bench.run("/memory add secretary Ann")
    bench.run("/memory delete secretary")
    question = TABLE.parse("memory purge").question(bench.ctx)
    assert question is not None
    assert "1 deleted memory" in question.text
    bench.run("/memory purge")
    with pytest.raises(NotFound):
        bench.run("/memory restore secretary")
    assert TABLE.parse("memory purge").question(bench.ctx) is None


# -- moving ------------------------------------------------------------------------------------------------------------


def test_purge_tells_where_a_reader_keeps_old_text(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """It names the file, why the text is still there, and what to do; the next purge does it."""
    monkeypatch.setattr(db, "LOCK_WAIT_S", 0.05)
    bench.run("/memory add secretary Ann")
    bench.run("/memory delete secretary")
    with closing(sqlite3.connect(bench.settings.project_db, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM memories").fetchall()
        done = bench.run("/memory purge")
        assert isinstance(done, results.Notice)
        assert "Removed 1 deleted memory" in done.lines[0]
        assert str(bench.settings.project_db) in done.lines[1]
        assert "another program is reading" in done.lines[1] and "/memory purge again" in done.lines[1]
        assert done.data["held"] == list(done.lines[1:])
        again = bench.run("/memory purge")
        assert isinstance(again, results.Notice) and again.lines[-1] == done.lines[1]
    last = bench.run("/memory purge")
    assert isinstance(last, results.Notice) and last.data["held"] == [] and len(last.lines) == 1


def test_export_and_import_round_trip(bench: Bench, tmp_path: Path) -> None:
    """A private file of JSON Lines that another project's import takes whole."""
    bench.run("/memory add --tags user,editor preferred_editor nvim")
    bench.run("/memory add 包管理器 uv")
    target = tmp_path / "out" / "my notes.jsonl"
    target.parent.mkdir()
    os.umask(0)
    bench.run(f"/memory export {target}")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert [json.loads(line)["title"] for line in target.read_text().splitlines()] == ["Preferred editor", "包管理器"]
    assert list(target.parent.iterdir()) == [target]
    other = open_bench(tmp_path / "other")
    tried = other.run(f"/memory import {target} --dry-run")
    assert isinstance(tried, results.Imported)
    assert (tried.outcome.added, tried.outcome.dry_run, other.manager.count()) == (2, True, 0)
    done = other.run(f"/memory import {target}")
    assert isinstance(done, results.Imported)
    assert done.outcome.added == 2
    assert sorted(titles(other.run("/memory"))) == sorted(titles(bench.run("/memory")))


def test_export_writes_over_nothing_but_an_export(bench: Bench, tmp_path: Path) -> None:
    """A slip in the name destroys no other file; an older export is replaced."""
    bench.run("/memory add k v")
    target = tmp_path / "file"
    target.write_text("precious")
    with pytest.raises(UsageError, match="left alone"):
        bench.run(f"/memory export {target}")
    assert target.read_text() == "precious"
    target.write_text('{"id": "old"}\n')
    bench.run(f"/memory export {target}")
    assert json.loads(target.read_text())["title"] == "K"
    with pytest.raises(StoreError, match="cannot be written"):
        bench.run(f"/memory export {tmp_path}/nowhere/x")
    with pytest.raises(UsageError, match="folder"):
        bench.run(f"/memory export {tmp_path}")
    with pytest.raises(UsageError, match="cannot be read"):
        bench.run(f"/memory import {tmp_path}/nowhere")


def test_backup_copies_both_stores(bench: Bench, tmp_path: Path) -> None:
    """One file with both scopes; it never overwrites."""
    bench.run("/memory add user_name x")
    bench.run("/memory add fact y")
    result = bench.run(f"/backup {tmp_path}/copy.db")
    assert isinstance(result, results.Notice)
    assert result.data["backup"] == str(tmp_path / "copy.db")
    other = open_bench(tmp_path / "other")
    other.run(f"/memory import {tmp_path}/copy.db")
    assert sorted(titles(other.run("/memory"))) == ["Fact", "User name"]
    with pytest.raises(UsageError, match="exists"):
        bench.run(f"/backup {tmp_path}/copy.db")


def test_a_full_block_is_told_and_nothing_is_refused(bench: Bench) -> None:
    """UX-01: 60 facts of 100 characters are all saved; the save that does not fit says so; the status counts them."""
    notes = []
    for number in range(60):
        result = bench.run(f"/memory add --scope user fact_{number} {'x' * 90} {number}")
        assert isinstance(result, results.MemorySaved)
        notes.append(result.outcome.note)
    assert notes[0] == ""
    assert "full" in notes[-1] or "not fit" in notes[-1]
    status = bench.run("/memory status")
    assert isinstance(status, results.Status)
    assert status.memory.totals["user"] == 60
    assert status.memory.block_chars <= status.memory.block_limit_chars == 2_000
    assert status.memory.block_shown + status.memory.block_dropped == 60
    assert len(status.facts) == status.memory.block_shown
