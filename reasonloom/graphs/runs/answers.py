"""Records the caller's replies to waiting runs, and continues these runs."""

import asyncio
import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from uuid import UUID

from reasonloom.contracts.caller import Caller
from reasonloom.errors import Conflict, InvalidArgument, RunInProgress, RunNotFound, TimedOut
from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.call import Call, Outcome, Report, no_report
from reasonloom.graphs.runs.engine import ASK_AGAIN, Engine, stored_outcome
from reasonloom.graphs.runs.follow_up import combined, origin_of
from reasonloom.graphs.runs.resume import find_run
from reasonloom.graphs.runs.run_state import finished_outcome
from reasonloom.llm.interfaces import REPLY_LIMIT, usage_of
from reasonloom.llm.providers.caller import CALLER
from reasonloom.llm.structured_output import Misfit, read_reply
from reasonloom.stores.database import Transaction
from reasonloom.stores.runs import questions, replies, runs
from reasonloom.stores.runs.questions import QuestionRow
from reasonloom.stores.runs.replies import RecordedCall
from reasonloom.stores.runs.runs import RunRow

QUESTION_ID = re.compile(r"r([1-9][0-9]{0,3})q([1-9][0-9]{0,3})")
KEPT = "the first reply to it was kept"
GONE = "it was withdrawn, because a memory that it quoted has been forgotten"
CAN_CONTINUE = (runs.WAITING, runs.CANCELLED, runs.INTERRUPTED)


@dataclass(frozen=True, slots=True)
class GivenReply:
    """The reply to one question; None if the caller declines to answer it."""

    id: str
    reply: Any | None


@dataclass(frozen=True, slots=True)
class Given:
    """A caller's replies to a run; `checked` records who judged, see `QuestionRow`."""

    replies: Sequence[GivenReply]
    checked: str = questions.SELF_JUDGED


@dataclass(frozen=True, slots=True)
class Answered:
    """A run and its outcome; an answered follow-up is reported as part of its original run."""

    run: RunRow
    outcome: Outcome


async def answer_run(
    engine: Engine, caller: Caller, run_id: str, given: Given, report: Report = no_report
) -> Answered:
    """Record replies, then continue the run once all its questions are answered.

    Raises:
        RunNotFound: the caller has no such run.
        InvalidArgument: a reply to a question that the run has not asked, or a different reply to
            a question of an earlier round; nothing is recorded.
        Conflict: the run takes no replies, or has ended without an answer.
    """
    row = await find_run(engine, caller, run_id)
    caller = caller.within(row.space or None)
    recorded = await _record(engine, caller, row.id, given)
    if not recorded.open and recorded.row.status in CAN_CONTINUE:
        outcome = await _continued(engine, caller, recorded.row, report)
    else:
        outcome = await _settled(engine, caller, row.id)
    return await _of_origin(engine, caller, recorded.row, _explained(outcome, recorded))


@dataclass(frozen=True, slots=True)
class _Recorded:
    """A run after replies were recorded: its open questions, rejected replies and notes."""

    row: RunRow
    open: Sequence[QuestionRow]
    misfits: Mapping[str, str]
    notes: Sequence[str]


async def _record(engine: Engine, caller: Caller, run_id: UUID, given: Given) -> _Recorded:
    """Record the valid replies in one transaction; record none if an id is wrong."""
    loom = engine.loom
    await close_abandoned(engine, caller)
    async with loom.database.begin(caller) as tx:
        row = await questions.lock_run(tx, run_id)
        if row is None:
            raise RunNotFound(str(run_id), field="run_id")
        known = {each.id: each for each in await questions.of_run(tx, run_id)}
        _require_questions(row, known)
        misfits: dict[str, str] = {}
        notes: list[str] = []
        named = [
            _find(each, known, f"answers.{place}.id") for place, each in enumerate(given.replies)
        ]
        for place, (each, question) in enumerate(zip(given.replies, named, strict=True)):
            if question is None:
                notes.append(f"{each.id}: {GONE}")
            elif known[each.id].status != questions.OPEN:
                if not await _is_same(tx, question, each):
                    notes.append(_refuse_other(question, known, f"answers.{place}"))
            else:
                _require_open(row)
                try:
                    known[each.id] = await _settle(tx, question, each, given.checked)
                except Misfit as misfit:
                    misfits[each.id] = str(misfit)
        left = [each for each in known.values() if each.status == questions.OPEN]
        return _Recorded(row, left, misfits, notes)


async def close_abandoned(engine: Engine, caller: Caller) -> None:
    """Close the caller's runs that have waited too long."""
    now, days = engine.loom.clock(), timedelta(days=engine.loom.settings.wait_days)
    async with engine.loom.database.begin(caller) as tx:
        await questions.abandon(tx, now - days, now)


def _require_questions(row: RunRow, known: Mapping[str, QuestionRow]) -> None:
    if row.status == runs.ABANDONED:
        reason = (row.error or {}).get("message", "its questions were not answered in time")
        raise Conflict(f"run {row.id} is abandoned: {reason}; call {row.tool} again")
    if row.llm != CALLER or not known:
        raise Conflict(f"run {row.id} of {row.tool} has no questions; it is {row.status}")


def _require_open(row: RunRow) -> None:
    if row.status not in CAN_CONTINUE:
        raise Conflict(f"run {row.id} of {row.tool} is {row.status} and takes no more replies")


def _find(given: GivenReply, known: Mapping[str, QuestionRow], field: str) -> QuestionRow | None:
    """Return the question that a reply names, None for one that was withdrawn.

    Raises:
        InvalidArgument: the run has not asked such a question.
    """
    if question := known.get(given.id):
        return None if question.status == questions.WITHDRAWN else question
    newest = max(each.round for each in known.values())
    named = QUESTION_ID.fullmatch(given.id)
    if named and int(named[1]) < newest:
        return None
    waiting = [each.id for each in known.values() if each.status == questions.OPEN]
    listed = f"it waits for {', '.join(waiting[:20])}" if waiting else "it waits for none"
    raise InvalidArgument(f"{field}: the run has not asked {given.id[:40]}; {listed}", field=field)


async def _is_same(tx: Transaction, question: QuestionRow, given: GivenReply) -> bool:
    """Return whether the recorded reply to a question equals this one."""
    known = await replies.recorded(tx, question.key)
    if known is None:
        return False
    if given.reply is None:
        return bool(known["reply"].get("declined"))
    try:
        text, parsed = read_reply(given.reply, question.schema)
    except Misfit:
        return False
    return bool((known["reply"]["text"], known["reply"]["parsed"]) == (text, parsed))


def _refuse_other(question: QuestionRow, known: Mapping[str, QuestionRow], field: str) -> str:
    """Return the note on a second, different reply to a question of the newest round.

    Raises:
        InvalidArgument: the question belongs to an earlier round.
    """
    newest = max(each.round for each in known.values())
    if question.round == newest:
        return f"{question.id}: {KEPT}"
    raise InvalidArgument(
        f"{field}.id: {question.id} is of round {question.round} and was answered; the run is in "
        f"round {newest}",
        field=f"{field}.id",
    )


async def _settle(
    tx: Transaction, question: QuestionRow, given: GivenReply, checked: str
) -> QuestionRow:
    """Record the reply to an open question; return the updated question.

    Raises:
        Misfit: the reply does not follow the question's schema; the question stays open.
    """
    reply: dict[str, Any] = {"text": "", "parsed": None, "truncated": False, "declined": True}
    status = questions.DECLINED
    if given.reply is not None:
        text, parsed = read_reply(given.reply, question.schema, limit=REPLY_LIMIT)
        reply = {"text": text, "parsed": parsed, "truncated": False}
        status = questions.ANSWERED
    await replies.record(tx, _call(question, reply))
    by = checked if question.blind and status == questions.ANSWERED else None
    await questions.settle(tx, question, status, by)
    return replace(question, status=status, checked=by)


def _call(question: QuestionRow, reply: dict[str, Any]) -> RecordedCall:
    schema = json.dumps(question.schema) if question.schema else ""
    prompt = f"{question.system_text}{question.user_text}{schema}"
    usage = usage_of((None, None), (prompt, str(reply["text"])))
    return RecordedCall(
        key=question.key,
        prompt=question.prompt,
        prompt_version=question.prompt_version,
        prompt_hash=question.prompt_hash,
        llm=CALLER,
        model=CALLER,
        reply=reply,
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        tokens_estimated=True,
        cost_usd=None,
        attempts=1,
        latency_ms=0.0,
        messages=[
            {"role": "system", "content": question.system_text},
            {"role": "user", "content": question.user_text},
        ],
    )


async def _continued(engine: Engine, caller: Caller, row: RunRow, report: Report) -> Outcome:
    """Continue a run that has all its replies; wait if another call is continuing it."""
    graph = load_graph(row.graph)
    call = Call(row.tool, graph, row.input, caller, row.key, report, asks_caller=True)
    try:
        outcome = await engine.resume_call(call, row)
    except RunInProgress:
        return await _settled(engine, caller, row.id)
    return await engine.followed(call, outcome)


async def _settled(engine: Engine, caller: Caller, run_id: UUID) -> Outcome:
    """Return the outcome of a run, waiting while another call executes it.

    Raises:
        Conflict: it has ended without an answer.
        TimedOut: another call is still executing it.
    """
    deadline = time.monotonic() + engine.loom.settings.tool_timeout
    while time.monotonic() < deadline:
        row = await find_run(engine, caller, str(run_id))
        if row.status == runs.DONE:
            return await finished_outcome(engine, caller, row)
        if row.status == runs.WAITING:
            return await engine.waiting_outcome(caller, row)
        if row.status != runs.RUNNING:
            reason = (row.error or {}).get("message", row.status)
            raise Conflict(f"run {run_id} of {row.tool} has ended without an answer: {reason}")
        await asyncio.sleep(ASK_AGAIN)
    raise TimedOut(f"run {run_id} is still running; try again")


def _explained(outcome: Outcome, recorded: _Recorded) -> Outcome:
    """Add the rejected replies and notes to the outcome of a run that still waits."""
    if outcome.round is None:
        return outcome
    misfits, notes = dict(recorded.misfits), list(recorded.notes)
    return replace(outcome, round=replace(outcome.round, misfits=misfits, notes=notes))


async def _of_origin(engine: Engine, caller: Caller, row: RunRow, outcome: Outcome) -> Answered:
    """Return a follow-up's outcome as part of the outcome of its original run."""
    origin = origin_of(row)
    if origin is None or outcome.round is not None:
        return Answered(row, outcome)
    first = await find_run(engine, caller, str(origin))
    return Answered(first, combined(stored_outcome(first), row.tool, outcome))
