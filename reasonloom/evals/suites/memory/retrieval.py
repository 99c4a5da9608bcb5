"""The suites of recall: questions as items, asked of memories that `remember` has stored."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from reasonloom.contracts.memory.tools import ExplainedRecall, Remember
from reasonloom.evals.comparison.report import summary
from reasonloom.evals.core.item import Answer, Item
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.way import Answering, Opening, Parts
from reasonloom.evals.engine import Once, called, throw_away_engine
from reasonloom.evals.scorers.measure import Measure
from reasonloom.evals.suites.memory.ablation import without_each
from reasonloom.evals.suites.memory.collection import Collection, Retrieval, Source
from reasonloom.evals.suites.memory.ranking import CUT, DEPTHS, scores, unanswerable
from reasonloom.evals.suites.packaged import Packaged
from reasonloom.llm.embedding.choose import choose_embedder
from reasonloom.settings import load_settings

if TYPE_CHECKING:
    from reasonloom.graphs.runs.engine import Engine

OWNER = "eval"
REORDERED = 100
"""Memories that an ablation puts in another order: as many as one answer holds."""


def packaged(
    chosen: Retrieval, source: Source, epochs: int = 1, *, ablate: bool = False
) -> Packaged:
    """Return the questions of a source.

    Raises:
        InvalidArgument: the data is not the suite's.
    """
    collections, digest = chosen.load(source)
    suite = Suite(
        chosen.name,
        items(collections),
        (*(_found(name) for name in FOUND), *(_nothing(name) for name in unanswerable([]))),
        Opening(partial(opened, collections, ablate), "recall"),
        about={
            "data_sha256": digest,
            "embedder": choose_embedder(load_settings()).model,
            "ablate": ablate,
        },
    )
    return Packaged(suite, lambda log: summary(log.records, apart=chosen.apart), epochs)


def items(collections: Sequence[Collection]) -> list[Item]:
    """Return the questions; those of one collection hang together where there are several."""
    return [
        Item(
            question.id,
            question.text,
            sorted(question.evidence),
            collection.id if len(collections) > 1 else "",
            question.category,
        )
        for collection in collections
        for question in collection.questions
    ]


def asked_of(collections: Sequence[Collection]) -> dict[str, Collection]:
    """Return by a question's id the collection that it is asked of."""
    return {question.id: one for one in collections for question in one.questions}


FOUND = sorted(scores([], {""}), key=lambda name: name != f"recall@{CUT}")
"""The scores of a question that something answers; the first one is compared."""


def _found(name: str) -> Measure:
    return Measure(
        name,
        lambda item, said: scores(said["ranked"], item.target)[name] if item.target else None,
    )


def _nothing(name: str) -> Measure:
    return Measure(
        name, lambda item, said: None if item.target else unanswerable(said["scores"])[name]
    )


@asynccontextmanager
async def opened(
    collections: Sequence[Collection], ablate: bool, parts: Parts
) -> AsyncIterator[Answering]:
    """Yield what asks a question of its collection, stored when its first question comes."""
    of = asked_of(collections)
    known = {one.id: one for one in collections}
    async with throw_away_engine(parts, read_only=True) as engine:
        stored: Once[str, dict[str, str]] = Once(lambda name: _remember(engine, known[name]))

        async def answer(item: Item, epoch: int) -> Answer:
            name = of[item.id].id
            return await _recall(_Asked(engine, name, await stored.of(name)), item, ablate=ablate)

        yield answer


async def _remember(engine: Engine, collection: Collection) -> dict[str, str]:
    """Store every memory; return which stored one is which of the collection."""
    known: dict[str, str] = {}
    for memory in collection.memories:
        arguments = {**memory.arguments, "userId": collection.id}
        stored = await called(engine, OWNER, "remember", Remember, arguments)
        known[stored["memoryId"]] = memory.id
    return known


@dataclass(frozen=True, slots=True)
class _Asked:
    """Whose memories are asked: those of `user`, by their ids in the engine and in the set."""

    engine: Engine
    user: str
    known: dict[str, str]


async def _recall(asked: _Asked, item: Item, *, ablate: bool) -> Answer:
    """Return what was found, best first, and what would be scored without each signal."""
    arguments = {"userId": asked.user, "text": item.input, "limit": max(DEPTHS)}
    if ablate:
        arguments |= {"limit": REORDERED, "explain": True}
    started = time.perf_counter()
    found = await called(asked.engine, OWNER, "recall", ExplainedRecall, arguments)
    took = (time.perf_counter() - started) * 1000
    memories = found["memories"]
    said: dict[str, Any] = {
        "ranked": [asked.known[memory["id"]] for memory in memories],
        "scores": [memory["score"] for memory in memories],
    }
    if ablate and item.target and memories:
        said["without"] = {
            signal: scores([asked.known[memory] for memory in order], item.target)
            for signal, order in without_each(memories).items()
        }
    return Answer(said, latency_ms=took)
