"""Asks the language model on behalf of a node: within the budget, recorded before use."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reasonloom.errors import BudgetExceeded
from reasonloom.llm.port import Ask, Reply, Usage
from reasonloom.stores import replies, runs
from reasonloom.stores.replies import CallKey, RecordedCall

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Execution
    from reasonloom.prompts.template import RenderedPrompt


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a node: which prompt with what, and where in the run it stands."""

    node: str
    prompt: str
    variables: dict[str, Any]
    pipe: str
    task: str = "0"
    n: int = 0
    thread: str | None = None


async def ask(execution: Execution, question: Question) -> Reply:
    """Return the language model's reply; one that was recorded before is not paid again.

    Raises:
        BudgetExceeded: a limit of the run was reached before the call.
        LlmUnavailable, LlmRefused, TimedOut: as the provider answers.
    """
    loom, caller = execution.loom, execution.caller
    prompt = loom.prompts.get(question.prompt).render(**question.variables)
    key = CallKey(execution.run.id, question.node, question.task, question.n)
    async with loom.database.begin(caller) as tx:
        known = await replies.recorded(tx, key)
        if known:
            return _reply(known)
        spent = await runs.spent(tx, execution.run.id)
    remaining = _remaining_seconds(execution, spent)
    started = time.perf_counter()
    reply = await loom.llm.answer(_to_port(question, prompt, remaining))
    call = _call(execution, key, prompt, reply, time.perf_counter() - started)
    async with loom.database.begin(caller) as tx:
        await replies.record(tx, call)
    return reply


def _to_port(question: Question, prompt: RenderedPrompt, seconds: float) -> Ask:
    return Ask(
        messages=prompt.messages(),
        schema=prompt.schema,
        pipe=question.pipe,
        thread=question.thread,
        deadline=seconds,
        material=prompt.variables,
    )


def _remaining_seconds(execution: Execution, spent: runs.Spent) -> float:
    """Return the seconds left for a call.

    Raises:
        BudgetExceeded: calls, tokens, money or seconds of the run are used up.
    """
    limits = execution.loom.settings
    seconds = limits.tool_timeout - (time.perf_counter() - execution.run.started)
    for name, used, limit in (
        ("calls", spent.calls, limits.budget_calls),
        ("tokens", spent.tokens, limits.budget_tokens),
        ("usd", spent.usd, limits.budget_usd),
    ):
        if used >= limit:
            raise BudgetExceeded(
                f"the run's budget of {limit:g} {name} is used up; raise "
                f"REASONLOOM_BUDGET_{name.upper()} or ask for less"
            )
    if seconds <= 0:
        raise BudgetExceeded("the run's time is used up; raise REASONLOOM_TOOL_TIMEOUT")
    return seconds


def _call(
    execution: Execution, key: CallKey, prompt: RenderedPrompt, reply: Reply, seconds: float
) -> RecordedCall:
    return RecordedCall(
        key=key,
        prompt=prompt.name,
        prompt_version=prompt.version,
        prompt_hash=prompt.hash,
        llm=execution.loom.llm.name,
        model=reply.model,
        reply={"text": reply.text, "parsed": reply.parsed, "truncated": reply.truncated},
        tokens_in=reply.usage.tokens_in,
        tokens_out=reply.usage.tokens_out,
        tokens_estimated=reply.usage.estimated,
        cost_usd=reply.usage.cost_usd,
        attempts=reply.usage.attempts,
        latency_ms=seconds * 1000,
    )


def _reply(known: dict[str, Any]) -> Reply:
    usage = Usage(
        tokens_in=known["tokens_in"],
        tokens_out=known["tokens_out"],
        cost_usd=known["cost_usd"],
        estimated=known["tokens_estimated"],
        attempts=known["attempts"],
    )
    return Reply(model=known["model"], usage=usage, **known["reply"])
