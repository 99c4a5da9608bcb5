"""`memory_quality`: shares that are certain, told in words, and no verdict by a single node."""

from __future__ import annotations

from typing import Any

import pytest

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.errors import InvalidArgument
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.graph_memory.quality import WEAK, Weakness, wilson_interval
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from reasonloom.stores.graph_memory import node_statistics
from reasonloom.stores.memory import memories
from tests.support.calls import call, remember
from tests.support.memory.graph import add, change, query


async def judged(engine: Engine, owner: str = "local", **arguments: Any) -> dict[str, Any]:
    outcome = await call(engine, "memory_quality", arguments, owner=owner)
    return {**outcome.answer, "notes": outcome.notes}


def ids_of(finding: dict[str, Any]) -> list[int]:
    return [node["node_id"] for node in finding["examples"]]


async def grounded(engine: Engine, count: int) -> list[int]:
    """Store facts that are linked and well believed."""
    first = await add(engine, "Das Café öffnet um acht.")
    rest = [
        await add(engine, f"Факт номер {place}.", (first, "related_to")) for place in range(count)
    ]
    return [first, *rest]


async def test_an_empty_graph_passes_and_says_that_there_is_nothing(engine: Engine) -> None:
    told = await judged(engine)
    said = "there is no current node yet, so there is nothing to judge"
    assert (told["status"], told["reasons"], told["notes"]) == ("pass", [said], [said])
    assert (told["low_confidence"], told["node_count"]) == (
        {"count": 0, "share": 0.0, "examples": []}, 0,
    )  # fmt: skip


async def test_one_bad_node_of_each_kind_fails_nothing(engine: Engine, access: Access) -> None:
    first, *_ = await grounded(engine, 5)
    decision = await add(
        engine, "Wir ziehen um 🏠", (first, "contradicts"), event_type="decision", confidence=0.1
    )
    orphan = await add(engine, "孤立的事实。")
    change(access, "UPDATE memories SET strength = 0.1 WHERE id = %s", orphan)
    told = await judged(engine)
    assert told["status"] == "pass"
    assert ids_of(told["low_confidence"]) == ids_of(told["unsupported_decisions"]) == [decision]
    assert ids_of(told["stale"]) == ids_of(told["orphans"]) == [orphan]
    assert told["stale"]["examples"][0]["content"] == "孤立的事实。"
    assert (told["contradictions"]["count"], told["contradictions"]["pairs"]) == (
        1, [[first, decision]],
    )  # fmt: skip
    assert sorted(ids_of(told["contradictions"])) == [first, decision]
    assert any(
        reason.startswith("1 of 8 current nodes (12%) have a confidence below 0.45; fewer than 3")
        for reason in told["reasons"]
    )


@pytest.mark.parametrize(
    ("weak", "strong", "status"),
    [(2, 0, "pass"), (5, 10, "warn"), (12, 8, "fail"), (4, 36, "pass")],
)
async def test_low_confidence_is_judged_by_its_certain_share(
    engine: Engine, weak: int, strong: int, status: str
) -> None:
    hub = await add(engine, "Eins.", confidence=0.2)
    for place in range(1, weak + strong):
        believed = 0.2 if place < weak else 0.9
        await add(engine, f"No {place}.", (hub, "related_to"), confidence=believed)
    told = await judged(engine)
    assert told["low_confidence"]["count"] == weak
    assert told["low_confidence"]["share"] == pytest.approx(weak / (weak + strong), abs=1e-3)
    assert told["status"] == status


async def test_superseded_nodes_are_never_weak_and_are_counted_apart(engine: Engine) -> None:
    facts = await grounded(engine, 4)
    weak = [await add(engine, f"Maybe {place}.", confidence=0.1) for place in range(6)]
    for node in weak:
        await add(engine, f"Surely {node}.", (node, "supersedes"))
    told = await judged(engine)
    assert (told["low_confidence"]["count"], told["orphans"]["count"]) == (0, 0)
    assert (told["node_count"], told["superseded_count"]) == (len(facts) + 12, 6)
    assert told["status"] == "pass"


@pytest.mark.parametrize("kind", ["caused_by", "derived_from"])
async def test_what_a_decision_leads_back_to_supports_it(engine: Engine, kind: str) -> None:
    fact = await add(engine, "The wall is thin.")
    await add(engine, "We move.", (fact, kind), event_type="decision")
    assert (await judged(engine))["unsupported_decisions"]["count"] == 0


async def test_incoming_support_counts_and_outgoing_does_not(engine: Engine) -> None:
    decision = await add(engine, "We move.", event_type="decision")
    other = await add(engine, "We stay.", (decision, "related_to"), event_type="decision")
    supporter = await add(engine, "The wall is thin.", (decision, "supports"))
    assert ids_of((await judged(engine))["unsupported_decisions"]) == [other]
    await add(engine, "The wall is thick.", (supporter, "supersedes"))
    told = await judged(engine)
    assert sorted(ids_of(told["unsupported_decisions"])) == [decision, other]


async def test_many_unsupported_decisions_fail_and_the_reason_counts_them(engine: Engine) -> None:
    for place in range(6):
        await add(engine, f"Entscheidung {place}.", event_type="decision")
    told = await judged(engine)
    assert told["status"] == "fail"
    assert told["reasons"][0] == (
        "6 of 6 current decisions (100%) rest on no current node; at least 61% with 95 % "
        "certainty, above the 50% that fail"
    )


async def test_only_current_pairs_contradict_and_each_pair_counts_once(engine: Engine) -> None:
    one = await add(engine, "It is open.")
    two = await add(engine, "It is shut.", (one, "contradicts"))
    three = await add(engine, "It was shut.", (two, "contradicts"))
    change_back = await add(engine, "It is ajar.", (three, "supersedes"), (one, "contradicts"))
    told = (await judged(engine))["contradictions"]
    assert (told["count"], told["pairs"]) == (2, [[one, change_back], [one, two]])
    assert told["share"] == 1.0


async def test_examples_are_bounded_and_the_worst_come_first(engine: Engine) -> None:
    ids = [await add(engine, f"Vague {place}.", confidence=place / 20) for place in range(8)]
    told = await judged(engine, max_examples=3)
    assert ids_of(told["low_confidence"]) == ids[:3]
    assert (told["low_confidence"]["count"], len(told["orphans"]["examples"])) == (8, 3)
    assert (await judged(engine, low_confidence_threshold=0))["low_confidence"]["count"] == 0


async def test_a_read_keeps_a_node_from_being_stale(engine: Engine, access: Access) -> None:
    node = await add(engine, "Ключ лежит под ковриком.")
    change(access, "UPDATE memories SET strength = 0.19 WHERE id = %s", node)
    assert (await judged(engine))["stale"]["count"] == 1
    await call(engine, "memory_similar", {"query_text": "Где ключ?", "min_similarity": 0})
    await engine.loom.journal.flush()
    assert (await judged(engine))["stale"]["count"] == 0


async def test_hidden_and_foreign_nodes_are_not_judged(engine: Engine, caller: Caller) -> None:
    node = await add(engine, "One.")
    hidden = await add(engine, "Two.", (node, "supports"), confidence=0.1)
    await add(engine, "Theirs.", owner="other", confidence=0.1)
    async with engine.loom.database.begin(caller) as tx:
        await memories.hide(tx, hidden, engine.loom.clock())
    told = await judged(engine)
    assert (told["node_count"], told["low_confidence"]["count"]) == (1, 0)
    assert ids_of(told["orphans"]) == [node]


async def test_a_threshold_out_of_range_is_refused(engine: Engine) -> None:
    with pytest.raises(InvalidArgument, match="stale_decay_threshold: "):
        await judged(engine, stale_decay_threshold=1.5)
    with pytest.raises(InvalidArgument, match="max_examples: "):
        await judged(engine, max_examples=0)


def test_the_interval_is_wilsons() -> None:
    assert wilson_interval(0, 0) == wilson_interval(0, 10) == 0
    assert wilson_interval(1, 1) == pytest.approx(0.2065, abs=1e-4)
    assert wilson_interval(50, 100) == pytest.approx(0.4038, abs=1e-4)
    assert Weakness(WEAK, 2, 2).level == "pass"
    assert Weakness(WEAK, 3, 3).level == "fail"


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
    assert (told["dimension"], told["file_size_bytes"], told["notes"]) == (384, 0, [])
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
    change(access, MANY, 2 * node_statistics.WEIGHED)
    told = await stats(engine)
    [(size,)] = query(access, BYTES)
    assert told["file_size_bytes"] == pytest.approx(size, rel=0.05)
    assert told["notes"] == [
        f"file_size_bytes is estimated from the newest {node_statistics.WEIGHED:,} memories"
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
