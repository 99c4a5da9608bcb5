"""Loads collections through `remember`, asks through `recall`, and scores what it finds."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.door import read
from reasonloom.contracts.memory import ExplainedRecall, Remember
from reasonloom.evals.home import throw_away_database
from reasonloom.evals.log import EvalLog, Record
from reasonloom.evals.ranking import DEPTHS, scores, unanswerable
from reasonloom.evals.report import summary
from reasonloom.evals.retrieval.ablation import without_each
from reasonloom.evals.retrieval.collection import Collection, Question, Source, Suite
from reasonloom.graphs.call import Call
from reasonloom.graphs.engine import Engine
from reasonloom.graphs.graph import load_graph

if TYPE_CHECKING:
    from reasonloom.contracts.base import Request

OWNER = "eval"
REORDERED = 100
"""Memories that an ablation puts in another order: as many as one answer holds."""

Tell = Callable[[str, int, int], None]
"""Told of progress: what is being done, how many are done, of how many."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is run: the suite and its source, the log, how often, and with which ablations."""

    suite: Suite
    source: Source
    log: Path
    epochs: int = 1
    ablate: bool = False


async def run(plan: Plan, tell: Tell) -> dict[str, Any]:
    """Run the eval, or what is left of it, and return its result.

    Raises:
        InvalidArgument: the data is not the suite's, or the log belongs to another run.
    """
    collections, digest = plan.suite.load(plan.source)
    log = EvalLog(plan.log)
    async with (
        throw_away_database(user=OWNER, read_only=True) as (settings, access),
        open_engine(settings, access=access, recover=False) as engine,
    ):
        head = {
            "eval": plan.suite.name,
            "data_sha256": digest,
            "embedder": engine.loom.embedder.model,
            "epochs": plan.epochs,
            "ablate": plan.ablate,
        }
        log.begin(head)
        for collection in collections:
            await _one(engine, collection, log, plan, tell)
    return {**head, "log": plan.log.name, **summary(log.records, apart=plan.suite.apart)}


async def _one(
    engine: Engine, collection: Collection, log: EvalLog, plan: Plan, tell: Tell
) -> None:
    done = log.done()
    left = [
        (question, epoch)
        for epoch in range(plan.epochs)
        for question in collection.questions
        if (question.id, epoch) not in done
    ]
    if not left:
        return
    known = await _remember(engine, collection, tell)
    for number, (question, epoch) in enumerate(left):
        tell(f"{collection.id}: recall", number, len(left))
        record = await _ask(engine, collection.id, question, known, ablate=plan.ablate)
        log.add(replace(record, epoch=epoch))


async def _remember(engine: Engine, collection: Collection, tell: Tell) -> dict[str, str]:
    """Store every memory; return which stored one is which of the collection."""
    known: dict[str, str] = {}
    for number, memory in enumerate(collection.memories):
        tell(f"{collection.id}: remember", number, len(collection.memories))
        arguments = {**memory.arguments, "userId": collection.id}
        stored = await _call(engine, "remember", Remember, arguments)
        known[stored["memoryId"]] = memory.id
    return known


async def _ask(
    engine: Engine, user: str, question: Question, known: dict[str, str], *, ablate: bool
) -> Record:
    started = time.perf_counter()
    arguments = {"userId": user, "text": question.text, "limit": max(DEPTHS)}
    if ablate:
        arguments |= {"limit": REORDERED, "explain": True}
    memories = (await _call(engine, "recall", ExplainedRecall, arguments))["memories"]
    took = (time.perf_counter() - started) * 1000
    if not question.evidence:
        judged = unanswerable([memory["score"] for memory in memories])
        return Record(question.id, 0, question.category, judged, took)
    ranked = [known[memory["id"]] for memory in memories]
    without = {
        signal: scores([known[memory] for memory in order], question.evidence)
        for signal, order in (without_each(memories) if ablate else {}).items()
    }
    judged = scores(ranked, question.evidence)
    return Record(question.id, 0, question.category, judged, took, without)


async def _call(
    engine: Engine, tool: str, contract: type[Request], arguments: dict[str, Any]
) -> dict[str, Any]:
    request = read(contract, arguments)
    outcome = await engine.call(
        Call(
            tool=tool,
            graph=load_graph(tool),
            request=request.model_dump(mode="json", by_alias=True, exclude_unset=True),
            caller=Caller(OWNER).within(request.space()),
        )
    )
    return outcome.answer
