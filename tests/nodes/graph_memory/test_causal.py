"""`memory_causal` follows the direction in which things depend, and counts all it finds."""

from __future__ import annotations

from typing import Any

import pytest

from reasonloom.errors import InvalidArgument, NodeNotFound
from reasonloom.graphs.runs.call import Outcome
from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.access import Access
from tests.support.calls import call
from tests.support.memory.graph import add, change, plant


async def causal(engine: Engine, node: int, **more: Any) -> Outcome:
    owner = more.pop("owner", "local")
    return await call(engine, "memory_causal", {"node_id": node, **more}, owner=owner)


async def dependents(engine: Engine, node: int, **more: Any) -> list[int]:
    answer = (await causal(engine, node, **more)).answer
    assert answer["dependent_count"] == len(answer["dependents"])
    return [shown["node_id"] for shown in answer["dependents"]]


async def test_what_is_caused_by_or_derived_from_a_node_depends_on_it(engine: Engine) -> None:
    root = await add(engine, "Серверы стоят в Осло.")
    chosen = await add(engine, "Use nb_NO.", (root, "caused_by"), event_type="decision")
    drawn = await add(
        engine, "遅延は小さい 🚀", (root, "derived_from"), (chosen, "derived_from"),
        event_type="inference",
    )  # fmt: skip
    outcome = await causal(engine, root)
    answer = outcome.answer
    assert set(answer) == {
        "root_id", "dependent_count", "affected_decisions", "affected_inferences", "dependents",
        "edges", "truncated",
    }  # fmt: skip
    assert (answer["root_id"], answer["dependent_count"]) == (root, 2)
    assert (answer["affected_decisions"], answer["affected_inferences"]) == (1, 1)
    assert [(n["node_id"], n["depth"]) for n in answer["dependents"]] == [(chosen, 1), (drawn, 1)]
    assert [(e["source_id"], e["target_id"], e["edge_type"]) for e in answer["edges"]] == [
        (chosen, root, "caused_by"),
        (drawn, root, "derived_from"),
        (drawn, chosen, "derived_from"),
    ]
    assert (answer["truncated"], outcome.notes) == (False, [])
    assert await dependents(engine, drawn) == []


async def test_the_evidence_for_a_node_does_not_depend_on_it(engine: Engine) -> None:
    """The original has this the wrong way round."""
    evidence = await add(engine, "The logs show a timeout.")
    claim = await add(engine, "The network is slow.", event_type="inference")
    await add(engine, "More logs.", (claim, "supports"))
    change_ = await add(engine, "Buy a switch.", (claim, "caused_by"), event_type="decision")
    shown = await add(engine, "Seen at noon.", (evidence, "supports"))
    assert await dependents(engine, claim) == [change_]
    assert await dependents(engine, shown) == [evidence]


async def test_dependence_goes_on_through_all_three(engine: Engine, access: Access) -> None:
    edges = [(2, 1, "caused_by", 1), (2, 3, "supports", 0.5), (4, 3, "derived_from", 1)]
    plant(access, (1, 4), edges)
    assert await dependents(engine, 1) == [2, 3, 4]
    assert await dependents(engine, 1, max_depth=2) == [2, 3]
    assert await dependents(engine, 3) == [4]


@pytest.mark.parametrize(
    "kind", ["contradicts", "supersedes", "related_to", "part_of", "temporal_next"]
)
async def test_other_edges_carry_no_dependence(engine: Engine, access: Access, kind: str) -> None:
    plant(access, (1, 3), [(1, 2, kind, 1), (3, 1, kind, 1)])
    assert await dependents(engine, 1) == []


async def test_a_circle_does_not_make_the_root_depend_on_itself(
    engine: Engine, access: Access
) -> None:
    plant(access, (1, 3), [(n % 3 + 1, n, "caused_by", 1) for n in (1, 2, 3)])
    assert await dependents(engine, 1) == [2, 3]


async def test_superseded_dependents_are_counted_and_said(engine: Engine) -> None:
    root = await add(engine, "Der Zug fährt um sieben.")
    choice = await add(engine, "Wake at six.", (root, "caused_by"), event_type="decision")
    corrected = {"old_node_id": choice, "new_content": "Wake at five."}
    newer = (await call(engine, "memory_correct", corrected)).answer["new_node_id"]
    outcome = await causal(engine, root)
    (shown,) = outcome.answer["dependents"]
    assert (shown["node_id"], shown["superseded_by"]) == (choice, newer)
    assert outcome.answer["affected_decisions"] == 1
    assert outcome.answer["truncated"] is False
    assert outcome.notes == ["1 of the dependents are superseded by newer nodes; they are counted"]


async def test_all_are_counted_where_a_hundred_are_shown(engine: Engine, access: Access) -> None:
    plant(access, (1, 351), [(n, 1, "caused_by", 1.0) for n in range(2, 352)])
    change(access, "UPDATE memories SET event_type = 'decision' WHERE id > 101")
    change(access, "UPDATE memories SET event_type = 'inference' WHERE id > 321")
    outcome = await causal(engine, 1)
    answer = outcome.answer
    assert (answer["dependent_count"], len(answer["dependents"])) == (350, 100)
    assert (answer["affected_decisions"], answer["affected_inferences"]) == (220, 30)
    assert answer["truncated"] is True
    assert outcome.notes == ["350 dependents were counted; the 100 with the best paths are shown"]


async def test_the_count_itself_ends_and_says_so(engine: Engine, access: Access) -> None:
    many = (
        "INSERT INTO edges (owner, source_id, target_id, type, weight, origin) SELECT 'local', n, "
        "1, 'caused_by', 1, 'test' FROM generate_series(2, 6000) n"
    )
    plant(access, (1, 6_000), statements=(many,))
    outcome = await causal(engine, 1)
    assert outcome.answer["dependent_count"] == 5_000
    assert outcome.answer["truncated"] is True
    assert outcome.notes[0] == "more than 5000 nodes depend on it; the count ends there"


async def test_hidden_foreign_and_unknown_nodes(engine: Engine, access: Access) -> None:
    edges = [(2, 1, "caused_by", 1.0), (3, 2, "caused_by", 1.0)]
    plant(access, (1, 3), edges)
    plant(access, (1, 2), edges[:1], owner="Łukasz")
    assert await dependents(engine, 1) == [2, 3]
    assert await dependents(engine, 1, owner="Łukasz") == [2]
    change(access, "UPDATE memories SET deleted_at = now() WHERE id = 2 AND owner = 'local'")
    assert await dependents(engine, 1) == []
    for node, owner in ((2, "local"), (9, "local"), (3, "Łukasz")):
        with pytest.raises(NodeNotFound) as told:
            await causal(engine, node, owner=owner)
        assert told.value.field == "node_id"
    with pytest.raises(InvalidArgument, match="max_depth"):
        await causal(engine, 1, max_depth=11)
