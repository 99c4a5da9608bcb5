"""Completes a run: its row gets the answer in the transaction of its writes."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

from reasonloom.contracts.base import Answer
from reasonloom.errors import KeyTaken
from reasonloom.nodes.offline import NO_MODEL
from reasonloom.nodes.runs.recalibration import fit_recalibration
from reasonloom.stores.runs import outcomes, runs

if TYPE_CHECKING:
    from reasonloom.nodes.execution import Execution
    from reasonloom.stores.database import Transaction

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
    """Record the run as done and return what its last node adds to the state.

    `memories` are those that it was given: the run is redacted when one of them is forgotten.

    Raises:
        KeyTaken: another call with the same idempotency key was faster; nothing is stored.
    """
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
    row = done_row(execution, output | given, session_id=session_id)
    if execution.run.saved or not execution.run.key:  # nothing is taken back then
        tx.end_with_next()
    if execution.run.saved:
        await runs.close_run(tx, row)
    elif not await runs.record(tx, row):
        raise KeyTaken("another call with the same idempotency key was faster")
    return output


async def _recalibrated(
    tx: Transaction, execution: Execution, wire: dict[str, Any]
) -> dict[str, Any]:
    """Return an answer with its confidence as reported outcomes suggest; a note says so."""
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
    """Return an answer's value with no `confidence` above what the run may have."""
    if isinstance(value, list):
        return [_capped(execution, each) for each in value]
    if not isinstance(value, dict):
        return value
    found = {name: _capped(execution, each) for name, each in value.items()}
    if isinstance(confidence := found.get("confidence"), int | float):
        found["confidence"] = execution.capped(confidence)
    return found


def done_row(
    execution: Execution, output: dict[str, Any], *, session_id: UUID | None = None
) -> runs.RunRow:
    """Return the row of a run that succeeded."""
    run = execution.run
    return runs.RunRow(
        id=run.id,
        tool=run.tool,
        graph=run.graph,
        graph_version=run.graph_version,
        status=runs.DONE,
        input=run.input,
        created_at=run.created_at,
        space=execution.caller.space,
        output=output,
        session_id=session_id,
        key=run.key,
        client=execution.caller.client,
        llm=execution.loom.llm.name if run.saved else None,
        latency_ms=(time.perf_counter() - run.started) * 1000,
        finished_at=execution.loom.clock(),
    )
