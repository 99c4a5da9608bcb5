"""Answers `memory_correct`: a new node that supersedes an old one, both or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.nodes import MemoryCorrect, MemoryCorrected
from reasonloom.errors import InvalidArgument, NodeNotFound
from reasonloom.nodes.graph_memory.persistence import Draft, Prepared, keep, prepared
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.runs.complete_run import finish
from reasonloom.nodes.state import ToolState
from reasonloom.stores.graph_memory import memory_nodes, memory_sessions, supersession

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.graph_memory.memory_nodes import NodeRow

ORIGIN = "memory_correct"
FIELD = "old_node_id"
MOST_LISTED = 100
MOST_OUTDONE = 1_000
"""Corrections above the node that are looked over for versions that still stand."""

AGAIN = "node {old} was corrected before, by {others}; node {new} is the newest and holds"
MORE = "more than {count} earlier corrections; the newest are listed"
SAME = "new_content: says the same as node {old}; give what is right instead"
BACK = "; to go back to it, correct node {over}, which superseded it"


async def memory_correct(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Store what is right in the current session, and let it supersede the request's node."""
    execution = runtime.context
    request = MemoryCorrect.model_validate(state["request"])
    old, made = await _drafted(execution, request)
    async with execution.loom.database.begin(execution.caller) as tx:
        session = await memory_sessions.current(
            tx, execution.caller, execution.run.effect("session")
        )
        kept = await keep(tx, execution, made, session)
        if not await supersession.supersede(
            tx, kept.node_id, old.id, reason=request.reason, origin=ORIGIN, run_id=execution.run.id
        ):
            raise NodeNotFound(str(old.id), field=FIELD)
        await _outdo(tx, execution, kept.node_id, old.id)
        others = await supersession.corrections(tx, old.id, but=kept.node_id, most=MOST_LISTED + 1)
        answer = MemoryCorrected(
            old_node_id=old.id,
            new_node_id=kept.node_id,
            reason=request.reason,
            event_type=made.draft.event_type,
            session_id=session.number,
            also_corrected_by=others[:MOST_LISTED],
        )
        notes = [*made.notes, *_again(answer, more=len(others) > MOST_LISTED)]
        return await finish(tx, execution, answer, notes=notes, session_id=session.id)


async def _outdo(tx: Transaction, execution: Execution, newest: int, old: int) -> None:
    """Let the newest correction of a node supersede what else stands as its newest version."""
    edges = await supersession.above(tx, old, most=MOST_OUTDONE)
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


async def _drafted(execution: Execution, request: MemoryCorrect) -> tuple[NodeRow, Prepared]:
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
    draft = Draft(
        request.new_content,
        old.event_type,
        request.confidence,
        "node",
        field="new_content",
        tags=tags,
        merges=False,
    )
    return old, await prepared(execution, draft)


def _again(answer: MemoryCorrected, *, more: bool) -> list[str]:
    """Return notes of a node that had been corrected before."""
    if not answer.also_corrected_by:
        return []
    others = ", ".join(str(node) for node in answer.also_corrected_by[:10])
    said = AGAIN.format(old=answer.old_node_id, others=others, new=answer.new_node_id)
    return [said, *([MORE.format(count=MOST_LISTED)] if more else [])]
