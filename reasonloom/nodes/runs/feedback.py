"""Implements `reasoning_feedback`: stores the reported outcome of a run's answer."""

from typing import Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.runs import FeedbackStored, ReasoningFeedback
from reasonloom.errors import Conflict, RunNotFound
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.runs.recalibration import expected_calibration_error, recalibrated
from reasonloom.nodes.state import ToolState
from reasonloom.stores.database import Transaction
from reasonloom.stores.identifiers import parse_uuid
from reasonloom.stores.runs import outcomes, runs
from reasonloom.stores.sessions import thoughts

OUTCOMES = {"right": 1.0, "partly_right": 0.5, "wrong": 0.0}
DIGITS = 3
NO_CONFIDENCE = (
    "run {id} of {tool} has no confidence to compare an outcome with: report on a finished run"
    " that is not redacted and whose answer has a confidence, such as one of reasoning_linear"
)


async def store_feedback(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Store the outcome of a run.

    Raises:
        RunNotFound: the owner has no such run.
        ThoughtNotFound: the owner has no such thought.
        Conflict: the run's answer has no confidence.
    """
    execution = runtime.context
    request = execution.request(ReasoningFeedback)
    async with execution.loom.database.begin(execution.caller) as tx:
        run = await _run_of(tx, request)
        stated = _stated_confidence(run)
        await outcomes.report(tx, run.id, OUTCOMES[request.outcome])
        reported = await outcomes.of_tool(tx, run.tool)
        answer = FeedbackStored(
            run_id=str(run.id),
            tool=run.tool,
            outcome=request.outcome,
            stated_confidence=stated,
            outcomes=len(reported),
            right=round(sum(each.outcome for each in reported) / len(reported), DIGITS),
            calibration_error=round(expected_calibration_error(reported), DIGITS),
            recalibrated_error=round(expected_calibration_error(recalibrated(reported)), DIGITS),
        )
        return await complete_run(tx, execution, answer, notes=[], session_id=run.session_id)


async def _run_of(tx: Transaction, request: ReasoningFeedback) -> runs.RunRow:
    if request.thought_id is not None:
        run_id: UUID | None = (await thoughts.require(tx, request.thought_id)).run_id
        field, named = "thought_id", request.thought_id
    else:
        run_id, field, named = parse_uuid(request.run_id or ""), "run_id", request.run_id or ""
    run = run_id and await runs.find(tx, run_id)
    if not run:
        raise RunNotFound(named, field=field)
    return run


def _stated_confidence(run: runs.RunRow) -> float:
    output = run.output or {}
    stated = output.get("stated_confidence", output.get("answer", {}).get("confidence"))
    if run.status != runs.DONE or not isinstance(stated, int | float):
        raise Conflict(NO_CONFIDENCE.format(id=run.id, tool=run.tool))
    return float(stated)
