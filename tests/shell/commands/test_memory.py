"""Commands that do not go as meant: what may have been meant is named, what was written is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentao.errors import GuardError, NotFound, SensitiveMemoryError
from tests.support.shell_context import open_bench


@pytest.mark.parametrize("command", ["show", "delete", "edit --value x"])
def test_a_name_that_is_none_brings_up_where_its_words_occur(tmp_path: Path, command: str) -> None:
    """Up to three titles are named, then that there are others; with none, the way to the list; nothing is changed."""
    bench = open_bench(tmp_path)
    with pytest.raises(NotFound, match="/memory list shows what there is"):
        bench.run(f"/memory {command} nvim")
    bench.run("/memory add first_editor nvim")
    with pytest.raises(NotFound, match=r'the title, key or id "nvim"; it occurs in "First editor"\.$'):
        bench.run(f"/memory {command} nvim")
    for name in ("second", "third", "fourth"):
        bench.run(f"/memory add {name}_editor nvim")
    with pytest.raises(NotFound, match=r'it occurs in "\w+ editor", "\w+ editor", "\w+ editor" and others\.$'):
        bench.run(f"/memory {command} nvim")
    assert {record.content for record in bench.manager.get_all_entries()} == {"nvim"}


def test_a_text_from_the_editor_that_is_refused_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was written and is too long stands in a file that the error names; a secret is written nowhere."""
    kept = tmp_path / "kept"
    kept.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(kept))
    bench = open_bench(tmp_path)
    with pytest.raises(GuardError, match=r"8,000.* Your text is kept in .*\.md\.$"):
        bench.run("/memory add notes", edited="x" * 9_000)
    (file,) = kept.iterdir()
    assert file.read_text() == "x" * 9_000
    with pytest.raises(SensitiveMemoryError):
        bench.run("/memory add notes", edited="password = hunter2-Kx93kdlw")
    assert list(kept.iterdir()) == [file]
