"""The `memory_add`, `memory_correct` and `memory_resolve` tools: nodes and their corrections."""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from graphlib import CycleError, TopologicalSorter
from typing import Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.nodes import (
    MemoryAdd,
    MemoryAdded,
    MemoryCorrect,
    MemoryCorrected,
    MemoryResolve,
    MemoryResolved,
    NewEdge,
)
from reasonloom.errors import InvalidArgument, NodeNotFound
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.graph_memory.persistence import (
    NodeDraft,
    PreparedNode,
    persist_node,
    prepare_node,
)
from reasonloom.nodes.graph_memory.rendering import injection_warnings, render_node
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.state import ToolState
from reasonloom.stores.database import Transaction
from reasonloom.stores.graph_memory import (
    memory_nodes,
    memory_sessions,
    supersession,
)
from reasonloom.stores.graph_memory.memory_nodes import NodeRow
from reasonloom.stores.memory import memories
from reasonloom.stores.pipelines import Work, together

ADD_ORIGIN = "memory_add"
TO_ITSELF = "an edge from node {node_id} to itself was left out"
STORED_BEFORE = "the same was stored before: node {node_id} was strengthened"


async def memory_add(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Store the node in the current session with its edges, atomically."""
    execution = runtime.context
    request = execution.request(MemoryAdd)
    edges = request.edges or []
    _require_distinct(edges)
    corrects = any(edge.edge_type == "supersedes" for edge in edges)
    draft = NodeDraft(
        request.content, request.event_type, request.confidence, "node", merges=not corrects
    )
    made = await prepare_node(execution, draft)
    async with execution.loom.database.begin(execution.caller) as tx:
        held, session, _ = await together(
            memory_sessions.hold(tx),  # locked first, so that no target is forgotten meanwhile
            memory_sessions.find(tx, execution.caller),
            memory_nodes.require_all(
                tx, {edge.target_id: f"edges.{place}.target_id" for place, edge in enumerate(edges)}
            ),
        )
        if not held or session is None:
            session = await memory_sessions.current(
                tx, execution.caller, execution.run.effect("session")
            )
        stored = await persist_node(
            tx, execution, made, session, partial(_edges, tx, execution, edges)
        )
        node_id = stored.node_id
        answer = MemoryAdded(
            node_id=node_id,
            event_type=request.event_type,
            edges_created=stored.edges,
            session_id=session.number,
            deduplicated=stored.merged,
        )
        notes = [*made.notes, *([STORED_BEFORE.format(node_id=node_id)] if stored.merged else [])]
        if any(edge.target_id == node_id for edge in edges):
            notes.append(TO_ITSELF.format(node_id=node_id))
        return await complete_run(tx, execution, answer, notes=notes, session_id=session.id)


def _require_distinct(edges: list[NewEdge]) -> None:
    """Check that the edges are distinct.

    Raises:
        InvalidArgument: two edges have the same target and type.
    """
    seen: set[tuple[int, str]] = set()
    for place, edge in enumerate(edges):
        name = (edge.target_id, edge.edge_type)
        if name in seen:
            where = f"edges.{place}"
            raise InvalidArgument(
                f"{where}: there is one {edge.edge_type} to {edge.target_id} already; "
                "name each edge once",
                field=where,
            )
        seen.add(name)


def _edges(
    tx: Transaction, execution: Execution, edges: list[NewEdge], source: int | UUID
) -> list[Work[int]]:
    """Return the writes of the edges from a node, given its id or its effect."""
    by_kind: dict[str, dict[int, float]] = {}
    for edge in edges:
        by_kind.setdefault(edge.edge_type, {})[edge.target_id] = edge.weight
    return [
        memories.link(tx, source, targets, kind=kind, origin=ADD_ORIGIN, run_id=execution.run.id)
        for kind, targets in by_kind.items()
    ]


CORRECT_ORIGIN = "memory_correct"
FIELD = "old_node_id"
MOST_NAMED = 100
MOST_SUPERSEDED = 1_000
"""Maximum corrections of a node that are searched for other current versions."""

AGAIN = "node {old} was corrected before, by {others}; node {new} is the newest and holds"
MORE = "more than {count} earlier corrections; the newest are listed"
SAME = "new_content: says the same as node {old}; give what is right instead"
BACK = "; to go back to it, correct node {over}, which superseded it"


async def memory_correct(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Store the correction in the current session and mark the old node as superseded by it."""
    execution = runtime.context
    request = execution.request(MemoryCorrect)
    old, made = await _draft(execution, request)
    async with execution.loom.database.begin(execution.caller) as tx:
        session = await memory_sessions.current(
            tx, execution.caller, execution.run.effect("session")
        )
        new = (await persist_node(tx, execution, made, session)).node_id
        if not await supersession.supersede(
            tx, new, old.id, reason=request.reason, origin=CORRECT_ORIGIN, run_id=execution.run.id
        ):
            raise NodeNotFound(str(old.id), field=FIELD)
        await _supersede_rivals(tx, execution, new, old.id)
        others = await supersession.corrections(tx, old.id, but=new, most=MOST_NAMED + 1)
        answer = MemoryCorrected(
            old_node_id=old.id,
            new_node_id=new,
            reason=request.reason,
            event_type=made.draft.event_type,
            session_id=session.number,
            also_corrected_by=others[:MOST_NAMED],
        )
        notes = list(made.notes)
        if others:
            named = ", ".join(map(str, others[:10]))
            notes.append(AGAIN.format(old=old.id, others=named, new=new))
        if len(others) > MOST_NAMED:
            notes.append(MORE.format(count=MOST_NAMED))
        return await complete_run(tx, execution, answer, notes=notes, session_id=session.id)


async def _supersede_rivals(tx: Transaction, execution: Execution, newest: int, old: int) -> None:
    """Mark a node's other current versions as superseded by its newest correction."""
    edges = await supersession.above(tx, old, most=MOST_SUPERSEDED)
    others = {newer for newer, _ in edges if newer != newest}
    for row in await memory_nodes.fetch(tx, sorted(others)):
        if row.superseded_by is None:
            await supersession.supersede(
                tx, newest, row.id, origin=supersession.OUTDONE, run_id=execution.run.id
            )


async def _draft(execution: Execution, request: MemoryCorrect) -> tuple[NodeRow, PreparedNode]:
    """Return the old node and the prepared new one, with the old one's type and tags.

    Raises:
        NodeNotFound: there is no such node.
        InvalidArgument: the new content is the same as the old.
    """
    async with execution.loom.database.begin(execution.caller) as tx:
        old = await memory_nodes.require(tx, request.old_node_id, field=FIELD)
        tags, same = await supersession.tags_of(tx, old.id, request.new_content)
    if same:
        back = BACK.format(over=old.superseded_by) if old.superseded_by else ""
        raise InvalidArgument(SAME.format(old=old.id) + back, field="new_content")
    draft = NodeDraft(
        request.new_content,
        old.event_type,
        request.confidence,
        "node",
        field="new_content",
        tags=tags,
        merges=False,
    )
    return old, await prepare_node(execution, draft)


@dataclass(frozen=True, slots=True)
class Versions:
    """The versions of a node.

    Attributes:
        newest: the newest of all versions; the node itself if it has no newer one.
        heads: versions that no newer one supersedes, newest first, including those superseded only
            by another correction of the same node.
        chain: a shortest path of corrections from the node to the newest.
        cycle: whether corrections form a cycle.
    """

    newest: int
    heads: list[int]
    chain: list[int]
    cycle: bool


def versions_of(node: int, edges: Mapping[tuple[int, int], bool]) -> Versions:
    """Return the versions of a node from all (newer, older) `edges` above it.

    An edge's value says whether it was created only by another correction of the same node. The
    larger id is the newer one. In imported files an edge may lead from an older memory to a newer
    one: it is a path to the older one but does not supersede the newer one, as in the database.
    """
    superseding = _superseding(node, edges)
    direct = (edge for edge, outdone in edges.items() if not outdone)
    heads = _heads(_superseding(node, direct, superseding))
    newest = _heads(superseding)[0]
    return Versions(newest, heads, _path(superseding, node, newest), _has_cycle(superseding))


def _superseding(
    node: int, edges: Iterable[tuple[int, int]], known: Iterable[int] = ()
) -> dict[int, list[int]]:
    """Return the versions that supersede each version."""
    superseding: dict[int, list[int]] = {key: [] for key in (node, *known)}
    for newer, older in edges:
        superseding.setdefault(older, []).append(newer)
        superseding.setdefault(newer, [])
    return superseding


def _heads(superseding: Mapping[int, list[int]]) -> list[int]:
    heads = (key for key, newer in superseding.items() if all(each < key for each in newer))
    return sorted(heads, reverse=True)


def _path(superseding: Mapping[int, list[int]], start: int, end: int) -> list[int]:
    """Return a shortest path from older to newer, preferring newer nodes if there are several."""
    before: dict[int, int] = {}
    waiting = deque([start])
    while end != start and end not in before:
        key = waiting.popleft()
        for newer in sorted(superseding[key], reverse=True):
            if newer != start and newer not in before:
                before[newer] = key
                waiting.append(newer)
    path = [end]
    while path[-1] != start:
        path.append(before[path[-1]])
    return path[::-1]


def _has_cycle(superseding: Mapping[int, list[int]]) -> bool:
    try:
        TopologicalSorter(superseding).prepare()
    except CycleError:
        return True
    return False


MOST_CORRECTIONS = 20_000
MOST_LISTED = 500
BRANCHED = "corrections differ: {count} versions exist; node {newest} is the newest"
CIRCLE = "corrections lead in a circle; the newest node by number, {newest}, is taken"
CUT = "more than {count} corrections; the newest version may lie further on"
CHAIN_CUT = "the chain has {count} nodes; the first {shown} and the last are listed"
BRANCHES_CUT = "there are {count} branches; the newest {shown} are listed"


async def memory_resolve(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the newest version of the node and the chain of corrections to it."""
    execution = runtime.context
    request = execution.request(MemoryResolve)
    async with execution.loom.database.begin(execution.caller, walking=True) as tx:
        _, edges = await together(
            memory_nodes.require(tx, request.node_id, field="node_id"),
            supersession.above(tx, request.node_id, most=MOST_CORRECTIONS + 1),
        )
        found = versions_of(request.node_id, edges)
        tx.end_with_next()
        latest = await memory_nodes.require(tx, found.newest, field="node_id")
    chain = found.chain
    if len(chain) > MOST_LISTED:
        chain = [*chain[: MOST_LISTED - 1], chain[-1]]
    answer = MemoryResolved(
        original_id=request.node_id,
        resolved_id=found.newest,
        is_latest=found.newest == request.node_id,
        latest=render_node(latest),
        chain=chain,
        branches=found.heads[:MOST_LISTED],
        cycle=found.cycle,
    )
    notes = _notes(found, cut=len(edges) > MOST_CORRECTIONS)
    return {
        "answer": answer.wire(),
        "notes": [*notes, *injection_warnings(execution, [answer.latest])],
    }


def _notes(found: Versions, *, cut: bool) -> list[str]:
    heads, links = len(found.heads), len(found.chain)
    remarks = {
        BRANCHED.format(count=heads, newest=found.newest): heads > 1,
        CIRCLE.format(newest=found.newest): found.cycle,
        CUT.format(count=MOST_CORRECTIONS): cut,
        CHAIN_CUT.format(count=links, shown=MOST_LISTED - 1): links > MOST_LISTED,
        BRANCHES_CUT.format(count=heads, shown=MOST_LISTED): heads > MOST_LISTED,
    }
    return [note for note, applies in remarks.items() if applies]
