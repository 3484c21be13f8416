"""One result of every kind, with times, titles and values that are hard to show."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from agentao.agent.agent import ContextUsage
from agentao.agent.doctor import Check
from agentao.memory.models import (
    Factors,
    MemoryEvent,
    MemoryRecord,
    MemoryReviewItem,
    MemoryType,
    RecallCandidate,
    SaveOutcome,
    Scope,
    SessionSummaryRecord,
)
from agentao.memory.renderer import StableBlockPlan
from agentao.memory.usecases.outcomes import ImportOutcome, MemoryStatus, Refusal, StoreStatus, UndoOutcome, UndoStep
from agentao.shell import results

NOW = datetime(2026, 9, 1, 12, 0, tzinfo=UTC)
NASTY = "\x1b]52;c;ZXZpbA==\x07\x1b[2J[/etc] [bold]x[/bold] \u202e"


def stamp(days_ago: float) -> str:
    return (NOW - timedelta(days=days_ago)).isoformat(timespec="microseconds")


def record(
    number: int,
    title: str,
    content: str,
    tags: tuple[str, ...] = (),
    scope: Scope = "project",
    type: MemoryType = "note",
    days_ago: float = 0.0,
) -> MemoryRecord:
    when = stamp(days_ago)
    key = title.lower().replace(" ", "_")
    return MemoryRecord(
        f"m{number:07}", scope, type, key, title, content, list(tags), [key], created_at=when, updated_at=when
    )


PACKAGES = record(1, "Package manager", "uv", ("tooling",), type="project_fact")
EDITOR = record(
    2, "Preferred editor", "nvim, with the lazy plugin manager", ("user", "editor"), "user", "preference", 0.3
)
RULE = record(
    3,
    "提交规则",
    "每次提交前先运行测试，然后再部署到生产环境，千万不要忘记检查配置文件是否正确。" * 2,
    ("后端",),
    days_ago=3,
    type="workflow",
)
SIGNS = [
    record(4, "编辑器", "vim", ("user",), "user", "preference", 5),
    record(5, "❤️ 色", "红色 ❤️ 最好 🇨🇳 👍🏽 end", (), "user", "preference", 8),
    record(6, "👨‍👩‍👧", "family\nof three", ("a", "b"), days_ago=70),
    record(7, "ＡＢ", "full width", days_ago=400),
]
HOSTILE = record(8, "Escape", NASTY, ("x" * 50,), days_ago=900)
LONG = record(9, "Long one", "lorem ipsum dolor sit amet " * 190, ("text",), days_ago=30)
RECORDS = (PACKAGES, EDITOR, RULE, *SIGNS, HOSTILE, LONG)


def event(
    number: int, of: MemoryRecord, kind: str, days_ago: float, before: str = "", actor: str = "model"
) -> MemoryEvent:
    old = {"title": of.title, "content": before} if before else None
    new = {"title": of.title, "content": of.content} if kind != "delete" else None
    return MemoryEvent(
        number, of.id, kind, stamp(days_ago), {"actor": actor, "session_id": "s1", "before": old, "after": new}
    )


EVENTS = (
    event(3, EDITOR, "update", 0.3, "vim", "user"),
    event(2, EDITOR, "create", 40),
    event(1, PACKAGES, "create", 50),
)


def item(number: int, content: str, occurrences: int = 1) -> MemoryReviewItem:
    return MemoryReviewItem(
        f"r{number:05}",
        "user",
        "preference",
        "pnpm",
        "Pnpm",
        content,
        ["tooling"],
        f"{content}，谢谢",
        "s0",
        occurrences,
        "inferred" if occurrences > 1 else "auto_summary",
        "pending",
        stamp(2),
        stamp(1),
    )


PLAN = StableBlockPlan("x" * 1_240, ("m0000001", "m0000002"), ("m0000009",), {"m0000001": 130, "m0000002": 190}, 812)
STATUS = MemoryStatus(
    counts={"user": {"preference": 3}, "project": {"project_fact": 1, "note": 4, "workflow": 1}},
    totals={"user": 3, "project": 6},
    pending=2,
    summaries=4,
    last_summary_chars=812,
    stores=(
        StoreStatus(("project",), Path("/home/u/work/.agentao/memory.db"), True, True, None, "wal"),
        StoreStatus(("user",), Path("/home/u/.agentao/memory.db"), True, True, None, "wal"),
    ),
    session_id="20260901T120000-abc",
    block_chars=1_240,
    block_limit_chars=2_000,
    block_shown=2,
    block_dropped=1,
    block_others=2,
    plan=PLAN,
    project_trusted=True,
    enabled=True,
)
FACTS = (results.BlockFact("Package manager", "project", 130), results.BlockFact("Preferred editor", "user", 190))
DROPPED = (results.BlockFact("Long one", "project", 0),)
GOOD_STATUS = results.Status(STATUS, results.RecallCounts(7, 0), FACTS, DROPPED, 310, 420, 1_200)
BROKEN_STORE = StoreStatus(
    ("project",),
    None,
    False,
    False,
    "The folder /srv/app cannot be written to; memories are kept for this run only",
    "memory",
)
BAD_STATUS = replace(
    GOOD_STATUS,
    memory=replace(STATUS, stores=(BROKEN_STORE, STATUS.stores[1]), project_trusted=False, enabled=False),
    recall=results.RecallCounts(0, 2, "no such table: recall_terms", 9_000),
)
SUMMARY = SessionSummaryRecord("s1", "session-1", "Goal: ship 0.6\n" + "State: 好的。\n" * 400, 9_000, 34, stamp(0.1))

FOUND = RecallCandidate(
    "m0000003",
    "project",
    "workflow",
    "提交规则",
    "每次提交前先运行测试",
    0.62,
    ("tag_match", "keyword_hit"),
    Factors(0.5, 0.4, 1.0, 1.0),
    ("测试", "提交"),
)
STABLE = results.StableFact("m0000001", "Package manager", "project", "project_fact", PACKAGES.updated_at, 130)
WHY = results.Why(
    "提交前要测试吗？",
    stable=(STABLE,),
    dropped=(replace(STABLE, memory_id="m0000009", title="Long one", chars=0),),
    recalled=(
        results.Recalled(FOUND, RULE.updated_at, True),
        results.Recalled(FOUND, SIGNS[3].updated_at, lacked="It had no room in the block."),
    ),
    near_misses=(results.Recalled(replace(FOUND, title=NASTY, score=0.1), stamp(400), lacked="Only weak words."),),
)

SAMPLES: dict[str, results.Result] = {
    "list": results.Memories(RECORDS, 120, more="--limit 120 or --all shows all 120."),
    "list_empty": results.Memories((), 0, hint="/memory add KEY VALUE saves something; so does telling the assistant."),
    "search": results.Memories((RULE, LONG), 2, asked="matching 测试 IPSUM", terms=("测试", "ipsum")),
    "show": results.MemoryShown(((replace(EDITOR, deleted_at=stamp(0.1)), EVENTS[:2]), (HOSTILE, ()))),
    "saved_new": results.MemorySaved(SaveOutcome(PACKAGES, "new")),
    "saved_changed": results.MemorySaved(
        SaveOutcome(EDITOR, "changed", replace(EDITOR, content="vim"), note="It does not fit into the memory block.")
    ),
    "saved_unchanged": results.MemorySaved(SaveOutcome(PACKAGES, "unchanged", PACKAGES)),
    "deleted": results.MemoriesChanged("deleted", (PACKAGES, EDITOR), "/memory undo brings it back."),
    "restored": results.MemoriesChanged("restored", (PACKAGES,)),
    "tags": results.Tags((("tooling", 1_200), ("后端", 2), ("user", 1))),
    "tags_none": results.Tags(()),
    "notice": results.Notice(
        ("Removed 1 user memory.", "/memory undo brings the memories back."), {"change": "cleared"}
    ),
    "warning": results.Notice(("It went wrong.",), warning=True),
    "history": results.MemoryHistory(EVENTS, more=True),
    "history_of_one": results.MemoryHistory(EVENTS[:2], target="Preferred editor"),
    "history_none": results.MemoryHistory(()),
    "undone": results.Undone(
        UndoOutcome(
            "update",
            (
                UndoStep("user", "Preferred editor", "update", EDITOR, replace(EDITOR, content="vim")),
                UndoStep("project", "Package manager", "create", PACKAGES, None),
            ),
            ("Long one was changed again since.",),
        )
    ),
    "exported": results.Exported(('{"id": "m1", "content": "汉字"}',), Path("/home/u/notes.jsonl")),
    "exported_to_screen": results.Exported(('{"id": "m1", "content": "' + "x" * 100 + '"}',)),
    "imported": results.Imported(ImportOutcome(3, 1, 2, 1, (Refusal(4, "The line is no JSON."),))),
    "import_tried": results.Imported(ImportOutcome(3, dry_run=True)),
    "crystallized": results.Crystallized((item(1, "以后都用 pnpm，不要用 npm"),), 5, 1, 1),
    "crystallized_many": results.Crystallized((item(1, "以后都用 pnpm，不要用 npm"),), 5, 73, 73),
    "crystallized_none": results.Crystallized((), 5, 2, 0),
    "review": results.ReviewList((item(1, "以后都用 pnpm，不要用 npm", 3), item(2, NASTY)), 2),
    "review_cut": results.ReviewList((item(1, "以后都用 pnpm，不要用 npm"),), 73),
    "review_none": results.ReviewList((), 0),
    "approved": results.Reviewed("approved", (EDITOR,), failures=("r9: it is gone",)),
    "rejected": results.Reviewed("rejected", items=(item(1, "以后都用 pnpm"),)),
    "session": results.Summaries((SUMMARY,), "session-1"),
    "session_all": results.Summaries((replace(SUMMARY, summary_text="Goal: ship 0.6"),), "session-1", every=True),
    "session_none": results.Summaries((), "session-1"),
    "status": GOOD_STATUS,
    "status_bad": BAD_STATUS,
    "why": WHY,
    "why_nothing": results.Why("anything", error="database disk image is malformed"),
    "why_before": results.Why(""),
    "why_not_sent": results.Why("anything", sent=False),
    "why_weak": results.Why("which gadgets?"),
    "why_unread": results.Why("which gadgets?", unread=9_000),
    "why_off": results.Why("", memory_on=False),
    "context": results.ContextShown(
        ContextUsage(
            [("instructions", 820), ("saved facts", 410), ("messages", 12_000), ("tool", 180)],
            13_410,
            32_000,
            0.8,
            "update Package manager",
        ),
        "gpt-5-mini",
    ),
    "models": results.Models("small", "http://127.0.0.1:11434/v1", ("Large", "small")),
    "models_many": results.Models("model-07", "", tuple(f"model-{number:02}" for number in range(30))),
    "models_none": results.Models("offline", "", problem="No language model is connected."),
    "model_changed": results.Models("Large", "http://127.0.0.1:11434/v1", changed=True),
    "diagnosis": results.Diagnosis(
        (
            Check("project store", "ok", "/home/u/work/.agentao/memory.db is healthy: 6 memories, 140 KiB."),
            Check("configuration", "warning", "No language model is configured.", "Set OPENAI_API_KEY."),
            Check("server", "failed", "http://127.0.0.1:9/v1 refuses the connection."),
        )
    ),
    "config": results.Config(
        (
            results.ConfigValue("home", "/home/u/.agentao", "default"),
            results.ConfigValue("model.api_key", "set", "environment OPENAI_API_KEY"),
            results.ConfigValue("model.context_window", 8_000, "/home/u/.agentao/config.toml, line 3"),
            results.ConfigValue("shell.raw", False, "default"),
            results.ConfigValue("model.base_url", None, "default"),
        ),
        Path("/home/u/.agentao/config.toml"),
        True,
        Path("/home/u/project/.agentao/config.toml"),
    ),
    "raw": results.RawMode(True),
    "reasoning": results.Reasoning("The user asks for 一个方案.\n\n1. [bold] " + NASTY + "\n2. done\n", 12.4),
    "reasoning_none": results.Reasoning(),
    "leave": results.Leave(),
    "edit": results.EditDraft(),
    "help": results.HelpTopics(
        (
            (
                "What is remembered",
                (results.HelpLine("/memory list [--limit N]", "List what is remembered, newest first."),),
            ),
            ("The shell", (results.HelpLine("/exit", "Leave the shell; so does Ctrl-D on an empty line."),)),
        ),
        ("/help memory delete tells more about one command.",),
    ),
    "help_command": results.HelpCommand(
        "/memory list [--limit N]",
        "List what is remembered.",
        "The newest 50 are shown.",
        (),
        (("--limit N", "At most."),),
        ("/memory", "/memory list --limit 5"),
        ("/memory ls",),
        (results.HelpLine("/memory list x", "More."),),
    ),
}
