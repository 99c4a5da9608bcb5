"""Answers calls that depend on the request alone while the database is unavailable."""

import time
from uuid import uuid4

from reasonloom.graphs.runs.call import Call, Outcome
from reasonloom.graphs.runs.executor import GraphExecutor
from reasonloom.nodes.execution import CurrentRun, Execution, Loom
from reasonloom.stores.saver import SavedSteps

BY_WORDS = "the database is not available: this was judged by words alone, and is not recorded"
MONITORING = "monitorContinuously"
UNCOMPARED = (
    f"{MONITORING}: there are no earlier calls to compare with while the database is unavailable"
)


async def answer_unrecorded(loom: Loom, steps: SavedSteps, call: Call) -> Outcome:
    """Run a stateless graph and return its outcome; `loom` has no language model."""
    request = {name: value for name, value in call.request.items() if name != MONITORING}
    run = CurrentRun(
        id=uuid4(),
        tool=call.tool,
        graph=call.graph.name,
        graph_version=call.graph.version,
        input=request,
        started=time.perf_counter(),
        created_at=loom.clock(),
    )
    state = await GraphExecutor(steps).direct(Execution(loom, call.caller, run), call.graph)
    notes = [BY_WORDS, *([UNCOMPARED] if call.request.get(MONITORING) else [])]
    answer = {**state["answer"], "recorded": False}
    return Outcome(run.id, answer, [*dict.fromkeys([*notes, *state.get("notes", [])])])
