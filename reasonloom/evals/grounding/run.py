"""Runs the eval of grounding: every world stored by the tools in a database of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reasonloom.compose import open_engine
from reasonloom.evals.grounding.asking import OWNER, ask, store
from reasonloom.evals.grounding.data import HERE, GroundingSet, World, grounding
from reasonloom.evals.grounding.overlap import best, counted
from reasonloom.evals.grounding.report import summary
from reasonloom.evals.home import throw_away_database
from reasonloom.evals.log import EvalLog
from reasonloom.llm.choose import chosen
from reasonloom.settings import load_settings

NAME = "grounding"
NOTE = (
    "Five of eight kinds are ungrounded: to say so always is right in 62.5 %. overlap: the share"
    " of a claim's words in the best memory, with the thresholds that are best on dev."
)

Tell = Callable[[str, int, int], None]
"""Told of progress: what is being done, how many are done, of how many."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is run: its log, which half, and a folder with a set of another's own."""

    log: Path
    half: str = "dev"
    data: Path | None = None


async def run(plan: Plan, tell: Tell) -> dict[str, Any]:
    """Run the eval, or what is left of it, and return its result, half by half.

    The language model is that of the settings, without one words alone judge.

    Raises:
        InvalidArgument: another half, a set that is not of its form, or the log belongs to
            another run.
    """
    folder = plan.data or HERE
    wanted = ("dev", "held") if plan.half == "all" else (plan.half,)
    sets: dict[str, GroundingSet] = {half: grounding(half, folder) for half in wanted}
    by = best(counted(grounding("dev", folder).worlds))
    log = EvalLog(plan.log)
    claims = [claim for one in sets.values() for claim in one.claims]
    head: dict[str, Any] = {}
    for one in sets.values():
        for world in one.worlds:
            head = await _world(plan, log, one.sha256, world, len(claims), tell)
    halves = {half: _half(one, log, by) for half, one in sets.items()}
    return {**head, "log": plan.log.name, "note": NOTE, "halves": halves}


def _half(one: GroundingSet, log: EvalLog, by: Any) -> dict[str, Any]:
    ids = {claim.id for claim in one.claims}
    return summary(one.worlds, [record for record in log.records if record.item in ids], by)


async def _world(
    plan: Plan, log: EvalLog, digests: dict[str, str], world: World, total: int, tell: Tell
) -> dict[str, Any]:
    """Ask what is left of a world's claims; return what the run is of."""
    left = [claim for claim in world.claims if (claim.id, 0) not in log.done()]
    if not left and log.head:
        return log.head
    async with (
        throw_away_database(user=OWNER, llm=chosen(load_settings())) as (settings, access),
        open_engine(settings, access=access, recover=False) as engine,
    ):
        head = {
            "eval": NAME,
            "data_sha256": digests,
            "half": plan.half,
            "claims": total,
            "llm": engine.loom.llm.name,
            "embedder": engine.loom.embedder.model,
        }
        log.begin(head)
        names = await store(engine, world)
        for claim in left:
            tell(f"{world.id}: {claim.kind}", len(log.records), total)
            log.add(await ask(engine, claim, names))
    return head
