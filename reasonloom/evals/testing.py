"""Evals in tests: what the fixture `loom_eval` of the pytest plugin gives."""

from __future__ import annotations

import asyncio
import sys
import warnings
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from reasonloom.errors import LlmRefused, ReasonloomError
from reasonloom.evals.core.system import Purse
from reasonloom.evals.evaluation import Cases, evaluate
from reasonloom.evals.result import EvalResult
from reasonloom.llm.interfaces import Ask, LanguageModel, Reply
from reasonloom.llm.providers.replay import ReplayModel
from reasonloom.settings import Settings, environment, load_settings

CURRENT_TEST = "PYTEST_CURRENT_TEST"
TO_RECORD = "; record it with REASONLOOM_LLM"


class LoomEval:
    """Runs evals in tests; the arguments are those of `reasonloom.evals.evaluate`.

    A test fails if an argument is invalid, the provider refuses, or an item is left without an
    answer. Of a test that fails, pytest prints the scores and the run's file.
    """

    def __init__(
        self, *, prompts: Path | None = None, record: Path | None = None, replay: Path | None = None
    ) -> None:
        self._prompts, self._record, self._replay = prompts, record, replay

    def __call__(self, cases: Cases, **options: Any) -> EvalResult:
        """Run an eval, and return its result."""
        __tracebackhide__ = True
        try:
            result = _wait_for(self._run(cases, options))
        except ReasonloomError as error:
            failure = _failure(error)
        else:
            failure = _report(result)
        if failure:
            pytest.fail(failure)
        return result

    async def arun(self, cases: Cases, **options: Any) -> EvalResult:
        """Run an eval in the running event loop, and return its result."""
        __tracebackhide__ = True
        try:
            result = await self._run(cases, options)
        except ReasonloomError as error:
            failure = _failure(error)
        else:
            failure = _report(result)
        if failure:
            pytest.fail(failure)
        return result

    async def _run(self, cases: Cases, options: dict[str, Any]) -> EvalResult:
        settings = options.pop("settings", None) or load_settings(prompts=self._prompts)
        if not isinstance(cases, str | Path):
            options.setdefault("name", _current_test())
        if self._record:
            options.setdefault("purse", Purse()).cache = self._record
        if self._replay:
            for role in {"llm", *(("judge",) if options.get("judge") else ())}:
                options[role] = _replayed(self._replay, options.get(role), settings)
        return await evaluate(cases, settings=settings, **options)


def _replayed(file: Path, llm: object, settings: Settings) -> LanguageModel:
    """Return the recorded replies of a language model."""
    name = str(getattr(llm, "name", None) or llm or settings.llm or "")
    model = ReplayModel(file, name)
    return model if name or len(model.llms) <= 1 else Ambiguous(file.name, sorted(model.llms))


@dataclass(frozen=True)
class Ambiguous:
    """Refuses to replay a recording of several language models, because none is named."""

    file: str
    llms: Sequence[str]
    offline: bool = False

    @property
    def name(self) -> str:
        """The recording."""
        return f"replay:{self.file}"

    async def answer(self, ask: Ask) -> Reply:
        """Refuse."""
        raise LlmRefused(
            f"{self.file} has replies of {', '.join(self.llms)}; name one by llm=..., or set"
            " REASONLOOM_LLM"
        )

    async def close(self) -> None:
        """Do nothing."""


def _wait_for(work: Coroutine[Any, Any, EvalResult]) -> EvalResult:
    """Run a coroutine in an event loop of its own, in a thread if this one has a running loop.

    The thread's current event loop stays, for plugins such as pytest-asyncio.
    """

    def run() -> EvalResult:
        with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
            return runner.run(work)

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return run()
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(run).result()


def _current_test() -> str:
    """Return the name of the current test, as pytest has it: `file::test (call)`."""
    name = environment().get(CURRENT_TEST, "cases").rpartition("::")[2]
    return name.rpartition(" (")[0] or name


def _failure(error: ReasonloomError) -> str:
    what, missing, _ = error.message.partition(TO_RECORD)
    return f"{what}; record it with --reasonloom-record FILE" if missing else error.message


def _report(result: EvalResult) -> str:
    """Print the scores; return why the test fails, empty if every item has an answer."""
    for line in (str(result), *result.wrong_answers(), f"run: {result.log.path.name}"):
        sys.stdout.write(f"{line}\n")
    if note := result.model_note:
        warnings.warn(note, stacklevel=3)
    return result.incomplete
