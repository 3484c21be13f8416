"""How results look: golden files, columns that hold in every script, and nothing that steers a terminal."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from agentao.shell import results
from agentao.shell.commands import TABLE
from agentao.shell.views.cells import cells, wrap
from agentao.shell.views.memory import EXCERPT_CHARS, excerpt
from agentao.shell.views.render import age, clean, local, views
from tests.support.golden import COMMANDS_END, COMMANDS_MARK, FOLDER, golden_texts, paint, readme_text
from tests.support.samples import NASTY, NOW, PACKAGES, RECORDS, SAMPLES, SIGNS, record, stamp


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Local times are UTC."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    os.environ.pop("TZ", None)
    time.tzset()


def all_results() -> set[type]:
    return {kind for kind in vars(results).values() if isinstance(kind, type) and results.Result in kind.__mro__[1:]}


def test_every_result_has_a_view_and_a_sample() -> None:
    """A new kind of answer needs a view, and a sample that the golden files show."""
    assert set(views()) == all_results()
    assert {type(result) for result in SAMPLES.values()} == all_results()


def test_views_are_as_their_golden_files() -> None:
    """Every sample looks as its file says; ``scripts/golden`` writes the files anew."""
    texts = golden_texts()
    for name, text in texts.items():
        path = FOLDER / name
        assert path.exists(), f"{name} is not there yet: scripts/golden writes it"
        assert text == path.read_text(encoding="utf-8"), f"{name} looks different: scripts/golden, then read the diff"
    assert {path.name for path in FOLDER.iterdir()} == set(texts)


def test_the_readme_names_every_command() -> None:
    """Its section is made from the table: usage and summary of each, and only between the two marks."""
    made = readme_text(f"before\n{COMMANDS_MARK}\nold\n{COMMANDS_END}\nafter\n")
    assert made.startswith(f"before\n{COMMANDS_MARK}\n| ")
    assert made.endswith(f"|\n{COMMANDS_END}\nafter\n")
    for entry in TABLE:
        assert f"/{entry.name}" in made
        assert entry.summary in made
    assert readme_text(made) == made
    assert readme_text("no marks") == "no marks"


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_no_line_is_wider_than_the_screen(name: str, width: int) -> None:
    """Every view fits every terminal, and leaves no blanks at the ends of lines to be copied."""
    result = SAMPLES[name]
    if isinstance(result, results.Exported) and result.path is None:
        return
    for line in paint(result, width).split("\n"):
        assert cells(line) <= max(width, 40 if isinstance(result, results.Memories) else 20), line


@pytest.mark.parametrize("width", [20, 30, 40, 59, 60])
def test_a_diagnosis_is_whole_in_every_window(width: int) -> None:
    """Each finding and hint is there to the last letter, without empty rows between."""
    result = SAMPLES["diagnosis"]
    assert isinstance(result, results.Diagnosis)
    rows = paint(result, width).rstrip("\n").split("\n")
    assert all(row.strip() for row in rows)
    shown = "".join("".join(rows).split())
    for check in result.checks:
        for words in (check.status, check.name, check.message, check.hint):
            assert "".join(words.split()) in shown


@pytest.mark.parametrize("name", SAMPLES)
def test_stored_text_steers_no_terminal(name: str) -> None:
    """SEC-10: no control character of a stored text comes out, in any view; what was there is shown as escapes."""
    text = paint(SAMPLES[name], 80)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u2028\u2029]", text)
    if NASTY in str(SAMPLES[name]):
        assert "\\x1b" in text
        assert "[/etc]" in text


@pytest.mark.parametrize("name", SAMPLES)
def test_without_colour_nothing_is_lost(name: str) -> None:
    """The words are the same with and without colours, and a pipe gets no escape codes."""
    plain = paint(SAMPLES[name], 80)
    colored = re.sub(r"\x1b\[[0-9;]*m", "", paint(SAMPLES[name], 80, color=True))
    assert colored == plain
    assert "\x1b" not in paint(SAMPLES[name], None)


@pytest.mark.parametrize("name", SAMPLES)
def test_colours_read_on_light_and_dark_ground(name: str) -> None:
    """No white, black, bright or blue text, and no background: any theme shows what is there."""
    for codes in re.findall(r"\x1b\[([0-9;]*)m", paint(SAMPLES[name], 80, color=True)):
        for code in codes.split(";"):
            assert code in ("", "0", "1", "2", "4", "31", "32", "35", "36", "39", "49"), codes


@pytest.mark.parametrize("width", [40, 80, 120])
def test_borders_stand_in_one_column(width: int) -> None:
    """I18-16: with Chinese, emoji and full-width letters, on a terminal that counts some of them differently."""
    rows = [replace(each, content=each.content.partition(" 🇨🇳")[0]) for each in SIGNS]
    result = results.Memories(tuple(rows), len(rows))
    screen = pyte.Screen(width, 60)
    pyte.Stream(screen).feed(paint(result, width, place=True).replace("\n", "\r\n"))
    lines = [line.rstrip() for line in screen.display]
    table = lines[: lines.index(next(line for line in lines if "memories" in line))]
    borders = {
        tuple(x for x in range(width) if screen.buffer[y][x].data in ("│", "┼")) for y, line in enumerate(table) if line
    }
    assert len(borders) == 1, lines
    assert all(line.strip("│ ") for line in table), "an empty row"
    shown = "\n".join(lines)
    for word in ("编辑器", "色", "ＡＢ", "红色", "最好"):
        assert word in shown.replace(" ", "") or word in shown


@pytest.mark.parametrize("width", [40, 80])
def test_flags_and_skin_tones_break_no_border(width: int) -> None:
    """A terminal that gives a flag four cells still gets its borders in one column."""
    screen = pyte.Screen(width, 60)
    pyte.Stream(screen).feed(paint(results.Memories(RECORDS, 9), width, place=True).replace("\n", "\r\n"))
    rows = [y for y in range(60) if any(screen.buffer[y][x].data == "│" for x in range(width))]
    assert len({tuple(x for x in range(width) if screen.buffer[y][x].data == "│") for y in rows}) == 1


def test_signs_are_whole_when_copied() -> None:
    """No variation selector or joiner is lost on the way to the screen."""
    text = paint(results.Memories(tuple(SIGNS), 4), 120)
    for each in SIGNS:
        assert each.title in text


def test_a_pipe_gets_whole_values() -> None:
    """One line for each memory, nothing cut: grep finds everything."""
    lines = paint(results.Memories(RECORDS, 9), None).splitlines()
    assert len(lines) == len(RECORDS) + 1
    assert RECORDS[-1].content.strip() in lines[len(RECORDS) - 1]


def test_a_long_value_is_cut_with_its_length() -> None:
    """UX-06: a value of 5,000 characters takes a few lines and says how long it is."""
    text = paint(results.Memories((record(1, "Long", "word " * 1_000),), 1), 80)
    assert "… (5,000 chars)" in text
    assert len(text.splitlines()) < 10


def test_the_list_shows_age() -> None:
    """RQ-12: a note of 400 days ago does not look like one of yesterday."""
    old, new = record(1, "Old", "x", days_ago=400), record(2, "New", "y", days_ago=1)
    lines = paint(results.Memories((new, old), 2), 80).splitlines()
    assert next(line for line in lines if "Old" in line).startswith("13 mo")
    assert next(line for line in lines if "New" in line).startswith("24 h") or "1 d" in lines[2]


@pytest.mark.parametrize(
    ("days", "words"),
    [(-5, "now"), (0, "now"), (0.01, "14 min"), (0.5, "12 h"), (1, "1 d"), (59, "59 d"), (60, "2 mo"), (800, "2 y")],
)
def test_age_in_the_largest_fitting_unit(days: float, words: str) -> None:
    """A time in the future counts as now."""
    assert age(stamp(days), NOW) == words


def test_times_are_local(monkeypatch: pytest.MonkeyPatch) -> None:
    """ST-22: Stored times are UTC and shown in this machine's zone."""
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    assert local("2026-09-01T20:30:00.000000+00:00") == "2026-09-02 04:30"
    assert local("nonsense") == "nonsense"


def test_matches_are_marked() -> None:
    """Search marks what it found, in any case and width, and shows the place where it stands."""
    found = record(1, "Ärger mit Proxy", "x" * 300 + " ÄRGER ＡＢ end", ("ärger",))
    text = paint(results.Memories((found,), 1, terms=("ärger", "ab")), 80, color=True)
    assert len(re.findall(r"\x1b\[[0-9;]*4[0-9;]*m", text)) >= 4
    assert "end" in re.sub(r"\x1b\[[0-9;]*m", "", text)


@pytest.mark.parametrize("before", [0, 9_995, 10_000, 10_003, 699_990])
@pytest.mark.parametrize(
    ("filling", "term"), [("x", "needle"), ("的", "部署流程"), ("x", "ＮＥＥＤＬＥ"), ("ﬁ", "needle")]
)
def test_a_match_in_a_very_long_value_is_shown(before: int, filling: str, term: str) -> None:
    """Wherever it stands, also over the edge of two parts; of a value no more is laid out than a screen may hold."""
    value = filling * before + term + filling * (700_000 - before)
    assert len(excerpt(value, [term.lower()])) <= EXCERPT_CHARS + 1
    text = paint(results.Memories((record(1, "Long", value),), 1, terms=(term.lower(),)), 120, color=True)
    assert term in re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_the_status_names_what_is_wrong_first() -> None:
    """INS-04: a store that does not open is the first line of the status, with its reason."""
    first = paint(SAMPLES["status_bad"], 200).splitlines()[0]
    assert first.startswith("Problem with the project store: The folder /srv/app cannot be written to")


def test_the_status_tells_what_the_prompt_holds() -> None:
    """UX-01, UX-06: used, limit, share, tokens, what did not fit, and each fact's part as a bar."""
    text = paint(SAMPLES["status"], 120)
    for part in ("1,240 of 2,000 characters (62%)", "310 tokens", "1 did not fit", "no room for: Long one", "█"):
        assert part in text
    assert "/home/u/.agentao/memory.db" in text
    assert "/home/u/work/.agentao/memory.db" in text


def test_a_screen_without_unicode_gets_plain_borders() -> None:
    """I18-12: where the encoding has no box characters, plain ones stand in their place."""
    import io

    from rich.console import Console

    from agentao.shell.views.render import render

    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding="cp1252", errors="replace")
    for name in ("list", "status"):
        Console(file=file, width=80, color_system=None, legacy_windows=False).print(render(SAMPLES[name], 80, now=NOW))
    file.flush()
    text = raw.getvalue().decode("cp1252")
    assert "|" in text
    assert "#" in text
    assert "│" not in text


def test_a_large_undo_is_told_in_a_few_lines() -> None:
    """Taking back a clear of a hundred memories names some and counts the rest."""
    undone = SAMPLES["undone"]
    assert isinstance(undone, results.Undone)
    outcome = replace(undone.outcome, steps=undone.outcome.steps[:1] * 100)
    shown = paint(results.Undone(outcome), 80).splitlines()
    assert len(shown) < 20
    assert any("and 90 more" in line for line in shown)


def test_help_lists_every_command_of_the_shell() -> None:
    """Nothing can be done that ``/help`` does not name."""
    shown = (FOLDER / "help_overview.80.txt").read_text(encoding="utf-8")
    for entry in TABLE:
        if entry.where != "line":
            assert f"  /{entry.name}" in shown


@given(st.text(), st.integers(min_value=4, max_value=40))
def test_wrapping_keeps_everything_but_blanks(content: str, width: int) -> None:
    """Whatever the text, no line is wider than asked and no sign is lost."""
    text = clean(content)
    lines = [line.plain for line in wrap(Text(text), width)]
    assert "".join("".join(lines).split()) == "".join(text.split())
    for line in lines:
        assert cells(line) <= width or len(line) <= 12


@given(st.text())
def test_clean_text_has_no_control_character(content: str) -> None:
    """SEC-10: whatever is stored."""
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\ud800-\udfff]", clean(content))


def test_a_fact_of_the_future_is_now() -> None:
    """A clock that was wrong breaks no view."""
    ahead = replace(PACKAGES, updated_at=(NOW + timedelta(days=3)).isoformat())
    assert paint(results.Memories((ahead,), 1), 80).splitlines()[2].startswith("now")
