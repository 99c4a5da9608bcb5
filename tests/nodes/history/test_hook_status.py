"""`history_hook_status`, and the rows it reads."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

from reasonloom.contracts.caller import Caller
from reasonloom.contracts.history import HistoryHookStatus
from reasonloom.graphs.runs.call import Outcome
from reasonloom.graphs.runs.call_tool import call_tool
from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.history import hooks
from reasonloom.stores.history.hooks import HookRun

AT = datetime(2026, 11, 22, 2, 20, tzinfo=UTC)
NAMES = ["session-start", "session-end", "pre-compact", "claudemd-generator"]


def run(hook: str, at: datetime = AT, **more: Any) -> HookRun:
    told: dict[str, Any] = {"succeeded": True, "message": "told", "milliseconds": 812.34}
    return HookRun(hook, at, **({"project": "api"} | told | more))


async def put(engine: Engine, caller: Caller, *runs: HookRun) -> None:
    for each in runs:
        async with engine.loom.database.begin(caller) as tx:
            await hooks.put(tx, each)


async def status(engine: Engine, caller: Caller) -> Outcome:
    return await call_tool(engine, caller, "history_hook_status", HistoryHookStatus())


async def test_hooks_that_never_ran_say_so(engine: Engine, caller: Caller) -> None:
    outcome = await status(engine, caller)
    assert [each["hook"] for each in outcome.answer["hooks"]] == NAMES
    assert outcome.answer["text"].count("never ran") == 4
    assert set(outcome.answer["hooks"][0].values()) == {"session-start", None}
    assert "reasonloom hooks install" in outcome.notes[0]


async def test_the_last_run_is_told(engine: Engine, caller: Caller) -> None:
    failed = run("session-end", succeeded=False, message="база 漢字 é 🙂", project=None)
    await put(engine, caller, run("pre-compact"), failed)
    outcome = await status(engine, caller)
    lines = outcome.answer["text"].splitlines()
    assert lines[2] == "- session-start: never ran"
    assert lines[3] == (
        "- session-end: last run 2026-11-22T02:20:00Z, FAILED in 0.8 s: база 漢字 é 🙂"
    )
    assert lines[4].endswith("succeeded in 0.8 s, project api: told")
    assert outcome.answer["hooks"][1] == {
        "hook": "session-end",
        "ran_at": "2026-11-22T02:20:00Z",
        "succeeded": False,
        "message": "база 漢字 é 🙂",
        "milliseconds": 812.3,
        "project": None,
    }
    assert outcome.notes == []


async def test_of_runs_at_once_the_one_that_began_last_stays(
    engine: Engine, caller: Caller
) -> None:
    runs = [run("session-end", AT + timedelta(seconds=n), message=str(n)) for n in range(12)]
    await asyncio.gather(*(put(engine, caller, each) for each in reversed(runs)))
    async with engine.loom.database.begin(caller) as tx:
        assert await hooks.last_runs(tx) == [runs[-1]]
    await put(engine, caller, run("session-end", message="x" * 5_000, at=AT + timedelta(days=1)))
    assert len((await status(engine, caller)).answer["hooks"][1]["message"]) == 500


async def test_nothing_of_another_owner_is_told(engine: Engine, caller: Caller) -> None:
    await put(engine, Caller("другой"), run("session-end", message="their error"))
    assert "never ran" in (await status(engine, caller)).answer["text"].splitlines()[3]
    await put(engine, caller, run("session-end", message="mine"))
    theirs = await status(engine, Caller("другой"))
    assert theirs.answer["hooks"][1]["message"] == "their error"
    assert "their error" not in (await status(engine, caller)).answer["text"]
