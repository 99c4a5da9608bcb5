"""The controllers against brute force, on hundreds of random trees with known values."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from reasonloom.nodes.reasoning.tree_search.budget import best_so_far
from reasonloom.nodes.reasoning.tree_search.controllers import CONTROLLERS
from reasonloom.nodes.reasoning.tree_search.settings import CHOICES
from reasonloom.nodes.reasoning.tree_search.state import State
from tests.nodes.reasoning.tree_search.worlds import KnownTree, grown, search

TREES = 300
AMPLE: dict[str, Any] = {"depth": 9, "most_calls": 1000}


def opened(state: State) -> list[str]:
    """Return what was gone on from, in that order."""
    nodes = [node for node in state["nodes"] if node["opened"] is not None]
    return [node["text"] for node in sorted(nodes, key=lambda node: (node["opened"], node["id"]))]


@pytest.mark.parametrize("width", [1, 3])
def test_best_first_finds_the_optimum_where_values_are_admissible(width: int) -> None:
    for seed in range(TREES):
        tree = grown(seed, admissible=True)
        state = search(tree.answer, controller="best_first", width=width, **AMPLE)
        assert best_so_far(state)["value"] == tree.optimum, seed
        assert best_so_far(state)["ended"] == "complete"


def test_best_first_opens_nothing_that_cannot_hold_the_optimum() -> None:
    for seed in range(TREES):
        tree = grown(seed, admissible=True)
        state = search(tree.answer, controller="best_first", **AMPLE)
        assert all(tree.values[name] >= tree.optimum for name in opened(state)[1:]), seed


def test_ties_go_by_order_of_creation() -> None:
    tree = KnownTree(
        {"r": ["r.0", "r.1"], "r.0": ["r.0.0"], "r.1": ["r.1.0"], "r.0.0": [], "r.1.0": []},
        {"r.0": 0.5, "r.1": 0.5, "r.0.0": 0.5, "r.1.0": 0.5},
    )
    state = search(tree.answer, controller="best_first", **AMPLE)
    assert opened(state) == ["r", "r.0", "r.1"]
    assert best_so_far(state)["text"] == "r.0.0"


def test_a_budget_that_is_enough_changes_nothing_and_one_that_is_not_gives_the_best_so_far() -> (
    None
):
    for seed in range(TREES):
        tree = grown(seed, admissible=True)
        whole = search(tree.answer, controller="best_first", **AMPLE)
        needed = sum(row["calls"] for row in whole["spent"].values())
        allowed = Random(seed).randint(1, needed + 2)  # noqa: S311 - a test, not a secret
        judged: list[str] = []

        def answer(order: Any, tree: KnownTree = tree, judged: list[str] = judged) -> Any:
            if order["kind"] == "value":
                judged.append(order["thoughts"][0]["text"])
            return tree.answer(order)

        found = best_so_far(search(answer, controller="best_first", depth=9, most_calls=allowed))
        answers = [tree.values[name] for name in judged if not tree.children[name]]
        if allowed >= needed:
            assert (found["value"], found["exhausted"]) == (tree.optimum, None)
        else:
            assert (found["ended"], found["exhausted"]) == ("exhausted", "calls")
            if answers:
                assert found["value"] == max(answers)


def test_a_beam_that_is_wide_enough_finds_the_optimum_whatever_the_values_on_the_way() -> None:
    for seed in range(TREES):
        tree = grown(seed, admissible=False)
        state = search(tree.answer, controller="beam", width=tree.widest, **AMPLE)
        assert best_so_far(state)["value"] == tree.optimum, seed


def beam_by_hand(tree: KnownTree, width: int) -> list[str]:
    """Return what a beam opens, written down anew: level by level, the best `width` stay."""
    level, all_opened = ["r"], []
    while level:
        all_opened += level
        below = [child for name in level for child in tree.children[name]]
        kept = sorted(below, key=lambda name: -tree.values[name])[:width]
        level = [name for name in kept if tree.children[name]]
    return all_opened


def test_a_narrow_beam_keeps_the_best_of_each_level() -> None:
    for seed in range(TREES):
        tree = grown(seed, admissible=False)
        state = search(tree.answer, controller="beam", width=2, **AMPLE)
        assert sorted(opened(state)) == sorted(beam_by_hand(tree, 2)), seed


def test_greedy_is_a_beam_of_width_one() -> None:
    for seed in range(TREES):
        tree = grown(seed, admissible=False)
        greedy = search(tree.answer, controller="greedy", **AMPLE)
        beam = search(tree.answer, controller="beam", width=1, **AMPLE)
        assert greedy["nodes"] == beam["nodes"], seed
        assert greedy["spent"] == beam["spent"]


def depth_first_by_hand(tree: KnownTree, name: str, threshold: float) -> list[str]:
    """Return what depth-first opens, written down anew as the recursion it is."""
    visited = [name]
    for child in sorted(tree.children[name], key=lambda child: -tree.values[child]):
        if tree.values[child] >= threshold and tree.children[child]:
            visited += depth_first_by_hand(tree, child, threshold)
    return visited


@pytest.mark.parametrize("threshold", [0.0, 0.25, 0.5, 0.875])
def test_depth_first_prunes_exactly_what_lies_below_the_threshold(threshold: float) -> None:
    for seed in range(TREES):
        tree = grown(seed, admissible=False)
        state = search(tree.answer, controller="depth_first", prune_below=threshold, **AMPLE)
        assert opened(state) == depth_first_by_hand(tree, "r", threshold), seed
        below = {n["text"] for n in state["nodes"] if n["status"] == "pruned"}
        judged = {n["text"] for n in state["nodes"][1:]}
        assert below == {name for name in judged if tree.values[name] < threshold}


def test_every_controller_that_can_be_named_is_there() -> None:
    assert tuple(CONTROLLERS) == CHOICES["controller"]
