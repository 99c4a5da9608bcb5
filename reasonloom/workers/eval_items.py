"""Answers one item of an eval in one epoch; runs and recorded replies make retries free."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import Any

from reasonloom.errors import DatabaseUnavailable, NotFound, ServiceFault
from reasonloom.evals.core.item import Answer, Item
from reasonloom.evals.core.llm_calls import Attempt, Limits, as_current_attempt
from reasonloom.evals.core.system import Purse
from reasonloom.evals.core.way import AnswerContext, Answering
from reasonloom.prompts.registry import PromptRegistry
from reasonloom.stores.queue import parcels
from reasonloom.workers.context import Job, OtherVersion, WorkContext
from reasonloom.workers.eval_spec import SPEC, difference, identity, way_of
from reasonloom.workers.parcels import failed

KIND = "eval_item"


async def answer_item(context: WorkContext, job: Job, task: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer to an item, or the fault that prevented it; with its calls and usage.

    Raises:
        OtherVersion: this worker would answer differently.
    """
    item = Item(task["id"], task["input"])
    async with context.using(f"eval {job.ids.owner}", lambda: _opened(context, job)) as answering:
        return await _attempted(answering, item, Attempt(task["epoch"], task["seed"]))


async def _attempted(answering: Answering, item: Item, attempt: Attempt) -> dict[str, Any]:
    """Return an attempt's answer, or its fault."""
    started = time.perf_counter()
    attempt.task = asyncio.create_task(_answer(answering, item, attempt))
    found: dict[str, Any] = {}
    try:
        answer = await attempt.task
        found = {"output": answer.output, "run": answer.run, "usage": _earlier(answer, attempt)}
    except asyncio.CancelledError:
        if not isinstance(attempt.broken, ServiceFault):
            raise
        found = {"halts": True, **failed(attempt.broken)}
    except DatabaseUnavailable:
        raise
    except ServiceFault as fault:
        found = failed(fault)
    took = (time.perf_counter() - started) * 1000
    return {
        **found,
        "latency_ms": took,
        "usages": [asdict(usage) for usage in attempt.usages],
        "calls": attempt.calls,
    }


async def _answer(answering: Answering, item: Item, attempt: Attempt) -> Answer:
    with as_current_attempt(attempt):
        return await answering(item, attempt.epoch)


def _earlier(answer: Answer, attempt: Attempt) -> Mapping[str, float]:
    """Return an item's whole usage if an earlier attempt made some of its calls; else nothing."""
    return answer.usage if answer.usage.get("calls", 0) > len(attempt.usages) else {}


@asynccontextmanager
async def _opened(context: WorkContext, job: Job) -> AsyncIterator[Answering]:
    """Open the way of an eval with the settings of the process that enqueued it."""
    async with context.database.begin(job.ids.caller, once=True) as tx:
        found = await parcels.get(tx, KIND, [SPEC])
    if (parcels.TASK, SPEC) not in found:
        raise NotFound(job.ids.owner)
    spec = found[parcels.TASK, SPEC]
    settings = context.settings.model_copy(update=spec["settings"])
    prompts = PromptRegistry(settings.prompts).pinning(spec["prompts"])
    way = way_of(spec["way"])
    limits = spec["limits"]
    purse = Purse(limits=Limits(limits["default"], limits["own"]), count_errors=spec["lenient"])
    async with purse.llm(context.llm, settings) as llm:
        ours = identity(way, llm.name, prompts)
        if ours != spec["identity"]:
            raise OtherVersion(f"it has other {difference(spec['identity'], ours)}")
        parts = AnswerContext(
            job.ids.owner, settings, llm, prompts, True, context.access, context.embedder
        )
        async with way.opened(parts) as answering:
            yield answering
