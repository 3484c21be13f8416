"""Looking at memories: what is not found is answered with what may have been meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentao.errors import NotFound
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
