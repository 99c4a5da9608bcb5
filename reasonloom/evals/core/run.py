"""Runs a suite on a system: every item in every epoch, once, whatever kills it in between."""

from __future__ import annotations

import asyncio
import inspect
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from reasonloom.errors import BudgetExceeded, InvalidArgument, ServiceFault
from reasonloom.evals.core.budget import BudgetReached
from reasonloom.evals.core.item import Answer, Item, Mark, ScoringContext
from reasonloom.evals.core.llm_calls import Attempt, as_current_attempt
from reasonloom.evals.core.preflight import run_head, validate_run
from reasonloom.evals.core.system import Purse, System
from reasonloom.evals.core.way import AnswerContext, Answering
from reasonloom.evals.log import EvalLog, Record
from reasonloom.prompts.registry import PromptRegistry
from reasonloom.settings import load_settings

if TYPE_CHECKING:
    from reasonloom.evals.core.suite import Suite
    from reasonloom.evals.core.way import Way
    from reasonloom.llm.port import Embedder, LanguageModel
    from reasonloom.settings import Settings
    from reasonloom.stores.access import Access

AT_ONCE = 16
"""Items that are worked on at the same time; calls are limited by `Limits`."""

MOST_FAILED = 10
"""Items in a row that may come to nothing before the run gives up."""

Progress = Callable[[str, int, int], None]
"""Told of progress: what is being done, how many are done, of how many."""


def no_progress(what: str, done: int, total: int) -> None:
    """Tell nobody."""


@dataclass(slots=True)
class Running:
    """A run at work.

    Attributes:
        work: items and epochs that are left.
        halted: why no further item may begin.
        failed: what came of items that a later run is to try again.
        in_row: how many of these came one after the other.
    """

    suite: Suite
    log: EvalLog
    bench: ScoringContext
    seed: int
    count_errors: bool
    tell: Progress
    total: int
    work: Iterator[tuple[Item, int]]
    halted: BaseException | None = None
    failed: list[str] = field(default_factory=list)
    in_row: int = 0


@dataclass(frozen=True, slots=True)
class RunResult:
    """What became of a run.

    Attributes:
        log: its records, with those of earlier processes.
        failed: what items came to nothing by no fault of the system; a later run tries them again.
        stopped: why the budget had no room for the rest, empty where all was done.
    """

    log: EvalLog
    failed: Sequence[str] = ()
    stopped: str = ""

    def notes(self) -> list[str]:
        """Return what is left and why, and what came to an error."""
        found = [f"left for later: {why}" for why in self.failed]
        if self.stopped:
            found.append(f"stopped: {self.stopped}; --resume {self.log.path.name} goes on")
        if errors := sum(bool(record.error) for record in self.log.records):
            found.append(f"{errors} errors count as wrong")
        return found


async def run(
    suite: Suite,
    system: System | None = None,
    *,
    log: Path,
    epochs: int = 1,
    seed: int = 0,
    judge: str | LanguageModel | None = None,
    purse: Purse | None = None,
    at_once: int = AT_ONCE,
    tell: Progress = no_progress,
    settings: Settings | None = None,
    access: Access | None = None,
    embedder: Embedder | None = None,
) -> RunResult:
    """Run what is left of a suite on a system, and return what became of it.

    Args:
        suite: what is asked and how it is scored.
        system: who answers; the suite's own way with the settings' language model if None.
        log: the run's file; one that exists is gone on with.
        epochs: how often each item is asked.
        seed: of whatever can be seeded; the same for systems that are to be compared.
        judge: the language model of scorers that ask one; the system's own if None.
        purse: budget, limits and cache, shared by runs that are given the same one.
        at_once: items worked on at the same time.
        tell: is told of progress.
        settings, access, embedder: for tools; the process's own if None.

    Raises:
        CallerMistake: the suite, the system or the log is not right; nothing was asked.
        LlmRefused: the provider refuses, or a recording lacks a reply; the log keeps what is done.
        ServiceFault: many items in a row came to nothing; the log keeps what is done.
    """
    system, purse = system or System(), purse or Purse()
    settings = settings or load_settings()
    prompts = PromptRegistry(settings.prompts).pinning(system.prompts)
    way = validate_run(suite, system, prompts, epochs)
    kept = EvalLog(log)
    async with AsyncExitStack() as stack:
        llm = await stack.enter_async_context(purse.llm(system.llm, settings))
        judging = await stack.enter_async_context(purse.llm(judge, settings)) if judge else llm
        stack.enter_context(kept.held())
        _require_judge(suite, judging)
        told = run_head(suite, way, llm, prompts, settings)
        told |= {"epochs": epochs, "seed": seed, "judge": judging.name if judge else None}
        resumed = bool(kept.head)
        begin(kept, told)
        running = Running(
            suite, kept, ScoringContext(prompts, judging), seed, purse.count_errors, tell,
            len(suite.items) * epochs, _pending(suite.items, epochs, kept),
        )  # fmt: skip
        parts = AnswerContext(_owner(kept), settings, llm, prompts, resumed, access, embedder)
        await _run_pending(running, way, parts, at_once)
    if isinstance(running.halted, BudgetReached):
        return RunResult(kept, running.failed, running.halted.why)
    if running.halted is not None:
        raise running.halted
    return RunResult(kept, running.failed)


def begin(log: EvalLog, told: dict[str, Any]) -> None:
    """Begin a log, or go on with it; its number is the one that it has."""
    log.begin({**told, "number": log.head.get("number") or uuid4().hex})


def _require_judge(suite: Suite, judging: LanguageModel) -> None:
    """Refuse a scorer that asks, where nobody can be asked, before any answer is paid."""
    for scorer in suite.scorers:
        if judging.offline and "prompt" in scorer.about():
            raise InvalidArgument(
                f"{scorer.name}: needs a language model; name one that judges", field="judge"
            )


def _owner(log: EvalLog) -> str:
    """Return as whom a run stores; a file of the same name made anew is another."""
    return f"eval {log.path.stem[:100]} {log.head['number'][:12]}"


def _pending(items: Sequence[Item], epochs: int, log: EvalLog) -> Iterator[tuple[Item, int]]:
    done = log.done()
    for epoch in range(epochs):
        for item in items:
            if (item.id, epoch) not in done:
                yield item, epoch


async def _run_pending(running: Running, way: Way, parts: AnswerContext, at_once: int) -> None:
    """Work off what is left; a run of which nothing is left opens nothing."""
    first = next(running.work, None)
    if first is None:
        return
    async with way.opened(parts) as answering:
        running.work = _completed_before(first, running.work)
        async with asyncio.TaskGroup() as group:
            for _ in range(at_once):
                group.create_task(_worker(running, answering))


def _completed_before(
    first: tuple[Item, int], rest: Iterator[tuple[Item, int]]
) -> Iterator[tuple[Item, int]]:
    yield first
    yield from rest


async def _worker(running: Running, answering: Answering) -> None:
    """Work off items until none is left, or the run has to halt."""
    while running.halted is None and (work := next(running.work, None)):
        item, epoch = work
        attempt = Attempt(epoch, running.seed, task=asyncio.current_task())
        try:
            with as_current_attempt(attempt):
                await _run_item(running, answering, item, attempt)
        except asyncio.CancelledError:
            if attempt.broken is None or attempt.task is None:
                raise
            attempt.task.uncancel()
            running.halted = running.halted or attempt.broken
        except Exception as error:  # noqa: BLE001  # told by `run`, once others are done
            running.halted = running.halted or error


async def _run_item(running: Running, answering: Answering, item: Item, attempt: Attempt) -> None:
    started = time.perf_counter()
    try:
        answer, error = await answering(item, attempt.epoch), ""
    except ServiceFault as fault:
        if not running.count_errors and not isinstance(fault, BudgetExceeded):
            _fail(running, item, fault)
            return
        answer, error = Answer(None), fault.message
    took = (time.perf_counter() - started) * 1000
    running.in_row = 0
    marks, judged = await _score_answer(running, item, answer, error, attempt)
    running.log.add(
        Record(
            item=item.id,
            epoch=attempt.epoch,
            group=item.group or item.cluster,
            scores=_scores(marks),
            latency_ms=round(took if answer.latency_ms is None else answer.latency_ms, 3),
            of=running.suite.digests[item.id],
            cluster=item.cluster,
            input=item.input,
            target=item.target,
            output=answer.output,
            said={name: mark.said for name, mark in marks.items() if mark.said},
            usage={**(answer.usage or attempt.usage()), **judged},
            calls=attempt.calls,
            run=answer.run,
            error=error,
        )
    )
    running.tell(item.id, len(running.log.records), running.total)


def _fail(running: Running, item: Item, fault: ServiceFault) -> None:
    """Note that an item came to nothing through no fault of the system; after many, halt."""
    running.failed.append(f"{item.id}: {fault.message}")
    running.in_row += 1
    if running.in_row >= MOST_FAILED:
        running.halted = fault


async def _score_answer(
    running: Running, item: Item, answer: Answer, error: str, attempt: Attempt
) -> tuple[dict[str, Mark], dict[str, float]]:
    """Return the marks by scorer, and what judging took; what failed is given 0 by all."""
    scorers = running.suite.scorers
    if error:
        return {scorer.name: Mark(0.0, error) for scorer in scorers}, {}
    judging = Attempt(attempt.epoch, attempt.seed, task=attempt.task)
    marks: dict[str, Mark] = {}
    try:
        with as_current_attempt(judging):
            for scorer in scorers:
                found = scorer.mark(item, answer.output, running.bench)
                mark = await found if inspect.isawaitable(found) else found
                if mark is not None:
                    _require_finite(scorer.name, item, mark)
                    marks[scorer.name] = mark
    finally:
        attempt.broken = attempt.broken or judging.broken
    return marks, {f"judge_{name}": value for name, value in judging.usage().items()}


def _require_finite(name: str, item: Item, mark: Mark) -> None:
    """Refuse a score that would make every mean of the run no number."""
    if not all(math.isfinite(each) for each in (mark.score, *mark.figures.values())):
        raise InvalidArgument(f"{name}: gave {item.id} no finite number", field="scorer")


def _scores(marks: dict[str, Mark]) -> dict[str, float]:
    scores = {name: mark.score for name, mark in marks.items()}
    for name, mark in marks.items():
        scores |= {f"{name}/{figure}": value for figure, value in mark.figures.items()}
    return scores
