"""The suite `grounding`: grounds each claim in its world's memories."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from statistics import fmean, median
from typing import Any

from reasonloom.contracts.graph_memory.grounding import MemoryGround
from reasonloom.contracts.graph_memory.nodes import MemoryAdd
from reasonloom.evals.core.item import Answer, Item
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.way import AnswerContext, Answering, Opening
from reasonloom.evals.engine import Once, call_tool, temporary_engine, timed_call
from reasonloom.evals.log import EvalLog, Record
from reasonloom.evals.scorers.function import Measure
from reasonloom.evals.suites.figures import DIGITS, Figure, rounded, share
from reasonloom.evals.suites.graph_memory.grounding.data import (
    HERE,
    KINDS,
    VERDICTS,
    Claim,
    GroundingSet,
    OverlapScore,
    Thresholds,
    World,
    best_thresholds,
    load_grounding,
    overlap_scores,
)
from reasonloom.evals.suites.labelled import halves_of
from reasonloom.evals.suites.packaged import Packaged, embedder_model
from reasonloom.graphs.runs.engine import Engine


async def store_world(engine: Engine, world: World) -> dict[int, str]:
    """Add a world's memories in order, with edges for corrections; return memory ids by node id.

    Each world has its own owner, which isolates it from the others.
    """
    nodes: dict[str, int] = {}
    for memory in world.memories:
        old = memory.supersedes
        edges = [{"target_id": nodes[old], "edge_type": "supersedes"}] if old else None
        arguments = {"event_type": memory.type, "content": memory.text, "edges": edges}
        given = {name: value for name, value in arguments.items() if value}
        answer = await call_tool(engine, world.id, "memory_add", MemoryAdd, given)
        nodes[memory.id] = answer["node_id"]
    return {node: name for name, node in nodes.items()}


async def ask_claim(engine: Engine, world: str, claim: str, names: Mapping[int, str]) -> Answer:
    """Ground a claim; the output has `status`, `contradicted`, and the ids of the `evidence`."""
    answer, took = await timed_call(engine, world, "memory_ground", MemoryGround, {"claim": claim})
    output = {
        "status": answer["status"],
        "contradicted": answer["contradicted"],
        "evidence": [names[each["node_id"]] for each in answer["evidence"]],
    }
    return Answer(output, latency_ms=took)


NEVER = ("negated", "swapped")
"""Kinds whose claims must never be called verified."""

ACCURACY = 0.8


def grounding_summary(
    worlds: Sequence[World], records: Sequence[Record], by: Thresholds
) -> dict[str, Any]:
    """Return a half's goals, and its figures with the word-overlap baseline."""
    by_claim = {record.item: record for record in records}
    base = overlap_scores(worlds)
    figures = _figures(by_claim, base, by)
    wrong = [each for each in records if each.group in NEVER and _is_verified(each)]
    accuracy = next(each for each, _ in figures if each.name == "right verdicts")
    return {
        "figures": [
            {**rounded(figure), "overlap": None if overlap is None else round(overlap, DIGITS)}
            for figure, overlap in figures
        ],
        "goals": {
            "negated or swapped called verified": {"goal": "0", "value": len(wrong)},
            "right verdicts": {"goal": f"at least {ACCURACY:.0%}", "value": accuracy.value},
        },
        "met": not wrong and (accuracy.value or 0) >= ACCURACY,
        "wrong": [
            {"claim": each.item, "kind": each.group, "said": verdict_of(each.output)}
            for each in records
            if not each.scores["right"]
        ],
        "median_ms": round(median([each.latency_ms for each in records]), 3) if records else None,
    }


def _figures(
    by_claim: dict[str, Record], base: Sequence[OverlapScore], by: Thresholds
) -> list[tuple[Figure, float | None]]:
    judged = [
        (each.claim, by_claim[each.claim.id], each.share)
        for each in base
        if each.claim.id in by_claim
    ]
    right = [
        (one.scores["right"], by.verdict(part) == claim.verdict) for claim, one, part in judged
    ]
    found = [(_share("right verdicts", [a for a, _ in right]), _mean([b for _, b in right]))]
    means: list[tuple[float, float]] = []
    for verdict in dict.fromkeys(VERDICTS.values()):
        some = [pair for pair, (c, _, _) in zip(right, judged, strict=True) if c.verdict == verdict]
        if some:
            means.append((fmean(a for a, _ in some), fmean(b for _, b in some)))
    mean, n = _mean([a for a, _ in means]), len(judged)
    figure = Figure(part="claims", name="mean over the verdicts", value=mean, n=n)
    found.append((figure, _mean([b for _, b in means])))
    for kind in KINDS:
        some = [pair for pair, (c, _, _) in zip(right, judged, strict=True) if c.kind == kind]
        found.append((_share("right", [a for a, _ in some], kind), _mean([b for _, b in some])))
    return [*found, *_others(by_claim.values(), judged, by)]


def _others(all_records: Any, judged: Any, by: Thresholds) -> list[tuple[Figure, float | None]]:
    never = [(float(_is_verified(one)), by.verdict(part) == "verified")
             for claim, one, part in judged if claim.kind in NEVER]  # fmt: skip
    records = list(all_records)
    hits = [one.scores["evidence"] for one in records if "evidence" in one.scores]
    labels = [one.scores["label"] for one in records]
    return [
        (
            _share("called verified", [a for a, _ in never], "negated or swapped"),
            _mean([b for _, b in never]),
        ),
        (_share("right, contradicted as a label of its own", labels), None),
        (_share("names a memory that decides", hits, "claims with evidence"), None),
    ]


def _share(name: str, hits: Sequence[float], of: str = "all") -> Figure:
    return share("claims", name, hits, of=of)


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def verdict_of(output: Mapping[str, Any]) -> str:
    """Return the answer's verdict, with `contradicted` as a verdict of its own."""
    return "contradicted" if output["contradicted"] else str(output["status"])


def _is_verified(record: Record) -> bool:
    return bool(record.output["status"] == "verified")


NAME = "grounding"
NOTE = (
    "Five of eight kinds are ungrounded: to say so always is right in 62.5 %. overlap: the share"
    " of a claim's words in the best memory, with the thresholds that are best on dev."
)


def packaged(half: str = "dev", data: Path | None = None) -> Packaged:
    """Return the suite for a half; `data` is a folder that replaces the packaged one."""
    folder = data or HERE
    sets = {each: load_grounding(each, folder) for each in halves_of(half)}
    worlds = [world for one in sets.values() for world in one.worlds]
    (digests, *_) = (one.sha256 for one in sets.values())
    suite = Suite(
        NAME,
        [_item(claim) for world in worlds for claim in world.claims],
        SCORERS,
        Opening(partial(open_grounding, worlds), "memory_ground", asks=True),
        about={"data_sha256": digests, "half": half, "embedder": embedder_model()},
    )
    return Packaged(suite, partial(_report, sets, folder))


def _item(claim: Claim) -> Item:
    target = {"verdict": claim.verdict, "label": claim.label, "evidence": list(claim.evidence)}
    return Item(claim.id, claim.text, target, cluster=claim.world, group=claim.kind)


@asynccontextmanager
async def open_grounding(worlds: Sequence[World], parts: AnswerContext) -> AsyncIterator[Answering]:
    """Yield the answering function; a world is stored when its first claim arrives."""
    known = {world.id: world for world in worlds}
    async with temporary_engine(parts) as engine:
        stored: Once[str, dict[int, str]] = Once(lambda name: store_world(engine, known[name]))

        async def answer(item: Item, epoch: int) -> Answer:
            return await ask_claim(engine, item.cluster, item.input, await stored.of(item.cluster))

        yield answer


def _evidence(item: Item, output: Any) -> float | None:
    wanted = set(item.target["evidence"])
    return float(bool(wanted & set(output["evidence"]))) if wanted else None


SCORERS = (
    Measure("right", lambda item, output: output["status"] == item.target["verdict"]),
    Measure("label", lambda item, output: verdict_of(output) == item.target["label"]),
    Measure("evidence", _evidence),
)


def _report(sets: dict[str, GroundingSet], folder: Path, log: EvalLog) -> dict[str, Any]:
    by = best_thresholds(overlap_scores(load_grounding("dev", folder).worlds))
    halves = {}
    for half, one in sets.items():
        ids = {claim.id for claim in one.claims}
        own = [record for record in log.records if record.item in ids]
        halves[half] = grounding_summary(one.worlds, own, by)
    return {"note": NOTE, "halves": halves}
