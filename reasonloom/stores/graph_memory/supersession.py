"""Corrections: which memory supersedes which, and the tree of corrections above a memory."""

from uuid import UUID

from reasonloom.stores.database import Transaction
from reasonloom.stores.graph_memory.memory_nodes import VISIBLE_NODES
from reasonloom.stores.statements import load

OUTDONE = "outdone"
"""The origin of an edge from a correction to an earlier correction of the same node."""

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
    """Let a memory supersede another; return False if the other no longer exists."""
    values = {"newer": newer, "older": older, "origin": origin, "run_id": run_id, "reason": reason}
    return await tx.run(SQL.supersede, values) == 1


async def tags_of(tx: Transaction, memory_id: int, content: str) -> tuple[list[str], bool]:
    """Return a memory's tags, and whether its content equals `content`; no tags if it is gone."""
    row = await tx.first(SQL.older, {"id": memory_id, "content": content})
    return (list(row.tags), row.same) if row else ([], False)


async def corrections(tx: Transaction, memory_id: int, *, but: int, most: int) -> list[int]:
    """Return the memories that directly supersede a memory, newest first, without `but`."""
    values = {"id": memory_id, "but": but, "most": most}
    return [row[0] for row in await tx.tuples(SQL.over, values)]


async def above(tx: Transaction, memory_id: int, *, most: int) -> dict[tuple[int, int], bool]:
    """Return up to `most` of the edges (newer, older) above a memory.

    The value is True if the edge exists only because the newer one replaces another correction.
    """
    rows = await tx.tuples(SQL.above, {"id": memory_id, "most": most})
    return {(newer, older): outdone for newer, older, outdone in rows}
