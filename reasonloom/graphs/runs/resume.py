"""Finds a run of the caller, and resumes it."""

from uuid import UUID

from reasonloom.contracts.caller import Caller
from reasonloom.errors import Conflict, RunNotFound
from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.call import Outcome
from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.runs import runs


async def resume_run(engine: Engine, caller: Caller, run_id: str) -> Outcome:
    """Resume an unfinished run of the caller and return its outcome; a waiting run keeps waiting.

    Raises:
        RunNotFound: the owner has no such run.
        Conflict: it is finished, or another process is executing it.
    """
    row = await find_run(engine, caller, run_id)
    if row.status == runs.DONE:
        raise Conflict(f"run {run_id} is done")
    if row.status == runs.WAITING:
        return await engine.waiting_outcome(caller.within(row.space or None), row)
    return await engine.resume(caller.within(row.space or None), row, load_graph(row.graph))


async def find_run(engine: Engine, caller: Caller, run_id: str) -> runs.RunRow:
    """Return a run of the caller.

    Raises:
        RunNotFound: the owner has no such run, or the text is not a UUID.
    """
    try:
        wanted = UUID(run_id)
    except ValueError:
        raise RunNotFound(run_id, field="run") from None
    async with engine.loom.database.begin(caller) as tx:
        row = await runs.find(tx, wanted)
    if row is None:
        raise RunNotFound(run_id, field="run")
    return row
