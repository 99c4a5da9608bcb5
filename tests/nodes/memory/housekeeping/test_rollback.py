"""What one writer stored since a time goes, all of it and nothing else, and can come back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.call import Call
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.memory.forget import RollbackResult, roll_back
from reasonloom.stores.memory import memories
from reasonloom.stores.memory.statistics import WriterFilter
from tests.support.calls import call, recalled, remember
from tests.support.memory.housekeeping import OWNER, as_file, rows, take_in, write

START = datetime.now(UTC) - timedelta(hours=1)


async def stored_by(engine: Engine, client: str, content: str, *, session: str = "s") -> None:
    request = {
        "content": content, "userId": "local", "sessionId": session, "primarySector": "semantic",
    }  # fmt: skip
    caller = Caller("local", client=client)
    await engine.call(Call("remember", load_graph("remember"), request, caller))


async def rolled(
    engine: Engine, writer: str, *, caller: Caller = OWNER, **more: Any
) -> RollbackResult:
    act = {name: more.pop(name) for name in ("hard", "dry_run") if name in more}
    written = WriterFilter(writer, **{"since": START, **more}, hidden=act.get("hard", False))
    return await roll_back(engine.loom, caller, written, **act)


def ids(done: RollbackResult) -> list[int]:
    return [trace.id for trace in done.memories]


async def test_the_dry_run_shows_exactly_what_the_real_run_hides(engine: Engine) -> None:
    await stored_by(engine, "bad agent", "Poison one.")
    await stored_by(engine, "good agent", "Tea is in the tin.")
    await stored_by(engine, "bad agent", "Poison two.")
    shown = await rolled(engine, "bad agent", dry_run=True)
    assert len(await recalled(engine, None)) == 3
    done = await rolled(engine, "bad agent")
    assert ids(shown) == ids(done) == [1, 3]
    assert [trace.excerpt for trace in shown.memories] == ["Poison one.", "Poison two."]
    assert await recalled(engine, None) == ["Tea is in the tin."]
    assert ids(await rolled(engine, "bad agent")) == []
    async with engine.loom.database.begin(OWNER) as tx:
        assert await memories.restore_hidden_at(tx, done.at) == 2
    assert len(await recalled(engine, None)) == 3


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"writer": "local"}, [1, 2, 3]),
        ({"writer": "remember"}, [1, 2, 3]),
        ({"writer": "an agent"}, [1, 2]),
        ({"writer": "an agent", "session": "two"}, [2]),
        ({"writer": "an agent", "tool": "remember"}, [1, 2]),
        ({"writer": "an agent", "tool": "forget"}, []),
        ({"writer": "nobody"}, []),
        ({"writer": "an agent", "until": START}, []),
        ({"writer": "an agent", "since": datetime(2090, 1, 1, tzinfo=UTC)}, []),
        ({"writer": "an agent", "run": "no run"}, []),
    ],
)
async def test_every_choice_narrows(
    engine: Engine, more: dict[str, Any], expected: list[int]
) -> None:
    await stored_by(engine, "an agent", "One.", session="one")
    await stored_by(engine, "an agent", "Two.", session="two")
    await stored_by(engine, "another agent", "Three.", session="two")
    assert ids(await rolled(engine, more.pop("writer"), **more, dry_run=True)) == expected


async def test_one_run_is_taken_back(engine: Engine) -> None:
    await stored_by(engine, "an agent", "One.")
    await stored_by(engine, "an agent", "Two.")
    (row,) = await rows(engine, "SELECT run_id FROM memories WHERE id = 2")
    assert ids(await rolled(engine, "an agent", run=str(row.run_id))) == [2]


async def test_an_import_is_taken_back_by_when_it_was_imported(engine: Engine) -> None:
    old = {"content": "Ancient wrong.", "created_at": "2001-01-01T00:00:00Z"}
    await remember(engine, "Tea is in the tin.")
    await take_in(engine, as_file([old]))
    assert ids(await rolled(engine, "import")) == [2]


async def test_hard_erases_hidden_ones_too_and_what_runs_kept(engine: Engine) -> None:
    await stored_by(engine, "bad agent", "The safe opens with 4711.")
    await stored_by(engine, "bad agent", "The safe is behind the picture 4711.")
    assert len(await recalled(engine, "the safe 4711")) == 2
    await engine.journal.flush()
    await rolled(engine, "bad agent", session="s")
    done = await rolled(engine, "bad agent", hard=True)
    assert ids(done) == [1, 2]
    for table in ("memories", "embeddings", "edges"):
        assert await rows(engine, f"SELECT * FROM {table}") == []
    assert "4711" not in repr(await rows(engine, "SELECT input::text, output::text FROM runs"))


async def test_what_others_derived_from_it_is_told_and_stays(engine: Engine) -> None:
    await stored_by(engine, "bad agent", "The last train home leaves at 22:40.")
    await call(engine, "reasoning_linear", {"content": "When is the last train?"})
    done = await rolled(engine, "bad agent")
    assert (ids(done), [trace.id for trace in done.derived]) == ([1], [2])
    (kept,) = await rows(engine, "SELECT id FROM memories WHERE deleted_at IS NULL")
    assert kept.id == 2


async def test_other_spaces_and_owners_are_not_touched(engine: Engine) -> None:
    await remember(engine, "Mine.")
    await remember(engine, "A guest's.", userId="guest")
    await remember(engine, "Ben's.", owner="ben", userId="ben")
    await write(engine, "UPDATE memories SET principal = 'local'", Caller("ben"))
    assert len(ids(await rolled(engine, "local", hard=True))) == 1
    for caller in (Caller("local", "guest"), Caller("ben")):
        assert len(await rows(engine, "SELECT id FROM memories", caller)) == 1
