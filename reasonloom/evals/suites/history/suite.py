"""The suite `history`: recalling chains and predicting moments from ingested worlds."""

import tempfile
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from reasonloom.contracts.base import Request
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.history import HistoryPredict, HistoryRecall
from reasonloom.errors import InvalidArgument
from reasonloom.evals.comparison.summary import latency, means
from reasonloom.evals.core.item import Answer, Item
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.way import AnswerContext, Answering, Opening
from reasonloom.evals.engine import Once, temporary_engine, timed_call
from reasonloom.evals.log import EvalLog, Record
from reasonloom.evals.scorers.function import Measure
from reasonloom.evals.suites.history.data import (
    HERE,
    HistorySet,
    LabelledWorld,
    load_history,
    require_wording,
)
from reasonloom.evals.suites.history.records import KINDS, Chain, Moment, Turn, Wording
from reasonloom.evals.suites.history.transcript import Prose, write_world
from reasonloom.evals.suites.packaged import Packaged, embedder_model
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.history.ingestion.pipeline import ingest
from reasonloom.nodes.mental_models.accuracy import wilson_interval
from reasonloom.settings import load_settings

ENOUGH = 0.5


@dataclass(frozen=True)
class ChainJudgement:
    """How much of a chain an answer contains; the rules were fixed before any answer was judged.

    Attributes:
        problem: whether the chain's first turn is present.
        solution: whether the chain's last turn is present.
        share: share of the chain's turns that are present (0 to 1).
        ordered: whether the turns present are in the chain's order.
        pure: share of pieces that contain a turn of the chain (0 to 1).
        strayed: number of pieces with a labelled distractor and no turn of the chain.
    """

    problem: bool
    solution: bool
    share: float
    ordered: bool
    pure: float
    strayed: int

    @property
    def right(self) -> bool:
        """Whether the chain was found: both ends, in order, at least half its turns, half pure."""
        whole = self.problem and self.solution and self.ordered
        return whole and self.share >= ENOUGH and self.pure >= ENOUGH


def judge_chain(chain: Chain, pieces: Sequence[Collection[str]]) -> ChainJudgement:
    """Judge an answer: its pieces in order, each as the ids of its turns."""
    places = [
        next((place for place, turns in enumerate(pieces) if turn in turns), None)
        for turn in chain.chain
    ]
    found = [place for place in places if place is not None]
    wrong = {each.turn for each in chain.distractors}
    own = [bool(set(chain.chain) & set(turns)) for turns in pieces]
    return ChainJudgement(
        problem=places[0] is not None,
        solution=places[-1] is not None,
        share=len(found) / len(places),
        ordered=found == sorted(found),
        pure=sum(own) / len(own) if own else 0.0,
        strayed=sum(
            not mine and bool(wrong & set(turns)) for mine, turns in zip(own, pieces, strict=True)
        ),
    )


def share_predicted(moment: Moment, pieces: Sequence[Collection[str]]) -> float:
    """Return the share (0 to 1) of the following turns that an answer contains."""
    held = {turn for turns in pieces for turn in turns}
    return len(held & set(moment.after)) / len(moment.after)


FORMS = ("plain", "noise")
MOMENT = "moment"
"""The group of moments; chains are grouped by kind."""


def history_summary(records: Sequence[Record], form: str) -> dict[str, Any]:
    """Return the figures of one form: all chains, each kind, and moments."""
    own = [record for record in records if record.item.startswith(f"{form}/")]
    chains = [record for record in own if record.group != MOMENT]
    moments = [record for record in own if record.group == MOMENT]
    kinds = {kind: [record for record in chains if record.group == kind] for kind in KINDS}
    return {
        "all": _means(chains),
        "kinds": {kind: _means(some) for kind, some in kinds.items() if some},
        "moments": _means(moments),
        "latency_ms": latency([record.latency_ms for record in own]),
    }


def _means(records: Sequence[Record]) -> dict[str, Any]:
    figures: dict[str, Any] = means(records)
    if "right" in figures:
        right = sum(record.scores["right"] > 0 for record in records)
        figures["interval"] = [round(end, 4) for end in wilson_interval(right, len(records))]
    return figures


NAME = "history"
NOTE = (
    "All worlds of the half are stored together and asked without a project. noise: what tools"
    " gave goes on for 1,200 characters. right: README.md of the set tells what it means."
)
SCORES = (
    "right", "problem", "solution", "ordered", "share", "pure", "strayed", "pieces", "chain",
    "tokens", "foretold",
)  # fmt: skip
"""Moments have only the last three, chains all but the last."""


def packaged(
    half: str = "dev", data: Path | None = None, name_of_wording: str = "other"
) -> Packaged:
    """Return the suite for a half in one wording, with every question in both forms."""
    words, chosen = require_wording(name_of_wording), load_history(half, data or HERE)
    every: tuple[Chain | Moment, ...] = (*chosen.chains, *chosen.moments)
    known = {each.id: each for each in every}
    suite = Suite(
        NAME,
        [item for form in FORMS for item in history_items(chosen, form, words)],
        [Measure(name, partial(_read, known, name)) for name in SCORES],
        Opening(partial(open_history, chosen), "history_recall, history_predict"),
        about={
            "half": half,
            "asked": words,
            "data_sha256": chosen.sha256,
            "embedder": embedder_model(),
            "budget": load_settings().max_response_tokens,
        },
    )
    return Packaged(suite, history_report)


def history_report(log: EvalLog) -> dict[str, Any]:
    """Return the figures of both forms."""
    return {"note": NOTE, "forms": {form: history_summary(log.records, form) for form in FORMS}}


def history_items(chosen: HistorySet, form: str, words: Wording) -> list[Item]:
    """Return the items of a form, clustered by world."""
    questions: list[tuple[Chain | Moment, str, tuple[str, ...], str]] = [
        *((each, each.in_wording(words), each.chain, each.kind) for each in chosen.chains),
        *((each, each.context, each.after, MOMENT) for each in chosen.moments),
    ]
    return [
        Item(f"{form}/{each.id}", question, list(turns), each.world, group)
        for each, question, turns, group in questions
    ]


def _read(
    known: Mapping[str, Chain | Moment], name: str, item: Item, output: Mapping[str, Any]
) -> float | None:
    return score_answer(known[item.id.partition("/")[2]], output).get(name)


def score_answer(question: Chain | Moment, output: Mapping[str, Any]) -> dict[str, float]:
    """Return the scores of an answer by name."""
    pieces = output["pieces"]
    both = {"chain": float(not output["reason"]), "tokens": float(output["tokens"])}
    if isinstance(question, Moment):
        return {"foretold": share_predicted(question, pieces), **both}
    result = judge_chain(question, pieces)
    return {
        **{name: float(getattr(result, name)) for name in SCORES[:7]},
        "pieces": float(len(pieces)),
        **both,
    }


@asynccontextmanager
async def open_history(chosen: HistorySet, parts: AnswerContext) -> AsyncIterator[Answering]:
    """Yield the answering function; a form's worlds are all stored when its first item arrives."""
    turns = [turn for world in chosen.worlds for turn in world.turns]
    async with AsyncExitStack() as stack:

        async def ingested(form: str) -> Engine:
            engine = await stack.enter_async_context(temporary_engine(parts, read_only=True))
            for world in chosen.worlds:
                await store_world(engine, world, noise=form == "noise")
            return engine

        stored: Once[str, Engine] = Once(ingested)

        async def answer(item: Item, epoch: int) -> Answer:
            return await ask_history(await stored.of(item.id.partition("/")[0]), item, turns)

        yield answer


OWNER = "eval"
SEED = 5
"""Seed of the generated noise."""

TURN_MARKS = 80
"""Leading characters of a turn that a piece must contain to count as containing the turn."""


async def store_world(engine: Engine, world: LabelledWorld, *, noise: bool) -> None:
    """Write a world as transcripts and ingest them; `noise` pads tool results."""
    prose = Prose(np.random.default_rng(SEED)) if noise else None
    with tempfile.TemporaryDirectory(prefix="reasonloom-eval-") as folder:
        write_world(world, Path(folder), noise=prose)
        for result in await ingest(engine.loom, Caller(OWNER), _files(Path(folder))):
            if result.refused is not None:
                raise InvalidArgument(f"{world.id}, {result.name}: {result.refused}", field="data")


def _files(folder: Path) -> list[tuple[str, Path]]:
    return [(path.name, path) for path in sorted(folder.rglob("*.jsonl"))]


async def ask_history(engine: Engine, item: Item, turns: Sequence[Turn]) -> Answer:
    """Answer an item without a project.

    The output has the pieces, each as the ids of the turns it contains, and the `reason` why no
    chain was found, empty if one was.
    """
    call: tuple[str, type[Request], str] = ("history_recall", HistoryRecall, "query")
    if item.group == MOMENT:
        call = ("history_predict", HistoryPredict, "context")
    tool, contract, argument = call
    answer, took = await timed_call(engine, OWNER, tool, contract, {argument: item.input})
    marks = {turn.id: _bare(turn.text)[:TURN_MARKS] for turn in turns}
    projects = {turn.id: turn.project for turn in turns}
    diagnostics = answer["diagnostics"]
    output = {
        "pieces": [sorted(turns_in(chunk, marks, projects)) for chunk in answer["chunks"]],
        "reason": diagnostics["reason"] if diagnostics else "",
        "tokens": answer["tokens"],
    }
    return Answer(output, latency_ms=took)


def turns_in(chunk: dict[str, Any], marks: dict[str, str], projects: dict[str, str]) -> set[str]:
    """Return the ids of the turns of the chunk's project that it contains."""
    content = _bare(chunk["content"])
    return {
        key
        for key, text in marks.items()
        if text in content and Path(projects[key]).name in chunk["project"]
    }


def _bare(text: str) -> str:
    return " ".join(text.replace("\\[", "[").split())
