"""Optimises a prompt: searches on two parts of a suite, judges the result on the third."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from reasonloom.errors import BudgetExceeded, InvalidArgument, SettingMistake
from reasonloom.evals.comparison.changes import text_difference
from reasonloom.evals.comparison.compare import compare
from reasonloom.evals.comparison.power import ALPHA
from reasonloom.evals.core.budget import Budget
from reasonloom.evals.core.llm_calls import Limits
from reasonloom.evals.core.preflight import preflight
from reasonloom.evals.core.run import Progress, no_progress
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.system import Purse, System
from reasonloom.evals.log import EvalLog
from reasonloom.evals.optimization.candidate import PROMPT, Reflection
from reasonloom.evals.optimization.search import Effort, SearchResult, search
from reasonloom.evals.optimization.split import (
    SHARES,
    Split,
    require_budget,
    reserve_for_test,
    restore_spending,
    split,
)
from reasonloom.evals.optimization.trials import (
    TAPE,
    TrialOptions,
    TrialRunner,
    base_of,
    usage_of,
    with_prompts_copy,
)
from reasonloom.llm.interfaces import LanguageModel
from reasonloom.prompts.registry import PromptRegistry
from reasonloom.settings import Settings, load_settings

HEAD = "head.jsonl"


@dataclass(frozen=True, slots=True)
class Goal:
    """What to optimise: a prompt (its newest version by default), and the split."""

    prompt: str
    version: int | None = None
    shares: Sequence[float] = SHARES


def plan_split(suite: Suite, goal: Goal, trial: TrialOptions, budget: Budget) -> Split:
    """Return the split without any model call."""
    if find_spec("gepa") is None:
        raise SettingMistake(
            'optimise: needs GEPA; pip install "reasonloom[optimise]"', field="optimise"
        )
    found = split(suite, trial.seed, goal.shares)
    if trial.way.asks:
        require_budget(budget, found, trial.epochs)
    return found


async def optimise(
    suite: Suite,
    goal: Goal,
    folder: Path,
    trial: TrialOptions,
    *,
    reflect: str | LanguageModel | None = None,
    effort: Effort | None = None,
    budget: Budget,
    limits: Limits,
    tell: Progress = no_progress,
    settings: Settings | None = None,
) -> dict[str, Any]:
    """Search for a better text, and judge it on the test items; `folder` may be a run to resume.

    `winner` is None if no text beat the base on the validation items; the test items are not used
    then. Otherwise `test` compares both on the test items (None if the budget ran out), and
    `verdict` states the conclusion. The model `reflect` proposes texts; it defaults to the
    answering model. `budget` covers all calls, including those of earlier processes of the run.

    Raises:
        CallerMistake: the suite, the prompt or the run is unsuitable.
        LlmRefused, LlmUnavailable: a provider refuses, or items failed; results so far are stored.
        BudgetExceeded: the budget has no room for a search.
    """
    effort = effort or Effort()
    parts = plan_split(suite, goal, trial, budget)
    head = EvalLog(folder / HEAD)
    with head.held():
        own = with_prompts_copy(folder, settings or load_settings())
        base = base_of(own, goal.prompt, goal.version)
        preflight(
            suite, System(trial.way, {goal.prompt: base.about.version}), settings=own,
            epochs=trial.epochs,
        )  # fmt: skip
        purse = Purse(budget, limits, folder / TAPE)
        restore_spending(purse.spending, folder / TAPE)
        shop = TrialRunner(folder, suite, trial, purse, own, base, tell)
        async with AsyncExitStack() as stack:
            llm = await stack.enter_async_context(purse.llm(reflect or trial.llm, own))
            if llm.offline:
                raise InvalidArgument(
                    "reflect-llm: needs a language model that proposes texts, which"
                    f" {llm.name} is not",
                    field="reflect-llm",
                )
            head.begin(_head(shop, goal, effort, parts, llm.name))
            reflection = Reflection(llm, PromptRegistry(own.prompts).get(PROMPT), base)
            found = await _searched(shop, reflection, parts, effort, budget)
        return await _judged(shop, parts, found)


async def _searched(
    shop: TrialRunner, reflection: Reflection, parts: Split, effort: Effort, budget: Budget
) -> SearchResult:
    """Search within the budget that remains after reserving for the judgement."""
    took = usage_of(await shop.tried(shop.base.body, parts.validation))
    shop.purse.spending.budget = reserve_for_test(budget, took, parts)
    try:
        return await search(shop, reflection, parts, effort)
    finally:
        shop.purse.spending.budget = budget


async def _judged(shop: TrialRunner, parts: Split, found: SearchResult) -> dict[str, Any]:
    """Return the result, with the comparison on the test items if there is a winner."""
    body, score = found.best
    result: dict[str, Any] = {
        "prompt": shop.base.about.name,
        "version": shop.base.about.version,
        "run": shop.folder.name,
        "split": parts.about(),
        "rounds": found.rounds,
        "proposals": found.proposals,
        "refused": found.broken,
        "validation": [
            {"version": shop.version(text), "score": mean} for text, mean in found.chosen
        ],
        "winner": None,
        "test": None,
        "notes": [f"the search stopped: {found.stopped}"] if found.stopped else [],
    }
    if body.strip() != shop.base.body.strip():
        template = shop.template(body)
        result["winner"] = {
            "version": template.about.version,
            "validation": score,
            "text": template.text,
            "difference": text_difference(shop.base.body, template.body, shop.base.about.name),
        }
        result["test"] = await _tested(shop, parts, body, result["notes"])
    result["verdict"] = verdict(result["winner"], result["test"])
    spending = shop.purse.spending
    result["spent"] = {"calls": spending.calls, "tokens": spending.tokens, "usd": spending.usd}
    return result


async def _tested(
    shop: TrialRunner, parts: Split, body: str, notes: list[str]
) -> dict[str, Any] | None:
    versions = [shop.base.about.version, shop.version(body)]
    before = {path.stem.removeprefix("test-") for path in shop.folder.glob("test-*.jsonl")}
    if other := sorted(before - {f"v{version}" for version in versions}):
        notes.append(f"the test items judged another text before: {', '.join(other)}")
    try:
        base, winner = [
            await shop.tried(text, parts.test, f"test-v{version}.jsonl")
            for text, version in zip((shop.base.body, body), versions, strict=True)
        ]
    except BudgetExceeded as stop:
        notes.append(f"the judgement stopped: {stop.message}; continue with a larger budget")
        return None
    found: dict[str, Any] = compare(base, winner)["compared"][0]
    return found


def verdict(winner: dict[str, Any] | None, test: dict[str, Any] | None) -> str:
    """Return the conclusion: better or worse only if both interval and test exclude 0."""
    if winner is None:
        return "no proposal did better on the validation items; the test items were not asked"
    if test is None:
        return "a proposal did better on the validation items; it was not judged on the test items"
    low, high = test["interval"]
    if (low > 0 or high < 0) and test["p"] > ALPHA:
        return (
            "no difference shown on the test items: the interval excludes 0, but the test has p"
            f" {test['p']:.4f}"
        )
    if low > 0:
        return "better on the test items: the interval of the difference lies above 0"
    if high < 0:
        return "worse on the test items: the interval of the difference lies below 0"
    return "no difference shown on the test items: the interval includes 0"


def _head(
    shop: TrialRunner, goal: Goal, effort: Effort, parts: Split, reflect: str
) -> dict[str, Any]:
    """Return everything that determines a search; a run is resumed only if all of it is equal."""
    trial = shop.trial
    named = {"llm": trial.llm, "judge": trial.judge}
    return {
        "eval": f"optimise {shop.base.about.name}",
        "prompt": {"name": shop.base.about.name, "version": shop.base.about.version},
        "hash": shop.base.hash,
        "suite": shop.suite.name,
        "items_sha256": shop.suite.digest,
        "split": {name: value for name, value in parts.about().items() if name != "least_effect"},
        "shares": list(goal.shares),
        "scorers": [scorer.about() for scorer in shop.suite.scorers],
        "system": trial.way.about(),
        "epochs": trial.epochs,
        "seed": trial.seed,
        "batch": effort.batch,
        "reflect": reflect,
        **{name: each if isinstance(each, str) or each is None else each.name
           for name, each in named.items()},
    }  # fmt: skip
