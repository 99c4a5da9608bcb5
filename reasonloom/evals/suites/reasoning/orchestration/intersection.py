"""The eval `sim-intersect`: set intersection by tree and graph plans (Besta et al. 2024, 5.2).

Widths and depths are the published ones. All rows use the same simulated model. There is no row for
a chain, because its errors were not measured and so are not simulated.
"""

import json
from collections.abc import Sequence
from typing import Any

from reasonloom.contracts.thought_graph.plans import Plan
from reasonloom.evals.simulated.datasets import generate_intersection, load_intersection
from reasonloom.evals.simulated.intersection import SimulatedIntersecter
from reasonloom.evals.suites.reasoning.orchestration.catalog import (
    Choices,
    Orchestration,
    Problem,
    Result,
    Row,
    problems_digest,
    require_known_settings,
    size_of,
)
from reasonloom.evals.suites.reasoning.orchestration.metering import run_plan
from reasonloom.nodes.thought_graph.operations.state import Thought
from reasonloom.nodes.thought_graph.operations.tasks.intersection import INTERSECTION, errors

ITEMS = 100
SEED = 2024
"""Seed for generated sets."""

TREE = {32: (20, 1), 64: (20, 3), 128: (25, 3)}
NARROW = {32: (10, 2), 64: (10, 6), 128: (10, 8)}
"""Samples per round, and rounds after the first, by size."""

MERGES = {32: 10, 64: 10, 128: 5}
CHECKED: list[dict[str, Any]] = [{"do": "score", "by": "common"}, {"do": "keep_best"}]


def tree(samples: int, rounds: int) -> list[dict[str, Any]]:
    """Return operations that intersect in several rounds and keep the best result.

    As published, nothing is repaired: later rounds repeat the same question.
    """
    again = {"do": "refine", "move": "generate", "samples": samples}
    return [
        {"do": "generate", "samples": samples},
        *CHECKED,
        {"do": "repeat", "most": rounds, "body": [again, *CHECKED]},
    ]


def graph(merges: int) -> list[dict[str, Any]]:
    """Return operations that cut one set, intersect each part, and unite the results pairwise."""
    united = [{"do": "aggregate", "size": 2, "samples": merges}, *CHECKED]
    return [
        {"do": "generate", "move": "cut", "apart": True},
        {"do": "generate", "samples": 5},
        *CHECKED,
        {"do": "repeat", "until": {"parts_at_most": 1}, "body": united},
    ]


def plans(size: int) -> dict[str, Plan]:
    """Return each row's plan for sets of 32, 64 or 128 numbers."""
    operations: dict[str, list[dict[str, Any]]] = {
        "linear": [{"do": "generate"}],
        "tree": tree(*TREE[size]),
        "tree2": tree(*NARROW[size]),
        "graph": graph(MERGES[size]),
    }
    return {
        name: Plan.model_validate({"task": INTERSECTION.name, "operations": each})
        for name, each in operations.items()
    }


def items(choices: Choices) -> tuple[Sequence[Problem], str]:
    """Return pairs of sets from a file, or generated ones, and their digest."""
    size = size_of(choices)
    if choices.data:
        found = load_intersection(choices.data)[: choices.items]
        size_of(choices, {len(each) for pair in found for each in (pair.first, pair.second)})
    else:
        found = generate_intersection(choices.items or ITEMS, size, SEED)
    problems = [
        Problem(each.id, json.dumps({"first": each.first, "second": each.second})) for each in found
    ]
    return problems, problems_digest(problems)


def rows(choices: Choices) -> Sequence[Row]:
    """Return the rows for sets of the setting `size`."""
    require_known_settings(choices, ("size",))
    return [_row(name, plan) for name, plan in plans(size_of(choices)).items()]


def _row(name: str, plan: Plan) -> Row:
    async def run(item: Problem, seed: int) -> Result:
        sets = json.loads(item.problem)
        truth = set(sets["first"]) & set(sets["second"])

        def measure(best: Thought) -> int:
            return errors(truth, best["data"]["found"])

        return await run_plan(plan, item.problem, INTERSECTION, SimulatedIntersecter(seed), measure)

    return Row(name, run)


INTERSECTION_EVAL = Orchestration(
    name="sim-intersect",
    measure="numbers missing, too many or twice in the final set",
    better="lower",
    load=items,
    rows=rows,
    summarise="median",
    compared=(("graph", "tree"), ("graph", "tree2"), ("graph", "linear")),
)
