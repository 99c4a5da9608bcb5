"""Runs the eval of history: worlds ingested together, chains recalled, moments foretold."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reasonloom.compose import open_engine
from reasonloom.evals.history import asking
from reasonloom.evals.history.data import HERE, HistorySet, history
from reasonloom.evals.history.judge import foretold, judged
from reasonloom.evals.history.records import KINDS
from reasonloom.evals.home import throw_away_database
from reasonloom.evals.log import EvalLog, Record
from reasonloom.evals.report import latency
from reasonloom.graphs.engine import Engine
from reasonloom.nodes.models.record import wilson

NAME = "history"
NOTE = (
    "All worlds of the half are stored together and asked without a project. noise: what tools"
    " gave goes on for 1,200 characters. right: README.md of the set tells what it means."
)
FORMS = ("plain", "noise")

Tell = Callable[[str, int, int], None]
"""Told of progress: what is being done, how many are done, of how many."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is run: its log, which half, and a folder with a set of another's own."""

    log: Path
    half: str = "dev"
    data: Path | None = None


async def run(plan: Plan, tell: Tell) -> dict[str, Any]:
    """Run the eval, or what is left of it, and return its result.

    Raises:
        InvalidArgument: another half, a set that is not of its form, or the log belongs to
            another run.
    """
    chosen = history(plan.half, plan.data or HERE)
    log = EvalLog(plan.log)
    head: dict[str, Any] = {}
    for form in FORMS:
        head = await _form(plan, log, chosen, form, tell)
    forms = {form: summary(log.records, form) for form in FORMS}
    return {**head, "log": plan.log.name, "note": NOTE, "forms": forms}


async def _form(
    plan: Plan, log: EvalLog, chosen: HistorySet, form: str, tell: Tell
) -> dict[str, Any]:
    """Store the worlds in one of the forms, ask what was not asked; return the log's head."""
    async with (
        throw_away_database(user=asking.OWNER, read_only=True) as (settings, access),
        open_engine(settings, access=access, recover=False) as engine,
    ):
        head = {
            "eval": NAME,
            "half": plan.half,
            "data_sha256": chosen.sha256,
            "embedder": engine.loom.embedder.model,
            "budget": settings.max_response_tokens,
            "questions": len(FORMS) * (len(chosen.chains) + len(chosen.moments)),
        }
        log.begin(head)
        done = {item for item, _ in log.done()}
        asked = [f"{form}/{each.id}" for each in (*chosen.chains, *chosen.moments)]
        if done.issuperset(asked):
            return head
        for number, world in enumerate(chosen.worlds):
            tell(f"{form}: {world.id} ingested", number, len(chosen.worlds))
            await asking.store(engine, world, noise=form == "noise")
        await _ask(engine, log, chosen, form, done, tell)
    return head


async def _ask(
    engine: Engine, log: EvalLog, chosen: HistorySet, form: str, done: set[str], tell: Tell
) -> None:
    turns = [turn for world in chosen.worlds for turn in world.turns]
    for number, chain in enumerate(chosen.chains):
        if f"{form}/{chain.id}" in done:
            continue
        tell(f"{form}: recall", number, len(chosen.chains))
        told = await asking.recall(engine, chain.question, turns)
        result = judged(chain, told.pieces)
        scores = {
            "right": float(result.right),
            "problem": float(result.problem),
            "solution": float(result.solution),
            "ordered": float(result.ordered),
            "share": result.share,
            "pure": result.pure,
            "strayed": float(result.strayed),
            "pieces": float(len(told.pieces)),
            "chain": float(not told.reason),
            "tokens": float(told.tokens),
        }
        log.add(_record(f"{form}/{chain.id}", chain.kind, scores, told))
    for number, moment in enumerate(chosen.moments):
        if f"{form}/{moment.id}" in done:
            continue
        tell(f"{form}: predict", number, len(chosen.moments))
        told = await asking.predict(engine, moment.context, turns)
        scores = {
            "foretold": foretold(moment, told.pieces),
            "chain": float(not told.reason),
            "tokens": float(told.tokens),
        }
        log.add(_record(f"{form}/{moment.id}", "moment", scores, told))


def _record(item: str, group: str, scores: dict[str, float], told: asking.Answered) -> Record:
    output = {"pieces": [sorted(piece) for piece in told.pieces], "reason": told.reason}
    return Record(item, 0, group, scores, told.latency_ms, output=output)


def summary(records: Sequence[Record], form: str) -> dict[str, Any]:
    """Return the figures of one form: of all chains, of each kind, and of the moments."""
    own = [record for record in records if record.item.startswith(f"{form}/")]
    chains = [record for record in own if record.group != "moment"]
    moments = [record for record in own if record.group == "moment"]
    kinds = {kind: [record for record in chains if record.group == kind] for kind in KINDS}
    return {
        "all": _means(chains),
        "kinds": {kind: _means(some) for kind, some in kinds.items() if some},
        "moments": _means(moments),
        "latency_ms": latency([record.latency_ms for record in own]),
    }


def _means(records: Sequence[Record]) -> dict[str, Any]:
    if not records:
        return {"n": 0}
    names = list(records[0].scores)
    means = {name: statistics.fmean(record.scores[name] for record in records) for name in names}
    told: dict[str, Any] = {"n": len(records), **{k: round(v, 4) for k, v in means.items()}}
    if "right" in means:
        right = sum(record.scores["right"] > 0 for record in records)
        told["interval"] = [round(end, 4) for end in wilson(right, len(records))]
    return told
