"""What supersedes what is marked by the database itself, whatever way an edge takes in."""

from __future__ import annotations

import asyncio
from itertools import permutations

import pytest

from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.access import Access
from reasonloom.stores.migrate import bring_up_to_date
from tests.support.calls import call, recalled
from tests.support.databases.versions import as_of
from tests.support.memory.graph import add, change, query

EDGE = (
    "INSERT INTO edges (owner, source_id, target_id, type, weight, origin) "
    "VALUES ('local', %s, %s, 'supersedes', 1, 'test')"
)
DROP = "DELETE FROM edges WHERE owner = 'local' AND source_id = %s AND target_id = %s"
VERSIONS = """
INSERT INTO memories (owner, id, event_type, sector, content, salience, importance, token_count,
    source_kind, principal, tool, effect, decay_rate)
SELECT 'local', n, 'fact', 'semantic', 'Version ' || n, 0.5, 0.5, 1, 'user', 'local', 'test',
    gen_random_uuid(), 0 FROM generate_series(%s::int, %s::int) n
"""
MARKS = "SELECT id, superseded_by FROM memories WHERE owner = 'local' ORDER BY id"


def marks(access: Access) -> dict[int, int | None]:
    return dict(query(access, MARKS))


async def five(engine: Engine) -> list[int]:
    return [await add(engine, f"The gate opens at {hour} o'clock.") for hour in range(5, 10)]


async def test_the_newest_of_two_corrections_is_the_mark(engine: Engine, access: Access) -> None:
    a, b, c, *_ = await five(engine)
    change(access, EDGE, c, a)
    change(access, EDGE, b, a)
    assert marks(access)[a] == c


@pytest.mark.parametrize("order", list(permutations(((2, 1), (3, 2), (1, 3)))))
async def test_a_cycle_leaves_its_newest_current(
    engine: Engine, access: Access, order: tuple[tuple[int, int], ...]
) -> None:
    await five(engine)
    for newer, older in order:
        change(access, EDGE, newer, older)
    assert marks(access) == {1: 2, 2: 3, 3: None, 4: None, 5: None}


async def test_a_cycle_that_is_opened_is_marked_anew(engine: Engine, access: Access) -> None:
    await five(engine)
    for newer, older in ((2, 1), (3, 2), (1, 3)):
        change(access, EDGE, newer, older)
    change(access, DROP, 2, 1)
    assert marks(access) == {1: None, 2: 3, 3: None, 4: None, 5: None}


async def test_what_supersedes_a_cycle_supersedes_its_newest(
    engine: Engine, access: Access
) -> None:
    await five(engine)
    for newer, older in ((2, 1), (1, 2), (3, 2)):
        change(access, EDGE, newer, older)
    assert marks(access) == {1: 2, 2: 3, 3: None, 4: None, 5: None}


async def test_a_hidden_correction_corrects_nothing_until_it_is_restored(
    engine: Engine, access: Access
) -> None:
    old = await add(engine, "The gate opens at five o'clock.")
    new = await add(engine, "The gate opens at six o'clock.", (old, "supersedes"))
    assert (await recalled(engine, "gate opens"))[0] == "The gate opens at six o'clock."
    forgotten = {"userId": "local", "memoryId": f"mem-{new}", "soft": True}
    await call(engine, "forget", forgotten)
    assert await recalled(engine, "gate opens") == ["The gate opens at five o'clock."]
    await call(engine, "restore_memory", {"userId": "local", "memoryId": f"mem-{new}"})
    assert marks(access)[old] == new
    await call(engine, "forget", {"userId": "local", "memoryId": f"mem-{new}"})
    assert marks(access) == {old: None}


async def test_a_long_chain_costs_little_and_has_one_head(engine: Engine, access: Access) -> None:
    await five(engine)
    change(access, VERSIONS, 100, 1100)
    change(
        access,
        "INSERT INTO edges (owner, source_id, target_id, type, weight, origin) SELECT 'local', "
        "n + 1, n, 'supersedes', 1, 'test' FROM generate_series(100, 1099) n",
    )
    current = [key for key, over in marks(access).items() if over is None]
    assert current == [1, 2, 3, 4, 5, 1100]


async def test_what_was_superseded_before_there_were_marks_is_marked(access: Access) -> None:
    await asyncio.to_thread(as_of, access, "0008")
    change(access, VERSIONS, 1, 4)
    for newer, older in ((2, 1), (4, 2)):
        change(access, EDGE, newer, older)
    await bring_up_to_date(access)
    assert marks(access) == {1: 2, 2: 4, 3: None, 4: None}
