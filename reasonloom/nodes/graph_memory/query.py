"""The `memory_query` and `memory_temporal` tools: filters nodes, and compares two ranges.

A correction is not an addition: a node of B that supersedes one of A, directly or transitively, is
listed under `corrected` and not under `added`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.queries import (
    Compared,
    Correction,
    HeldMemoryQuery,
    MemoryTemporal,
    SomeSessions,
    TimeRange,
    TimeWindow,
)
from reasonloom.contracts.graph_memory.shared import NodesFound
from reasonloom.nodes.execution import Execution, searching
from reasonloom.nodes.graph_memory.rendering import (
    bound_contents,
    from_microseconds,
    injection_warnings,
    render_node,
)
from reasonloom.nodes.memory.validity import held_span, too_early_notes
from reasonloom.nodes.state import ToolState
from reasonloom.stores.database import Transaction
from reasonloom.stores.graph_memory import memory_nodes, range_comparison
from reasonloom.stores.graph_memory.memory_nodes import Conditions, list_nodes, sessions_numbered
from reasonloom.stores.graph_memory.range_comparison import Pair, Range, Step
from reasonloom.stores.pipelines import together

MORE = "more nodes meet this; the first {count} are shown"
EMPTY = "{name} is empty and filters nothing"


async def memory_query(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the nodes that meet the request's conditions, in the requested order."""
    execution = runtime.context
    request = execution.request(HeldMemoryQuery)
    held = held_span(request, execution.loom.clock())
    after, before = request.created_after, request.created_before
    async with searching(execution) as tx:
        conditions = Conditions(
            event_types=request.event_types or None,
            min_confidence=request.min_confidence,
            max_confidence=request.max_confidence,
            sessions=await _sessions(tx, request.session_ids),
            after=None if after is None else from_microseconds(after),
            before=None if before is None else from_microseconds(before),
            held_from=held.start if held else None,
            held_to=held.end if held else None,
        )
        tx.end_with_next()
        found = await list_nodes(
            tx, conditions, order=request.sort_by, most=request.max_results + 1
        )
    rows, cut = bound_contents(found[: request.max_results])
    answer = NodesFound(results=[render_node(row) for row in rows], count=len(rows))
    given = {"event_types": request.event_types, "session_ids": request.session_ids}
    notes = [EMPTY.format(name=name) for name, value in given.items() if value == []]
    if not found:
        notes += await too_early_notes(execution, request)
    more = [MORE.format(count=len(rows))] if len(found) > len(rows) else []
    return {
        "answer": answer.wire(),
        "notes": [*notes, *more, *cut, *injection_warnings(execution, answer.results)],
    }


async def _sessions(tx: Transaction, numbers: list[int] | None) -> list[UUID] | None:
    if not numbers:
        return None
    return await sessions_numbered(
        tx, {number: f"session_ids.{place}" for place, number in enumerate(numbers)}
    )


FADED = 0.2
"""Strength below which a node counts as faded, as in `memory_quality`."""

MOST_LISTED = 50
"""Maximum nodes in each list."""

CUT = "each list has at most {most}; the counts are complete"
ELSEWHERE = (
    "{count} of the unchanged were superseded outside of range_b, or within range_a alone; "
    "`superseded_by` names by what"
)


@dataclass(frozen=True, slots=True)
class Corrections:
    """Nodes of A with their newest successors in B, and the nodes only in B that replace one."""

    newest: Mapping[int, int]
    replacing: frozenset[int]


async def memory_temporal(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Compare the nodes of two ranges: added, corrected, unchanged, faded."""
    execution = runtime.context
    request = execution.request(MemoryTemporal)
    async with searching(execution) as tx:
        pair = Pair(
            *await together(
                _range(tx, request.range_a, "range_a"), _range(tx, request.range_b, "range_b")
            )
        )
        corrected = corrections_of(await range_comparison.steps(tx, pair))
        gone = list(corrected.newest)
        some = partial(range_comparison.some, tx, pair, faded=FADED, most=MOST_LISTED)
        counted, added, unchanged, faded = await together(
            range_comparison.counts(tx, pair, corrected=corrected.newest, faded=FADED),
            some("only_in_b", without=corrected.replacing),
            some("in_a", without=gone),
            some("faded_in_a", without=gone),
        )
        pairs = list(corrected.newest.items())[:MOST_LISTED]
        tx.end_with_next()
        ids = dict.fromkeys(chain(added, unchanged, faded, *pairs))
        rows = await memory_nodes.fetch(tx, ids)
    nodes = {row.id: render_node(row) for row in rows}
    sizes = {
        "added_count": counted.only_b - len(corrected.replacing),
        "corrected_count": len(gone),
        "unchanged_count": counted.in_a - len(gone),
        "faded_count": counted.faded,
    }
    answer = Compared(
        added=[nodes[key] for key in added if key in nodes],
        corrected=[
            Correction(old=nodes[old], new=nodes[new])
            for old, new in pairs
            if old in nodes and new in nodes
        ],
        unchanged=[nodes[key] for key in unchanged if key in nodes],
        faded=[nodes[key] for key in faded if key in nodes],
        **sizes,
        count_a=counted.in_a,
        count_b=counted.in_b,
        truncated=max(sizes.values()) > MOST_LISTED,
    )
    notes = [CUT.format(most=MOST_LISTED)] if answer.truncated else []
    if counted.elsewhere:
        notes.append(ELSEWHERE.format(count=counted.elsewhere))
    corrected_nodes = [node for each in answer.corrected for node in (each.old, each.new)]
    listed = [*answer.added, *corrected_nodes, *answer.unchanged]
    return {"answer": answer.wire(), "notes": [*notes, *injection_warnings(execution, listed)]}


async def _range(tx: Transaction, given: TimeRange, field: str) -> Range:
    """Resolve a requested range.

    Raises:
        SessionNotFound: a session is unknown.
    """
    if isinstance(given, TimeWindow):
        return Range(start=from_microseconds(given.start), end=from_microseconds(given.end))
    if isinstance(given, SomeSessions):
        places = {n: f"{field}.session_ids.{place}" for place, n in enumerate(given.session_ids)}
    else:
        places = {given.session_id: f"{field}.session_id"}
    return Range(sessions=await sessions_numbered(tx, places))


def corrections_of(steps: Iterable[Step]) -> Corrections:
    """Return which nodes of B supersede nodes of A, directly or transitively.

    Every step leads to a higher id, so one pass in each direction is enough.
    """
    ordered = sorted(steps, key=lambda step: step.older)
    newest: dict[int, int] = {}
    for step in reversed(ordered):
        reached = max(step.newer if step.newer_in_b else 0, newest.get(step.newer, 0))
        newest[step.older] = max(newest.get(step.older, 0), reached)
    replaces: set[int] = set()
    for step in ordered:
        if step.older_in_a or step.older in replaces:
            replaces.add(step.newer)
    of_a = {step.older for step in ordered if step.older_in_a}
    only_b = {step.newer for step in ordered if step.newer_in_b and not step.newer_in_a}
    return Corrections(
        {key: newest[key] for key in sorted(of_a, reverse=True) if newest[key]},
        frozenset(replaces & only_b),
    )
