"""Brings back what was forgotten of past conversations, while it is not erased."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from reasonloom.errors import UnknownName
from reasonloom.stores.history import soft_deletes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reasonloom.contracts.caller import Caller
    from reasonloom.nodes.loom import Loom
    from reasonloom.stores.history.soft_deletes import Forgotten

NONE = "number: nothing that was forgotten as {number} can be brought back; {there}"


async def undoable(loom: Loom, caller: Caller) -> Sequence[Forgotten]:
    """Return what can be brought back, the last forgotten first."""
    kept = loom.clock() - timedelta(days=loom.settings.undo_days)
    async with loom.database.begin(caller) as tx:
        found = await soft_deletes.undoable(tx)
    return [each for each in found if each.forgotten_at > kept]


async def bring_back(loom: Loom, caller: Caller, number: int) -> int:
    """Bring back all that one call forgot; return how many chunks.

    Raises:
        UnknownName: no call of this number can be undone.
    """
    there = {each.number for each in await undoable(loom, caller)}
    async with loom.database.begin(caller) as tx:
        held = await soft_deletes.hold(tx, number) if number in there else None
        if held is None:
            said = ", ".join(map(str, sorted(there)[-5:]))
            told = f"there are {said}" if said else "there is nothing"
            raise UnknownName(NONE.format(number=number, there=told), field="number")
        return await soft_deletes.undo(tx, number)
