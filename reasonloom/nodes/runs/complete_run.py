"""Completes a run: stores its answer in the same transaction as its writes."""

import time
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from reasonloom.contracts.base import Answer
from reasonloom.errors import KeyTaken, ReasonloomError
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.offline import NO_MODEL
from reasonloom.nodes.runs.recalibration import fit_recalibration
from reasonloom.stores.database import Transaction
from reasonloom.stores.runs import outcomes, runs

RECALIBRATED = "confidence recalibrated from {stated:.2f} by {count} reported outcomes of {tool}"
DIGITS = 4


async def complete_run(
    tx: Transaction,
    execution: Execution,
    answer: Answer,
    *,
    notes: list[str],
    session_id: UUID | None = None,
    memories: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Record the run as done and return the state update of its last node.

    `memories` are those that the run read: it is redacted when one of them is forgotten.

    Raises:
        KeyTaken: a concurrent call with the same idempotency key won; nothing is stored.
    """
    caller = execution.caller
    tx = tx.of(caller.owner)  # the run is the caller's own, also in another owner's space
    wire = answer.wire()
    if execution.run.self_judged or wire.get("suggestion") == NO_MODEL:
        wire = _capped(execution, wire)
    given: dict[str, Any] = {}
    stated = wire.get("confidence")
    if isinstance(stated, int | float) and wire.get("suggestion") != NO_MODEL:
        wire = await _recalibrated(tx, execution, wire)
        given = {"stated_confidence": stated} if wire["confidence"] != stated else {}
    output = {"answer": wire, "notes": [*notes, *execution.run.notes]}
    if memories:
        given["memories"] = [f"mem-{each['id']}" for each in memories]
    row = run_row(
        execution, runs.DONE, output=output | given, session_id=None if caller.host else session_id
    )
    if execution.run.saved or not execution.run.key:  # KeyTaken is impossible
        tx.end_with_next()
    if execution.run.saved:
        await runs.close_run(tx, row)
    elif not await runs.record(tx, row):
        raise KeyTaken("another call with the same idempotency key was faster")
    return output


async def _recalibrated(
    tx: Transaction, execution: Execution, wire: dict[str, Any]
) -> dict[str, Any]:
    """Recalibrate the confidence of an answer by reported outcomes, and add a note."""
    tool = execution.run.tool
    reported = execution.run.outcomes.get(tool)
    if reported is None:
        reported = await outcomes.of_tool(tx, tool)
    if not reported:
        return wire
    stated = wire["confidence"]
    note = RECALIBRATED.format(stated=stated, count=len(reported), tool=tool)
    execution.run.notes.append(note)
    return {**wire, "confidence": round(fit_recalibration(reported).apply(stated), DIGITS)}


def _capped(execution: Execution, value: Any) -> Any:
    """Return a value of an answer with each `confidence` capped at the run's limit."""
    if isinstance(value, list):
        return [_capped(execution, each) for each in value]
    if not isinstance(value, dict):
        return value
    found = {name: _capped(execution, each) for name, each in value.items()}
    if isinstance(confidence := found.get("confidence"), int | float):
        found["confidence"] = execution.capped(confidence)
    return found


def run_row(
    execution: Execution,
    status: str,
    *,
    output: dict[str, Any] | None = None,
    session_id: UUID | None = None,
    error: ReasonloomError | None = None,
) -> runs.RunRow:
    """Return the row of a run with this status; without an answer, only a saved run has its key."""
    run = execution.run
    ended = status != runs.RUNNING
    return runs.RunRow(
        id=run.id,
        tool=run.tool,
        graph=run.graph,
        graph_version=run.graph_version,
        status=status,
        input=run.input,
        created_at=run.created_at,
        space=execution.caller.recorded_space,
        output=output,
        error={"type": type(error).__name__, "message": error.message} if error else None,
        session_id=session_id,
        key=run.key if run.saved or output else None,
        client=execution.caller.client,
        llm=execution.loom.llm.name if run.saved else None,
        latency_ms=(time.perf_counter() - run.started) * 1000 if ended else None,
        finished_at=execution.loom.clock() if ended else None,
        fork=run.fork,
    )
