"""Runs a suite on a system: every item in every epoch exactly once, even across crashes."""

import asyncio
import inspect
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import chain, product
from pathlib import Path
from typing import Any
from uuid import uuid4

from reasonloom.errors import BudgetExceeded, InvalidArgument, ServiceFault
from reasonloom.evals.core.budget import BudgetReached
from reasonloom.evals.core.item import Answer, Item, Mark, ScoringContext
from reasonloom.evals.core.llm_calls import Attempt, as_current_attempt
from reasonloom.evals.core.preflight import run_head, validate_run
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.system import Purse, System
from reasonloom.evals.core.way import AnswerContext, Answering, Way
from reasonloom.evals.log import EvalLog, Record
from reasonloom.llm.interfaces import Embedder, LanguageModel, Priced
from reasonloom.prompts.registry import PromptRegistry
from reasonloom.settings import Settings, load_settings
from reasonloom.stores.access import Access

AT_ONCE = 16
"""Items in progress at once; `Limits` bounds the calls."""

MOST_FAILED = 10
"""Consecutive failed items after which the run gives up."""

Progress = Callable[[str, int, int], None]
"""Called with the current item, the number done, and the total."""


def no_progress(what: str, done: int, total: int) -> None:
    """Report nothing."""


@dataclass(slots=True)
class Running:
    """A run in progress; `work` yields the remaining items and epochs.

    `halted` is why no further item may start; `failed` holds the errors of items that a later run
    retries; `in_row` counts consecutive failures.
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
    """The result of a run; `log` includes the records of earlier processes.

    `failed` holds the errors of items that failed through no fault of the system; a later run
    retries them. `stopped` is why the budget ended the run, empty if it completed.
    """

    log: EvalLog
    failed: Sequence[str] = ()
    stopped: str = ""

    def notes(self) -> list[str]:
        """Return what remains and why, and how many errors were scored."""
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
    """Run the remaining items of a suite on a system.

    Args:
        suite: the items and how they are scored.
        system: what answers; the suite's own way with the configured language model if None.
        log: the run's file; an existing one is resumed with its prompt versions.
        epochs: repetitions of each item.
        seed: of everything that can be seeded; use the same for systems to be compared.
        judge: the language model of scorers that need one; the system's own if None.
        purse: budget, limits and cache, shared by runs given the same one.
        at_once: items in progress at once.
        tell: called with progress.
        settings, access, embedder: for tools; the process's own if None.

    Raises:
        CallerMistake: the suite, the system or the log is invalid; nothing was called.
        LlmRefused: the provider refuses, or a recording lacks a reply; results so far are logged.
        ServiceFault: many items in a row failed; results so far are logged.
    """
    system, purse = system or System(), purse or Purse()
    settings = settings or load_settings()
    kept = EvalLog(log)
    begun_with = {name: each["version"] for name, each in kept.head.get("prompts", {}).items()}
    prompts = PromptRegistry(settings.prompts).pinning({**begun_with, **system.prompts})
    way = validate_run(suite, system, prompts, epochs)
    async with AsyncExitStack() as stack:
        llm = await stack.enter_async_context(purse.llm(system.llm, settings))
        judging = await stack.enter_async_context(purse.llm(judge, settings)) if judge else llm
        stack.enter_context(kept.held())
        _require_judge(suite, judging)
        head = run_head(suite, way, llm, prompts, settings)
        head |= {"epochs": epochs, "seed": seed, "judge": judging.name if judge else None}
        resumed = bool(kept.head)
        begin(kept, _with_prompts_of(kept.head, head) if resumed else head)
        running = Running(
            suite, kept, ScoringContext(prompts, judging), seed, purse.count_errors, tell,
            len(suite.items) * epochs, _pending(suite.items, epochs, kept),
        )  # fmt: skip
        # A new file of the same name gets another owner.
        owner = f"eval {kept.path.stem[:100]} {kept.head['number'][:12]}"
        parts = AnswerContext(owner, settings, llm, prompts, resumed, access, embedder)
        await _run_pending(running, way, parts, at_once)
    if isinstance(running.halted, BudgetReached):
        return RunResult(kept, running.failed, running.halted.why)
    if running.halted is not None:
        raise running.halted
    return RunResult(kept, running.failed)


def _with_prompts_of(begun: Mapping[str, Any], head: dict[str, Any]) -> dict[str, Any]:
    """Return a head without prompts that did not exist when the run began."""
    known = begun.get("prompts", {})
    prompts = {name: each for name, each in head["prompts"].items() if name in known}
    hashes = {each["hash"] for each in prompts.values()}
    texts = {each: text for each, text in head["texts"].items() if each in hashes}
    return {**head, "prompts": prompts, "texts": texts}


def begin(log: EvalLog, head: dict[str, Any]) -> None:
    """Begin or resume a log; a resumed one keeps its number."""
    log.begin({**head, "number": log.head.get("number") or uuid4().hex})


def _require_judge(suite: Suite, judging: LanguageModel) -> None:
    """Refuse a scorer that needs a language model if none is configured, before any cost."""
    for scorer in suite.scorers:
        if judging.offline and "prompt" in scorer.about():
            raise InvalidArgument(
                f"{scorer.name}: needs a language model; name one that judges", field="judge"
            )


def _pending(items: Sequence[Item], epochs: int, log: EvalLog) -> Iterator[tuple[Item, int]]:
    done, every = log.done(), product(range(epochs), items)
    return ((item, epoch) for epoch, item in every if (item.id, epoch) not in done)


async def _run_pending(running: Running, way: Way, parts: AnswerContext, at_once: int) -> None:
    """Run pending items; opens nothing if there are none."""
    first = next(running.work, None)
    if first is None:
        return
    if isinstance(parts.llm, Priced):  # loads the provider's client, in no item's latency
        await parts.llm.prices()
    async with way.opened(parts) as answering:
        running.work = chain([first], running.work)
        async with asyncio.TaskGroup() as group:
            for _ in range(at_once):
                group.create_task(_worker(running, answering))


async def _worker(running: Running, answering: Answering) -> None:
    """Process items until none is left or the run halts."""
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
        except Exception as error:  # noqa: BLE001  # raised by `run` once the other workers are done
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
    """Record an item that failed through no fault of the system; halt after many in a row."""
    running.failed.append(f"{item.id}: {fault.message}")
    running.in_row += 1
    if running.in_row >= MOST_FAILED:
        running.halted = fault


async def _score_answer(
    running: Running, item: Item, answer: Answer, error: str, attempt: Attempt
) -> tuple[dict[str, Mark], dict[str, float]]:
    """Return the marks by scorer and the judge's usage; an error scores 0 everywhere."""
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
                if mark is None:
                    continue
                # A single non-finite figure would spoil every mean.
                if not all(map(math.isfinite, (mark.score, *mark.figures.values()))):
                    why = f"{scorer.name}: gave {item.id} no finite number"
                    raise InvalidArgument(why, field="scorer")
                marks[scorer.name] = mark
    finally:
        attempt.broken = attempt.broken or judging.broken
    return marks, {f"judge_{name}": value for name, value in judging.usage().items()}


def _scores(marks: dict[str, Mark]) -> dict[str, float]:
    scores = {name: mark.score for name, mark in marks.items()}
    for name, mark in marks.items():
        scores |= {f"{name}/{figure}": value for figure, value in mark.figures.items()}
    return scores
