"""Memories of a space to review: pairs of which one may be redundant, and the newest texts."""

from dataclasses import dataclass

from reasonloom.stores.database import Transaction
from reasonloom.stores.memory.search.ranking_features import HEAD
from reasonloom.stores.statements import load
from reasonloom.stores.vectors import SECTOR_BIT

QUESTION = "put to the user"
"""The reason of an edge between two memories about which the user was asked."""

SQL = load(__file__, head=HEAD, semantic=SECTOR_BIT["semantic"], question=QUESTION)


@dataclass(frozen=True, slots=True)
class MemoryPair:
    """Two current memories; `origin` is `may_replace` or `near_duplicate`, `weight` 0..1.

    `cosine` is their similarity, -1..1, or None if one has no vector of the embedder. The texts
    are the beginnings of the contents.
    """

    origin: str
    weight: float
    newer: int
    older: int
    newer_text: str
    older_text: str
    cosine: float | None


async def pairs(tx: Transaction, *, model: str, most: int) -> list[MemoryPair]:
    """Return up to `most` pairs of each origin, of which the older may be redundant.

    Those with the greatest weight come first; `model` is the embedder's.
    """
    return await tx.rows(MemoryPair, SQL.pairs, {"model": model, "most": most})


async def newest(tx: Transaction, *, most: int) -> dict[int, str]:
    """Return the beginnings of the newest memories by id, without past conversations."""
    return dict(await tx.tuples(SQL.newest, {"most": most}))


async def keep_both(tx: Transaction, newer: int, older: int) -> None:
    """Record that both memories of a pair are valid, so that the pair is not returned again."""
    await tx.run(SQL.keep_both, {"newer": newer, "older": older})


async def claim_question(tx: Transaction, newer: int, older: int, *, weight: float) -> bool:
    """Record that the user is asked about two memories; `weight` (0..1) is that of a new edge.

    Returns False if that was recorded before, or if one of them is not current.
    """
    return await tx.run(SQL.claim, {"newer": newer, "older": older, "weight": weight}) == 1
