"""The history tools at the node, and `recall` of memories with and without a past beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import psycopg

from reasonloom.evals.bench.history.search import load_chunks, queries
from reasonloom.evals.bench.load import load, seed_of
from reasonloom.evals.bench.memory import SETTLE
from reasonloom.evals.bench.sentences import questions
from reasonloom.evals.bench.timing import Figure, in_turn, median, percentile_95, timed
from reasonloom.stores.vector_indexes import maintain

if TYPE_CHECKING:
    from reasonloom.evals.bench.environment import Ground

MEMORIES = 1_000
"""Memories that stand beside the chunks."""

SLOWER = 1.2
"""How much slower `recall` may be for the past beside it."""

WALKED = 2.0
"""How much slower `history_recall` may be than a search."""

PROJECT = "project-0"
ALONE = "without-a-past"
LISTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("history_list_projects", {}),
    ("history_list_sessions", {"project": PROJECT}),
    ("history_stats", {}),
    ("history_reconstruct", {"project": PROJECT}),
)


async def measure(ground: Ground, times: int, sizes: Sequence[int]) -> list[Figure]:
    """Fill one database for owners of all sizes, then time every tool, before and after upkeep."""
    await load(ground.database, ground.embedder, ALONE, MEMORIES)
    for size in sizes:
        await load(ground.database, ground.embedder, _owner(size), MEMORIES)
        await load_chunks(ground.database, ground.embedder, _owner(size), size)
    await _settled(ground)
    figures = [await _search(ground, size, times, "before db maintain") for size in sizes]
    await maintain(ground.access)
    for size in sizes:
        figures.append(await _search(ground, size, times, "after db maintain"))
        figures.append(await _search(ground, size, times, "one project", project=PROJECT))
        figures += [await _list(ground, size, times, tool, given) for tool, given in LISTS]
        figures.append(await _walk(ground, size, times))
        figures.append(await _recall(ground, size, times))
    return figures


def _owner(size: int) -> str:
    return f"past-of-{size}"


async def _settled(ground: Ground) -> None:
    async with await psycopg.AsyncConnection.connect(
        ground.access.admin, autocommit=True
    ) as connection:
        await connection.execute(f"{SETTLE}, chunks, projects".encode())


async def _search(ground: Ground, size: int, times: int, how: str, **more: Any) -> Figure:
    asked = queries(_owner(size), size)

    async def search() -> None:
        await ground.call("history_search", owner=_owner(size), query=next(asked), **more)

    taken = [await timed(search) for _ in range(times + 5)][5:]
    name = f"history search, {size:,} chunks, {how}"
    return Figure(name, median(taken), percentile_95(taken))


async def _walk(ground: Ground, size: int, times: int) -> Figure:
    """Time `history_recall` and `history_search` in turn, each asked other questions."""
    asked = queries(_owner(size), size)

    async def search() -> None:
        await ground.call("history_search", owner=_owner(size), query=next(asked))

    async def recall() -> None:
        await ground.call("history_recall", owner=_owner(size), query=next(asked))

    below, own = await in_turn(search, recall, times)
    name = f"history recall, {size:,} chunks"
    said = "floor: history_search"
    return Figure(name, median(own), percentile_95(own), median(below), WALKED, said)


async def _list(ground: Ground, size: int, times: int, tool: str, given: dict[str, Any]) -> Figure:
    async def work() -> None:
        await ground.call(tool, owner=_owner(size), **given)

    taken = [await timed(work) for _ in range(times + 5)][5:]
    return Figure(f"{tool}, {size:,} chunks", median(taken), percentile_95(taken))


async def _recall(ground: Ground, size: int, times: int) -> Figure:
    """Time `recall` of as many memories without a past and with one, in turn."""
    beside, alone = (questions(seed_of(owner), MEMORIES) for owner in (_owner(size), ALONE))

    async def with_past() -> None:
        owner = _owner(size)
        await ground.call("recall", owner=owner, userId=owner, text=next(beside), limit=10)

    async def without() -> None:
        await ground.call("recall", owner=ALONE, userId=ALONE, text=next(alone), limit=10)

    below, own = await in_turn(without, with_past, times)
    name = f"recall of {MEMORIES:,} memories beside {size:,} chunks"
    said = "floor: the same without a past"
    return Figure(name, median(own), percentile_95(own), median(below), SLOWER, said)
