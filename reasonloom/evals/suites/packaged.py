"""The project's own suites, each with a report, and running them."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from reasonloom.evals.comparison.summary import incomplete
from reasonloom.evals.core.run import Progress, no_progress, run
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.system import Purse, System
from reasonloom.evals.log import EvalLog
from reasonloom.llm.embedding.from_settings import choose_embedder
from reasonloom.settings import load_settings

Result = dict[str, Any]
INNER = ("number", "prompts", "texts", "system", "scorers")
"""Fields of a head that are used only to resume and compare runs."""


@dataclass(frozen=True, slots=True)
class Packaged:
    """One of the project's own suites; `report` computes the figures of a complete run."""

    suite: Suite
    report: Callable[[EvalLog], Mapping[str, Any] | Awaitable[Mapping[str, Any]]]
    epochs: int = 1


SPLIT_SUITES = {
    "metacognition": "metacognition.suite",
    "grounding": "graph_memory.grounding.suite",
    "triggers": "mental_models.triggers",
    "outcomes": "mental_models.outcomes",
    "everyday": "everyday.suite",
    "poisoning": "memory.poisoning.suite",
    "answerable": "memory.answerable",
    "context": "memory.context",
}
"""Modules of suites with a development and a held-out half."""


def split_suite(name: str, half: str = "dev", data: Path | None = None) -> Packaged:
    """Return a suite with halves, on its own data or that of a folder."""
    module: Any = import_module(f"reasonloom.evals.suites.{SPLIT_SUITES[name]}")
    packaged: Packaged = module.packaged(half, data)
    return packaged


def embedder_model() -> str:
    """Return the configured embedder's model, to be recorded in a run's head."""
    return choose_embedder(load_settings()).model


async def run_packaged(
    own: Packaged,
    log: Path,
    *,
    system: System | None = None,
    purse: Purse | None = None,
    seed: int = 0,
    at_once: int = 1,
    tell: Progress = no_progress,
) -> Result:
    """Run the unanswered items of a suite and return the run's head, notes and figures.

    Figures are reported only for complete runs without errors. Suites that do not call a language
    model run offline. Items run one at a time by default, because latencies are reported.
    """
    asks = own.suite.way is not None and own.suite.way.asks
    ran = await run(
        own.suite,
        (system or System()) if asks else System(llm="offline"),
        log=log,
        epochs=own.epochs,
        seed=seed,
        purse=purse,
        at_once=at_once,
        tell=tell,
    )
    notes = ran.notes()
    head = {name: report for name, report in ran.log.head.items() if name not in INNER}
    llm = ran.log.head["system"]["llm"]
    report = {} if notes else own.report(ran.log)
    figures = await report if inspect.isawaitable(report) else report
    lacks = {"notes": notes, "incomplete": incomplete(ran)}
    return {**head, "llm": llm, "log": log.name, **lacks, **figures}
