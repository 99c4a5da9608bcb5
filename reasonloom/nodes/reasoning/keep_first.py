"""Keeps a thought as the first of a session of its own, and as a memory, with the run's answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from reasonloom.nodes.reasoning.persist import keep_as_memory
from reasonloom.nodes.runs.complete_run import finish
from reasonloom.stores.sessions import branches, sessions

if TYPE_CHECKING:
    from reasonloom.contracts.base import Answer
    from reasonloom.nodes.loom import Execution
    from reasonloom.stores.sessions.thoughts import NewThought


async def keep_first(
    execution: Execution,
    thought: NewThought,
    answer: Callable[[], Answer],
    *,
    used: Sequence[int],
    notes: Sequence[str],
) -> dict[str, Any]:
    """Store the thought in one transaction and return what the run's last node adds.

    `used` are the ids of the memories that it rests on, `notes` those of the steps before.
    """
    memory, more = await keep_as_memory(execution, thought)
    session = thought.session_id
    async with execution.loom.database.begin(execution.caller) as tx:
        await sessions.open_session(tx, session, mode=thought.mode, client=execution.caller.client)
        await branches.plant_root(tx, session)
        await branches.extend(tx, thought, fork=execution.run.effect("fork"))
        if memory:
            await memory.store(tx, used)
        all_notes = [*notes, *more]
        added = await finish(tx, execution, answer(), notes=all_notes, session_id=session)
    return {**added, "notes": more}
