"""Implements `memory_health` and `prune_memories`, and the memory summaries they share."""

from collections import Counter
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.memory.export_format import SOURCE_KINDS
from reasonloom.contracts.memory.extras import (
    Duplicate,
    HealthReport,
    Hint,
    LargeMemory,
    Pruned,
    PrunedMemory,
    PruneMemories,
)
from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.state import ToolState
from reasonloom.stores.memory import consolidation, statistics
from reasonloom.stores.memory.statistics import (
    AGES,
    EXCERPT,
    OLDEST,
    Figures,
    PruneCriteria,
    Summary,
)


def excerpt_of(content: str, most: int = EXCERPT) -> str:
    """Return the beginning of a content on one line, with an ellipsis if truncated."""
    line = " ".join(content.split())
    return line if len(content) <= most else f"{line[:most]}…"


def summary_fields(summary: Summary) -> dict[str, Any]:
    """Return the fields common to all short forms of a memory."""
    return {
        "id": f"mem-{summary.id}",
        "excerpt": excerpt_of(summary.excerpt),
        "primary_sector": summary.sector,
        "created_at": summary.created_at.isoformat(),
        "strength": summary.strength,
        "tokens": summary.token_count,
    }


OLD = timedelta(days=30)
ENOUGH = 50
"""Number of old episodes without a summary at which consolidation is suggested."""

LARGE_EXCERPT = 60
HUGE_TOKENS = 8_000
"""Tokens of a memory that fills the context window of a small model by itself."""


async def memory_health(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the statistics of the caller's space, with hints on what needs attention."""
    execution = runtime.context
    loom = execution.loom
    async with loom.database.begin(execution.caller, searching=True) as tx:
        at = loom.clock()
        figures = await statistics.figures(tx, at=at, model=loom.embedder.model)
        tx.end_with_next()
        old = await consolidation.window(tx, before=at - OLD, after=0, most=ENOUGH)
    return {"answer": health_report(figures, old.memories).wire(), "notes": []}


def health_report(figures: Figures, old_episodes: int) -> HealthReport:
    """Return the report; `old_episodes` counts old episodes without a summary, up to `ENOUGH`."""
    groups = figures.groups
    others = {model: count for model, count in figures.lacking.items() if model is not None}
    answer = HealthReport(
        total=sum(group.memories for group in groups),
        hidden=figures.hidden,
        by_sector=_counts_by_key(((g.sector, g.memories) for g in groups), SECTORS),
        by_kind=_counts_by_key(((g.source_kind, g.memories) for g in groups), SOURCE_KINDS),
        by_age=_counts_by_key(((g.age, g.memories) for g in groups), (*AGES, OLDEST)),
        weak=sum(group.weak for group in groups),
        never_read=sum(group.never_read for group in groups),
        without_vectors=figures.lacking.get(None, 0),
        other_models=others,
        duplicates=Duplicate(contents=figures.contents, surplus=figures.surplus),
        sessions=figures.sessions,
        links=figures.links,
        bytes=figures.bytes,
        largest=[
            LargeMemory(
                id=f"mem-{each.id}",
                tokens=each.token_count,
                excerpt=excerpt_of(each.excerpt, LARGE_EXCERPT),
            )
            for each in figures.largest
        ],
        hints=[],
    )
    return answer.model_copy(update={"hints": list(_hints(answer, old_episodes))})


def _counts_by_key(counts: Iterable[tuple[str, int]], order: Iterable[str]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for name, count in counts:
        total[name] += count
    return {name: total[name] for name in order}


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
            finding=f"{health.weak} memories are weaker than {statistics.WEAK}; what is old and "
            "was never read may go",
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


async def prune_memories(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Hide memories that are weak, old and rarely read, or list them in a dry run."""
    execution = runtime.context
    request = execution.request(PruneMemories)
    at = execution.loom.clock()
    criteria = PruneCriteria(
        strength=request.max_strength,
        before=at - timedelta(days=request.min_age_days),
        accesses=request.max_access_count,
        sector=request.primary_sector,
    )
    if not request.dry_run:
        await execution.loom.journal.flush()  # include the most recent accesses
    notes = []
    async with execution.loom.database.begin(execution.caller) as tx:
        found, matching = await statistics.prunable(tx, criteria, size=request.limit)
        hidden = {summary.id for summary in found}
        if matching > len(found):
            notes.append(f"{matching} match; this call is limited to {request.limit}")
        if not request.dry_run:
            hidden = await statistics.prune(tx, criteria, sorted(hidden), at)
        elif matching:
            notes.append("nothing was changed; call again with dryRun false to hide these")
        answer = Pruned(
            memories=[
                PrunedMemory(
                    **summary_fields(summary),
                    importance=summary.importance,
                    access_count=summary.access_count,
                )
                for summary in found
                if summary.id in hidden
            ],
            pruned=0 if request.dry_run else len(hidden),
            matching=matching,
            dry_run=request.dry_run,
        )
        return await complete_run(tx, execution, answer, notes=notes)
