"""A hard forget takes a node out of everything that graph memory has recorded of it."""

from __future__ import annotations

import pytest

from reasonloom.contracts.graph_memory.sessions import SessionStart
from reasonloom.contracts.validation import parse_request
from reasonloom.errors import InvalidArgument
from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.access import Access
from tests.support.calls import call
from tests.support.memory.graph import add, query

SECRET = "Der Tresor öffnet sich mit 4711 鍵."
KEPT = (
    "SELECT tool FROM runs WHERE CAST(output AS text) LIKE '%%4711%%' "
    "OR CAST(input AS text) LIKE '%%4711%%' ORDER BY tool"
)


async def test_no_run_keeps_what_a_node_said(engine: Engine, access: Access) -> None:
    plain = await add(engine, "The office is in the old mill.")
    node = await add(engine, SECRET, (plain, "related_to"), event_type="decision")
    for tool, arguments in (
        ("memory_query", {}),
        ("memory_traverse", {"start_id": plain, "direction": "both"}),
        ("memory_context", {"node_id": plain}),
        ("memory_causal", {"node_id": node}),
        ("memory_resolve", {"node_id": node}),
        ("memory_similar", {"query_text": "Tresor öffnet", "min_similarity": 0.0}),
        ("memory_evidence", {"query": "Tresor öffnet"}),
        ("memory_ground", {"claim": "Der Tresor öffnet sich."}),
        ("memory_suggest", {"query": "Tresor"}),
        ("memory_session_resume", {}),
        ("session_end", {}),
        ("session_start", {}),
    ):
        await call(engine, tool, arguments)
    with pytest.raises(InvalidArgument):
        await call(engine, "memory_correct", {"old_node_id": node, "new_content": SECRET})
    await engine.journal.flush()
    before = {row[0] for row in query(access, KEPT)}
    assert {"memory_add", "memory_query", "memory_traverse", "session_end"} <= before
    episode = 3
    for number in (node, episode):
        forgotten = {"userId": "local", "memoryId": f"mem-{number}"}
        await call(engine, "forget", forgotten)
    assert query(access, KEPT) == []
    assert query(access, "SELECT id FROM memories") == [(plain,)]


async def test_a_claim_that_names_a_corrected_node_is_forgotten_with_it(
    engine: Engine, access: Access
) -> None:
    old = await add(engine, SECRET)
    corrected = {"old_node_id": old, "new_content": "Der Tresor öffnet sich mit 5822 鍵."}
    await call(engine, "memory_correct", corrected)
    outcome = await call(engine, "memory_ground", {"claim": SECRET})
    assert outcome.answer["superseded"] == [old]
    await engine.journal.flush()
    await call(engine, "forget", {"userId": "local", "memoryId": f"mem-{old}"})
    assert query(access, KEPT) == []


def test_what_is_nested_too_deep_is_refused() -> None:
    nested: dict[str, object] = {}
    for _ in range(5_000):
        nested = {"a": nested}
    with pytest.raises(InvalidArgument, match="nested more than 200 levels deep") as error:
        parse_request(SessionStart, {"metadata": nested})
    assert error.value.field == "metadata"
