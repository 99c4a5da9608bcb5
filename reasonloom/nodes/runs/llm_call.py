"""Calls the language model for a node, within the budget; replies are recorded before use."""

import asyncio
import logging
import time
from dataclasses import dataclass, field, replace
from typing import Any

from langgraph.types import interrupt

from reasonloom.errors import BudgetExceeded, LlmRefused, LlmUnavailable, ServiceFault, TimedOut
from reasonloom.llm.interfaces import Ask, Reply, Usage
from reasonloom.llm.off_schema import as_requested
from reasonloom.llm.providers.caller import CALLER
from reasonloom.llm.structured_output import misfit
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.runs.budget import NO_RESERVE, ReservePolicy, cost_of, reserve
from reasonloom.prompts.template import RenderedPrompt
from reasonloom.stores.runs import replies
from reasonloom.stores.runs.questions import QuestionRow
from reasonloom.stores.runs.replies import CallKey, RecordedCall
from reasonloom.telemetry.metrics import traced_llm_call

log = logging.getLogger(__name__)
FAULTS = (LlmUnavailable, LlmRefused, TimedOut, BudgetExceeded)
"""The faults by which a call to the language model may fail."""

DECLINED = "the caller declined to answer"
CORRECTION = (
    "\n\nAn earlier answer to this could not be used: {wrong}\n"
    "Answer again, with one JSON object that follows the schema and with nothing else."
)
SHORTER = "it was cut at its length limit. Answer more briefly."
AGAIN_SHARE = 0.9
"""Share of the remaining time for a second reply, so that the first can still be used."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question of a node: the prompt with its variables, and its place in the run.

    Attributes:
        sample: distinguishes several answers to the same question, as `Ask.sample` does.
        aside: the reserve for a later call.
        seconds: the time limit; None for the remaining time of the run.
        blind: whether the question judges an answer, so that the author should not reply;
            `Loom.judge` replies if it is configured.
    """

    node: str
    prompt: str
    variables: dict[str, Any]
    pipe: str
    task: str = "0"
    n: int = 0
    thread: str | None = None
    sample: int = 0
    aside: ReservePolicy = NO_RESERVE
    seconds: float | None = None
    blind: bool = False


async def ask(execution: Execution, question: Question) -> Reply:
    """Return the language model's reply, reusing a recorded one.

    A reply that does not match the prompt's schema is retried once, with the error added to the
    prompt. If the caller acts as the language model, the step is interrupted until its reply is
    recorded.

    Raises:
        BudgetExceeded: the call may cost more than the run's remaining budget.
        LlmUnavailable, LlmRefused, TimedOut: as reported by the provider; the first also if the
            reply is JSON without usable content.
    """
    started = time.perf_counter()
    prompt = execution.loom.prompts.get(question.prompt).render(**question.variables)
    first = await _recorded_reply(execution, question, prompt)
    if prompt.schema is None:
        return first
    read = as_requested(first, prompt.schema)
    llm = execution.loom.llm_for(judging=question.blind)
    if read.parsed is None and not llm.offline and llm.name != CALLER:
        wrong = SHORTER if first.truncated else misfit(first.text, prompt.schema)
        corrected = replace(prompt, user=prompt.user + CORRECTION.format(wrong=wrong))
        second = await _second_reply(execution, question, corrected, started)
        read = _better(read, as_requested(second, prompt.schema)) if second else read
    if read.parsed is None and not read.text:
        raise LlmUnavailable(f"{llm.name}: no usable answer: JSON of another form, without text")
    return read


def _better(first: Reply, second: Reply) -> Reply:
    """Return the second reply if it is usable, else the first; the usage is that of both."""
    use = second if second.parsed is not None or not first.text else first
    return replace(use, usage=first.usage + second.usage)


async def _second_reply(
    execution: Execution, question: Question, prompt: RenderedPrompt, started: float
) -> Reply | None:
    """Return the reply to a corrected prompt; None if the budget, the time or the call fails."""
    spent = time.perf_counter() - started
    limit = None if question.seconds is None else question.seconds - spent
    again = replace(question, task=f"{question.task}.again", seconds=limit)
    try:
        async with asyncio.timeout(_seconds(execution, again) * AGAIN_SHARE):
            return await _recorded_reply(execution, again, prompt)
    except (*FAULTS, TimeoutError) as fault:
        log.warning("%s: not asked again: %s", question.node, type(fault).__name__)
        return None


async def _recorded_reply(
    execution: Execution, question: Question, prompt: RenderedPrompt
) -> Reply:
    """Return the recorded reply to a prompt, or call the model and record its reply."""
    loom, run = execution.loom, execution.run
    llm = loom.llm_for(judging=question.blind)
    key = CallKey(run.id, question.node, question.task, question.n)
    if run.resumed and (known := await _recorded(execution, key)):
        return known
    async with reserve(execution, cost_of(execution, prompt), question.aside) as settle:
        if llm.name == CALLER:
            run.questions.append(_to_caller(execution, question, prompt, key))
            interrupt(f"{key.node}/{key.task}/{key.n}")
        started = time.perf_counter()
        answer = llm.answer(
            Ask(
                messages=prompt.messages(),
                schema=prompt.schema,
                pipe=question.pipe,
                thread=question.thread,
                deadline=_seconds(execution, question),
                sample=question.sample,
                most_tokens=loom.settings.output_tokens,
                material=prompt.variables,
            )
        )
        reply = await traced_llm_call(llm.name, answer)
        settle(reply.usage)
    call = _call(llm.name, key, prompt, reply, time.perf_counter() - started)
    async with loom.database.begin(execution.caller, once=True) as tx:
        return _reply(await replies.record(tx, call))


def _to_caller(
    execution: Execution, question: Question, prompt: RenderedPrompt, key: CallKey
) -> QuestionRow:
    """Return the row of a question to the caller in the run's next round, not yet numbered."""
    return QuestionRow(
        key=key,
        round=execution.run.rounds + 1,
        number=0,
        role=prompt.name.rpartition("/")[2],
        blind=question.blind,
        prompt=prompt.name,
        prompt_version=prompt.version,
        prompt_hash=prompt.hash,
        system_text=prompt.system,
        user_text=prompt.user,
        schema=prompt.schema,
        most_tokens=execution.loom.settings.output_tokens,
    )


async def _recorded(execution: Execution, key: CallKey) -> Reply | None:
    async with execution.loom.database.begin(execution.caller, once=True) as tx:
        known = await replies.recorded(tx, key)
    return _reply(known) if known else None


def _seconds(execution: Execution, question: Question) -> float:
    """Return the seconds left for a call.

    Raises:
        BudgetExceeded: the run's time is used up.
    """
    seconds = execution.seconds - (time.perf_counter() - execution.run.started)
    if seconds <= 0:
        raise BudgetExceeded(
            "the run's time is used up; raise REASONLOOM_TOOL_TIMEOUT", limit="seconds"
        )
    return seconds if question.seconds is None else min(seconds, max(question.seconds, 0.0))


def _call(
    llm: str, key: CallKey, prompt: RenderedPrompt, reply: Reply, seconds: float
) -> RecordedCall:
    return RecordedCall(
        key=key,
        prompt=prompt.name,
        prompt_version=prompt.version,
        prompt_hash=prompt.hash,
        llm=llm,
        model=reply.model,
        reply={"text": reply.text, "parsed": reply.parsed, "truncated": reply.truncated},
        tokens_in=reply.usage.tokens_in,
        tokens_out=reply.usage.tokens_out,
        tokens_estimated=reply.usage.estimated,
        cost_usd=reply.usage.cost_usd,
        attempts=reply.usage.attempts,
        latency_ms=seconds * 1000,
        messages=[
            {"role": "system", "content": prompt.system},
            {"role": "user", "content": prompt.user},
        ],
    )


def _reply(known: dict[str, Any]) -> Reply:
    if known["reply"].get("declined"):
        raise LlmRefused(DECLINED)
    usage = Usage(
        tokens_in=known["tokens_in"],
        tokens_out=known["tokens_out"],
        cost_usd=known["cost_usd"],
        estimated=known["tokens_estimated"],
        attempts=known["attempts"],
    )
    return Reply(model=known["model"], usage=usage, **known["reply"])


SHARE = 0.5
"""Share of the run's remaining time for one call, so that time is left to answer."""

CUT = "the language model's answer to {what} was cut at its length limit"
NONSENSE = "the language model's answer to {what} was not the JSON asked for"


@dataclass(frozen=True, slots=True)
class OptionalReply:
    """The reply to a question: the parsed object, text that does not match the schema, or a fault.

    `confidence` is the one found in JSON that does not match the schema.
    """

    parsed: dict[str, Any] | None = None
    text: str = ""
    notes: list[str] = field(default_factory=list)
    fault: ServiceFault | None = None
    usage: Usage = field(default_factory=Usage)
    confidence: float | None = None


async def ask_or_note(execution: Execution, question: Question, what: str) -> OptionalReply:
    """Call `ask` within the question's time limit; a fault becomes a note that names `what`.

    The default limit is half of the run's remaining time.
    """
    seconds = execution.seconds - (time.perf_counter() - execution.run.started)
    seconds = seconds * SHARE if question.seconds is None else min(seconds, question.seconds)
    try:
        async with asyncio.timeout(seconds):
            reply = await ask(execution, replace(question, seconds=seconds))
    except TimeoutError:
        return late_reply(what, seconds)
    except FAULTS as fault:
        return _failed(what, fault)
    notes = [CUT.format(what=what)] if reply.truncated else []
    notes += [NONSENSE.format(what=what)] if reply.parsed is None or reply.off_schema else []
    return OptionalReply(
        reply.parsed, reply.text, notes, usage=reply.usage, confidence=reply.confidence
    )


def late_reply(what: str, seconds: float) -> OptionalReply:
    """Return the placeholder for a reply that timed out."""
    return _failed(what, TimedOut(f"no answer within {max(seconds, 0):.3g} s"))


def saved_fault(fault: ServiceFault) -> dict[str, dict[str, str]]:
    """Return a fault in the form in which the states of graphs hold it."""
    return {"fault": {"kind": type(fault).__name__, "message": fault.message}}


def restored_fault(kind: str, message: str) -> ServiceFault:
    """Return the fault of a saved kind, with another message."""
    return next(each for each in FAULTS if each.__name__ == kind)(message)


def _failed(what: str, fault: ServiceFault) -> OptionalReply:
    log.warning("%s: %s", what, type(fault).__name__)  # the message may quote the question
    return OptionalReply(notes=[f"{what}: {fault.message}"], fault=fault)
