"""Reads a shared space outside of a run, page by page: the right to, and the log of it."""

from collections.abc import Sequence

from reasonloom.contracts.caller import Caller
from reasonloom.errors import NotPermitted, UnknownName
from reasonloom.nodes.execution import Loom
from reasonloom.nodes.sharing.places import MISSING
from reasonloom.stores.database import Transaction
from reasonloom.stores.sharing import audit, grants
from reasonloom.stores.sharing.audit import AuditEntry
from reasonloom.stores.sharing.grants import RIGHTS, Right, permits

UNKNOWN = "{field}: there is no space {name} that you may read; see `reasonloom space list`"
TOOL = "memory export"


async def require_right(tx: Transaction, caller: Caller, right: Right, field: str) -> None:
    """Require a named space to be there, and a right on it; the caller without a name passes.

    Raises:
        UnknownName: there is no such space, or the caller may not read it.
        NotPermitted: the caller may read it and lacks the right.
    """
    if not (caller.address and (caller.host or caller.space)):
        return
    held: Sequence[str] = ()
    if caller.host:
        (held,) = await grants.rights_on(tx, [(caller.host, caller.space)])
    elif await grants.space_exists(tx):
        held = RIGHTS
    if not permits(held, "read"):
        raise UnknownName(UNKNOWN.format(field=field, name=caller.address), field=field)
    if not permits(held, right):
        reason = MISSING.format(field=field, name=caller.address, right=right)
        raise NotPermitted(reason, field=field)


async def log_page(tx: Transaction, loom: Loom, caller: Caller, memories: Sequence[int]) -> None:
    """Log what was read of another owner's space; of a space of its own nothing."""
    if caller.host and memories:
        at, ids = loom.clock(), sorted(memories)
        await audit.record(tx, AuditEntry(at, caller.owner, "read", TOOL, caller.space, ids))
