"""Implements `consolidate_memories`: clusters similar old episodes, one summary per step."""

import re
from asyncio import gather
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from langgraph.errors import GraphInterrupt
from langgraph.runtime import Runtime

from reasonloom.contracts.memory.extras import (
    Consolidated,
    ConsolidateMemories,
    ConsolidationReport,
)
from reasonloom.errors import InvalidArgument
from reasonloom.llm.providers.caller import CALLER
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.memory.maintenance.health import excerpt_of
from reasonloom.nodes.memory.maintenance.summary import summarize_episodes, summary_memory
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.state import ToolState
from reasonloom.stores.memory import consolidation, memories
from reasonloom.stores.memory.consolidation import Episode, Pair


def complete_link_clusters(pairs: Sequence[Pair], *, least: int, most: int) -> list[list[int]]:
    """Return the clusters of `least` to `most` members, each sorted, largest first.

    `pairs` are those above the similarity threshold, most similar first. Two clusters merge if all
    pairs between them are in `pairs` (agglomerative clustering with complete linkage).
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
"""Number of old episodes that are compared with each other at a time."""

MOST_WINDOWS = 20
MOST_PAIRS = 50_000
MOST_IN_CLUSTER = 20


class ConsolidateState(ToolState, total=False):
    """State of a consolidation: the groups, as ids, and the reports of completed ones."""

    groups: list[list[int]]
    examined: int
    next_cursor: list[str]
    done: list[dict[str, Any]]
    skipped: int


async def find_groups(state: ConsolidateState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Cluster old episodes, one window at a time, until there are enough groups.

    The cursor holds the id to start after and the number of groups to skip, since a dry run does
    not consume the groups that it reports.
    """
    execution = runtime.context
    request = execution.request(ConsolidateMemories)
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
    """Return the groups of a window, its number of episodes, and the id of its last episode."""
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
    """Return the id to start after and the number of groups to skip.

    Raises:
        InvalidArgument: the text is not a valid cursor.
    """
    parts = re.fullmatch(r"([0-9]{1,18})\.([0-9]{1,18})", "0.0" if cursor is None else cursor)
    if parts is None:
        raise InvalidArgument("cursor: must be the nextCursor of the call before", field="cursor")
    return int(parts[1]), int(parts[2])


def is_more_to_do(state: ConsolidateState) -> bool:
    """Return whether any group remains to be summarised; a dry run summarises none."""
    done = len(state["done"]) + state["skipped"]
    return not state["request"].get("dryRun", False) and done < len(state["groups"])


async def summarise_group(state: ConsolidateState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Summarise the next group outside the transaction, then write it atomically.

    A group that changed in the meantime, or that another run consolidated, is skipped.
    """
    execution = runtime.context
    place = len(state["done"]) + state["skipped"]
    if execution.loom.llm.name == CALLER:
        await _ask_of_all(execution, state["groups"], place)
    ids = state["groups"][place]
    effect = execution.run.effect("summarise_group", str(place))
    async with execution.loom.database.begin(execution.caller) as tx:
        episodes = await consolidation.read(tx, ids, effect)
    if [each.id for each in episodes] != ids:
        return {"skipped": state["skipped"] + 1}
    summary = await summarize_episodes(execution, episodes, place)
    memory, notes = await summary_memory(execution, episodes, summary, effect)
    async with execution.loom.database.begin(execution.caller) as tx:
        held = await consolidation.hold(tx, ids, effect)
        if held != episodes:
            return {"skipped": state["skipped"] + 1}
        number = await memories.store(tx, memory)
        await consolidation.derive(
            tx, number, ids, at=execution.loom.clock(), run_id=execution.run.id
        )
    report = _cluster_preview(episodes).model_copy(
        update={
            "summary_id": f"mem-{number}", "summary": memory.content, "made_by": summary.made_by
        }
    )  # fmt: skip
    return {"done": [*state["done"], report.wire()], "notes": [*summary.notes, *notes]}


async def _ask_of_all(execution: Execution, groups: Sequence[list[int]], first: int) -> None:
    """Request the summaries of all groups from `first` on concurrently, as one round of prompts."""

    async def ask_of(place: int) -> None:
        effect = execution.run.effect("summarise_group", str(place))
        async with execution.loom.database.begin(execution.caller) as tx:
            episodes = await consolidation.read(tx, groups[place], effect)
        if [each.id for each in episodes] == groups[place]:
            await summarize_episodes(execution, episodes, place)

    results = await gather(*map(ask_of, range(first, len(groups))), return_exceptions=True)
    for each in results:
        if isinstance(each, GraphInterrupt):
            raise each


def _cluster_preview(episodes: Sequence[Episode]) -> Consolidated:
    times = sorted(each.created_at for each in episodes)
    return Consolidated(
        originals=[f"mem-{each.id}" for each in episodes],
        excerpt=excerpt_of(episodes[0].content),
        first=times[0].isoformat(),
        last=times[-1].isoformat(),
    )


async def report_groups(state: ConsolidateState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Report the groups that were or, in a dry run, would be summarised."""
    execution = runtime.context
    request = execution.request(ConsolidateMemories)
    async with execution.loom.database.begin(execution.caller) as tx:
        clusters = [Consolidated.model_validate(each) for each in state["done"]]
        if request.dry_run:
            groups = [await consolidation.read(tx, ids) for ids in state["groups"]]
            clusters = [_cluster_preview(episodes) for episodes in groups if episodes]
        answer = ConsolidationReport(
            clusters=clusters,
            consolidated=len(state["done"]),
            examined=state["examined"],
            skipped=state["skipped"],
            dry_run=request.dry_run,
            **({"next_cursor": state["next_cursor"][0]} if state["next_cursor"] else {}),
        )
        notes = list(dict.fromkeys(state.get("notes", [])))
        added = await complete_run(tx, execution, answer, notes=notes)
    return {**added, "notes": []}
