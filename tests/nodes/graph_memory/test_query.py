"""`memory_query`: bounds that hold, orders that are kept, nothing dropped in silence."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reasonloom.contracts.caller import Caller
from reasonloom.errors import InvalidArgument, SessionNotFound
from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.access import Access
from reasonloom.stores.memory import memories
from tests.support.calls import call, remember
from tests.support.memory.graph import add, change, query

TYPES = ("fact", "decision", "inference", "correction", "skill", "episode")
TEXTS = (
    "Žofia mag Grünen Tee.", "Квартира в Киеве без лифта.", "会議は十時に始まる。",
    "🎺 is for the band", "Das Café öffnet um acht.", "The wall is thin.",
)  # fmt: skip


async def listed(engine: Engine, owner: str = "local", **arguments: Any) -> list[int]:
    outcome = await call(engine, "memory_query", arguments, owner=owner)
    assert outcome.answer["count"] == len(outcome.answer["results"])
    return [node["node_id"] for node in outcome.answer["results"]]


async def various(engine: Engine, access: Access) -> list[dict[str, Any]]:
    """Store nodes that differ in all that can be asked for; return them as they are told."""
    for place in range(12):
        await add(
            engine, f"{TEXTS[place % 6]} {place}", event_type=TYPES[place % 6],
            confidence=place % 5 / 4,
        )  # fmt: skip
        if place % 4 == 3:
            await call(engine, "session_start", {})
    for (node_id,) in query(access, "SELECT id FROM memories ORDER BY id"):
        change(
            access,
            "UPDATE memories SET created_at = to_timestamp(%s), access_count = %s, "
            "strength = %s WHERE id = %s",
            1_700_000_000 + node_id // 2, node_id % 3, 1 - node_id % 4 / 5, node_id,
        )  # fmt: skip
    outcome = await call(engine, "memory_query", {"max_results": 500})
    rows: list[dict[str, Any]] = outcome.answer["results"]
    assert len(rows) == 12
    return rows


def expected(rows: list[dict[str, Any]], asked: dict[str, Any]) -> list[int]:
    """Return what a filter in plain Python leaves, the newest first."""
    kept = [
        row["node_id"]
        for row in rows
        if row["event_type"] in asked.get("event_types", TYPES)
        and asked.get("min_confidence", 0) <= row["confidence"] <= asked.get("max_confidence", 1)
        and row["session_id"] in asked.get("session_ids", [row["session_id"]])
        and asked.get("created_after", 0) <= row["created_at"]
        and row["created_at"] <= asked.get("created_before", row["created_at"])
    ]
    return kept[: asked.get("max_results", 20)]


MOMENTS = st.integers(1_699_999_999, 1_700_000_008).map(lambda second: second * 1_000_000)
ASKED = st.fixed_dictionaries(
    {},
    optional={
        "event_types": st.lists(st.sampled_from(TYPES), min_size=1, max_size=6),
        "min_confidence": st.sampled_from([0.0, 0.25, 0.3, 0.5]),
        "max_confidence": st.sampled_from([0.5, 0.75, 0.9, 1.0]),
        "session_ids": st.lists(st.sampled_from([1, 2, 3]), min_size=1, max_size=4),
        "created_after": MOMENTS,
        "created_before": MOMENTS,
        "max_results": st.integers(1, 15),
    },
)


async def test_it_leaves_what_a_plain_filter_leaves(engine: Engine, access: Access) -> None:
    rows = await various(engine, access)
    assert [(-row["created_at"], -row["node_id"]) for row in rows] == sorted(
        (-row["created_at"], -row["node_id"]) for row in rows
    )
    seen: list[dict[str, Any]] = []

    @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
    @given(ASKED)
    def collect(asked: dict[str, Any]) -> None:
        seen.append(asked)

    collect()
    crossed = 0
    for asked in seen:
        if asked.get("created_after", 0) > asked.get("created_before", 2**60):
            crossed += 1
            with pytest.raises(InvalidArgument, match="created_after must not be above"):
                await listed(engine, **asked)
        else:
            assert await listed(engine, **asked) == expected(rows, asked), asked
    assert crossed < len(seen) / 2


@pytest.mark.parametrize(
    ("order", "column"),
    [
        ("highest_confidence", "confidence"), ("most_accessed", "access_count"),
        ("most_important", "salience * strength"), ("most_recent", "created_at"),
    ],
)  # fmt: skip
async def test_each_order_is_kept_and_ties_go_to_the_newest(
    engine: Engine, access: Access, order: str, column: str
) -> None:
    await various(engine, access)
    wanted = query(
        access, f"SELECT id FROM memories ORDER BY {column} DESC, created_at DESC, id DESC LIMIT 7"
    )
    assert await listed(engine, sort_by=order, max_results=7) == [key for (key,) in wanted]


async def test_what_is_stored_elsewhere_is_a_node_as_it_was_written(engine: Engine) -> None:
    known = await remember(engine, "Ключ лежит под ковриком 🔑 — vor der Tür")
    outcome = await call(engine, "memory_query", {})
    [node] = outcome.answer["results"]
    assert f"mem-{node['node_id']}" == known
    assert node["content"] == "Ключ лежит под ковриком 🔑 — vor der Tür"
    assert node["superseded_by"] is None


async def test_superseded_hidden_derived_and_foreign_nodes_are_not_listed(
    engine: Engine, access: Access, caller: Caller
) -> None:
    old = await add(engine, "The office is in Graz.")
    new = await add(engine, "The office is in Linz.", (old, "supersedes"))
    hidden = await add(engine, "A slip of the tongue.")
    derived = await add(engine, "It follows that it rains.")
    await add(engine, "Another owner's office.", owner="other")
    async with engine.loom.database.begin(caller) as tx:
        await memories.hide(tx, hidden, engine.loom.clock())
    change(access, "UPDATE memories SET source_kind = 'derived' WHERE id = %s AND owner = 'local'",
           derived)  # fmt: skip
    assert await listed(engine) == [new]
    assert len(await listed(engine, owner="other")) == 1


async def test_an_unknown_session_is_named_and_a_foreign_one_is_unknown(engine: Engine) -> None:
    await add(engine, "One fact.")
    for _ in range(3):
        await call(engine, "session_start", {}, owner="other")
    await add(engine, "Their fact.", owner="other")
    with pytest.raises(SessionNotFound, match="Session not found: 3") as refused:
        await listed(engine, session_ids=[1, 3])
    assert refused.value.field == "session_ids.1"


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"event_types": ["fact", "thought"]}, "event_types.1: must be one of"),
        ({"event_types": ["факт"]}, "event_types.0: must be one of"),
        ({"sort_by": "best"}, "sort_by: must be one of"),
        ({"min_confidence": 0.9, "max_confidence": 0.2}, "min_confidence must not be above max_"),
        ({"created_after": 2, "created_before": 1}, "created_after must not be above created_bef"),
        ({"min_confidence": 1.1}, "min_confidence: "),
        ({"max_results": 0}, "max_results: "),
        ({"max_results": 501}, "max_results: "),
        ({"session_ids": ["1"]}, "session_ids.0: must be a whole number"),
        ({"created_after": -1}, "created_after: "),
    ],
)
async def test_what_cannot_be_meant_is_refused(
    engine: Engine, asked: dict[str, Any], told: str
) -> None:
    with pytest.raises(InvalidArgument, match=told):
        await listed(engine, **asked)


async def test_an_empty_list_does_not_narrow_and_a_far_moment_is_no_fault(engine: Engine) -> None:
    node = await add(engine, "One fact.")
    assert await listed(engine, event_types=[], session_ids=[]) == [node]
    assert await listed(engine, created_before=2**63 - 1) == [node]
    assert await listed(engine, created_after=2**63 - 1) == []
    outcome = await call(engine, "memory_query", {"event_types": []})
    assert outcome.notes == ["event_types is empty and filters nothing"]


LONG = "Długa notatka 長い. " * 4_000


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("memory_query", {"max_results": 500}),
        ("memory_evidence", {"query": "Długa notatka"}),
        ("memory_suggest", {"query": "Długa notatka"}),
        ("memory_similar", {"query_text": "Długa notatka", "min_similarity": 0.0}),
        ("memory_context", {"node_id": 1, "depth": 5}),
        ("memory_traverse", {"start_id": 1}),
    ],
)
async def test_long_contents_are_cut_and_it_is_said(
    engine: Engine, tool: str, arguments: dict[str, object]
) -> None:
    for number in range(5):
        await add(engine, f"{number}: {LONG}")
    outcome = await call(engine, tool, arguments)
    assert len(json.dumps(outcome.answer, ensure_ascii=False)) < 250_000
    assert any("contents were cut" in note for note in outcome.notes)


async def test_a_single_content_is_shown_whole(engine: Engine) -> None:
    await add(engine, LONG.strip())
    outcome = await call(engine, "memory_query", {"max_results": 1})
    assert outcome.answer["results"][0]["content"] == LONG.strip()
    assert outcome.notes == []


async def test_a_list_that_was_cut_says_so(engine: Engine) -> None:
    for number in range(3):
        await add(engine, f"Note {number}.")
    outcome = await call(engine, "memory_query", {"max_results": 2})
    assert outcome.notes == ["more nodes meet this; the first 2 are shown"]


async def test_what_is_retold_is_marked(engine: Engine) -> None:
    await add(engine, "The stand-up is at 9:30.")
    await call(engine, "session_end", {})
    outcome = await call(engine, "memory_evidence", {"query": "stand-up 9:30"})
    assert any("no evidence by themselves: 2" in note for note in outcome.notes)
