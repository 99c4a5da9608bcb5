"""`memory_traverse` follows the best paths, through what it does not show, and never too far."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import text

from reasonloom.contracts.caller import Caller
from reasonloom.errors import InvalidArgument, NodeNotFound
from reasonloom.graphs.runs.call import Outcome
from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.access import Access
from reasonloom.stores.database import Database
from reasonloom.stores.graph_memory.traversal import Bounds, Way, walk
from tests.support.calls import call
from tests.support.memory.graph import add, change, plant

UNCHECKED = "SET LOCAL session_replication_role = replica"
"""Many edges at once, without looking up their ends."""

HUB = (
    UNCHECKED,
    "INSERT INTO edges (owner, source_id, target_id, type, weight, origin) SELECT 'local', 1, n, "
    "'related_to', (n % 1000) / 1000.0, 'test' FROM generate_series(2, 50001) n",
    "INSERT INTO edges (owner, source_id, target_id, type, weight, origin) SELECT 'local', n, 2, "
    "'supports', 1, 'test' FROM generate_series(3, 50001) n",
)
"""Memory 1 leads to fifty thousand others, which lead to memory 2."""

READ = "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = 'edges'"
"""The edges that a transaction has read so far."""


async def traverse(engine: Engine, start: int, **more: Any) -> Outcome:
    owner = more.pop("owner", "local")
    return await call(engine, "memory_traverse", {"start_id": start, **more}, owner=owner)


async def reached(engine: Engine, start: int, **more: Any) -> list[int]:
    """Return the numbers of the nodes shown, without the start."""
    outcome = await traverse(engine, start, **more)
    first, *others = outcome.answer["results"]
    assert (first["node_id"], first["depth"], first["path_weight"]) == (start, 0, 1)
    assert outcome.answer["count"] == len(others) + 1
    return [node["node_id"] for node in others]


async def test_a_node_and_an_edge_have_every_key(engine: Engine) -> None:
    tea = await add(engine, "Chloé trinkt gern Tee ☕, 世界")
    why = await add(engine, "Она не пьёт кофе 🙃", (tea, "caused_by"), event_type="decision")
    outcome = await traverse(engine, why)
    answer = outcome.answer
    assert set(answer) == {"results", "edges", "count", "truncated"}
    assert (answer["count"], answer["truncated"], outcome.notes) == (2, False, [])
    second = answer["results"][1]
    assert second.pop("created_at") > 1_700_000_000_000_000
    assert second == {
        "node_id": tea,
        "event_type": "fact",
        "content": "Chloé trinkt gern Tee ☕, 世界",
        "confidence": 0.9,
        "session_id": 1,
        "strength": 1.0,
        "access_count": 0,
        "superseded_by": None,
        "depth": 1,
        "path_weight": 1.0,
    }
    edge = {
        "source_id": why,
        "target_id": tea,
        "edge_type": "caused_by",
        "weight": 1.0,
        "reason": None,
    }
    course = {"source_id": tea, "target_id": why, "edge_type": "temporal_next", "weight": 0.5}
    assert answer["edges"] == [edge, {**edge, **course}]


async def test_the_better_path_wins_though_it_is_longer(engine: Engine, access: Access) -> None:
    edges = [(1, 4, "supports", 0.5), (1, 2, "supports", 1), (2, 3, "supports", 1)]
    plant(access, (1, 5), [*edges, (3, 4, "supports", 0.75), (4, 5, "supports", 0.5)])
    outcome = await traverse(engine, 1)
    shown = [(n["node_id"], n["depth"], n["path_weight"]) for n in outcome.answer["results"]]
    assert shown == [(1, 0, 1), (2, 1, 1), (3, 2, 1), (4, 3, 0.75), (5, 4, 0.375)]
    shallow = await traverse(engine, 1, max_depth=2)
    shown = [(n["node_id"], n["depth"], n["path_weight"]) for n in shallow.answer["results"]]
    assert shown == [(1, 0, 1), (2, 1, 1), (3, 2, 1), (4, 1, 0.5), (5, 2, 0.25)]


async def test_of_equal_paths_the_shorter_and_then_the_lower_number_comes_first(
    engine: Engine, access: Access
) -> None:
    plant(access, (1, 5), [(1, n, "supports", 1) for n in (5, 4)])
    plant(access, (6, 7), [(4, 6, "supports", 1), (1, 7, "supports", 1), (5, 3, "supports", 1)])
    assert await reached(engine, 1) == [4, 5, 7, 3, 6]
    assert await reached(engine, 1, max_results=2) == [4, 5]


async def test_the_start_is_not_counted_and_more_is_said(engine: Engine, access: Access) -> None:
    plant(access, (1, 5), [(1, n, "supports", 1) for n in range(2, 6)])
    outcome = await traverse(engine, 1, max_results=3)
    assert [node["node_id"] for node in outcome.answer["results"]] == [1, 2, 3, 4]
    assert outcome.answer["truncated"] is True
    assert outcome.notes == [
        "more than 3 nodes can be reached; those with the best paths are shown"
    ]
    whole = await traverse(engine, 1, max_results=4)
    assert (whole.answer["count"], whole.answer["truncated"], whole.notes) == (5, False, [])


async def test_what_is_not_sure_enough_is_walked_through(engine: Engine, access: Access) -> None:
    plant(access, (1, 4), [(n, n + 1, "supports", 1) for n in range(1, 4)])
    change(access, "UPDATE memories SET confidence = 0.2 WHERE id IN (1, 2)")
    change(access, "UPDATE memories SET confidence = 0.5 WHERE id = 3")
    assert await reached(engine, 1, min_confidence=0.5) == [3, 4]
    assert await reached(engine, 1, min_confidence=0.5, max_results=1) == [3]
    assert await reached(engine, 1, min_confidence=0.2) == [2, 3, 4]


async def test_directions_and_types(engine: Engine, access: Access) -> None:
    edges = [(1, 2, "supports", 1), (3, 1, "supports", 1), (1, 4, "part_of", 1)]
    plant(access, (1, 5), [*edges, (2, 5, "caused_by", 1)])
    assert await reached(engine, 1) == [2, 4, 5]
    assert await reached(engine, 1, direction="backward") == [3]
    assert await reached(engine, 1, direction="both") == [2, 3, 4, 5]
    assert await reached(engine, 1, edge_types=["supports"]) == [2]
    assert await reached(engine, 1, edge_types=["supports", "caused_by"]) == [2, 5]
    outcome = await traverse(engine, 1, edge_types=["supports"], direction="both")
    assert {edge["edge_type"] for edge in outcome.answer["edges"]} == {"supports"}
    assert await reached(engine, 1, edge_types=[]) == []


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"edge_types": ["supports", "causes"]}, "edge_types"),
        ({"direction": "sideways"}, "direction"),
        ({"max_depth": 11}, "max_depth"),
        ({"max_depth": 0}, "max_depth"),
        ({"max_results": 0}, "max_results"),
        ({"max_results": 501}, "max_results"),
        ({"min_confidence": 1.5}, "min_confidence"),
        ({"start_id": "1"}, "start_id"),
        ({"start_id": 0}, "start_id"),
        ({"begin": 1}, "begin"),
    ],
)
async def test_bad_arguments_are_named(
    engine: Engine, arguments: dict[str, Any], field: str
) -> None:
    await add(engine, "A start.")
    with pytest.raises(InvalidArgument) as told:
        await call(engine, "memory_traverse", {"start_id": 1, **arguments})
    assert (told.value.field or "").startswith(field)


async def test_circles_end(engine: Engine, access: Access) -> None:
    plant(access, (1, 3), [(1, 2, "supports", 1), (2, 3, "supports", 1), (3, 1, "supports", 1)])
    assert await reached(engine, 1, max_depth=10) == [2, 3]
    assert await reached(engine, 2, max_depth=10, direction="both") == [1, 3]


async def test_several_edges_between_two_are_one_node(engine: Engine, access: Access) -> None:
    plant(access, (1, 2), [(1, 2, "supports", 0.5), (1, 2, "part_of", 0.25), (2, 1, "part_of", 1)])
    outcome = await traverse(engine, 1, direction="both")
    assert [node["path_weight"] for node in outcome.answer["results"]] == [1, 1]
    assert [edge["weight"] for edge in outcome.answer["edges"]] == [1, 0.5, 0.25]


async def test_an_edge_of_no_weight_is_an_edge(engine: Engine, access: Access) -> None:
    plant(access, (1, 3), [(1, 2, "supports", 0), (2, 3, "supports", 1)])
    assert await reached(engine, 1) == [2, 3]


async def test_small_worths_stay_apart(engine: Engine, access: Access) -> None:
    plant(access, (1, 4), [(n, n + 1, "supports", 0.001) for n in range(1, 4)])
    outcome = await traverse(engine, 1)
    assert [n["path_weight"] for n in outcome.answer["results"]] == [1, 0.001, 1e-06, 1e-09]


async def test_nothing_hidden_foreign_or_derived_is_walked_through(
    engine: Engine, access: Access
) -> None:
    edges = [(n, n + 1, "supports", 1.0) for n in range(1, 9)]
    for owner in ("local", "Zoë"):
        plant(access, (1, 9), edges, owner=owner)
    for state in ("deleted_at = now()", "source_kind = 'derived'", "space = 'elsewhere'"):
        change(access, f"UPDATE memories SET {state} WHERE id = 3 AND owner = 'local'")
        assert await reached(engine, 1, max_depth=10) == [2]
        with pytest.raises(NodeNotFound) as told:
            await traverse(engine, 3)
        assert told.value.field == "start_id"
        change(
            access,
            "UPDATE memories SET deleted_at = NULL, source_kind = 'user', space = '' WHERE id = 3",
        )
    assert await reached(engine, 1, max_depth=10) == [2, 3, 4, 5, 6, 7, 8, 9]
    assert await reached(engine, 1, owner="Zoë") == [2, 3, 4, 5, 6]
    with pytest.raises(NodeNotFound, match="Node not found: 10"):
        await traverse(engine, 10)
    with pytest.raises(NodeNotFound):
        await traverse(engine, 1, owner="nobody")


async def test_what_is_superseded_is_walked_and_marked(engine: Engine) -> None:
    old = await add(engine, "Das Café öffnet um acht.")
    rests = await add(engine, "Breakfast is at eight.", (old, "derived_from"))
    corrected = {"old_node_id": old, "new_content": "Das Café öffnet um neun.", "reason": "Схема"}
    new = (await call(engine, "memory_correct", corrected)).answer["new_node_id"]
    outcome = await traverse(engine, new, edge_types=["supersedes"])
    assert [n["superseded_by"] for n in outcome.answer["results"]] == [None, new]
    assert [edge["reason"] for edge in outcome.answer["edges"]] == ["Схема"]
    assert await reached(engine, rests, edge_types=["derived_from"]) == [old]


async def test_near_a_hub_the_answer_stays_small_and_says_what_was_cut(
    engine: Engine, access: Access
) -> None:
    plant(access, (1, 50_001), statements=HUB)
    heaviest = [*range(999, 50_000, 1000)]
    outcome = await traverse(engine, 1)
    shown = [node["node_id"] for node in outcome.answer["results"]]
    assert shown == [1, *heaviest[:20]]
    assert outcome.answer["truncated"] is True
    assert outcome.notes == [
        "more than 20 nodes can be reached; those with the best paths are shown",
        "a node has more than 600 edges one way: its 600 heaviest were followed",
    ]
    outcome = await traverse(engine, 1, direction="both", max_results=500, max_depth=10)
    assert outcome.answer["count"] == 501
    assert {node["node_id"] for node in outcome.answer["results"]} >= {1, 2, *heaviest}
    assert len(outcome.answer["edges"]) <= 1_000
    outcome = await traverse(
        engine, 1, direction="both", min_confidence=1.0, edge_types=["part_of"]
    )
    assert (outcome.answer["count"], outcome.notes) == (1, [])


async def test_of_a_hub_no_more_is_read_than_is_followed(engine: Engine, access: Access) -> None:
    plant(access, (1, 50_001), statements=HUB)
    database = Database(access)
    try:
        async with database.begin(Caller("local"), walking=True) as tx:
            ways = (Way(forward=True), Way(forward=False))
            done = await walk(tx, 1, ways, Bounds(5, 20))
            ((read,),) = await tx.tuples(text(READ))
    finally:
        await database.close()
    assert (len(done.reached), done.edges_cut, done.late) == (20, True, False)
    assert 600 <= read <= 2_000


async def test_a_dense_graph_of_which_nothing_is_shown_ends(engine: Engine, access: Access) -> None:
    """Nothing narrows this walk: no node is sure enough, and each leads to all others."""
    dense = (
        "INSERT INTO edges (owner, source_id, target_id, type, weight, origin) SELECT 'local', "
        "a, b, 'supports', 0.9 + 0.1 * ((a * 7 + b * 13) % 10) / 10, 'test' "
        "FROM generate_series(1, 300) a, generate_series(1, 300) b WHERE a <> b"
    )
    plant(access, (1, 300), statements=(UNCHECKED, dense, "UPDATE memories SET confidence = 0.5"))
    outcome = await traverse(engine, 1, max_depth=10, min_confidence=0.6)
    assert outcome.answer["count"] == 1


async def test_a_walk_ends_in_time_and_says_so(engine: Engine, access: Access) -> None:
    plant(access, (1, 3), [(1, 2, "supports", 1), (2, 3, "supports", 1)])
    database = Database(access)
    try:
        async with database.begin(Caller("local"), walking=True) as tx:
            done = await walk(tx, 1, (Way(forward=True),), Bounds(5, 20, seconds=0))
            assert (done.reached, done.late) == ([], True)
            done = await walk(tx, 1, (Way(forward=True),), Bounds(5, 20, seconds=60))
            assert ([each.id for each in done.reached], done.late) == ([2, 3], False)
    finally:
        await database.close()
