"""Sums up old episodes that are alike: finds groups, then one group a step, each whole."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.memory.extras import (
    Consolidated,
    ConsolidateMemories,
    ConsolidationReport,
)
from reasonloom.errors import InvalidArgument
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.memory.maintenance.health import excerpt_of
from reasonloom.nodes.memory.maintenance.summary import (
    EpisodeSummary,
    summarize_episodes,
    summary_memory,
)
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.state import ToolState
from reasonloom.stores.memory import consolidation, memories
from reasonloom.stores.memory.consolidation import Episode, Pair


def complete_link_clusters(pairs: Sequence[Pair], *, least: int, most: int) -> list[list[int]]:
    """Return the clusters of `least` to `most` members, each sorted, the largest first.

    `pairs` are those that are alike enough, the most alike first. Two clusters become one where
    every pair between them is among `pairs`, the most alike first (agglomerative clustering
    with complete linkage, cut at the threshold by which `pairs` were chosen).
    """
    alike = {(pair.one, pair.other) for pair in pairs}
    of: dict[int, list[int]] = {}
    for pair in pairs:
        one = of.setdefault(pair.one, [pair.one])
        other = of.setdefault(pair.other, [pair.other])
        if one is other or len(one) + len(other) > most:
            continue
        if all((min(a, b), max(a, b)) in alike for a in one for b in other):
            one += other
            of.update(dict.fromkeys(other, one))
    found = {id(group): sorted(group) for group in of.values() if len(group) >= least}
    return sorted(found.values(), key=lambda group: (-len(group), group))


WINDOW = 500
"""Old episodes that are compared with each other at once."""

MOST_WINDOWS = 20
MOST_PAIRS = 50_000
MOST_IN_CLUSTER = 20


class ConsolidateState(ToolState, total=False):
    """The groups found, by ids, and what became of those that are done."""

    groups: list[list[int]]
    examined: int
    next_cursor: list[str]
    done: list[dict[str, Any]]
    skipped: int


async def find_groups(state: ConsolidateState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Look through old episodes, a window at a time, until there are groups enough.

    The cursor holds the number after which to look, and how many groups to pass over: a dry
    run leaves groups where they are.
    """
    execution = runtime.context
    request = ConsolidateMemories.model_validate(state["request"])
    after, skip = _cursor(request.cursor)
    groups: list[list[int]] = []
    examined, then = 0, None
    for _ in range(MOST_WINDOWS):
        found, looked, last = await _window(execution, request, after)
        examined += looked
        room = request.max_clusters - len(groups)
        groups += found[skip:][:room]
        if len(found) - skip > room:
            then = f"{after}.{skip + room if request.dry_run else 0}"
            break
        after, skip = last, 0
        if looked < WINDOW:
            then = None
            break
        then = f"{after}.0"
    cursor = [then] if then else []
    return {
        "groups": groups, "examined": examined, "next_cursor": cursor, "done": [], "skipped": 0,
    }  # fmt: skip


async def _window(
    execution: Execution, request: ConsolidateMemories, after: int
) -> tuple[list[list[int]], int, int]:
    """Return the groups of one window, how many episodes it holds, and its last number."""
    loom = execution.loom
    before = execution.run.created_at - timedelta(days=request.older_than_days)
    async with loom.database.begin(execution.caller, searching=True) as tx:
        old = await consolidation.window(tx, before=before, after=after, most=WINDOW)
        pairs = await consolidation.pairs(
            tx,
            loom.embedder.model,
            before=before,
            after=after,
            most=WINDOW,
            alike=request.min_similarity,
            most_pairs=MOST_PAIRS,
        )
    found = complete_link_clusters(pairs, least=request.min_cluster, most=MOST_IN_CLUSTER)
    return found, old.memories, old.last


def _cursor(cursor: str | None) -> tuple[int, int]:
    """Return where to go on; raises InvalidArgument where the text is no cursor of ours."""
    if cursor is None:
        return 0, 0
    after, point, skip = cursor.partition(".")
    parts = (after, skip)
    if not point or not all(p.isascii() and p.isdigit() and len(p) < 19 for p in parts):  # noqa: PLR2004 - digits of a bigint
        raise InvalidArgument("cursor: must be the nextCursor of the call before", field="cursor")
    return int(after), int(skip)


def is_more_to_do(state: ConsolidateState) -> bool:
    """Tell whether a group waits to be summed up; a dry run sums nothing up."""
    done = len(state["done"]) + state["skipped"]
    return not state["request"].get("dryRun", False) and done < len(state["groups"])


async def summarise_group(state: ConsolidateState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Sum up the next group: asked and embedded outside the transaction, written whole.

    A group that changed meanwhile, or that another run took, is left as it is.
    """
    execution = runtime.context
    place = len(state["done"]) + state["skipped"]
    ids = state["groups"][place]
    effect = execution.run.effect("summarise_group", str(place))
    async with execution.loom.database.begin(execution.caller) as tx:
        episodes = await consolidation.read(tx, ids, effect)
    if [each.id for each in episodes] != ids:
        return {"skipped": state["skipped"] + 1}
    summed = await summarize_episodes(execution, episodes, place)
    memory, notes = await summary_memory(execution, episodes, summed, effect)
    async with execution.loom.database.begin(execution.caller) as tx:
        held = await consolidation.hold(tx, ids, effect)
        if held != episodes:
            return {"skipped": state["skipped"] + 1}
        summary = await memories.store(tx, memory)
        await consolidation.derive(
            tx, summary, ids, at=execution.loom.clock(), run_id=execution.run.id
        )
    shown = _cluster_report(episodes, summary, memory.content, summed)
    return {"done": [*state["done"], shown.wire()], "notes": [*summed.notes, *notes]}


def _cluster_report(
    episodes: Sequence[Episode], summary: int, content: str, summed: EpisodeSummary
) -> Consolidated:
    return _cluster_preview(episodes).model_copy(
        update={"summary_id": f"mem-{summary}", "summary": content, "made_by": summed.made_by}
    )


def _cluster_preview(episodes: Sequence[Episode]) -> Consolidated:
    times = sorted(each.created_at for each in episodes)
    return Consolidated(
        originals=[f"mem-{each.id}" for each in episodes],
        excerpt=excerpt_of(episodes[0].content),
        first=times[0].isoformat(),
        last=times[-1].isoformat(),
    )


async def report_groups(state: ConsolidateState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Answer with the groups that were summed up, or that would be."""
    execution = runtime.context
    request = ConsolidateMemories.model_validate(state["request"])
    async with execution.loom.database.begin(execution.caller) as tx:
        shown = [Consolidated.model_validate(each) for each in state["done"]]
        if request.dry_run:
            each_read = [await consolidation.read(tx, ids) for ids in state["groups"]]
            shown = [_cluster_preview(episodes) for episodes in each_read if episodes]
        answer = ConsolidationReport(
            clusters=shown,
            consolidated=len(state["done"]),
            examined=state["examined"],
            skipped=state["skipped"],
            dry_run=request.dry_run,
            **({"next_cursor": state["next_cursor"][0]} if state["next_cursor"] else {}),
        )
        notes = list(dict.fromkeys(state.get("notes", [])))
        added = await complete_run(tx, execution, answer, notes=notes)
    return {**added, "notes": []}
