"""Candidates with the features that rank them, and their neighbours."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from reasonloom.stores.database import Transaction
from reasonloom.stores.statements import load

HEAD = 2_000
"""Characters of a content that are read."""

DRAWN = "origin NOT IN ('waypoint', 'near_duplicate', 'session', 'may_replace')"
"""An edge that was created explicitly, not because two memories are similar or of one session."""

SQL = load(__file__, head=HEAD, drawn=DRAWN)


class Candidate(NamedTuple):
    """A memory that may answer a question: its match and its features.

    Attributes:
        cosine: its best cosine similarity over the searched sectors, None if it is not among the
            nearest.
        coverage: the share of the question's words that it contains, weighted by rarity, 0..1.
        context: the same for the memory together with the two before it in its session.
        session: the id of its session.
        head: the first 2,000 characters of its content; empty for a transcript, whose speakers
            give each other instructions and answers.
        tagged: the query names one of its tags.
        dates: the terms of all its dates if the query names any of them, else None.
        superseded_by: the memory that replaced it, if any.
    """

    cosine: float | None
    coverage: float
    context: float
    id: int
    session: str | None
    salience: float
    valid_from: datetime
    head: str
    tagged: bool
    dates: list[str] | None
    superseded_by: int | None


@dataclass(frozen=True, slots=True)
class Link:
    """Two memories joined by an edge.

    `weight` is that of the heaviest explicit edge, 0..1; 0 if they are joined only by similarity,
    which adds nothing to their cosine similarities.
    """

    source: int
    target: int
    weight: float


FEATURES = SQL.part("features")
"""The feature columns of a memory `m`, given the `:named` tags and `:dates`."""


async def links(tx: Transaction, ids: Sequence[int]) -> list[Link]:
    """Return the edges to or from `ids`, one per pair and direction."""
    return await tx.rows(Link, SQL.links, {"ids": list(ids)}) if ids else []
