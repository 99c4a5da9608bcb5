"""Memories of a space to review: pairs of which one may be redundant, and the newest texts."""

from dataclasses import dataclass

from reasonloom.stores.database import Transaction
from reasonloom.stores.memory.search.ranking_features import HEAD
from reasonloom.stores.memory.statistics import EXCERPT
from reasonloom.stores.statements import load

SQL = load(__file__, excerpt=EXCERPT + 1, head=HEAD)


@dataclass(frozen=True, slots=True)
class MemoryPair:
    """Two current memories; `origin` is `may_replace` or `near_duplicate`, `weight` 0..1."""

    origin: str
    weight: float
    newer: int
    older: int
    newer_text: str
    older_text: str


async def pairs(tx: Transaction, *, most: int) -> list[MemoryPair]:
    """Return pairs of memories of which the older may be redundant, most certain first."""
    return await tx.rows(MemoryPair, SQL.pairs, {"most": most})


async def newest(tx: Transaction, *, most: int) -> dict[int, str]:
    """Return the beginnings of the newest memories by id, without past conversations."""
    return dict(await tx.tuples(SQL.newest, {"most": most}))


async def keep_both(tx: Transaction, newer: int, older: int) -> None:
    """Record that both memories of a pair are valid, so that the pair is not returned again."""
    await tx.run(SQL.keep_both, {"newer": newer, "older": older})
