"""The commands of review, the conversation, the model and the shell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentao.errors import ConnectFailed, GuardError, NotFound, StoreError, UsageError
from agentao.shell import results
from agentao.shell.commands import TABLE
from agentao.shell.json_view import to_json
from tests.support.golden import paint
from tests.support.memories import change
from tests.support.shell_context import Bench, open_bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Two empty stores, a server on loopback."""
    return open_bench(tmp_path, OPENAI_BASE_URL="http://127.0.0.1:9/v1", OPENAI_API_KEY="sk-SENTINEL")


def crystallized(bench: Bench) -> results.Crystallized:
    result = bench.run("/memory crystallize")
    assert isinstance(result, results.Crystallized)
    return result


# -- review ------------------------------------------------------------------------------------------------------------


def test_what_was_said_can_be_reviewed_and_approved(bench: Bench) -> None:
    """UX-04: crystallize, list, approve; the record is a memory of its own source."""
    bench.agent.say("以后都用 pnpm，不要用 npm", "这个方案采用了微服务", "hello")
    found = crystallized(bench)
    assert (found.messages, found.pending) == (3, 1)
    listed = bench.run("/memory review")
    assert isinstance(listed, results.ReviewList)
    (item,) = listed.items
    done = bench.run(f"/memory review approve {item.id[:6]}")
    assert isinstance(done, results.Reviewed)
    assert [record.source for record in done.memories] == ["crystallized"]
    assert "pnpm" in done.memories[0].content
    for again in ("approve", "reject"):
        with pytest.raises(GuardError, match="already approved"):
            bench.run(f"/memory review {again} {item.id}")
    assert bench.manager.count() == 1
    assert crystallized(bench).items == ()


def test_of_many_candidates_one_page_is_shown(bench: Bench) -> None:
    """Of 25 candidates the oldest 20 are shown, with their number and the options of the lists for the rest; JSON has
    all of them."""
    bench.agent.say(*(f"We decided to call service {n} by the name of planet{n}." for n in range(25)))
    found = crystallized(bench)
    assert (len(found.items), found.total) == (20, 25)
    waiting = [item.id for item in bench.manager.list_review_items("pending")]

    def listed(options: str = "") -> list[str]:
        result = bench.run(f"/memory review {options}")
        assert isinstance(result, results.ReviewList)
        assert result.total == 25
        return [item.id for item in result.items]

    assert listed() == waiting[:20]
    assert listed("--limit 3") == waiting[:3]
    assert listed("--all") == waiting
    with pytest.raises(UsageError, match="cannot go together"):
        listed("--all --limit 3")
    bench.ctx.json = True
    assert listed() == waiting


def test_unknown_ids_are_clear_errors(bench: Bench) -> None:
    """UX-04: ``approve 999`` and ``approve abc`` name what was asked for."""
    for item in ("999", "abc"):
        with pytest.raises(NotFound, match=item):
            bench.run(f"/memory review approve {item}")
    with pytest.raises(NotFound, match="No candidate"):
        bench.run("/memory review approve all")


def test_all_asks_first(bench: Bench) -> None:
    """``approve all`` and ``reject all`` say how many, and do nothing without a yes."""
    bench.agent.say("以后都用 pnpm，不要用 npm", "From now on always use tabs for indentation.")
    pending = crystallized(bench).pending
    assert pending == 2
    question = TABLE.parse("memory review reject all").question(bench.ctx)
    assert question is not None
    assert "2 candidates" in question.text
    assert TABLE.parse("memory review reject abc").question(bench.ctx) is None
    bench.run("/memory review reject all", yes=False)
    assert bench.manager.pending_count() == 2
    done = bench.run("/memory review reject ALL")
    assert isinstance(done, results.Reviewed)
    assert len(done.items) == 2


def test_all_ends_where_the_store_fails(bench: Bench) -> None:
    """A store that cannot be written is an error of its kind, not a list of candidates that were refused."""
    bench.agent.say("以后都用 pnpm，不要用 npm", "From now on always use tabs for indentation.")
    crystallized(bench)
    for path in (bench.settings.project_db, bench.settings.user_db):
        change(path, "CREATE TRIGGER no BEFORE INSERT ON memories BEGIN SELECT RAISE(ABORT, 'no'); END")
    with pytest.raises(StoreError, match="0 candidates were decided before that"):
        bench.run("/memory review approve all")
    assert bench.manager.pending_count() == 2
    assert crystallized(bench).items == ()


# -- the conversation --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", ["/clear", "/new"])
def test_clearing_the_conversation_keeps_memories(bench: Bench, line: str) -> None:
    """UX-05, CMP-14: it says how much stays, and looks through the conversation once before it goes."""
    bench.run("/memory add fact x")
    bench.manager.save_session_summary("We talked.", 10, 2)
    bench.agent.say("以后都用 pnpm，不要用 npm")
    session = bench.manager.session_id
    result = bench.run(line)
    assert isinstance(result, results.Notice)
    assert "1 memory and 1 session summary stay" in result.lines[0]
    assert result.lines[1] == "1 candidate for memories waits: /memory review"
    assert bench.agent.messages == []
    assert (bench.manager.session_id != session) is (line == "/new")


def test_nothing_is_mined_while_memory_is_off(bench: Bench) -> None:
    """``/memory off`` holds at ``/clear`` too."""
    bench.agent.say("以后都用 pnpm，不要用 npm")
    bench.run("/memory off")
    bench.run("/clear")
    assert bench.manager.pending_count() == 0


def test_compact_tells_what_it_did(bench: Bench) -> None:
    """The hint reaches the agent, the answer is its own line."""
    result = bench.run("/compact keep the --open questions")
    assert bench.agent.hints == ["keep the --open questions"]
    assert isinstance(result, results.Notice)
    assert result.lines == ("Compacted 12 messages: 9,000 tokens before, 1,200 after.",)
    assert result.data["tokens_after"] == 1_200


def test_context_shows_the_window(bench: Bench) -> None:
    """What fills the window, and of which model."""
    result = bench.run("/context")
    assert isinstance(result, results.ContextShown)
    assert (result.usage.window_tokens, result.model) == (8_000, "small")


def test_session_shows_this_sessions_summaries(bench: Bench) -> None:
    """The newest ten of this session; ``--all`` those of every session."""
    for number in range(12):
        bench.manager.save_session_summary(f"Summary {number}", 10, 2)
    result = bench.run("/memory session")
    assert isinstance(result, results.Summaries)
    assert [each.summary_text for each in result.summaries][:2] == ["Summary 11", "Summary 10"]
    assert len(result.summaries) == 10
    bench.manager.new_session()
    assert bench.run("/memory session").summaries == ()  # type: ignore[attr-defined]
    assert len(bench.run("/memory session --all").summaries) == 10  # type: ignore[attr-defined]


def test_status_counts_and_names_both_files(bench: Bench) -> None:
    """ST-26: All that the document lists: counts, recall hits and errors, block and summary characters, paths."""
    bench.run("/memory add user_name 小明")
    bench.manager.save_session_summary("We talked.", 10, 2)
    bench.retriever.hit_count, bench.retriever.error_count, bench.retriever.last_error = 3, 1, "boom"
    result = bench.run("/memory status")
    assert isinstance(result, results.Status)
    assert result.recall == results.RecallCounts(3, 1, "boom")
    assert result.memory.totals == {"user": 1, "project": 0}
    assert result.memory.last_summary_chars == len("We talked.")
    assert {store.path for store in result.memory.stores} == {bench.settings.user_db, bench.settings.project_db}
    assert [fact.title for fact in result.facts] == ["User name"]
    assert result.memory.block_chars >= result.facts[0].chars > 0


def test_why_tells_what_a_question_brings_up(bench: Bench) -> None:
    """Each fact with its block, score, factors, matched words and age; the factors times the weights are the score."""
    for number in range(5):
        bench.run(f"/memory add filler_{number} about {number} other things")
    bench.run("/memory add code_formatter we format Python with ruff")
    for number in range(5, 9):
        bench.run(f"/memory add filler_{number} about {number} other things")
    result = bench.run("/memory why which formatter do we use?")
    assert isinstance(result, results.Why)
    assert result.query == "which formatter do we use?"
    assert len(result.stable) == 3
    assert all(fact.chars > 0 and fact.updated_at for fact in result.stable)
    (found,) = result.recalled
    assert (found.candidate.title, found.in_block) == ("Code formatter", True)
    assert found.candidate.matched
    factors = found.candidate.factors
    assert found.candidate.score == pytest.approx(
        (4 * factors.tag + 3 * factors.title + 2 * factors.keyword + factors.recency) / 10, abs=0.005
    )


def test_why_shows_the_last_turn(bench: Bench) -> None:
    """Without a question it is what the last request carried; before that it says so, and while memory is off too."""
    from agentao.agent.agent import Agent
    from agentao.agent.offline_client import OfflineClient

    assert bench.run("/memory why") == results.Why("")
    bench.run("/memory add user_editor nvim")
    agent = Agent(bench.manager, OfflineClient(), retriever=bench.retriever)
    for _ in agent.run_turn("which editor do I use?"):
        pass
    bench.agent.last_recall = agent.last_recall
    result = bench.run("/memory why")
    assert isinstance(result, results.Why)
    assert result.query == "which editor do I use?"
    assert [fact.title for fact in result.stable] == ["User editor"]
    assert result.recalled == ()
    bench.run("/memory off")
    assert bench.run("/memory why") == results.Why("", memory_on=False)


def test_what_was_not_sent_is_not_counted(bench: Bench) -> None:
    """Issue 5: after a refused connection the status shows no hit and no character, and why says that none was sent."""
    from agentao.agent.agent import Agent
    from agentao.agent.scripted_client import ScriptedClient

    for number in range(5):
        bench.run(f"/memory add filler_{number} about {number} other things")
    agent = Agent(bench.manager, ScriptedClient(ConnectFailed("refused")), retriever=bench.retriever)
    with pytest.raises(ConnectFailed):
        list(agent.run_turn("what is filler 1 about?"))
    bench.agent.last_recall = agent.last_recall
    status, why = bench.run("/memory status"), bench.run("/memory why")
    assert isinstance(status, results.Status)
    assert (status.recall, status.dynamic_chars) == (results.RecallCounts(0, 0, ""), 0)
    assert isinstance(why, results.Why)
    assert why.recalled
    assert not why.sent


def test_each_matched_word_is_shown_once(bench: Bench) -> None:
    """A word of the question that is also what it asks for by its form (play, of a title) stands once, in order."""
    bench.run('/memory add sunday_habit we play the sport of "Fives"')
    result = bench.run("/memory why what sport do I play")
    assert isinstance(result, results.Why)
    (found,) = (*result.recalled, *result.near_misses)
    assert found.candidate.matched == ("sport", "play")


def test_why_says_which_of_two_left_a_fact_out(bench: Bench) -> None:
    """A fact that recall found and the block does not hold had no room there, or its text stood there already."""
    from dataclasses import replace

    from agentao.agent.context import Recall
    from agentao.memory.renderer import MemoryPromptRenderer, StableBlockPlan
    from tests.support.samples import FOUND

    first = replace(FOUND, content="run the tests before each commit")
    found = (first, replace(first, memory_id="twin"), replace(FOUND, memory_id="long", excerpt="x" * 400))
    plan = MemoryPromptRenderer().plan_dynamic_block(found, 400)
    bench.agent.last_recall = Recall("提交前要测试吗", StableBlockPlan(""), found, plan)
    result = bench.run("/memory why")
    assert isinstance(result, results.Why)
    assert [(each.in_block, each.lacked) for each in result.recalled] == [
        (True, ""),
        (False, "Its text stands in the block already."),
        (False, "It had no room in the block."),
    ]


def test_why_says_plainly_why_there_is_nothing(bench: Bench) -> None:
    """Before the first question, and where every word of a question is weak, one sentence says so, in JSON too."""
    none = to_json(bench.run("/memory why"))
    assert (none["query"], none["message"]) == ("", "No question was asked yet in this session.")
    for number in range(24):
        bench.run(f"/memory add filler_{number} about {number} other gadgets")
    weak = bench.run("/memory why which gadgets?")
    assert isinstance(weak, results.Why)
    assert (weak.recalled, weak.near_misses) == ((), ())
    assert "more than half of the memories" in to_json(weak)["message"]
    assert to_json(bench.run("/memory why filler 3"))["message"] == ""


def test_why_is_shown_as_json_in_the_shell_too(bench: Bench) -> None:
    """``--json`` after the command or a question gives the same as data, of the last turn or of that question."""
    bench.run("/memory add editor 编辑器是 neovim")
    for line, query, titles in (("--json", "", []), ("which editor? --json", "which editor?", ["Editor"])):
        result = bench.run(f"/memory why {line}")
        assert isinstance(result, results.Why)
        shown = json.loads(paint(result, None))
        assert shown == to_json(result)
        assert (shown["query"], [each["title"] for each in shown["near_misses"]]) == (query, titles)
    other = bench.run("/memory why what does a--json mean")
    assert isinstance(other, results.Why)
    assert other.query == "what does a--json mean"


def test_an_old_memory_is_recalled_and_shows_its_age(bench: Bench) -> None:
    """RQ-12: 400 days old, it is still found by an exact word, and its age stands beside it."""
    from dataclasses import replace

    bench.run("/memory add --tags formatter code_style ruff")
    for number in range(4):
        bench.run(f"/memory add other_{number} thing {number}")
    (old,) = bench.manager.resolve("code_style")
    stamp = "2020-01-01T00:00:00.000000+00:00"
    bench.manager.store_for("project").write(
        replace(old, type="note", created_at=stamp, updated_at=stamp), "update", before=old
    )
    result = bench.run("/memory why formatter")
    assert isinstance(result, results.Why)
    assert [(each.candidate.title, each.updated_at) for each in result.recalled] == [("Code style", stamp)]


def test_raw_switches_forth_and_back(bench: Bench) -> None:
    """The state is the shell's."""
    assert bench.run("/raw") == results.RawMode(True)
    assert bench.ctx.state.raw
    assert bench.run("/raw") == results.RawMode(False)


@pytest.mark.parametrize("line", ["/clear", "/new"])
def test_reasoning_is_shown_until_the_conversation_goes(bench: Bench, line: str) -> None:
    """The last answer's reasoning is the shell's to show; with the conversation it is gone."""
    assert bench.run("/reasoning") == results.Reasoning()
    bench.ctx.state.reasoning = results.Reasoning("step by step", 3.2)
    assert bench.run("/reasoning") == results.Reasoning("step by step", 3.2)
    bench.run(line)
    assert bench.run("/reasoning") == results.Reasoning()


def test_edit_and_exit_are_the_shells_business(bench: Bench) -> None:
    """They answer what the shell acts on."""
    assert bench.run("/edit") == results.EditDraft()
    for line in ("/exit", "/quit", "/q"):
        assert bench.run(line) == results.Leave()


# -- the model ---------------------------------------------------------------------------------------------------------


def test_model_lists_and_switches(bench: Bench) -> None:
    """The server's list, the one in use, and the names for completion."""
    assert bench.run("/model") == results.Models("small", bench.client.url, ("Large", "small"))
    assert bench.ctx.state.models == ("Large", "small")
    result = bench.run("/model large")
    assert isinstance(result, results.Models)
    assert (result.current, result.changed, bench.client.model) == ("Large", True, "Large")


def test_a_model_the_server_lacks_is_named(bench: Bench) -> None:
    """With what comes near; the model in use stays."""
    with pytest.raises(UsageError, match="Did you mean Large"):
        bench.run("/model Lar")
    with pytest.raises(UsageError, match="/model lists"):
        bench.run("/model gpt-99")
    assert bench.client.model == "small"


def test_a_server_without_a_list_takes_any_name(bench: Bench) -> None:
    """What cannot be checked is believed, and the reason is told."""
    bench.client.error = ConnectFailed("nothing answers")
    result = bench.run("/model any")
    assert isinstance(result, results.Models)
    assert (result.current, result.problem) == ("any", "nothing answers")


def test_offline_says_how_to_connect_a_model(tmp_path: Path) -> None:
    """INS-02: neither key nor address is one line with what to set."""
    result = open_bench(tmp_path).run("/model")
    assert isinstance(result, results.Models)
    assert "OPENAI_API_KEY" in result.problem
    assert "OPENAI_BASE_URL" in result.problem


def test_config_show_tells_where_each_value_comes_from(bench: Bench) -> None:
    """Every setting with its origin; of the key only that it is set; no login of an address."""
    result = bench.run("/config show")
    assert isinstance(result, results.Config)
    found = {entry.key: entry for entry in result.values}
    assert (found["model.api_key"].value, found["model.api_key"].origin) == ("set", "environment OPENAI_API_KEY")
    assert found["model.context_window"].origin == "default"
    assert "SENTINEL" not in str(result)
    login = open_bench(Path(bench.settings.home).parent / "x", OPENAI_BASE_URL="http://u:SENTINEL@h:1/v1")
    shown = login.run("/config show")
    assert isinstance(shown, results.Config)
    assert {entry.value for entry in shown.values if entry.key == "model.base_url"} == {"http://h:1/v1"}


def test_config_show_names_a_projects_file_that_counts_for_nothing(bench: Bench) -> None:
    """Settings inside a project are not read, and whoever put them there learns of it."""
    result = bench.run("/config show")
    assert isinstance(result, results.Config)
    assert result.not_read is None
    place = bench.settings.project_root / ".agentao" / "config.toml"
    place.write_text('[model]\napi_key = "sk-SENTINEL"\n')
    result = bench.run("/config show")
    assert isinstance(result, results.Config)
    assert result.not_read == place
    assert "SENTINEL" not in str(result)


def test_the_doctor_makes_no_file(tmp_path: Path) -> None:
    """It looks at the settings, the stores and the server, and leaves nothing behind."""
    from agentao.config import load_settings
    from agentao.shell.context import CommandContext

    project = tmp_path / "project"
    project.mkdir()
    settings = load_settings({"HOME": str(tmp_path / "home")}, project, top=tmp_path)
    ctx = CommandContext(settings=settings)
    result = TABLE.parse("doctor").run(ctx)
    assert isinstance(result, results.Diagnosis)
    assert not result.failed
    assert [check.name for check in result.checks][:3] == ["project store", "user store", "configuration"]
    assert not (tmp_path / "home").exists()
    assert list(project.iterdir()) == []


# -- help --------------------------------------------------------------------------------------------------------------


def test_help_of_one_command_has_examples(bench: Bench) -> None:
    """Usage, arguments, options, examples, other names."""
    result = bench.run("/help memory delete")
    assert isinstance(result, results.HelpCommand)
    assert result.usage == "/memory delete TARGET…"
    assert result.examples[0] == "/memory delete Package manager"
    assert "/memory rm" in result.aliases
    for line in ("/help /memory delete", "/help ／memory delete", "/HELP Memory RM"):
        assert bench.run(line) == result


def test_help_finds_what_it_was_asked_for(bench: Bench) -> None:
    """A group has an overview, a slip the nearest name."""
    group = bench.run("/help memory")
    assert isinstance(group, results.HelpTopics)
    assert bench.run("/memory help") == group
    assert len(group.topics[0][1]) == len(TABLE.under("memory"))
    with pytest.raises(UsageError, match="/help memory delete"):
        bench.run("/help memory delte")
    with pytest.raises(UsageError, match=r"frob.*/help"):
        bench.run("/help frob")


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("undo", "/memory undo"),
        ("search", "/memory search"),
        ("save", "/memory add"),
        ("forget", "/memory delete"),
        ("window", "/context"),
    ],
)
def test_help_finds_a_command_by_one_of_its_words(bench: Bench, asked: str, found: str) -> None:
    """Whoever knows what they want, and not how it is called, is shown the commands about it."""
    result = bench.run(f"/help {asked}")
    assert isinstance(result, results.HelpCommand)
    assert result.usage.startswith(found)


def test_help_tells_how_to_connect_a_model(bench: Bench) -> None:
    """Messages of the offline assistant point here."""
    result = bench.run("/help model")
    assert isinstance(result, results.HelpCommand)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "config.toml"):
        assert name in result.description


def test_help_lists_the_commands_about_a_word(bench: Bench) -> None:
    """Where several commands are about it, each has its line."""
    several = bench.run("/help settings")
    assert isinstance(several, results.HelpTopics)
    assert [line.usage.split()[0] for line in several.topics[0][1]] == ["/doctor", "/config"]
