"""The suite `context`: the memories given to a reasoning step, against those it needs."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import uuid4

from reasonloom.contracts.caller import Caller
from reasonloom.evals.comparison.summary import means_by_group
from reasonloom.evals.core.item import Answer, Item
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.way import AnswerContext, Answering, Opening
from reasonloom.evals.engine import Once, temporary_engine
from reasonloom.evals.scorers.function import Measure
from reasonloom.evals.suites.memory.datasets import Collection, Source, load_own
from reasonloom.evals.suites.memory.retrieval import (
    NOW,
    OWNER,
    collection_by_question,
    recall,
    store_collection,
)
from reasonloom.evals.suites.packaged import Packaged, embedder_model
from reasonloom.nodes.execution import CurrentRun, Execution
from reasonloom.nodes.reasoning.context import recall_for
from reasonloom.text.tokens import estimate_tokens

NAME = "context"
SETS = ("people", "team")
ELSEWHERE = "of the other set"
FIRST = 5
SCORES = ("needed", f"needed of {FIRST}", "memories", "tokens")


def packaged(source: Source) -> Packaged:
    """Return the suite: each set's questions, and the other set's, which have no evidence."""
    loaded = [load_own(name, source) for name in SETS]
    own = [collection for (collection,), _ in loaded]
    collections = [_with_others(one, other) for one, other in zip(own, reversed(own), strict=True)]
    suite = Suite(
        NAME,
        _items(collections),
        [Measure(name, partial(_read, name)) for name in SCORES],
        Opening(partial(_open, collections), "recall"),
        about={
            "data_sha256": "".join(digest for _, digest in loaded),
            "half": source.half,
            "embedder": embedder_model(),
        },
    )
    return Packaged(suite, lambda log: means_by_group(log.records, excluded=(ELSEWHERE,)))


def _with_others(one: Collection, other: Collection) -> Collection:
    """Return a set with its own answerable questions and all of another's."""
    own = [replace(each, id=f"{one.id}/{each.id}", category=one.id) for each in one.questions]
    foreign = [
        replace(each, id=f"{one.id}/{other.id}/{each.id}", category=ELSEWHERE, evidence=frozenset())
        for each in other.questions
    ]
    answerable = [each for each in own if each.evidence]
    return replace(one, questions=(*answerable, *foreign))


def _items(collections: Sequence[Collection]) -> list[Item]:
    return [
        Item(each.id, each.text, sorted(each.evidence), one.id, each.category)
        for one in collections
        for each in one.questions
    ]


def _read(name: str, item: Item, output: Mapping[str, Any]) -> float | None:
    if not name.startswith("needed"):
        return float(len(output["memories"]) if name == "memories" else output[name])
    if not item.target:
        return None
    depth = FIRST if name.endswith(str(FIRST)) else len(output["memories"])
    return recall(output["memories"], item.target, depth)


@asynccontextmanager
async def _open(
    collections: Sequence[Collection], parts: AnswerContext
) -> AsyncIterator[Answering]:
    """Yield the answering function; a collection is stored when its first item arrives."""
    of = collection_by_question(collections)
    known = {one.id: one for one in collections}
    async with temporary_engine(parts, read_only=True) as engine:
        engine.loom = replace(engine.loom, clock=lambda: NOW)
        stored: Once[str, dict[str, str]] = Once(lambda name: store_collection(engine, known[name]))

        async def answer(item: Item, epoch: int) -> Answer:
            space = of[item.id].id
            ids = await stored.of(space)
            run = CurrentRun(uuid4(), NAME, NAME, 1, {}, started=0.0, created_at=NOW)
            caller = Caller(OWNER).within(space)
            memories, _ = await recall_for(Execution(engine.loom, caller, run), item.input)
            lines = "\n".join(f"{each['label']} {each['content']}" for each in memories)
            given = [ids[f"mem-{each['id']}"] for each in memories]
            return Answer({"memories": given, "tokens": estimate_tokens(lines)})

        yield answer
