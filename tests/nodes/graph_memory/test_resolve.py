"""`memory_resolve`: the newest version, whatever branches or circles corrections make."""

from __future__ import annotations

from itertools import count, permutations
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reasonloom.errors import InvalidArgument, NodeNotFound
from reasonloom.graphs.runs.call import Outcome
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.graph_memory.writing import versions_of
from reasonloom.stores.access import Access
from tests.nodes.graph_memory.test_correct import correct
from tests.support.calls import call
from tests.support.memory.graph import add, change, plant, query

OWNERS = count()


async def resolve(engine: Engine, node: int, **more: Any) -> Outcome:
    owner = more.pop("owner", "local")
    return await call(engine, "memory_resolve", {"node_id": node, **more}, owner=owner)


def over(*edges: tuple[int, int]) -> list[tuple[int, int, str, float]]:
    return [(newer, older, "supersedes", 1.0) for newer, older in edges]


async def test_the_answer_is_the_references(engine: Engine) -> None:
    first = await add(engine, "Die Prüfung ist am 3. Mai.")
    second = (await correct(engine, first, "Экзамен 4 мая.")).answer["new_node_id"]
    third = (await correct(engine, second, "試験は五月五日 📅")).answer["new_node_id"]
    outcome = await resolve(engine, first)
    latest = outcome.answer.pop("latest")
    assert outcome.answer == {
        "original_id": first,
        "resolved_id": third,
        "is_latest": False,
        "chain": [first, second, third],
        "branches": [third],
        "cycle": False,
    }
    assert (latest["node_id"], latest["content"]) == (third, "試験は五月五日 📅")
    assert (latest["superseded_by"], outcome.notes) == (None, [])
    newest = (await resolve(engine, third)).answer
    assert (newest["resolved_id"], newest["is_latest"]) == (third, True)
    assert (newest["chain"], newest["branches"]) == ([third], [third])


async def test_of_two_corrections_the_newest_wins_and_both_are_told(engine: Engine) -> None:
    """The original resolves to the first, which is outdated."""
    old = await add(engine, "The meeting is on Monday.")
    first = (await correct(engine, old, "The meeting is on Tuesday.")).answer["new_node_id"]
    second = (await correct(engine, old, "The meeting is on Friday.")).answer["new_node_id"]
    outcome = await resolve(engine, old)
    assert outcome.answer["resolved_id"] == second
    assert outcome.answer["branches"] == [second, first]
    assert outcome.answer["chain"] == [old, second]
    assert outcome.notes == [f"corrections differ: 2 versions exist; node {second} is the newest"]


async def test_a_branch_that_is_corrected_later_wins(engine: Engine, access: Access) -> None:
    plant(access, (1, 5), over((2, 1), (3, 1), (4, 2), (5, 4)))
    answer = (await resolve(engine, 1)).answer
    assert (answer["resolved_id"], answer["branches"]) == (5, [5, 3])
    assert answer["chain"] == [1, 2, 4, 5]
    assert (await resolve(engine, 3)).answer["resolved_id"] == 3


async def test_branches_that_meet_again_are_one(engine: Engine, access: Access) -> None:
    plant(access, (1, 4), over((2, 1), (3, 1), (4, 2), (4, 3)))
    answer = (await resolve(engine, 1)).answer
    assert (answer["resolved_id"], answer["branches"], answer["cycle"]) == (4, [4], False)
    assert answer["chain"] == [1, 3, 4]


@pytest.mark.parametrize("order", list(permutations(((2, 1), (3, 2), (1, 3)))))
async def test_of_a_circle_the_newest_is_taken_from_everywhere(
    engine: Engine, access: Access, order: tuple[tuple[int, int], ...]
) -> None:
    plant(access, (1, 3), over(*order))
    for node in (1, 2, 3):
        outcome = await resolve(engine, node)
        answer = outcome.answer
        assert (answer["resolved_id"], answer["cycle"]) == (3, True)
        assert answer["is_latest"] is (node == 3)
        assert (answer["chain"][0], answer["chain"][-1]) == (node, 3)
        assert answer["latest"]["superseded_by"] is None
        assert outcome.notes == [
            "corrections lead in a circle; the newest node by number, 3, is taken"
        ]


async def test_an_older_number_above_a_newer_one_does_not_outdo_it(
    engine: Engine, access: Access
) -> None:
    plant(access, (1, 3), over((1, 3)))
    answer = (await resolve(engine, 3)).answer
    assert (answer["resolved_id"], answer["is_latest"]) == (3, True)
    assert (answer["branches"], answer["cycle"]) == ([3, 1], False)


async def test_a_correction_that_is_hidden_counts_no_more(engine: Engine) -> None:
    old = await add(engine, "The key is blue.")
    new = (await correct(engine, old, "The key is red.")).answer["new_node_id"]
    newest = (await correct(engine, new, "The key is black.")).answer["new_node_id"]
    forgotten = {"userId": "local", "memoryId": f"mem-{new}", "soft": True}
    await call(engine, "forget", forgotten)
    answer = (await resolve(engine, old)).answer
    assert (answer["resolved_id"], answer["latest"]["superseded_by"]) == (old, None)
    with pytest.raises(NodeNotFound):
        await resolve(engine, new)
    await call(engine, "restore_memory", {"userId": "local", "memoryId": f"mem-{new}"})
    assert (await resolve(engine, old)).answer["resolved_id"] == newest


async def test_a_very_long_chain_and_very_many_branches(engine: Engine, access: Access) -> None:
    """The original stops after a hundred hops."""
    plant(access, (1, 3_000), over(*((n + 1, n) for n in range(1, 3_000))))
    outcome = await resolve(engine, 1)
    assert outcome.answer["resolved_id"] == 3_000
    assert outcome.answer["chain"] == [*range(1, 500), 3_000]
    assert outcome.notes == ["the chain has 3000 nodes; the first 499 and the last are listed"]
    plant(access, (3_001, 4_000), over(*((n, 3_001) for n in range(3_002, 4_001))))
    outcome = await resolve(engine, 3_001)
    assert outcome.answer["branches"] == [*range(4_000, 3_500, -1)]
    assert outcome.notes[-1] == "there are 999 branches; the newest 500 are listed"


async def test_unknown_and_foreign_nodes(engine: Engine, access: Access) -> None:
    plant(access, (1, 3), over((2, 1), (3, 2)))
    plant(access, (1, 2), over((2, 1)), owner="Ömer")
    assert (await resolve(engine, 1, owner="Ömer")).answer["resolved_id"] == 2
    for node, owner in ((3, "Ömer"), (4, "local")):
        with pytest.raises(NodeNotFound) as told:
            await resolve(engine, node, owner=owner)
        assert told.value.field == "node_id"
    change(access, "UPDATE memories SET space = 'elsewhere' WHERE owner = 'local' AND id = 3")
    assert (await resolve(engine, 1)).answer["resolved_id"] == 2
    with pytest.raises(InvalidArgument):
        await resolve(engine, -1)


EDGES = st.lists(
    st.tuples(st.integers(1, 6), st.integers(1, 6)).filter(lambda edge: edge[0] != edge[1]),
    max_size=9,
    unique=True,
)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(edges=EDGES)
async def test_what_is_resolved_is_what_the_database_leaves_current(
    engine: Engine, access: Access, edges: list[tuple[int, int]]
) -> None:
    owner = f"Ü{next(OWNERS)}"
    plant(access, (1, 6), over(*edges), owner=owner)
    marks = dict(query(access, "SELECT id, superseded_by FROM memories WHERE owner = %s", owner))
    for node in range(1, 7):
        answer = (await resolve(engine, node, owner=owner)).answer
        assert marks[answer["resolved_id"]] is None
        assert answer["latest"]["superseded_by"] is None
        assert all(marks[branch] is None for branch in answer["branches"])
        assert answer["branches"][0] == answer["resolved_id"] >= node
        assert answer["is_latest"] is (answer["resolved_id"] == node)
        chain = answer["chain"]
        assert (chain[0], chain[-1]) == (node, answer["resolved_id"])
        assert set(zip(chain[1:], chain, strict=False)) <= set(edges)


@given(edges=EDGES)
def test_a_circle_is_told_exactly_where_one_is(edges: list[tuple[int, int]]) -> None:
    ways = {(newer, older) for newer, older in edges}
    for middle in range(1, 7):
        ways |= {(a, d) for a, b in ways if b == middle for c, d in ways if c == middle}
    above = {1, *(newer for newer, older in ways if older == 1)}
    within = [edge for edge in edges if edge[1] in above]
    assert versions_of(1, dict.fromkeys(within, False)).cycle is any(
        (node, node) in ways for node in above
    )
