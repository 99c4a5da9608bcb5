"""Tells the figures of a space, and what needs care."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.memory.export_format import SOURCE_KINDS
from reasonloom.contracts.memory.extras import Duplicate, HealthReport, Hint, LargeMemory
from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.memory.maintenance.summaries import shortened
from reasonloom.nodes.state import ToolState
from reasonloom.stores.memory import consolidation, statistics
from reasonloom.stores.memory.statistics import AGES, OLDEST, Figures

OLD = timedelta(days=30)
ENOUGH = 50
"""Old episodes in no summary from which on consolidation is worth a hint."""

HUGE_TOKENS = 8_000
"""A memory longer than this fills a small model's window by itself."""


async def memory_health(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the figures of the caller's space."""
    execution = runtime.context
    loom = execution.loom
    async with loom.database.begin(execution.caller, searching=True) as tx:
        at = loom.clock()
        figures = await statistics.figures(tx, at=at, model=loom.embedder.model)
        old = await consolidation.window(tx, before=at - OLD, after=0, most=ENOUGH)
    return {"answer": report(figures, old.memories).wire(), "notes": []}


def report(figures: Figures, old_episodes: int) -> HealthReport:
    """Return counted figures as the answer tells them.

    `old_episodes` are those that no summary was made of, as far as they were counted.
    """
    groups = figures.groups
    others = {model: count for model, count in figures.lacking.items() if model is not None}
    answer = HealthReport(
        total=sum(group.memories for group in groups),
        hidden=figures.hidden,
        by_sector=_summed(((g.sector, g.memories) for g in groups), SECTORS),
        by_kind=_summed(((g.source_kind, g.memories) for g in groups), SOURCE_KINDS),
        by_age=_summed(((g.age, g.memories) for g in groups), (*AGES, OLDEST)),
        weak=sum(group.weak for group in groups),
        never_read=sum(group.never_read for group in groups),
        without_vectors=figures.lacking.get(None, 0),
        other_models=others,
        duplicates=Duplicate(contents=figures.contents, surplus=figures.surplus),
        sessions=figures.sessions,
        links=figures.links,
        bytes=figures.bytes,
        largest=[
            LargeMemory(id=f"mem-{each.id}", tokens=each.token_count, excerpt=_short(each.excerpt))
            for each in figures.largest
        ],
        hints=[],
    )
    return answer.model_copy(update={"hints": list(_hints(answer, old_episodes))})


def _summed(counts: Iterable[tuple[str, int]], order: Iterable[str]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for name, count in counts:
        total[name] += count
    return {name: total[name] for name in order}


def _short(excerpt: str) -> str:
    return shortened(excerpt, 60)


def _hints(health: HealthReport, old_episodes: int) -> Iterable[Hint]:
    lacking = health.without_vectors + sum(health.other_models.values())
    if lacking:
        yield Hint(
            finding=f"{lacking} memories are found by words alone: they have no vectors of the "
            "embedder in use",
            command="reasonloom db reindex",
        )
    old = health.by_age[OLDEST]
    if health.weak and old:
        yield Hint(
            finding=f"{health.weak} memories are weaker than {statistics.WEAK}; what is old and was "
            "never read may go",
            command="prune_memories (toolset extras)",
        )
    if health.duplicates.surplus:
        yield Hint(
            finding=f"{health.duplicates.contents} contents are stored more than once, "
            f"{health.duplicates.surplus} memories too many",
            command="batch_forget (toolset extras)",
        )
    if old_episodes >= ENOUGH:
        yield Hint(
            finding="there are old episodes in no summary; those that are alike can be summed up",
            command="reasonloom memory consolidate --dry-run",
        )
    if health.hidden:
        yield Hint(
            finding=f"{health.hidden} memories are hidden and still take room",
            command="reasonloom memory restore ID",
        )
    if health.largest and health.largest[0].tokens > HUGE_TOKENS:
        yield Hint(
            finding=f"{health.largest[0].id} alone has about {health.largest[0].tokens} tokens",
            command="update_memory",
        )
