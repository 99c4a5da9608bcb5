"""Evaluations: run a suite against a system, compare two runs, and the parts to build your own."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reasonloom.evals.comparison.compare import compare as compare
    from reasonloom.evals.comparison.power import plan as plan
    from reasonloom.evals.core.budget import Budget as Budget
    from reasonloom.evals.core.item import Item as Item
    from reasonloom.evals.core.item import Mark as Mark
    from reasonloom.evals.core.run import run as run
    from reasonloom.evals.core.suite import Suite as Suite
    from reasonloom.evals.core.system import Purse as Purse
    from reasonloom.evals.core.system import System as System
    from reasonloom.evals.core.tool import Tool as Tool
    from reasonloom.evals.core.way import Asking as Asking
    from reasonloom.evals.core.way import Function as Function
    from reasonloom.evals.evaluation import evaluate as evaluate
    from reasonloom.evals.loaders.files import python_file as python_file
    from reasonloom.evals.loaders.files import table as table
    from reasonloom.evals.loaders.published import big_bench_hard as big_bench_hard
    from reasonloom.evals.loaders.published import game24 as game24
    from reasonloom.evals.loaders.published import gsm8k as gsm8k
    from reasonloom.evals.plot import plot_scores as plot_scores
    from reasonloom.evals.result import Comparison as Comparison
    from reasonloom.evals.result import EvalResult as EvalResult
    from reasonloom.evals.scorers.function import Checker as Checker
    from reasonloom.evals.scorers.judge import Judge as Judge
    from reasonloom.evals.scorers.text import Fields as Fields
    from reasonloom.evals.scorers.text import Pattern as Pattern
    from reasonloom.evals.scorers.text import choice as choice
    from reasonloom.evals.scorers.text import contains as contains
    from reasonloom.evals.scorers.text import exact as exact
    from reasonloom.evals.scorers.text import numeric as numeric
    from reasonloom.evals.testing import LoomEval as LoomEval

_WHERE = {
    "compare": "comparison.compare", "plan": "comparison.power", "Budget": "core.budget",
    "Item": "core.item", "run": "core.run", "Mark": "core.item", "Suite": "core.suite",
    "Purse": "core.system", "System": "core.system", "Tool": "core.tool", "Asking": "core.way",
    "Function": "core.way", "big_bench_hard": "loaders.published", "game24": "loaders.published",
    "gsm8k": "loaders.published", "python_file": "loaders.files", "table": "loaders.files",
    "Checker": "scorers.function", "Fields": "scorers.text", "Judge": "scorers.judge",
    "Pattern": "scorers.text", "choice": "scorers.text", "contains": "scorers.text",
    "exact": "scorers.text", "numeric": "scorers.text", "evaluate": "evaluation",
    "plot_scores": "plot", "Comparison": "result", "EvalResult": "result",
    "LoomEval": "testing",
}  # fmt: skip
"""The module of each public name, imported on first use because most of them are heavy."""


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"reasonloom.evals.{_WHERE[name]}"), name)
