"""The reasoning of a session of graph memory: conclusions and rejected branches.

Reasoning has its own sessions. It belongs to the session of graph memory that its client had open
in the same project at that time. Reasoning based on forgotten or hidden memories is left out, and
so is offline reasoning, which poses questions but concludes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from reasonloom.stores.database import Transaction
from reasonloom.stores.statements import load

OFFLINE = "offline"
"""The name recorded in place of a language model if there is none."""

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The last thought on the active branch of a reasoning session.

    `memories` are the ids of the memories that its run was given, and of those stored from it.
    """

    mode: str
    question: str
    content: str
    confidence: float
    created_at: datetime
    memories: list[int]


@dataclass(frozen=True, slots=True)
class Rejected:
    """The end of a branch that was not followed.

    In a tree: `score` (0..1), `better`, the name of the branch that was recommended instead, and
    the `reason` for that one; `direction` is the direction for which the branch was abandoned.
    """

    mode: str
    name: str | None
    content: str
    score: float | None
    better: str | None
    reason: str | None
    direction: str | None
    created_at: datetime
    memories: list[int]


@dataclass(frozen=True, slots=True)
class Reasoning:
    """The reasoning of a session, newest first."""

    conclusions: Sequence[Conclusion] = ()
    rejected: Sequence[Rejected] = ()

    @property
    def newest(self) -> datetime | None:
        """The time of the newest item, None if there is none."""
        return max((each.created_at for each in self._all), default=None)

    @property
    def memories(self) -> list[int]:
        """The ids of all memories that it is based on or was stored as."""
        return sorted({one for each in self._all for one in each.memories})

    @property
    def _all(self) -> list[Conclusion | Rejected]:
        return [*self.conclusions, *self.rejected]


async def read(tx: Transaction, session: UUID, *, most: int, longest: int) -> Reasoning:
    """Return at most the `most` newest conclusions and as many rejected branches.

    Texts are cut to their first `longest` characters.
    """
    values = {"session": session, "offline": OFFLINE, "most": most, "longest": longest}
    return Reasoning(
        await tx.rows(Conclusion, SQL.conclusions, values),
        await tx.rows(Rejected, SQL.rejected, values),
    )
