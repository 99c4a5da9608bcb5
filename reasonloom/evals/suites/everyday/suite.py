"""The suite `everyday`: grounding claims, detecting biases, matching triggers with messages.

Pairs of an older and a newer memory are stored to test whether the older one is reported as
replaced.
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from reasonloom.contracts.graph_memory.nodes import MemoryAdd
from reasonloom.contracts.memory.tools import SupersedingRemember
from reasonloom.contracts.metacognition import DetectBias
from reasonloom.evals.core.item import Answer, Item
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.way import AnswerContext, Answering, Opening
from reasonloom.evals.engine import call_tool, temporary_engine, timed_call
from reasonloom.evals.log import EvalLog, Record
from reasonloom.evals.scorers.function import Measure
from reasonloom.evals.suites.everyday.data import HERE, VERDICTS, EverydaySets, load_everyday
from reasonloom.evals.suites.figures import Figure, rounded, share
from reasonloom.evals.suites.graph_memory.grounding.suite import ask_claim, verdict_of
from reasonloom.evals.suites.labelled import halves_of
from reasonloom.evals.suites.mental_models.triggers import timed_match
from reasonloom.evals.suites.packaged import Packaged, embedder_model
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.embedding.from_settings import choose_embedder
from reasonloom.nodes.memory.replacement import SURE

NAME = "everyday"
CLAIM, TEXT, TRIGGER, PAIR = "claim", "text", "trigger", "pair"
NONE = "none"


def packaged(half: str = "dev", data: Path | None = None) -> Packaged:
    """Return the suite for a half; `data` is a folder that replaces the packaged one."""
    sets = {each: load_everyday(each, data or HERE) for each in halves_of(half)}
    (digests, *_) = (one.sha256 for one in sets.values())
    suite = Suite(
        NAME,
        [item for one in sets.values() for item in _items(one)],
        (Measure("right", _is_right),),
        Opening(open_everyday, "memory_ground, detect_bias and triggers", asks=True),
        about={"data_sha256": digests, "half": half, "embedder": embedder_model()},
    )
    return Packaged(suite, partial(_report, sets))


def _items(sets: EverydaySets) -> Iterator[Item]:
    for claim in sets.claims:
        question = {"claim": claim.claim, "notes": claim.notes}
        yield Item(f"{CLAIM}/{claim.id}", question, claim.verdict, claim.notes[0], claim.kind)
    for text in sets.texts:
        yield Item(f"{TEXT}/{text.id}", text.text, text.bias, text.id, text.group)
    for each in sets.triggers:
        question = {"trigger": each.trigger, "message": each.message}
        yield Item(f"{TRIGGER}/{each.id}", question, each.fires, each.trigger, each.kind)
    for pair in sets.replacements:
        question = {"older": pair.older, "newer": pair.newer}
        yield Item(f"{PAIR}/{pair.id}", question, pair.replaces, pair.id, pair.kind)


@asynccontextmanager
async def open_everyday(parts: AnswerContext) -> AsyncIterator[Answering]:
    """Yield the answering function; every item has its own owner, with no other memories."""
    embedder = choose_embedder(parts.settings)
    async with temporary_engine(parts) as engine:

        async def answer(item: Item, epoch: int) -> Answer:
            if item.id.startswith(TRIGGER):
                fires, took = await timed_match(embedder, item)
                return Answer([fires], latency_ms=took)
            (judge,) = (of for kind, of in JUDGES.items() if item.id.startswith(kind))
            return await judge(engine, item, f"{item.id}/{epoch}")

        try:
            yield answer
        finally:
            await embedder.close()


async def _ground(engine: Engine, item: Item, owner: str) -> Answer:
    names: dict[int, str] = {}
    for note in item.input["notes"]:
        given = {"event_type": "fact", "content": note}
        stored = await call_tool(engine, owner, "memory_add", MemoryAdd, given)
        names[stored["node_id"]] = note
    answer = await ask_claim(engine, owner, item.input["claim"], names)
    return Answer([verdict_of(answer.output)], latency_ms=answer.latency_ms)


async def _detect(engine: Engine, item: Item, owner: str) -> Answer:
    given = {"reasoning": item.input}
    output, took = await timed_call(engine, owner, "detect_bias", DetectBias, given)
    return Answer([found["type"] for found in output["biases"]], latency_ms=took)


async def _replace(engine: Engine, item: Item, owner: str) -> Answer:
    """Return the probability that the newer memory replaces the older; 0 if it is not reported."""
    await call_tool(
        engine, owner, "remember", SupersedingRemember, {"content": item.input["older"]}
    )
    newer = {"content": item.input["newer"]}
    output, took = await timed_call(engine, owner, "remember", SupersedingRemember, newer)
    named = [found["confidence"] for found in output.get("mayReplace", ())]
    return Answer(max(named, default=0.0), latency_ms=took)


JUDGES = {f"{CLAIM}/": _ground, f"{TEXT}/": _detect, f"{PAIR}/": _replace}
"""How an engine judges an item, by the prefix of its id; triggers need no engine."""


def _is_right(item: Item, answer: Any) -> bool:
    if item.id.startswith(PAIR):
        return bool(answer) is item.target
    if item.id.startswith(TRIGGER):
        return list(answer) == [item.target]
    return list(answer) == ([] if item.target == NONE else [item.target])


def _report(sets: dict[str, EverydaySets], log: EvalLog) -> dict[str, Any]:
    found = {}
    for half, one in sets.items():
        wanted = {item.id for item in _items(one)}
        own = [record for record in log.records if record.item in wanted]
        found[half] = [rounded(figure) for figure in everyday_figures(own)]
    return {"halves": found}


def everyday_figures(records: Sequence[Record]) -> Iterator[Figure]:
    """Yield the figures of all sets: how often items are right, and how often harmfully wrong.

    `wrongly VERDICT` is the share of all claims that got this verdict in error.
    """
    claims = [record for record in records if record.item.startswith(CLAIM)]
    texts = [record for record in records if record.item.startswith(f"{TEXT}/")]
    yield share("claims", "right", [record.scores["right"] for record in claims])
    for label in VERDICTS:
        hits = [record.scores["right"] for record in claims if record.target == label]
        yield share("claims", "right", hits, of=label)
    yield from _right_by_kind("claims", claims)
    for verdict in ("verified", "contradicted"):
        wrong = [
            float(record.output == [verdict] and record.target != verdict) for record in claims
        ]
        yield share("claims", f"wrongly {verdict}", wrong)
    biased = [record for record in texts if record.target != NONE]
    named = [found == record.target for record in texts for found in record.output]
    yield share("biases", "recall", [float(r.target in r.output) for r in biased])
    yield share("biases", "precision", [float(each) for each in named])
    for group in ("everyday", "sound"):
        alarms = [float(bool(record.output)) for record in texts if record.group == group]
        yield share("biases", "false alarms", alarms, of=group)
    matched = [record for record in records if record.item.startswith(TRIGGER)]
    firing = [record for record in matched if record.output == [True]]
    yield share("triggers", "recall", [float(r.output == [True]) for r in matched if r.target])
    yield share("triggers", "precision", [float(bool(record.target)) for record in firing])
    yield from _right_by_kind("triggers", matched)
    yield from replacement_figures([r for r in records if r.item.startswith(PAIR)])


def replacement_figures(records: Sequence[Record]) -> Iterator[Figure]:
    """Yield recall, precision and high-confidence shares of reported replacements."""
    named = [record for record in records if record.output]
    unlike = [record for record in records if not record.target]
    yield share("replacements", "recall", [float(bool(r.output)) for r in records if r.target])
    yield share("replacements", "precision", [float(bool(r.target)) for r in named])
    yield share("replacements", "sure", [float(r.output >= SURE) for r in records if r.target])
    yield share("replacements", "wrongly sure", [float(r.output >= SURE) for r in unlike])
    yield from _right_by_kind("replacements", records)


def _right_by_kind(part: str, records: Sequence[Record]) -> Iterator[Figure]:
    for kind in sorted({record.group for record in records}):
        hits = [record.scores["right"] for record in records if record.group == kind]
        yield share(part, "right", hits, of=kind)
