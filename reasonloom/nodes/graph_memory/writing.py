"""Answers `memory_correct`: a new node that supersedes an old one, both or nothing."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
from reasonloom.nodes.graph_memory.persistence import (
    NodeDraft,
    PreparedNode,
    persist_node,
    prepare_node,
)
from reasonloom.nodes.graph_memory.rendering import injection_warnings, render_node
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.state import ToolState
from reasonloom.stores.graph_memory import memory_nodes, memory_sessions, supersession
from reasonloom.stores.memory import memories

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.graph_memory.memory_nodes import NodeRow


ADD_ORIGIN = "memory_add"
TO_ITSELF = "an edge from node {node_id} to itself was left out"
STORED_BEFORE = "the same was stored before: node {node_id} was strengthened"


async def memory_add(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Store the request's node in the current session, and draw its edges."""
    execution = runtime.context
    request = MemoryAdd.model_validate(state["request"])
    wanted = _requested_edges(request.edges or [])
    corrects = any(edge.edge_type == "supersedes" for _, edge in wanted)
    draft = NodeDraft(
        request.content, request.event_type, request.confidence, "node", merges=not corrects
    )
    made = await prepare_node(execution, draft)
    async with execution.loom.database.begin(execution.caller) as tx:
        session = await memory_sessions.current(
            tx, execution.caller, execution.run.effect("session")
        )
        await memory_nodes.require_all(
            tx, {edge.target_id: f"edges.{place}.target_id" for place, edge in wanted}
        )
        kept = await persist_node(tx, execution, made, session)
        created = await _draw_edges(tx, execution, kept.node_id, [edge for _, edge in wanted])
        answer = MemoryAdded(
            node_id=kept.node_id,
            event_type=request.event_type,
            edges_created=created,
            session_id=session.number,
            deduplicated=kept.merged,
        )
        merged = [STORED_BEFORE.format(node_id=kept.node_id)] if kept.merged else []
        if any(edge.target_id == kept.node_id for _, edge in wanted):
            merged.append(TO_ITSELF.format(node_id=kept.node_id))
        return await complete_run(
            tx, execution, answer, notes=[*made.notes, *merged], session_id=session.id
        )


def _requested_edges(edges: list[NewEdge]) -> list[tuple[int, NewEdge]]:
    """Return the edges with their places.

    Raises:
        InvalidArgument: two are the same but for their weight.
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
    return list(enumerate(edges))


async def _draw_edges(
    tx: Transaction, execution: Execution, node_id: int, edges: list[NewEdge]
) -> int:
    """Draw edges from the new node; return how many are new."""
    by_kind: dict[str, dict[int, float]] = {}
    for edge in edges:
        by_kind.setdefault(edge.edge_type, {})[edge.target_id] = edge.weight
    return sum(
        [
            await memories.link(
                tx, node_id, targets, kind=kind, origin=ADD_ORIGIN, run_id=execution.run.id
            )
            for kind, targets in by_kind.items()
        ]
    )


CORRECT_ORIGIN = "memory_correct"
FIELD = "old_node_id"
MOST_NAMED = 100
MOST_SUPERSEDED = 1_000
"""Corrections above the node that are looked over for versions that still stand."""

AGAIN = "node {old} was corrected before, by {others}; node {new} is the newest and holds"
MORE = "more than {count} earlier corrections; the newest are listed"
SAME = "new_content: says the same as node {old}; give what is right instead"
BACK = "; to go back to it, correct node {over}, which superseded it"


async def memory_correct(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Store what is right in the current session, and let it supersede the request's node."""
    execution = runtime.context
    request = MemoryCorrect.model_validate(state["request"])
    old, made = await _draft(execution, request)
    async with execution.loom.database.begin(execution.caller) as tx:
        session = await memory_sessions.current(
            tx, execution.caller, execution.run.effect("session")
        )
        kept = await persist_node(tx, execution, made, session)
        if not await supersession.supersede(
            tx,
            kept.node_id,
            old.id,
            reason=request.reason,
            origin=CORRECT_ORIGIN,
            run_id=execution.run.id,
        ):
            raise NodeNotFound(str(old.id), field=FIELD)
        await _supersede(tx, execution, kept.node_id, old.id)
        others = await supersession.corrections(tx, old.id, but=kept.node_id, most=MOST_NAMED + 1)
        answer = MemoryCorrected(
            old_node_id=old.id,
            new_node_id=kept.node_id,
            reason=request.reason,
            event_type=made.draft.event_type,
            session_id=session.number,
            also_corrected_by=others[:MOST_NAMED],
        )
        notes = [*made.notes, *_repeated(answer, more=len(others) > MOST_NAMED)]
        return await complete_run(tx, execution, answer, notes=notes, session_id=session.id)


async def _supersede(tx: Transaction, execution: Execution, newest: int, old: int) -> None:
    """Let the newest correction of a node supersede what else stands as its newest version."""
    edges = await supersession.above(tx, old, most=MOST_SUPERSEDED)
    others = {newer for newer, _ in edges if newer != newest}
    for row in await memory_nodes.fetch(tx, sorted(others)):
        if row.superseded_by is None:
            await supersession.supersede(
                tx,
                newest,
                row.id,
                reason=None,
                origin=supersession.OUTDONE,
                run_id=execution.run.id,
            )


async def _draft(execution: Execution, request: MemoryCorrect) -> tuple[NodeRow, PreparedNode]:
    """Return the old node, and the new one ready to be stored: of its type, with its tags.

    Raises:
        NodeNotFound: there is no such node.
        InvalidArgument: the new one says what the old one says.
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


def _repeated(answer: MemoryCorrected, *, more: bool) -> list[str]:
    """Return notes of a node that had been corrected before."""
    if not answer.also_corrected_by:
        return []
    others = ", ".join(str(node) for node in answer.also_corrected_by[:10])
    said = AGAIN.format(old=answer.old_node_id, others=others, new=answer.new_node_id)
    return [said, *([MORE.format(count=MOST_NAMED)] if more else [])]


@dataclass(frozen=True, slots=True)
class Versions:
    """What stands above a node.

    Attributes:
        newest: the newest of all versions; the node itself where nothing newer is above it.
        heads: versions that nothing newer than themselves supersedes, newest first, and those that
            are outdone by another correction of the same node alone.
        chain: a shortest way of corrections from the node to the newest.
        cycle: corrections lead in a circle.
    """

    newest: int
    heads: list[int]
    chain: list[int]
    cycle: bool


def versions_of(node: int, edges: Mapping[tuple[int, int], bool]) -> Versions:
    """Return the versions of a node; `edges` are all (newer, older) above it, outdone or not.

    Numbers tell what is newer. In imported files an edge may lead from an older memory to a newer
    one: it counts as a way to the older one and not against the newer one, as in the database.
    """
    over = _superseding(node, edges)
    heads = _heads(
        _superseding(node, (edge for edge, outdone in edges.items() if not outdone), over)
    )
    newest = _heads(over)[0]
    return Versions(newest, heads, _path(over, node, newest), _circular(over))


def _superseding(
    node: int, edges: Iterable[tuple[int, int]], known: Iterable[int] = ()
) -> dict[int, list[int]]:
    """Return what supersedes each version."""
    over: dict[int, list[int]] = {key: [] for key in (node, *known)}
    for newer, older in edges:
        over.setdefault(older, []).append(newer)
        over.setdefault(newer, [])
    return over


def _heads(over: Mapping[int, list[int]]) -> list[int]:
    return sorted((key for key in over if all(each < key for each in over[key])), reverse=True)


def _path(over: Mapping[int, list[int]], start: int, end: int) -> list[int]:
    """Return a shortest way upwards, by the newest where several are as short."""
    before: dict[int, int] = {}
    waiting = deque([start])
    while end != start and end not in before:
        key = waiting.popleft()
        for higher in sorted(over[key], reverse=True):
            if higher != start and higher not in before:
                before[higher] = key
                waiting.append(higher)
    way = [end]
    while way[-1] != start:
        way.append(before[way[-1]])
    return way[::-1]


def _circular(over: Mapping[int, list[int]]) -> bool:
    """Tell whether any way upwards comes back: what is left when all ends are taken away."""
    below: dict[int, list[int]] = {}
    left = {key: len(higher) for key, higher in over.items()}
    for key, higher in over.items():
        for each in higher:
            below.setdefault(each, []).append(key)
    ends = [key for key, count in left.items() if count == 0]
    taken = 0
    while ends:
        taken += 1
        for key in below.get(ends.pop(), []):
            left[key] -= 1
            if left[key] == 0:
                ends.append(key)
    return taken < len(over)


MOST_CORRECTIONS = 20_000
MOST_LISTED = 500
BRANCHED = "corrections differ: {count} versions stand side by side, node {newest} is the newest"
CIRCLE = "corrections lead in a circle; the newest node by number, {newest}, is taken"
CUT = "more than {count} corrections; the newest version may lie further on"
CHAIN_CUT = "the chain has {count} nodes; the first {shown} and the last are listed"
BRANCHES_CUT = "there are {count} branches; the newest {shown} are listed"


async def memory_resolve(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Look over all corrections above the request's node, and take the newest."""
    execution = runtime.context
    request = MemoryResolve.model_validate(state["request"])
    async with execution.loom.database.begin(execution.caller, walking=True) as tx:
        await memory_nodes.require(tx, request.node_id, field="node_id")
        edges = await supersession.above(tx, request.node_id, most=MOST_CORRECTIONS + 1)
        found = versions_of(request.node_id, edges)
        latest = await memory_nodes.require(tx, found.newest, field="node_id")
    answer = MemoryResolved(
        original_id=request.node_id,
        resolved_id=found.newest,
        is_latest=found.newest == request.node_id,
        latest=render_node(latest),
        chain=_list_chain(found.chain),
        branches=found.heads[:MOST_LISTED],
        cycle=found.cycle,
    )
    notes = _notes(found, cut=len(edges) > MOST_CORRECTIONS)
    return {
        "answer": answer.wire(),
        "notes": [*notes, *injection_warnings(execution, [answer.latest])],
    }


def _list_chain(chain: list[int]) -> list[int]:
    """Return a chain without its middle where it is very long."""
    return chain if len(chain) <= MOST_LISTED else [*chain[: MOST_LISTED - 1], chain[-1]]


def _notes(found: Versions, *, cut: bool) -> list[str]:
    """Return what must be said of the versions found."""
    heads, links = len(found.heads), len(found.chain)
    said = (
        (heads > 1, BRANCHED.format(count=heads, newest=found.newest)),
        (found.cycle, CIRCLE.format(newest=found.newest)),
        (cut, CUT.format(count=MOST_CORRECTIONS)),
        (links > MOST_LISTED, CHAIN_CUT.format(count=links, shown=MOST_LISTED - 1)),
        (heads > MOST_LISTED, BRANCHES_CUT.format(count=heads, shown=MOST_LISTED)),
    )
    return [note for true, note in said if true]
