"""The reported outcomes of runs: whether an answer turned out right."""

from typing import NamedTuple
from uuid import UUID

from reasonloom.stores.database import Transaction
from reasonloom.stores.statements import load

MOST = 500
"""The newest outcomes of a tool that count."""

SQL = load(__file__)


class Outcome(NamedTuple):
    """The stated confidence of an answer and its outcome: 1 right, 0 wrong."""

    confidence: float
    outcome: float


async def report(tx: Transaction, run_id: UUID, outcome: float) -> None:
    """Store a run's outcome; a later one replaces it."""
    await tx.run(SQL.report, {"id": run_id, "outcome": outcome})


async def of_tool(tx: Transaction, tool: str) -> list[Outcome]:
    """Return the newest outcomes of the owner's runs of a tool, newest first."""
    return await tx.rows(Outcome, SQL.of_tool, {"tool": tool, "limit": MOST})
