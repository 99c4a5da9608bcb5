"""Questions of waiting runs to their callers, and the state of their rounds."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from reasonloom.stores.database import Transaction
from reasonloom.stores.runs.replies import CallKey
from reasonloom.stores.runs.runs import RunRow
from reasonloom.stores.statements import columns, load, parameters, values_of

OPEN, ANSWERED, DECLINED = "open", "answered", "declined"
WITHDRAWN = "withdrawn"
SELF_JUDGED, INDEPENDENT = "self-judged", "independent"


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """A question as stored.

    Attributes:
        round, number: counted from 1; together they form its `id`.
        role: the purpose of the question, such as `explore`.
        blind: whether it is a judgement, which the author of the judged text should not answer.
        schema: JSON Schema of the reply, None for plain text.
        most_tokens: maximum tokens of the reply.
        checked: for an answered blind question, whether its answerer was independent.
    """

    key: CallKey
    round: int
    number: int
    role: str
    blind: bool
    prompt: str
    prompt_version: int
    prompt_hash: str
    system_text: str
    user_text: str
    schema: dict[str, Any] | None
    most_tokens: int
    status: str = OPEN
    checked: str | None = None

    @property
    def id(self) -> str:
        """The id by which it is answered."""
        return f"r{self.round}q{self.number}"


@dataclass(frozen=True, slots=True)
class WaitingRun:
    """A waiting run with the number of its open questions; `about` is the start of its request."""

    id: UUID
    tool: str
    about: str
    round: int
    open: int
    since: datetime


SQL = load(
    __file__,
    key=columns(CallKey),
    key_parameters=parameters(CallKey),
    columns=columns(QuestionRow, without=("key",)),
    parameters=parameters(QuestionRow, without=("key",)),
    run_columns=columns(RunRow),
)


async def suspend(
    tx: Transaction, run_id: UUID, questions: list[QuestionRow], *, worked_ms: float
) -> None:
    """Store the questions of a run's new round, mark it as waiting, and release its lease.

    `worked_ms` is the run's working time so far, in milliseconds.
    """
    for each in questions:
        await tx.run(SQL.insert, {**values_of(each.key), **values_of(each)})
    await tx.run(SQL.suspend, {"run": run_id, "worked": worked_ms})


async def count_waiting(tx: Transaction) -> int:
    """Return the number of the owner's waiting runs."""
    return await tx.number(SQL.count_waiting)


async def waiting_runs(tx: Transaction) -> list[WaitingRun]:
    """Return the waiting runs of the space, the longest waiting first."""
    return await tx.rows(WaitingRun, SQL.waiting_runs)


async def of_run(tx: Transaction, run_id: UUID) -> list[QuestionRow]:
    """Return the questions of a run by round and number."""
    found = []
    for row in await tx.all(SQL.of_run, {"run": run_id}):
        values = row._asdict()
        key = CallKey(*(values.pop(name) for name in ("run_id", "node", "task", "n")))
        found.append(QuestionRow(key, **values))
    return found


def is_self_judged(known: Iterable[QuestionRow]) -> bool | None:
    """Return whether any of a run's judgements was its author's own; None without judgements."""
    checks = {each.checked for each in known if each.blind and each.status == ANSWERED}
    return SELF_JUDGED in checks if checks else None


async def settle(tx: Transaction, question: QuestionRow, status: str, checked: str | None) -> None:
    """Mark an open question as answered or declined; its text is stored with the reply."""
    values = {**values_of(question.key), "status": status, "checked": checked}
    await tx.run(SQL.settle, values)


async def lock_run(tx: Transaction, run_id: UUID) -> RunRow | None:
    """Return a run, locked until the transaction ends; None if the owner has no such run."""
    return await tx.row(RunRow, SQL.lock_run, {"run": run_id})


async def abandon(tx: Transaction, before: datetime, at: datetime) -> int:
    """Close the owner's runs that have waited since `before`; return how many."""
    return await tx.run(SQL.abandon, {"before": before, "at": at})
