"""`memory_temporal`: what two ranges have to do with each other, with texts, each node once."""

from __future__ import annotations

from typing import Any

import pytest

from reasonloom.contracts.caller import Caller
from reasonloom.errors import InvalidArgument, MissingArgument, SessionNotFound
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.graph_memory.query import corrections_of
from reasonloom.stores.access import Access
from reasonloom.stores.graph_memory.range_comparison import Step
from reasonloom.stores.memory import memories
from tests.support.calls import call
from tests.support.memory.graph import add, change

SECOND = 1_000_000


async def session(engine: Engine, *contents: str, owner: str = "local") -> tuple[int, list[int]]:
    """Begin a session and store facts in it; return its number and theirs."""
    begun = await call(engine, "session_start", {}, owner=owner)
    ids = [await add(engine, content, owner=owner) for content in contents]
    return int(begun.answer["session_id"]), ids


def of(number: int) -> dict[str, Any]:
    return {"type": "session", "session_id": number}


async def compared(engine: Engine, a: Any, b: Any, owner: str = "local") -> dict[str, Any]:
    outcome = await call(engine, "memory_temporal", {"range_a": a, "range_b": b}, owner=owner)
    answer: dict[str, Any] = outcome.answer
    assert answer["count_a"] == answer["corrected_count"] + answer["unchanged_count"]
    return {**answer, "notes": outcome.notes}


def ids_of(nodes: list[dict[str, Any]]) -> list[int]:
    return [node["node_id"] for node in nodes]


async def test_added_corrected_and_unchanged_are_told_with_their_texts(engine: Engine) -> None:
    first, [tea, office] = await session(engine, "Žofia trinkt Tee.", "Офис в Граце.")
    second, [band] = await session(engine, "乐队在周一排练 🎺")
    linz = await add(engine, "Офис в Линце.", (office, "supersedes"))
    told = await compared(engine, of(first), of(second))
    assert [node["content"] for node in told["added"]] == ["乐队在周一排练 🎺"]
    [correction] = told["corrected"]
    assert (correction["old"]["node_id"], correction["new"]["node_id"]) == (office, linz)
    assert (correction["old"]["content"], correction["new"]["content"]) == (
        "Офис в Граце.", "Офис в Линце.",
    )  # fmt: skip
    assert correction["old"]["superseded_by"] == linz
    assert ids_of(told["unchanged"]) == [tea]
    assert ids_of(told["added"]) == [band]
    assert [told[f"{name}_count"] for name in ("added", "corrected", "unchanged", "faded")] == [
        1, 1, 1, 0,
    ]  # fmt: skip
    assert (told["count_a"], told["count_b"], told["truncated"], told["notes"]) == (2, 2, False, [])


async def test_a_correction_of_a_correction_is_one_and_neither_is_added(engine: Engine) -> None:
    first, [old] = await session(engine, "The office is in Graz.")
    second, _ = await session(engine)
    between = await add(engine, "The office is in Linz.", (old, "supersedes"))
    newest = await add(engine, "The office is in Wels.", (between, "supersedes"))
    told = await compared(engine, of(first), of(second))
    assert [(each["old"]["node_id"], each["new"]["node_id"]) for each in told["corrected"]] == [
        (old, newest)
    ]
    assert (told["added"], told["added_count"], told["count_b"]) == ([], 0, 2)


async def test_what_was_corrected_between_the_ranges_is_no_unchanged_fact(engine: Engine) -> None:
    first, [old] = await session(engine, "The office is in Graz.")
    between, _ = await session(engine)
    linz = await add(engine, "The office is in Linz.", (old, "supersedes"))
    third, _ = await session(engine)
    wels = await add(engine, "The office is in Wels.", (linz, "supersedes"))
    told = await compared(engine, of(first), of(third))
    assert [(each["old"]["node_id"], each["new"]["node_id"]) for each in told["corrected"]] == [
        (old, wels)
    ]
    beside = await compared(engine, of(third), of(between))
    assert ids_of(beside["unchanged"]) == [wels]
    early = await compared(engine, of(first), of(first))
    assert early["unchanged"][0]["superseded_by"] == linz
    assert "1 of the unchanged were superseded outside of range_b" in early["notes"][0]


async def test_a_node_in_both_ranges_is_counted_once(engine: Engine) -> None:
    first, [one] = await session(engine, "One.")
    second, [two] = await session(engine, "Two.")
    both = {"type": "sessions", "session_ids": [first, second, first]}
    told = await compared(engine, both, of(second))
    assert (ids_of(told["unchanged"]), told["added"]) == ([two, one], [])
    assert (told["count_a"], told["count_b"], told["unchanged_count"]) == (2, 1, 2)


async def test_windows_include_their_ends_and_faded_ones_are_unchanged_too(
    engine: Engine, access: Access
) -> None:
    ids = [await add(engine, f"Fact {place}.") for place in range(4)]
    for place, node in enumerate(ids):
        change(access, "UPDATE memories SET created_at = to_timestamp(%s) WHERE id = %s",
               1000 + place, node)  # fmt: skip
    change(access, "UPDATE memories SET strength = 0.19 WHERE id = %s", ids[0])
    change(access, "UPDATE memories SET strength = 0.2 WHERE id = %s", ids[1])
    a = {"type": "time_window", "start": 1000 * SECOND, "end": 1001 * SECOND}
    b = {"type": "time_window", "start": 1002 * SECOND, "end": 1003 * SECOND}
    told = await compared(engine, a, b)
    assert ids_of(told["unchanged"]) == [ids[1], ids[0]]
    assert ids_of(told["faded"]) == [ids[0]]
    assert (ids_of(told["added"]), told["faded_count"]) == ([ids[3], ids[2]], 1)


async def test_lists_are_cut_and_counts_are_whole(engine: Engine) -> None:
    first, _ = await session(engine, *(f"Fact number {place}." for place in range(53)))
    second, _ = await session(engine, "Later.")
    told = await compared(engine, of(first), of(second))
    assert (len(told["unchanged"]), told["unchanged_count"], told["truncated"]) == (50, 53, True)
    assert told["notes"] == ["each list has at most 50; the counts are complete"]


async def test_hidden_and_foreign_nodes_are_in_no_range(engine: Engine, caller: Caller) -> None:
    first, [kept, hidden] = await session(engine, "Kept.", "Hidden.")
    await session(engine, "Theirs.", owner="other")
    async with engine.loom.database.begin(caller) as tx:
        await memories.hide(tx, hidden, engine.loom.clock())
    ever = {"type": "time_window", "start": 0, "end": 2**63 - 1}
    told = await compared(engine, ever, of(first))
    assert (ids_of(told["unchanged"]), told["count_a"]) == ([kept], 1)


@pytest.mark.parametrize(
    ("given", "field"),
    [(of(7), "range_b.session_id"), ({"type": "sessions", "session_ids": [1, 7]},
                                     "range_b.session_ids.1")],
)  # fmt: skip
async def test_an_unknown_session_is_named_and_a_foreign_one_is_unknown(
    engine: Engine, given: dict[str, Any], field: str
) -> None:
    number, _ = await session(engine, "One.")
    assert number == 1
    for _ in range(7):
        await session(engine, "Theirs.", owner="other")
    with pytest.raises(SessionNotFound, match="Session not found: 7") as refused:
        await compared(engine, of(number), given)
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"type": "time_window", "start": 5, "end": 4}, "range_a: start must not be above end"),
        ({"type": "time_window", "start": 5}, "Missing required parameter: range_a.end"),
        ({"type": "week"}, "range_a.type: must be one of 'time_window', 'session', 'sessions'"),
        ({"session_id": 1}, "Missing required parameter: range_a.type"),
        ({"type": "session", "session_id": 1, "start": 2}, "range_a.start: unknown field; the fie"),
        ({"type": "sessions", "session_ids": []}, "range_a.session_ids: "),
        ({"type": "sessions", "session_ids": [1, "x"]}, "range_a.session_ids.1: must be a whole"),
        (5, "range_a: must be an object"),
    ],
)
async def test_what_is_no_range_is_refused(engine: Engine, given: Any, told: str) -> None:
    with pytest.raises((InvalidArgument, MissingArgument), match=told):
        await compared(engine, given, {"type": "time_window", "start": 0, "end": 1})


def test_branches_lead_to_the_newest_and_a_way_round_b_does_not() -> None:
    def step(older: int, newer: int, **where: bool) -> Step:
        return Step(older, newer, older < 3, where.get("a", False), where.get("b", False))

    found = corrections_of([step(1, 5, b=True), step(1, 4), step(4, 9, b=True), step(2, 6)])
    assert dict(found.newest) == {1: 9}
    assert found.replacing == {5, 9}
    assert corrections_of([step(1, 2, a=True, b=True)]).replacing == frozenset()
