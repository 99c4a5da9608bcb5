"""The suite `context`: the memories given to a reasoning step, against those it needs."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

from reasonloom.contracts.caller import Caller
from reasonloom.evals.comparison.summary import means_by_group
from reasonloom.evals.core.item import Answer, Item
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.way import Opening
from reasonloom.evals.scorers.function import Measure
from reasonloom.evals.suites.memory.datasets import Collection, Source, load_own
from reasonloom.evals.suites.memory.retrieval import (
    NOW,
    OWNER,
    open_collections,
    recall,
    retrieval_items,
)
from reasonloom.evals.suites.packaged import Packaged, embedder_model
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.execution import CurrentRun, Execution
from reasonloom.nodes.reasoning.context import recall_for
from reasonloom.text.tokens import estimate_tokens

NAME = "context"
SETS = ("people", "team")
ELSEWHERE = "of the other set"
FIRST = 5
SCORES = ("needed", f"needed of {FIRST}", "memories", "tokens")


def packaged(half: str = "dev", data: Path | None = None) -> Packaged:
    """Return the suite: each set's questions, and the other set's, which have no evidence."""
    loaded = [load_own(name, Source(data, half)) for name in SETS]
    own = [collection for (collection,), _ in loaded]
    collections = [_with_others(one, other) for one, other in zip(own, reversed(own), strict=True)]
    suite = Suite(
        NAME,
        retrieval_items(collections),
        [Measure(name, partial(_read, name)) for name in SCORES],
        Opening(partial(open_collections, collections, _ask), "recall"),
        about={
            "data_sha256": "".join(digest for _, digest in loaded),
            "half": half,
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


def _read(name: str, item: Item, output: Mapping[str, Any]) -> float | None:
    if not name.startswith("needed"):
        return float(len(output["memories"]) if name == "memories" else output[name])
    if not item.target:
        return None
    depth = FIRST if name.endswith(str(FIRST)) else len(output["memories"])
    return recall(output["memories"], item.target, depth)


async def _ask(engine: Engine, space: str, ids: Mapping[str, str], item: Item) -> Answer:
    run = CurrentRun(uuid4(), NAME, NAME, 1, {}, started=0.0, created_at=NOW)
    caller = Caller(OWNER).within(space)
    memories, _ = await recall_for(Execution(engine.loom, caller, run), item.input)
    lines = "\n".join(f"{each['label']} {each['content']}" for each in memories)
    given = [ids[f"mem-{each['id']}"] for each in memories]
    return Answer({"memories": given, "tokens": estimate_tokens(lines)})
