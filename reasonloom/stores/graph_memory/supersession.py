"""Corrections: which memory supersedes which, and the whole tree of them above one."""

from uuid import UUID

from reasonloom.stores.database import Transaction
from reasonloom.stores.graph_memory.memory_nodes import VISIBLE_NODES
from reasonloom.stores.statements import load

OUTDONE = "outdone"
"""What the edge from a correction to an earlier one of the same node says of its origin."""

SQL = load(__file__, visible_nodes=VISIBLE_NODES, outdone=OUTDONE)


async def supersede(
    tx: Transaction,
    newer: int,
    older: int,
    *,
    origin: str,
    reason: str | None = None,
    run_id: UUID | None = None,
) -> bool:
    """Let a memory supersede another; False where the other is not there any more."""
    values = {"newer": newer, "older": older, "origin": origin, "run_id": run_id, "reason": reason}
    return await tx.run(SQL.supersede, values) == 1


async def tags_of(tx: Transaction, memory_id: int, content: str) -> tuple[list[str], bool]:
    """Return a memory's tags, and whether it says the same as `content`; no tags if it is gone."""
    row = await tx.first(SQL.older, {"id": memory_id, "content": content})
    return (list(row.tags), row.same) if row else ([], False)


async def corrections(tx: Transaction, memory_id: int, *, but: int, most: int) -> list[int]:
    """Return the memories that supersede one directly, newest first, without `but`."""
    values = {"id": memory_id, "but": but, "most": most}
    return [row[0] for row in await tx.tuples(SQL.over, values)]


async def above(tx: Transaction, memory_id: int, *, most: int) -> dict[tuple[int, int], bool]:
    """Return up to `most` of the edges (newer, older) above a memory.

    Each tells whether it is there only because the newer one outdoes another correction.
    """
    rows = await tx.tuples(SQL.above, {"id": memory_id, "most": most})
    return {(newer, older): outdone for newer, older, outdone in rows}
