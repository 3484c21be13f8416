"""The command table: what a line is, what its words mean, what could come next, and what a command must have."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentao.errors import UsageError
from agentao.shell.command import Arg, command
from agentao.shell.command_line import read
from agentao.shell.commands import TABLE
from agentao.shell.context import CommandContext
from agentao.shell.results import Notice, Result
from agentao.shell.table import CommandTable


def words_of(line: str) -> tuple[str, dict[str, Any]]:
    call = TABLE.parse(line)
    return call.command.name, call.values


# -- what a line is ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", ["", "   ", "\t", "　", "\n\n"])
def test_blank_input_is_nothing(line: str) -> None:
    """IN-13: blanks of any kind are no message."""
    assert TABLE.route(line).kind == "blank"


@pytest.mark.parametrize(
    "line",
    [
        "/memory list",
        " /memory list",
        "/MEMORY List",
        "/memory",
        "/memory  list ",
        "／memory list",
        "／ｍｅｍｏｒｙ　ｌｉｓｔ",
        "、memory list",
        "/ memory list",
        "/memory ls",
    ],
)
def test_a_command_is_known_in_every_spelling(line: str) -> None:
    """UX-08, I18-09: case, leading blanks, full-width and IME slashes do not matter."""
    routed = TABLE.route(line)
    assert routed.kind == "command"
    assert routed.call is not None
    assert routed.call.command.name == "memory list"


@pytest.mark.parametrize(
    ("line", "sent"),
    [
        ("hello", "hello"),
        ("  hello ", "hello"),
        ("//x", "/x"),
        ("／／memory list", "/memory list"),
        ("/home/u/a.txt 里有什么", "/home/u/a.txt 里有什么"),
        ("/api/接口的实现", "/api/接口的实现"),
        ("/tmp 里有什么", "/tmp 里有什么"),
        ("/tmp里有什么", "/tmp里有什么"),
        ("苹果、梨", "苹果、梨"),
        ("、然后呢", "、然后呢"),
        ("、hello", "、hello"),
        ("1/2", "1/2"),
        ("/memory clear\nand more", "/memory clear\nand more"),
    ],
)
def test_plain_input_goes_to_the_model(line: str, sent: str) -> None:
    """IN-01, IN-04: paths, pastes of several lines and everything without a slash are text."""
    routed = TABLE.route(line)
    assert (routed.kind, routed.text) == ("text", sent)


def test_a_name_that_exists_is_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A first word that names a file is plain input, whatever it looks like."""
    monkeypatch.setattr("os.path.lexists", lambda name: name == "/hlep")
    assert TABLE.route("/hlep me").kind == "text"
    assert TABLE.route("/help").kind == "command"


@pytest.mark.parametrize(
    ("line", "near"),
    [
        ("/memroy list", "/memory list"),
        ("/memory lsit", "/memory list"),
        ("/hlep", "/help"),
        ("/mem", "/memory"),
        ("/memory serch uv", "/memory search"),
        ("/memory review aprove x", "/memory review approve"),
        ("/quti", "/quit"),
        ("、memroy list", "/memory list"),
        ("/clera", "/clear"),
        ("/undo", "Did you mean /memory undo?"),
        ("/search nvim", "Did you mean /memory search?"),
        ("/List", "Did you mean /memory list?"),
        ("/approve 3", "Did you mean /memory review approve?"),
    ],
)
def test_a_slip_is_answered_with_the_nearest_name(line: str, near: str) -> None:
    """IN-04: a mistyped command is an error of one line with the nearest name, and nothing for the model."""
    routed = TABLE.route(line)
    assert routed.kind == "error"
    assert near in str(routed.error)
    assert "\n" not in str(routed.error)


@pytest.mark.parametrize("line", ["/", "/ ", "／", "、", " 、 ", "/frobnicate", "/你好", "/memory frobnicate", "/!"])
def test_an_unknown_command_is_never_sent(line: str) -> None:
    """A slash and an unknown word is an error that says where help is."""
    routed = TABLE.route(line)
    assert routed.kind == "error"
    assert "/help" in str(routed.error)


def test_an_unknown_word_of_a_group_is_followed_by_its_overview() -> None:
    """UX-08: after the error line, every command of the group in one line each."""
    routed = TABLE.route("/memory frobnicate")
    assert routed.call is not None
    assert routed.call.command.name == "help"
    assert routed.call.values == {"words": "memory"}


def test_a_large_paste_behind_a_slash_is_routed_at_once() -> None:
    """IN-03: comparing names does not read 64 KB; the message stays short."""
    for line in ("/" + "memory" * 11_000, "/memory " + "x" * 64_000, "/memory search " + "文" * 64_000):
        routed = TABLE.route(line)
        assert len(str(routed.error)) < 300


@given(st.text())
def test_routing_never_raises(line: str) -> None:
    """Any text whatever is one of the four kinds."""
    assert TABLE.route(line).kind in ("blank", "text", "command", "error")
    assert TABLE.route("/" + line).kind in ("blank", "text", "command", "error")


# -- what its words mean -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("memory search don't", "don't"),
        ('memory search "半个引号', '"半个引号'),
        ("memory search C:\\\\x\\\\", "C:\\\\x\\\\"),
        ('memory search "package manager" uv', '"package manager" uv'),
        ("memory search a  b", "a  b"),
        ("memory search --foo", "--foo"),
        ("memory search -", "-"),
        ("memory search -- --all", "--all"),
        ("memory search foo --all", "foo --all"),
    ],
)
def test_free_text_is_taken_as_typed(line: str, value: str) -> None:
    """IN-18: quotes, backslashes, apostrophes and dashes have no special meaning in a query."""
    assert words_of(line) == ("memory search", {"query": value, "limit": None, "all": False})


@given(st.text().map(lambda text: "x" + text.replace("\n", " ") + "x"))
def test_the_rest_of_the_line_is_verbatim(text: str) -> None:
    """A value is stored as it was typed, whatever stands in it."""
    assert TABLE.parse(f"memory add key {text}").values["value"] == text


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("memory add k v w", {"key": "k", "value": "v w", "tags": None, "scope": None}),
        ('memory add "two words" v', {"key": "two words", "value": "v", "tags": None, "scope": None}),
        ("memory add --tags a,b k v", {"key": "k", "value": "v", "tags": "a,b", "scope": None}),
        ("memory add --tags=a k --scope x", {"key": "k", "value": "--scope x", "tags": "a", "scope": None}),
        ("memory add --scope USER k v", {"key": "k", "value": "v", "tags": None, "scope": "user"}),
        ("memory add k", {"key": "k", "value": None, "tags": None, "scope": None}),
        ("memory delete a b", {"target": "a b"}),
        ("memory import --dry-run a file", {"file": "a file", "dry_run": True}),
        ("memory import a file --dry-run", {"file": "a file", "dry_run": True}),
        ("memory import -- a --dry-run", {"file": "a --dry-run", "dry_run": False}),
        ("memory export notes --scope user", {"file": "notes", "scope": "user"}),
        ('memory edit the key --value "a b"', {"target": "the key", "value": "a b", "tags": None}),
        ("memory list --limit 5 --type NOTE", {"limit": 5, "all": False, "sort": "updated", "type": "note"}),
        ("memory --all", {"limit": None, "all": True, "sort": "updated", "type": None}),
        ("compact keep --all questions", {"hint": "keep --all questions"}),
    ],
)
def test_words_become_values(line: str, values: dict[str, Any]) -> None:
    """Arguments, options with and without ``=``, and names that take the rest of the line."""
    assert words_of(line)[1] == values


def test_yes_and_pager_are_for_the_shell() -> None:
    """``--yes`` and ``--pager`` reach the call and not the function."""
    call = TABLE.parse("memory clear --yes")
    assert call.yes
    assert call.values == {}
    assert TABLE.parse("memory show x --pager").pager


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("memory search", "QUERY is missing."),
        ("memory search    ", "QUERY is missing."),
        ("memory delete --", "TARGET is missing."),
        ("memory list x", "'x' is one word too many."),
        ("memory list --foo", "Unknown option --foo."),
        ("memory list --limt 5", "Did you mean --limit?"),
        ("memory list --limit", "--limit needs a value."),
        ("memory list --limit x", "--limit takes a whole number, not 'x'."),
        ("memory list --limit 0", "--limit takes a number from 1 on, not 0."),
        ("memory list --limit ٣", "--limit takes a whole number"),
        ("memory list --sort age", "--sort takes updated, created, title or type, not 'age'."),
        ("memory list --all=1", "--all takes no value."),
        ("memory add", "KEY is missing."),
        ("memory add --tgs a k v", "Unknown option --tgs. Did you mean --tags?"),
        ('memory add "" v', "KEY must not be empty."),
        ("memory review approve", "ID|all is missing."),
        ("memory review approve a b", "'b' is one word too many."),
    ],
)
def test_a_slip_is_one_line_with_the_usage(line: str, what: str) -> None:
    """RQ-05 and bad input: what is wrong, then how the command is used, in one line."""
    with pytest.raises(UsageError) as caught:
        TABLE.parse(line)
    message = str(caught.value)
    assert message.startswith(what) or what in message
    assert f"Usage: {TABLE.match(line)[0].usage()}" in message  # type: ignore[union-attr]
    assert "\n" not in message


# -- what could come next ----------------------------------------------------------------------------------------------


def texts(line: str, ctx: CommandContext | None = None, after: str = "") -> list[str]:
    ctx = ctx or CommandContext()
    return [line[: each.start] + each.text + after for each in TABLE.complete(line, ctx, after)]


def test_completion_in_front_of_a_draft_does_not_glue() -> None:
    """IN-14: the word alone is completed, with a blank between, and no placeholder."""
    assert texts("/mem", after="pls check") == ["/memory pls check"]
    assert texts("/memory sea", after=" x") == ["/memory search x"]
    assert texts("/exi", after="now") == ["/exit now"]
    assert not any("<" in text or "QUERY" in text for text in texts("/memory "))


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("/mem", ["/memory "]),
        ("／mem", ["／memory "]),
        ("、mem", ["、memory "]),
        ("  /mem", ["  /memory "]),
        ("/MEM", ["/memory "]),
        ("/memory lis", ["/memory list "]),
        ("/memory review ap", ["/memory review approve "]),
        ("/memory list --l", ["/memory list --limit "]),
        ("/memory list --sort cr", ["/memory list --sort created "]),
        ("/memory --al", ["/memory --all "]),
        ("/help memory del", ["/help memory delete"]),
        ("hello /mem", []),
        ("a", []),
        ("/frob x", []),
        ("/memory clear\n/mem", []),
    ],
)
def test_completion_offers_the_next_word(line: str, wanted: list[str]) -> None:
    """Names, options and choices, wherever the line stands."""
    assert texts(line) == wanted


def test_completion_describes_what_it_offers() -> None:
    """Every command of the group with its summary, each once."""
    found = TABLE.complete("/memory ", CommandContext())
    assert len({each.text for each in found}) == len(found)
    assert {each.description for each in found if each.text == "search "} == {TABLE.get("memory search").summary}  # type: ignore[union-attr]
    assert all(each.description for each in found)


@given(st.text(max_size=30), st.text(max_size=5))
def test_completion_never_raises(line: str, after: str) -> None:
    """Any text may stand before the cursor; a suggestion replaces a part of it that exists."""
    for each in TABLE.complete("/memory " + line, _NoStores(), after):
        assert 0 <= each.start <= len("/memory " + line)


class _NoStores(CommandContext):
    @property
    def manager(self) -> Any:
        """Nothing is stored."""
        return self

    @property
    def stores(self) -> tuple[()]:
        """No store."""
        return ()

    def tag_counts(self) -> list[tuple[str, int]]:
        """No tag."""
        return []

    def list_review_items(self, status: str = "") -> list[Any]:
        """No item."""
        return []


# -- what a command must have ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", list(TABLE), ids=lambda entry: entry.name)
def test_every_command_explains_itself(entry: Any) -> None:
    """A summary that fits a line of the overview, examples that parse to it, help for each parameter."""
    assert entry.summary.endswith(".")
    assert len(entry.summary) <= 46
    assert entry.examples
    for param in entry.params:
        assert param.help.endswith("."), param.name
    for example in entry.examples:
        if example.startswith("/"):
            assert TABLE.parse(example[1:]).command is entry, example
        else:
            chosen = read(shlex.split(example.removeprefix("agentao ")), TABLE)
            assert chosen.call is not None
            assert chosen.call.command is entry, example


def test_names_are_given_once() -> None:
    """Two commands of one name are refused when the table is made."""
    entry = TABLE.get("exit")
    assert entry is not None
    with pytest.raises(ValueError, match="exit"):
        CommandTable([entry, entry])


def test_a_signature_becomes_a_command() -> None:
    """Positional is an argument, keyword-only an option, a default makes it optional."""

    @command("make tea", aliases=("brew",), examples=("/make tea green",))
    def make_tea(
        ctx: CommandContext,
        kind: Annotated[Literal["green", "black"], Arg("Which.")],
        words: Annotated[str, Arg("For whom.", rest=True)] = "",
        *,
        cups: Annotated[int | None, Arg("How many.", minimum=1)] = None,
        hot: Annotated[bool, Arg("Or not.")] = False,
    ) -> Result:
        """Make tea.

        It takes a while,
        or longer.

        Drink it hot.
        """
        return Notice((f"{kind} {words} {cups} {hot}",))

    table = CommandTable([make_tea])
    assert make_tea.usage() == "/make tea [--cups N] [--hot] green|black [WORDS…]"
    assert (make_tea.summary, make_tea.description) == ("Make tea.", "It takes a while, or longer.\nDrink it hot.")
    call = table.parse("brew --cups 2 Green for you")
    assert call.run(CommandContext()) == Notice(("green for you 2 False",))


@pytest.mark.parametrize("annotation", [float, list[str], bytes, dict, int | str])
def test_any_other_type_fails_at_import(annotation: Any) -> None:
    """The parser stays small: only str, int, bool options and Literal, each or None."""

    def wrong(ctx: CommandContext, value: Any) -> Result:
        """Never made."""
        return Notice(())

    wrong.__annotations__["value"] = annotation
    with pytest.raises(TypeError, match="value"):
        command("wrong")(wrong)


def test_the_rest_of_the_line_comes_last() -> None:
    """Nothing can follow what takes everything."""

    def wrong(ctx: CommandContext, a: Annotated[str, Arg("", rest=True)], b: str) -> Result:
        """Never made."""
        return Notice(())

    wrong.__annotations__.update(a=Annotated[str, Arg("", rest=True)], b=str)
    with pytest.raises(TypeError, match="last"):
        command("wrong")(wrong)
