"""Takes back what one writer stored since a time: hides it, or erases it for good."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from reasonloom.stores.memory import by_id, rollback
from reasonloom.stores.memory.rollback import Trace, Written
from reasonloom.stores.runs.redaction import redact

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.nodes.loom import Loom


@dataclass(frozen=True, slots=True)
class RolledBack:
    """What went or would go, what others made of it, and when it was hidden together."""

    memories: Sequence[Trace]
    derived: Sequence[Trace]
    at: datetime


async def roll_back(
    loom: Loom, caller: Caller, written: Written, *, hard: bool = False, dry_run: bool = False
) -> RolledBack:
    """Hide or erase, in one transaction, what was written; a dry run changes nothing.

    `hard` also takes it out of runs and saved steps. Memories that others derived from it are
    told and stay.

    Raises:
        DatabaseUnavailable: it went away; nothing was changed.
    """
    at = loom.clock()
    async with loom.database.begin(caller) as tx:
        if not dry_run:
            ids = [trace.id for trace in await rollback.chosen(tx, written)]
            await by_id.hold(tx, ids, hidden=written.hidden)
        traces = await rollback.chosen(tx, written)
        ids = [trace.id for trace in traces]
        derived = await rollback.derived(tx, ids)
        if ids and not dry_run:
            if hard:
                await redact(tx, *ids)
                await by_id.erase(tx, ids)
            else:
                await by_id.hide(tx, ids, at)
    return RolledBack(traces, derived, at)
