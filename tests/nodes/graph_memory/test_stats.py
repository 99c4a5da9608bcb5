"""`memory_stats`: counts of what graph memory shows, and the bytes of the owner's rows."""

from __future__ import annotations

from typing import Any

import pytest

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.errors import InvalidArgument
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.port import Embedder
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from reasonloom.stores.graph_memory import census_of_nodes
from reasonloom.stores.memory import memories
from tests.support.calls import call, remember
from tests.support.memory.graph_memory import add, change, query

BYTES = """SELECT (SELECT sum(pg_column_size(m.*)) FROM memories m WHERE owner = 'local')
    + (SELECT sum(pg_column_size(v.*)) FROM embeddings v WHERE owner = 'local')
    + (SELECT coalesce(sum(pg_column_size(e.*)), 0) FROM edges e WHERE owner = 'local')"""


async def stats(engine: Engine, owner: str = "local") -> dict[str, Any]:
    outcome = await call(engine, "memory_stats", {}, owner=owner)
    return {**outcome.answer, "notes": outcome.notes}


async def test_an_empty_graph_is_told_with_all_types(engine: Engine) -> None:
    told = await stats(engine)
    assert (told["node_count"], told["edge_count"], told["session_count"]) == (0, 0, 0)
    assert told["type_counts"] == dict.fromkeys(
        ("fact", "decision", "inference", "correction", "skill", "episode"), 0
    )
    assert (told["dimension"], told["file_size_bytes"], told["notes"]) == (256, 0, [])
    assert len(told["edge_type_counts"]) == 8


async def test_what_is_shown_is_counted_and_its_bytes_are_the_rows(
    engine: Engine, access: Access, caller: Caller
) -> None:
    fact = await add(engine, "Žofia trinkt Tee.")
    await call(engine, "session_start", {})
    await call(engine, "session_start", {})
    choice = await add(engine, "Мы переезжаем 🏠", (fact, "supports"), event_type="decision")
    newer = await add(engine, "佐菲亚喝咖啡。", (fact, "supersedes"), (choice, "supports"))
    hidden = await add(engine, "A slip.", (newer, "supports"))
    derived = await add(engine, "It follows.", (newer, "derived_from"))
    await remember(engine, "Kept by another tool.")
    await add(engine, "Theirs.", owner="other")
    async with engine.loom.database.begin(caller) as tx:
        await memories.hide(tx, hidden, engine.loom.clock())
    change(access, "UPDATE memories SET source_kind = 'derived' WHERE owner = 'local' AND id = %s",
           derived)  # fmt: skip
    told = await stats(engine)
    assert (told["node_count"], told["superseded_count"], told["session_count"]) == (4, 1, 3)
    assert {kind: count for kind, count in told["type_counts"].items() if count} == {
        "fact": 3, "decision": 1,
    }  # fmt: skip
    assert told["edge_type_counts"]["supports"] == 2
    assert told["edge_type_counts"]["supersedes"] == 1
    assert told["edge_type_counts"]["derived_from"] == 0
    assert told["edge_type_counts"]["temporal_next"] == 1
    assert told["edge_count"] == sum(told["edge_type_counts"].values())
    [(size,)] = query(access, BYTES)
    assert (told["file_size_bytes"], told["notes"]) == (size, [])
    assert (await stats(engine, owner="other"))["node_count"] == 1


MANY = """
INSERT INTO memories (owner, id, event_type, sector, content, salience, importance, token_count,
    source_kind, principal, tool, effect, decay_rate)
SELECT owner, id + n, event_type, sector, content, salience, importance, token_count, source_kind,
    principal, tool, gen_random_uuid(), decay_rate FROM memories, generate_series(1, %s) n
"""


async def test_bytes_of_many_are_estimated_and_it_says_so(engine: Engine, access: Access) -> None:
    await add(engine, "The first.")
    change(access, MANY, 2 * census_of_nodes.WEIGHED)
    told = await stats(engine)
    [(size,)] = query(access, BYTES)
    assert told["file_size_bytes"] == pytest.approx(size, rel=0.05)
    assert told["notes"] == [
        f"file_size_bytes is estimated from the newest {census_of_nodes.WEIGHED:,} memories"
    ]


async def test_counts_are_the_same_after_a_restart(
    engine: Engine, settings: Settings, access: Access, embedder: Embedder
) -> None:
    await add(engine, "Der Schlüssel liegt im Café.")
    before = await stats(engine)
    async with open_engine(settings, access=access, embedder=embedder) as restarted:
        assert await stats(restarted) == before


async def test_it_takes_no_arguments(engine: Engine) -> None:
    with pytest.raises(InvalidArgument, match="path: unknown field"):
        await call(engine, "memory_stats", {"path": "/x"})
