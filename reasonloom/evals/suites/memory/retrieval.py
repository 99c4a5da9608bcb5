"""The recall suites: questions put to `recall` over memories stored by `remember`."""

import math
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import numpy as np

from reasonloom.contracts.memory.recall import ExplainedRecall
from reasonloom.contracts.memory.tools import Remember
from reasonloom.evals.comparison.statistics import cluster_sums, interval
from reasonloom.evals.comparison.summary import means_by_group
from reasonloom.evals.core.item import Answer, Item
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.way import AnswerContext, Answering, Opening
from reasonloom.evals.engine import Once, call_tool, temporary_engine, timed_call
from reasonloom.evals.log import Record
from reasonloom.evals.scorers.function import Measure
from reasonloom.evals.suites.memory.datasets import ALL, Retrieval, Source
from reasonloom.evals.suites.memory.datasets import Collection as DatasetsCollection
from reasonloom.evals.suites.packaged import Packaged, embedder_model
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.memory.retrieval.scoring import SCALE

DEPTHS = (5, 10, 20)
CUT = 10
COMPARED_SCORES = (f"recall@{CUT}", "recall@5", "mrr", "hit@1")
"""Scores by which sets are compared; the first is also computed without each signal."""


def ranking_scores(ranked: Sequence[str], relevant: Collection[str]) -> dict[str, float]:
    """Return recall@5/10/20, hit@1, hit@10, nDCG@10 (binary gains) and MRR, each in 0..1."""
    found = {f"recall@{depth}": recall(ranked, relevant, depth) for depth in DEPTHS}
    return {
        **found,
        "hit@1": float(any(item in relevant for item in ranked[:1])),
        f"hit@{CUT}": float(any(item in relevant for item in ranked[:CUT])),
        f"ndcg@{CUT}": ndcg(ranked, relevant, CUT),
        "mrr": reciprocal_rank(ranked, relevant),
    }


def recall(ranked: Sequence[str], relevant: Collection[str], depth: int) -> float:
    """Return recall at `depth`: the share of `relevant` among the first `depth` items."""
    return len(set(ranked[:depth]) & set(relevant)) / len(relevant)


def ndcg(ranked: Sequence[str], relevant: Collection[str], depth: int) -> float:
    """Return nDCG at `depth` with binary gains (Järvelin & Kekäläinen 2002)."""
    gained = sum(
        1 / math.log2(place + 2) for place, item in enumerate(ranked[:depth]) if item in relevant
    )
    best = sum(1 / math.log2(place + 2) for place in range(min(depth, len(relevant))))
    return gained / best


def reciprocal_rank(ranked: Sequence[str], relevant: Collection[str]) -> float:
    """Return the reciprocal rank of the first relevant item, 0 if there is none."""
    return next((1 / (place + 1) for place, item in enumerate(ranked) if item in relevant), 0.0)


def unanswerable_scores(found: Sequence[float]) -> dict[str, float]:
    """Return whether nothing was found for an unanswerable question, and the best score.

    `found` holds the scores of the recalled memories, best first; without any the best score is 0.
    """
    return {"nothing_found": float(not found), "best_score": found[0] if found else 0.0}


PARTS = {"similarity": 0.6, "salience": 0.2, "recency": 0.1, "linkWeight": 0.1}
"""Weights of the reference's composite score."""


def ablated_rankings(memories: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return the ranking of ids without each signal, and without each part except similarity.

    Reranks from the answer's explanations without searching again, so the candidates that a signal
    contributed remain in the ranking.
    """
    if not memories:
        return {}
    signals = list(memories[0]["explanation"]["signals"])
    parts = [part for part in PARTS if part != "similarity"]
    return {
        name: [memory["id"] for memory in sorted(memories, key=lambda each: -_score(each, name))]
        for name in (*signals, *parts)
    }


def _score(memory: Mapping[str, Any], without: str) -> float:
    explained = memory["explanation"]
    kept = sum(share for name, share in explained["signals"].items() if name != without)
    parts = {**explained, "similarity": math.tanh(max(0.0, kept) / SCALE)}
    return float(sum(weight * parts[part] for part, weight in PARTS.items() if part != without))


OWNER = "eval"
NOW = datetime(2026, 11, 24, tzinfo=UTC)
"""Fixed time of all questions, after every date in our own sets."""

REORDERED = 100
"""Number of memories that an ablation reranks: the maximum of one answer."""


def all_sets(source: Source, epochs: int = 1) -> Packaged:
    """Return the suite over a folder's sets and our own, with all ablations."""
    own = packaged(ALL, source, epochs, ablate=True)
    return replace(own, report=lambda log: {"sets": sets_side_by_side(log.records)})


def sets_side_by_side(records: Sequence[Record]) -> dict[str, Any]:
    """Return each set's scores and each signal's contribution, with 95 % intervals.

    Intervals are bootstrapped over the questions of a set, which are treated as independent.
    """
    sets: dict[str, list[Record]] = {}
    for record in records:
        sets.setdefault(record.group, []).append(record)
    return {name: _set_figures(each) for name, each in sets.items()}


def _set_figures(records: Sequence[Record]) -> dict[str, Any]:
    scores = {name: [record.scores[name] for record in records] for name in COMPARED_SCORES}
    ablated = [record for record in records if "without" in record.output]
    signals = list(ablated[0].output["without"]) if ablated else []
    return {
        "n": len(records),
        "scores": {name: _estimate(values) for name, values in scores.items()},
        "signals": {
            signal: _estimate(
                [
                    record.scores[COMPARED_SCORES[0]]
                    - record.output["without"][signal][COMPARED_SCORES[0]]
                    for record in ablated
                ]
            )
            for signal in signals
        },
    }


def _estimate(values: Sequence[float]) -> dict[str, float]:
    """Return the mean with its 95 % interval."""
    sums = cluster_sums(np.array(values, float), [""] * len(values))
    low, high = interval(sums)
    return {"mean": round(sums.mean, 4), "low": round(low, 4), "high": round(high, 4)}


def packaged(
    chosen: Retrieval, source: Source, epochs: int = 1, *, ablate: bool = False
) -> Packaged:
    """Return a recall suite's questions from a source."""
    collections, digest = chosen.load(source)
    suite = Suite(
        chosen.name,
        retrieval_items(collections),
        [Measure(name, partial(_read, name)) for name in (*FOUND, *unanswerable_scores([]))],
        Opening(partial(open_collections, collections, partial(_recall, ablate=ablate)), "recall"),
        about={"data_sha256": digest, "embedder": embedder_model(), "ablate": ablate},
    )
    return Packaged(
        suite, lambda log: means_by_group(log.records, excluded=chosen.excluded), epochs
    )


def retrieval_items(collections: Sequence[DatasetsCollection]) -> list[Item]:
    """Return the items; if there are several collections, each one's items share a cluster."""
    alone = len(collections) == 1
    return [
        Item(each.id, each.text, sorted(each.evidence), "" if alone else one.id, each.category)
        for one in collections
        for each in one.questions
    ]


FOUND = sorted(ranking_scores([], {""}), key=lambda name: name != f"recall@{CUT}")
"""Names of the scores of an answerable question; the first is used to compare runs."""


def _read(name: str, item: Item, answer: Mapping[str, Any]) -> float | None:
    if item.target:
        return ranking_scores(answer["ranked"], item.target).get(name)
    return unanswerable_scores(answer["scores"]).get(name)


async def store_collection(
    engine: Engine, collection: DatasetsCollection, owner: str = OWNER
) -> dict[str, str]:
    """Store every memory for the collection's user; return its ids by the stored ids."""
    known: dict[str, str] = {}
    for memory in collection.memories:
        arguments = {**memory.arguments, "userId": collection.id}
        stored = await call_tool(engine, owner, "remember", Remember, arguments)
        known[stored["memoryId"]] = memory.id
    return known


@asynccontextmanager
async def engine_at_now(parts: AnswerContext) -> AsyncIterator[Engine]:
    """Yield an engine whose clock stands at NOW and which reinforces no memory."""
    async with temporary_engine(parts, read_only=True) as engine:
        engine.loom = replace(engine.loom, clock=lambda: NOW)
        yield engine


@asynccontextmanager
async def open_collections(
    collections: Sequence[DatasetsCollection],
    ask: Callable[[Engine, str, dict[str, str], Item], Awaitable[Answer]],
    parts: AnswerContext,
    *,
    store: Callable[[Engine, DatasetsCollection], Awaitable[dict[str, str]]] = store_collection,
    opened: Callable[[AnswerContext], AbstractAsyncContextManager[Engine]] = engine_at_now,
) -> AsyncIterator[Answering]:
    """Yield the answering function; a collection is stored when its first item arrives.

    `ask` gets the engine, the collection's id, the result of `store`, and the item.
    """
    names = {question.id: one.id for one in collections for question in one.questions}
    known = {one.id: one for one in collections}
    async with opened(parts) as engine:
        stored: Once[str, dict[str, str]] = Once(lambda name: store(engine, known[name]))

        async def answer(item: Item, epoch: int) -> Answer:
            name = names[item.id]
            return await ask(engine, name, await stored.of(name), item)

        yield answer


async def _recall(
    engine: Engine, user: str, known: Mapping[str, str], item: Item, *, ablate: bool
) -> Answer:
    """Recall; outputs the ranking by `known` ids, and scores without each signal if `ablate`."""
    arguments = {"userId": user, "text": item.input, "limit": max(DEPTHS)}
    if ablate:
        arguments |= {"limit": REORDERED, "explain": True}
    found, took = await timed_call(engine, OWNER, "recall", ExplainedRecall, arguments)
    memories = found["memories"]
    output: dict[str, Any] = {
        "ranked": [known[memory["id"]] for memory in memories],
        "scores": [memory["score"] for memory in memories],
    }
    if ablate and item.target and memories:
        output["without"] = {
            signal: ranking_scores([known[memory] for memory in order], item.target)
            for signal, order in ablated_rankings(memories).items()
        }
    return Answer(output, latency_ms=took)
