"""The doctor: what it finds in each state, and that it changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agentao.agent.doctor import Check, Connection, diagnose
from agentao.agent.openai_client import OpenAIClient
from agentao.agent.server.local_servers import LocalServer, Probe, find_local_servers
from agentao.memory.manager import MemoryManager
from agentao.memory.models import SaveMemoryRequest
from tests.support import fake_openai as fake
from tests.support.asking import Connect
from tests.support.fake_openai import FakeOpenAI, Recorded, error, say


def nothing() -> list[LocalServer]:
    return []


def find(checks: list[Check], name: str) -> Check:
    (one,) = [check for check in checks if check.name == name]
    return one


def examine(
    tmp_path: Path,
    connection: Connection,
    client: OpenAIClient | None,
    local: Callable[[], list[LocalServer]] = nothing,
) -> list[Check]:
    return list(
        diagnose(
            connection,
            client,
            project_db=tmp_path / "p" / ".agentao" / "memory.db",
            user_db=tmp_path / "h" / "memory.db",
            local_servers=local,
        )
    )


def obedient(recorded: Recorded) -> fake.Answer:
    """A model that does what the doctor asks."""
    if "tools" in recorded.body:
        return fake.save("doctor_check", "ready")
    return say("ready")


def test_a_healthy_installation_is_found_healthy(tmp_path: Path, connect: Connect) -> None:
    """Every check is ok, the model is asked twice, nothing is saved and no file is made."""
    with FakeOpenAI(otherwise=obedient, strict="*") as server:
        connection = Connection(server.base_url, "fake-model", "sk-test-SENTINEL", (("base_url", "OPENAI_BASE_URL"),))
        checks = examine(tmp_path, connection, connect(server))

    assert {check.name: check.status for check in checks} == dict.fromkeys(
        ["project store", "user store", "configuration", "server", "answer", "tool"], "ok"
    )
    assert "OPENAI_BASE_URL" in find(checks, "configuration").message
    assert "SENTINEL" not in str(checks) + repr(connection)
    assert len(server.requests) == 2
    assert list(tmp_path.iterdir()) == []


def test_without_a_model_the_doctor_says_how_to_connect_one(tmp_path: Path) -> None:
    """Offline is a warning with the setting to make, and local servers are named with their line."""
    ollama = LocalServer("Ollama", "http://127.0.0.1:11434/v1", ("qwen3:8b",))
    checks = examine(tmp_path, Connection(), None, lambda: [ollama])

    assert find(checks, "configuration").status == "warning"
    assert "OPENAI_API_KEY" in find(checks, "configuration").hint
    local = find(checks, "local server")
    assert "export OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_MODEL=qwen3:8b" in local.hint
    assert find(checks, "server").status == "skipped"


def test_a_server_that_is_not_there_is_asked_no_more(tmp_path: Path, connect: Connect, free_port: int) -> None:
    """One failed check names the address; the questions to the model are skipped."""
    address = f"http://127.0.0.1:{free_port}/v1"
    checks = examine(tmp_path, Connection(address, "m"), connect(base_url=address))

    assert find(checks, "server").status == "failed"
    assert address in find(checks, "server").message
    assert find(checks, "answer").status == find(checks, "tool").status == "skipped"


def test_a_wrong_key_is_found(tmp_path: Path, connect: Connect) -> None:
    """A bad character is found before anything is sent; a refused key by asking."""
    checks = examine(tmp_path, Connection("http://127.0.0.1:9/v1", "m", "sk-“"), None)
    assert "position 4" in find(checks, "configuration").message
    with FakeOpenAI(otherwise=error(401, "wrong key")) as server:
        checks = examine(tmp_path, Connection(server.base_url, "m", "k"), connect(server))

    assert find(checks, "answer").status == "failed"
    assert "wrong key" in find(checks, "answer").message


@pytest.mark.parametrize(
    ("strict", "answer", "words"),
    [
        (("tools",), say("ready"), "no tools"),
        ((), say("I saved it!"), "did not call"),
        ((), fake.call("save_memory", "{broken"), "not as it must"),
        ((), fake.call("other", {}), "did not call"),
    ],
)
def test_a_model_that_cannot_call_the_tool_is_a_warning(
    strict: tuple[str, ...], answer: fake.Answer, words: str, tmp_path: Path, connect: Connect
) -> None:
    """The user learns that this model cannot save by itself, and what still works."""
    with FakeOpenAI(say("ready"), answer, otherwise=answer, strict=strict) as server:
        checks = examine(tmp_path, Connection(server.base_url, "fake-model", "k"), connect(server))

    tool = find(checks, "tool")
    assert tool.status == "warning"
    assert words in tool.message
    assert "/memory add" in tool.hint


def test_a_model_that_the_server_does_not_list_is_told(tmp_path: Path, connect: Connect) -> None:
    """The names it has are shown."""
    with FakeOpenAI(otherwise=obedient, models=["a", "b"]) as server:
        checks = examine(tmp_path, Connection(server.base_url, "fake-model"), connect(server))

    assert find(checks, "server").status == "warning"
    assert "a, b" in find(checks, "server").hint


def test_the_stores_are_looked_at_and_left_alone(tmp_path: Path, manager: MemoryManager) -> None:
    """A healthy file is counted, a damaged one is named; no byte of either changes, and nothing is made beside it."""
    manager.upsert(SaveMemoryRequest("a", "1"))
    manager.close()
    good = tmp_path / "project" / "memory.db"
    bad = tmp_path / "bad" / "memory.db"
    bad.parent.mkdir()
    bad.write_bytes(b"no database at all" * 100)
    before = {path: path.read_bytes() for path in (good, bad)}

    checks = list(diagnose(Connection(), None, project_db=good, user_db=bad, local_servers=nothing))

    assert find(checks, "project store").status == "ok"
    assert "1 memory" in find(checks, "project store").message
    assert find(checks, "user store").status == "failed"
    assert "damaged" in find(checks, "user store").message
    assert {path: path.read_bytes() for path in (good, bad)} == before
    assert [p.name for p in bad.parent.iterdir()] == ["memory.db"]
    assert sorted(p.name for p in good.parent.iterdir()) == ["memory.db"]


def test_a_store_in_use_is_read_with_what_stands_in_its_log(tmp_path: Path, manager: MemoryManager) -> None:
    """The newest memories of a running shell are counted too."""
    manager.upsert(SaveMemoryRequest("a", "1"))

    checks = list(
        diagnose(
            Connection(),
            None,
            project_db=tmp_path / "project" / "memory.db",
            user_db=tmp_path / "home" / "memory.db",
            local_servers=nothing,
        )
    )

    assert "1 memory" in find(checks, "project store").message


def test_a_folder_in_the_files_place_is_told(tmp_path: Path) -> None:
    """What is no file is named as such."""
    (tmp_path / "memory.db").mkdir()

    checks = list(
        diagnose(
            Connection(), None, project_db=tmp_path / "memory.db", user_db=tmp_path / "u.db", local_servers=nothing
        )
    )

    assert find(checks, "project store").status == "failed"


def test_servers_of_this_machine_are_known_by_their_answers(free_port: int) -> None:
    """A program is named when its own path answers in its own words; another one on the port is not."""
    with FakeOpenAI(models=["qwen3"]) as server:
        probes = [
            Probe("Right", server.port, "/v1/models", '"data"'),
            Probe("Wrong word", server.port, "/v1/models", '"version"'),
            Probe("Wrong path", server.port, "/api/version", '"version"'),
            Probe("Closed", free_port, "/", ""),
        ]
        found = find_local_servers(probes)

    assert found == [LocalServer("Right", f"http://127.0.0.1:{server.port}/v1", ("qwen3",))]
    assert found[0].connect_line.endswith("OPENAI_MODEL=qwen3")


def test_the_local_server_in_use_needs_no_line(tmp_path: Path, connect: Connect) -> None:
    """The server that is configured already is marked and not advertised."""
    with FakeOpenAI(otherwise=obedient) as server:
        here = LocalServer("Ollama", server.base_url, ("m",))
        connection = Connection(server.origin.replace("127.0.0.1", "localhost"), "fake-model")
        checks = examine(tmp_path, connection, connect(server), lambda: [here])

    assert "in use" in find(checks, "local server").message
    assert find(checks, "local server").hint == ""
