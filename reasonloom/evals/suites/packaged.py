"""The project's own suites: suites of the core, with what their figures are made of."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reasonloom.evals.core.run import Progress, no_progress, run
from reasonloom.evals.core.system import Purse, System

if TYPE_CHECKING:
    from reasonloom.evals.core.suite import Suite
    from reasonloom.evals.log import EvalLog

Result = dict[str, Any]
INNER = ("number", "prompts", "texts", "system", "scorers")
"""What of a head is for resuming and comparing, not for reading."""


@dataclass(frozen=True, slots=True)
class Packaged:
    """One suite of the project's own.

    Attributes:
        suite: its items, scorers, and way to answer.
        told: makes the figures of a whole run from its log.
        epochs: how often each item is asked.
    """

    suite: Suite
    told: Callable[[EvalLog], Mapping[str, Any] | Awaitable[Mapping[str, Any]]]
    epochs: int = 1


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
    """Run what is left of a suite; return its head, how much is done, notes, and its figures.

    Figures are of whole runs: there are none while something is left, or came to an error.
    A suite that asks no language model is given none. Items are asked one after the other, as
    latencies are told, unless more are wished `at_once`.

    Raises:
        CallerMistake: what was chosen is not right, or the log is another run's; nothing was asked.
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
    head = {name: told for name, told in ran.log.head.items() if name not in INNER}
    llm = ran.log.head["system"]["llm"]
    told = {} if notes else own.told(ran.log)
    figures = await told if inspect.isawaitable(told) else told
    return {**head, "llm": llm, "log": log.name, "notes": notes, **figures}
