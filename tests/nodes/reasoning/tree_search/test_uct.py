"""UCT's choices, as computed by hand."""

from __future__ import annotations

from typing import Any

from reasonloom.nodes.reasoning.tree_search.controllers import tally
from reasonloom.nodes.reasoning.tree_search.orders import Order
from tests.nodes.reasoning.tree_search.test_optimum import opened
from tests.nodes.reasoning.tree_search.worlds import KnownTree, search

TREE = KnownTree(
    {
        "r": ["A", "B", "C"],
        "A": ["A0", "A1"],
        "B": ["B0", "B1"],
        "C": ["C0"],
        "B0": ["B00"],
        "B1": ["B10", "B11"],
        **{name: [f"{name}+"] for name in ("A0", "A1", "C0", "B00", "B10", "B11")},
    },
    {
        **{"A": 0.6, "B": 0.5, "C": 0.1, "A0": 0.2, "A1": 0.3, "B0": 0.4, "B1": 0.9},
        **{"B10": 0.1, "B11": 0.1, "C0": 0.0, "B00": 0.0},
    },
)
"""With exploration 0.5, before each choice (bound = mean + 0.5 sqrt(ln N / n)):

    N = 3   A .600 + .524 = 1.124   B .500 + .524 = 1.024   C .100 + .524 = .624   A
    N = 5   A .367 + .366 =  .733   B .500 + .634 = 1.134   C .100 + .634 = .734   B
    N = 7   A .367 + .403 =  .769   B .600 + .403 = 1.003   C .100 + .697 = .797   B, in it
            N = 3   B0 .400 + .524 = .924   B1 .900 + .524 = 1.424                 B1
    N = 9   A .367 + .428 =  .795   B .400 + .331 =  .731   C .100 + .741 = .841   C

Without exploration, by the means alone:

    A .6, B .5, C .1: A;   A .367, B .5: B;   B .6, in it B1 .9: B1;
    A .367, B .4, C .1: B, in it B0 .4, B1 .367: B0
"""


def choices(exploration: float, count: int) -> list[str]:
    calls = {1: 4, 2: 7, 3: 10, 4: 13, 5: 15}[count]
    state = search(
        TREE.answer, controller="uct", exploration=exploration, depth=9, most_calls=calls
    )
    return opened(state)


def test_the_choices_are_those_of_the_table() -> None:
    assert choices(0.5, 5) == ["r", "A", "B", "B1", "C"]


def test_without_exploration_the_means_alone_decide() -> None:
    assert choices(0.0, 5) == ["r", "A", "B", "B1", "B0"]


def test_a_visit_counts_for_all_above_it() -> None:
    state = search(TREE.answer, controller="uct", exploration=0.5, depth=9, most_calls=13)
    root, a, b, _ = tally(state)[:4]
    assert (root.visits, a.visits, b.visits) == (9, 3, 5)
    assert round(b.total, 9) == 2.0


def test_a_subtree_with_nothing_open_is_passed_by() -> None:
    tree = KnownTree(
        {"r": ["good", "poor"], "good": [], "poor": ["poor.0"], "poor.0": []},
        {"good": 0.9, "poor": 0.1, "poor.0": 0.2},
    )
    state = search(tree.answer, controller="uct", depth=9)
    assert opened(state) == ["r", "poor"]
    assert state["ended"] == "complete"


def test_a_refuted_answer_is_a_visit_without_reward() -> None:
    tree = KnownTree(
        {"r": ["a", "b"], "a": ["a.0"], "a.0": [], "b": ["b.0"], "b.0": []}, {"a": 0.6, "b": 0.5}
    )

    def answer(order: Order) -> dict[str, Any]:
        return {"verified": False} if order["kind"] == "check" else tree.answer(order)

    state = search(answer, controller="uct", depth=9, check="function")
    assert (tally(state)[1].visits, tally(state)[1].total) == (2, 0.6)
