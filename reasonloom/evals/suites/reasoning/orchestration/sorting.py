"""The eval `sim-sort`: sorting by chain, tree and graph plans (Besta et al. 2024, 5.1).

Widths and depths are the published ones. All rows use the same simulated sorter.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from reasonloom.contracts.thought_graph.plans import Plan
from reasonloom.evals.simulated.datasets import generate_sorting, load_sorting
from reasonloom.evals.simulated.draw import stream
from reasonloom.evals.simulated.sorting import SimulatedSorter
from reasonloom.evals.suites.reasoning.orchestration.catalog import (
    Choices,
    Orchestration,
    Problem,
    Result,
    Row,
    choice_setting,
    number_setting,
    problems_digest,
    require_known_settings,
    size_of,
)
from reasonloom.evals.suites.reasoning.orchestration.metering import run_plan
from reasonloom.nodes.thought_graph.operations.state import Thought
from reasonloom.nodes.thought_graph.operations.task import Check, Task, Verdict
from reasonloom.nodes.thought_graph.operations.tasks.sorting import SORTING, errors, expected_digits


def noisy_errors(
    original: Sequence[int], answer: Sequence[int], *, deviation: float, seed: int, look: str = ""
) -> float:
    """Return the errors as seen by a scorer with normally distributed noise.

    The noise is fixed for a list, an answer and a `look`, so scoring again does not average it out.
    """
    chance = stream(seed, repr(list(original)), "scorer noise", f"{[*answer]}{look}")
    return errors(original, answer) + chance.gauss(0.0, deviation)


ITEMS = 100
SEED = 2024
"""Seed for generated lists."""

MOST_NOISE = 1000.0
TREE_ROUNDS = {32: 1, 64: 3, 128: 3}
NARROW_ROUNDS = {32: 2, 64: 6, 128: 9}
PUBLISHED = {
    (64, "linear"): "40.5 [28, 55], $0.20 per 100", (64, "chain"): "20 [16, 25], $0.34 per 100",
    (64, "tree"): "16 [12, 21], $4.80 per 100", (64, "tree2"): "graph -61 % errors",
    (64, "graph"): "7 [5, 8], $3.25 per 100", (32, "tree2"): "graph about equal",
    (128, "tree"): "graph -62 % errors, -31 % cost", (128, "tree2"): "graph -69 % errors",
}  # fmt: skip
"""Figures read off the poster's vector graphics, or ratios quoted from the paper."""

FITTED = {(64, name) for name in ("linear", "chain", "tree", "graph")}
CHECKS = ("sorted", "sorted")
"""Scorers for a new answer, and for one that competes with its repairs."""

FIRST, EVERY = "first", "every"
NOISY_CHECKS = {FIRST: CHECKS, EVERY: ("sorted", "sorted_again")}
"""Whether a thought keeps its first score, as published, or is rescored at every look."""

Operations = list[dict[str, Any]]


def with_checks(by: str) -> Operations:
    """Return operations that score the thoughts and keep the best."""
    return [{"do": "score", "by": by}, {"do": "keep_best"}]


def tree(samples: int, rounds: int, checks: tuple[str, str] = CHECKS) -> Operations:
    """Return operations that sort in several samples, then repair the best for `rounds` rounds."""
    operations: Operations = [{"do": "generate", "samples": samples}, *with_checks(checks[0])]
    for each in range(1, rounds + 1):
        operations += [{"do": "refine", "samples": samples}, *with_checks(checks[each % 2])]
    return operations


def graph(checks: tuple[str, str] = CHECKS, **repair: Any) -> Operations:
    """Return operations that sort parts and merge them pairwise, repairing each merged list.

    `repair` holds options for the repairing operations, such as `only_below`.
    """

    def merging(repairs: int) -> Operations:
        merged = {"do": "aggregate", "size": 2, "samples": 10}
        repaired = {"do": "refine", "samples": repairs, **repair}
        return [merged, *with_checks(checks[0]), repaired, *with_checks(checks[1])]

    below = {"do": "repeat", "until": {"parts_at_most": 2}, "body": merging(5)}
    cut = {"do": "generate", "move": "cut", "apart": True}
    return [cut, {"do": "generate", "samples": 5}, *with_checks(checks[0]), below, *merging(10)]


def plans(size: int, *, clean: float = 1.0, checks: tuple[str, str] = CHECKS) -> dict[str, Plan]:
    """Return each row's plan for lists of 32, 64 or 128; `clean` is the score without errors."""
    operations: dict[str, Operations] = {
        "linear": [{"do": "generate"}],
        "chain": [{"do": "generate", "move": "chain"}],
        "tree": tree(20, TREE_ROUNDS[size], checks),
        "tree2": tree(10, NARROW_ROUNDS[size], checks),
        "graph": graph(checks),
        "graph_skipping": graph(checks, only_below=clean),
    }
    return {
        name: Plan.model_validate({"task": SORTING.name, "operations": each})
        for name, each in operations.items()
    }


def with_noisy_checks(deviation: float, seed: int) -> Task:
    """Return the sorting task with noisy checks; `deviation` is the noise's deviation in errors.

    The score falls as the errors seen rise, which may be negative; 0.5 means no errors.
    `sorted_again` is the same check under another name, for plans that rescore a thought with new
    noise.
    """

    def judge(problem: Thought, thought: Thought) -> Verdict:
        seen = noisy_errors(
            expected_digits(problem, thought),
            thought["data"]["list"],
            deviation=deviation,
            seed=seed,
            look="" if thought["score"] is None else repr(thought["score"]),
        )
        return Verdict(0.5 - math.atan(seen) / math.pi, seen <= 0)

    check = Check("local check", judge)
    return replace(SORTING, checks=dict.fromkeys(NOISY_CHECKS[EVERY], check))


def items(choices: Choices) -> tuple[Sequence[Problem], str]:
    """Return the lists of a file, or generated ones, and their digest."""
    size = size_of(choices)
    if choices.data:
        found = load_sorting(choices.data)[: choices.items]
        size_of(choices, {len(each.numbers) for each in found})
    else:
        found = generate_sorting(choices.items or ITEMS, size, SEED)
    problems = [Problem(each.id, json.dumps(each.numbers)) for each in found]
    return problems, problems_digest(problems)


def rows(choices: Choices) -> Sequence[Row]:
    """Return the rows for the settings `size`, `noise` and `looks` (`first` or `every`)."""
    require_known_settings(choices, ("size", "noise", "looks"))
    size, noise = size_of(choices), number_setting(choices, "noise", 0.0, most=MOST_NOISE)
    looks = choice_setting(choices, "looks", (FIRST, EVERY))
    known = plans(size, clean=0.5, checks=NOISY_CHECKS[looks]) if noise else plans(size)
    return [_row(name, plan, size, noise) for name, plan in known.items()]


def _row(name: str, plan: Plan, size: int, noise: float) -> Row:
    async def run(item: Problem, seed: int) -> Result:
        original = json.loads(item.problem)
        task = with_noisy_checks(noise, seed) if noise else SORTING

        def measure(best: Thought) -> int:
            return min(size, errors(original, best["data"]["list"]))

        return await run_plan(plan, item.problem, task, SimulatedSorter(seed), measure)

    if noise:
        return Row(name, run, status="control")
    published = PUBLISHED.get((size, name), "")
    if name == "graph_skipping":
        return Row(name, run, published, "own")
    return Row(name, run, published, "fitted" if (size, name) in FITTED else "predicted")


SORTING_EVAL = Orchestration(
    name="sim-sort",
    measure="errors of the final list, at most its length",
    better="lower",
    load=items,
    rows=rows,
    summarise="median",
    compared=(
        ("graph", "tree"),
        ("graph", "tree2"),
        ("graph", "chain"),
        ("graph", "linear"),
        ("graph_skipping", "graph"),
    ),
)
