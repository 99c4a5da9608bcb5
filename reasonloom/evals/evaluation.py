"""Runs a suite, a file or inline cases in one call, for tests, scripts and notebooks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from langchain_core.runnables import Runnable

from reasonloom.errors import InvalidArgument
from reasonloom.evals.comparison.pairs import require_reducer
from reasonloom.evals.core.item import Item, Scorer
from reasonloom.evals.core.run import AT_ONCE, Progress, no_progress, run
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.system import Purse, System
from reasonloom.evals.loaders.cases import tool_of_cases
from reasonloom.evals.loaders.files import inline, python_file, table
from reasonloom.evals.log import new_log
from reasonloom.evals.result import EvalResult
from reasonloom.evals.scorers.function import Checker
from reasonloom.evals.scorers.named import scorer_named
from reasonloom.evals.suites.packaged import SPLIT_SUITES, split_suite
from reasonloom.evals.task import Task, way_of
from reasonloom.llm.interfaces import LanguageModel
from reasonloom.llm.providers.langchain import LangchainModel
from reasonloom.settings import Settings, load_settings

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

Cases = Suite | str | Path | Sequence[Mapping[str, Any] | Item]


async def evaluate(
    cases: Cases,
    *,
    task: Task | None = None,
    arguments: Mapping[str, Any] | None = None,
    scorers: Sequence[str | Scorer | Callable[[Item, Any], Any]] = (),
    prompts: Mapping[str, int] | None = None,
    llm: str | LanguageModel | BaseChatModel | None = None,
    judge: str | LanguageModel | BaseChatModel | None = None,
    epochs: int = 1,
    seed: int = 0,
    reducer: str = "mean",
    name: str = "",
    log: Path | None = None,
    purse: Purse | None = None,
    at_once: int = AT_ONCE,
    tell: Progress = no_progress,
    settings: Settings | None = None,
) -> EvalResult:
    """Run an eval and return its result; the run is saved as `reasonloom eval run` saves it.

    Args:
        cases: a suite, the file or the name of one, or cases: objects with `input`, and optionally
            `id`, `target` and `cluster`.
        task: what answers: a tool such as `reasoning_linear`, a prompt such as `own/answer` or
            `own/answer=2`, or a function of a case's input, plain or async. The suite's own by
            default.
        arguments: further arguments of the tool; for a prompt, `read`, the path of the answer.
        scorers: names such as `contains` or `numeric:0.01`, scorers, or functions of item and
            answer that return a bool or a number from 0 to 1. The suite's own by default.
        prompts: versions of prompts by name; the newest by default.
        llm: a setting such as `litellm:openai/gpt-5`, a chat model of LangChain's, or a language
            model; the configured one by default.
        judge: the language model of scorers that need one; `llm` by default.
        epochs: repetitions of each item.
        seed: of everything that can be seeded; use the same for results to be compared.
        reducer: how epochs become one score: mean, mode, pass@K or pass^K.
        name: the name of the suite, for inline cases.
        log: the run's file; by default a new one in `evals/` in the data folder.
        purse: budget, limits and cache.
        at_once: items in progress at once.
        tell: called with the current item, the number done, and the total.
        settings: the process's own by default.

    Raises:
        CallerMistake: the cases, the task or an option is invalid; nothing was called.
        LlmRefused: the provider refuses, or a recording lacks a reply; results so far are saved.
        ServiceFault: many items in a row failed; results so far are saved.
    """
    settings = settings or load_settings()
    way, versions = way_of(task, arguments or {})
    suite = suite_of(cases, [*map(_scorer, scorers)], name)
    require_reducer(reducer, epochs)
    system = System(way, {**versions, **(prompts or {})}, _model(llm, settings))
    with ExitStack() as stack:
        ran = await run(
            suite,
            system,
            log=log or stack.enter_context(new_log(settings.home / "evals", suite.name)),
            epochs=epochs,
            seed=seed,
            judge=_model(judge, settings),
            purse=purse,
            at_once=at_once,
            tell=tell,
            settings=settings,
        )
    return EvalResult(ran.log, reducer=reducer, failed=tuple(ran.failed), stopped=ran.stopped)


def suite_of(cases: Cases, scorers: Sequence[Scorer], name: str = "") -> Suite:
    """Return the suite of cases, of a file, or of a name.

    Raises:
        CallerMistake: there is no such suite, or it is malformed.
    """
    if isinstance(cases, str) and cases in SPLIT_SUITES:
        suite = split_suite(cases).suite
    elif isinstance(cases, str | Path):
        suite = _file(Path(cases), scorers)
    elif isinstance(cases, Suite):
        suite = cases
    else:
        suite = _inline(cases, scorers, name or "cases")
    return replace(suite, scorers=scorers or suite.scorers, name=name or suite.name)


def _file(path: Path, scorers: Sequence[Scorer]) -> Suite:
    if not path.suffix:
        known = ", ".join(SPLIT_SUITES)
        raise InvalidArgument(
            f"cases: there is no suite {path.name[:80]}; name one of {known}, or a file such as"
            " capitals.csv",
            field="cases",
        )
    if path.suffix.lower() == ".py":
        return python_file(path)
    return table(path, scorers=scorers, way=tool_of_cases(path))


def _inline(
    cases: Sequence[Mapping[str, Any] | Item], scorers: Sequence[Scorer], name: str
) -> Suite:
    items = [each for each in cases if isinstance(each, Item)]
    if items and len(items) == len(cases):
        return Suite(name, items, scorers or (scorer_named("exact"),))
    return inline(cast("Sequence[Mapping[str, Any]]", cases), scorers=scorers, name=name)


def _scorer(given: str | Scorer | Callable[[Item, Any], Any]) -> Scorer:
    if isinstance(given, str):
        return scorer_named(given)
    if callable(given) and not hasattr(given, "about") and not _is_ours(given):
        return Checker(given, name=getattr(given, "__name__", "checker"))
    return cast("Scorer", given)


def _model(
    given: str | LanguageModel | BaseChatModel | None, settings: Settings
) -> str | LanguageModel | None:
    return LangchainModel(given, settings) if isinstance(given, Runnable) else given


def _is_ours(given: Any) -> bool:
    """Return whether something is of this package, such as `contains` without its parentheses."""
    return str(getattr(given, "__module__", "")).startswith("reasonloom.")
