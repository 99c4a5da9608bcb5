"""The suite `grounding`: claims as items, each asked of its own world's memories."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from reasonloom.evals.core.item import Answer, Item
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.way import Answering, Opening, Parts
from reasonloom.evals.engine import Once, throw_away_engine
from reasonloom.evals.log import EvalLog
from reasonloom.evals.scorers.measure import Measure
from reasonloom.evals.suites.graph_memory.grounding.asking import ask, store
from reasonloom.evals.suites.graph_memory.grounding.data import (
    HERE,
    Claim,
    GroundingSet,
    World,
    grounding,
)
from reasonloom.evals.suites.graph_memory.grounding.overlap import best, counted
from reasonloom.evals.suites.graph_memory.grounding.suite import said, summary
from reasonloom.evals.suites.metacognition.labels import halves_of
from reasonloom.evals.suites.packaged import Packaged
from reasonloom.llm.embedding.choose import choose_embedder
from reasonloom.settings import load_settings

NAME = "grounding"
NOTE = (
    "Five of eight kinds are ungrounded: to say so always is right in 62.5 %. overlap: the share"
    " of a claim's words in the best memory, with the thresholds that are best on dev."
)


def packaged(half: str = "dev", data: Path | None = None) -> Packaged:
    """Return the claims of a half, of the set of another's own where `data` is its folder.

    Raises:
        InvalidArgument: another half, or a set that is not of its form.
    """
    folder = data or HERE
    sets = {each: grounding(each, folder) for each in halves_of(half)}
    worlds = [world for one in sets.values() for world in one.worlds]
    (digests, *_) = (one.sha256 for one in sets.values())
    suite = Suite(
        NAME,
        [_item(claim) for world in worlds for claim in world.claims],
        SCORERS,
        Opening(partial(opened, worlds), "memory_ground", asks=True),
        about={
            "data_sha256": digests,
            "half": half,
            "embedder": choose_embedder(load_settings()).model,
        },
    )
    return Packaged(suite, partial(_told, sets, folder))


def _item(claim: Claim) -> Item:
    target = {
        "verdict": claim.verdict,
        "label": claim.label,
        "evidence": list(claim.evidence),
    }
    return Item(claim.id, claim.text, target, cluster=claim.world, group=claim.kind)


@asynccontextmanager
async def opened(worlds: Sequence[World], parts: Parts) -> AsyncIterator[Answering]:
    """Yield what asks a claim of its world, stored when its first claim comes."""
    known = {world.id: world for world in worlds}
    async with throw_away_engine(parts) as engine:
        stored: Once[str, dict[int, str]] = Once(lambda name: store(engine, known[name]))

        async def answer(item: Item, epoch: int) -> Answer:
            return await ask(engine, item.cluster, item.input, await stored.of(item.cluster))

        yield answer


def _right(item: Item, output: Any) -> float:
    return float(output["status"] == item.target["verdict"])


def _label(item: Item, output: Any) -> float:
    return float(said(output) == item.target["label"])


def _evidence(item: Item, output: Any) -> float | None:
    wanted = set(item.target["evidence"])
    return float(bool(wanted & set(output["evidence"]))) if wanted else None


SCORERS = (Measure("right", _right), Measure("label", _label), Measure("evidence", _evidence))


def _told(sets: dict[str, GroundingSet], folder: Path, log: EvalLog) -> dict[str, Any]:
    by = best(counted(grounding("dev", folder).worlds))
    halves = {}
    for half, one in sets.items():
        ids = {claim.id for claim in one.claims}
        own = [record for record in log.records if record.item in ids]
        halves[half] = summary(one.worlds, own, by)
    return {"note": NOTE, "halves": halves}
