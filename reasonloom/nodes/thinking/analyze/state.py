"""The state of `analyze`."""

from collections.abc import Iterable, Sequence
from operator import add
from typing import Annotated, Any, Literal, TypedDict

from reasonloom.nodes.reasoning.lookup import MemoryState
from reasonloom.nodes.thinking.analyze.frameworks.catalog import FRAMEWORKS
from reasonloom.nodes.thinking.analyze.frameworks.framework import Step
from reasonloom.nodes.thinking.state import Brief

StepResult = dict[str, Any]
"""The result of one step.

Keys: framework, step, label, and either `fault` (its type and message) or output, insights,
open, confidence.
"""


class Plan(TypedDict):
    """The selected frameworks, best first, and how they were selected.

    Attributes:
        shares: the share of each framework, including the LLM's vote if there is one.
        votes: the votes, each with the keys by, framework, confidence and reason.
    """

    frameworks: list[str]
    by: Literal["features", "features_and_llm", "caller"]
    shares: dict[str, float]
    votes: list[dict[str, Any]]


class Wave(TypedDict):
    """The current group of independent steps; `over` if it was the last."""

    at: int
    over: bool


class AnalysisState(MemoryState, total=False):
    """The state of `analyze`; `done` and `checks` arrive in any order.

    `redone` is `CurrentRun.started` of the process that restarted after every step had failed.
    """

    brief: Brief
    plan: Plan
    wave: Wave
    done: Annotated[list[StepResult], add]
    outcome: dict[str, Any]
    checks: Annotated[list[dict[str, Any]], add]
    redone: float


class StepTask(TypedDict):
    """The input of one step; `before` contains the results of its framework so far."""

    brief: Brief
    memories: list[dict[str, Any]]
    framework: str
    step: str
    label: str
    before: list[StepResult]
    alone: bool


def steps_of(plan: Plan) -> list[tuple[str, Step, str]]:
    """Return all steps in order as (framework, step, label), with labels such as S1."""
    steps = [(name, step) for name in plan["frameworks"] for step in FRAMEWORKS[name].steps]
    return [(name, step, f"S{at}") for at, (name, step) in enumerate(steps, 1)]


def steps_of_wave(plan: Plan, at: int) -> list[tuple[str, Step, str]]:
    """Return the steps of one wave in all frameworks."""
    there = {
        (name, step.name)
        for name in plan["frameworks"]
        for wave in FRAMEWORKS[name].waves[at : at + 1]
        for step in wave
    }
    return [each for each in steps_of(plan) if (each[0], each[1].name) in there]


def latest_results(plan: Plan, done: Iterable[StepResult]) -> list[StepResult]:
    """Return the results in step order; of a repeated step, only the latest."""
    found = {each["label"]: each for each in done}
    return [found[label] for _, _, label in steps_of(plan) if label in found]


def successful_results(plan: Plan, done: Iterable[StepResult]) -> list[StepResult]:
    """Return the latest results without faults."""
    return [each for each in latest_results(plan, done) if "fault" not in each]


def missing_steps(plan: Plan, done: Sequence[StepResult]) -> list[dict[str, str]]:
    """Return the steps without a successful result, each with the reason."""
    found = {each["label"]: each for each in latest_results(plan, done)}
    return [
        {
            "framework": name,
            "step": step.name,
            "why": found[label]["fault"]["message"] if label in found else "it was not started",
        }
        for name, step, label in steps_of(plan)
        if label not in found or "fault" in found[label]
    ]
