"""Worlds to search: trees whose values are known, and chaos that only an order's key decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from reasonloom.nodes.reasoning.tree_search.machine import (
    absorb,
    begin_search,
    finished,
    open_orders,
)
from reasonloom.nodes.reasoning.tree_search.orders import Order
from reasonloom.nodes.reasoning.tree_search.settings import SearchSettings
from reasonloom.nodes.reasoning.tree_search.state import State

Answer = Callable[[Order], Mapping[str, Any] | None]


def search(answer: Answer, problem: str = "r", **settings: Any) -> State:
    """Search to the end, one order after another."""
    state = begin_search(problem, SearchSettings(**settings))
    while not finished(state):
        for order in open_orders(state):
            state = absorb(state, order, answer(order))
    return state


@dataclass(frozen=True)
class KnownTree:
    """A tree of which everything is known: `r` is the root, a node without children an answer."""

    children: dict[str, list[str]]
    values: dict[str, float]

    def answer(self, order: Order) -> dict[str, Any]:
        """Carry out an order as a perfect generator and judge would."""
        text = order["thoughts"][0]["text"]
        if order["kind"] == "value":
            return {"values": [self.values[text]] * order["count"]}
        names = self.children[text][order["sample"] :]
        return {"candidates": [{"text": n, "final": not self.children[n]} for n in names]}

    @property
    def optimum(self) -> float:
        """The best value of any answer, by looking at all of them."""
        return max(self.values[name] for name, below in self.children.items() if not below)

    @property
    def widest(self) -> int:
        """The most nodes on one level."""
        levels = [name.count(".") for name in self.children]
        return max(levels.count(level) for level in levels)


def grown(seed: int, *, admissible: bool) -> KnownTree:
    """Grow a tree of up to four levels with 1 to 3 children a node, many values equal.

    Admissible: the value of an inner node is never less than that of an answer below it.
    Otherwise inner values are drawn by chance, and mislead.
    """
    random, tree = Random(seed), KnownTree({}, {})  # noqa: S311 - a test, not a secret

    def grow(name: str, depth: int) -> float:
        count = 0 if depth == 4 or (depth and random.random() < 0.3) else random.randint(1, 3)
        tree.children[name] = [f"{name}.{n}" for n in range(count)]
        below = [grow(child, depth + 1) for child in tree.children[name]]
        bound = max(below, default=0.0) + random.choice([0.0, 0.0, 0.25, 0.5])
        drawn = random.randint(0, 8) / 8
        tree.values[name] = bound if below and admissible else drawn
        return max(below, default=drawn)

    grow("r", 0)
    return tree


def chaos(salt: int) -> Answer:
    """Answer by the order's key alone: twins, answers, errors and nonsense among the results."""

    def answer(order: Order) -> Mapping[str, Any] | None:
        random = Random(f"{salt}|{order['key']}")  # noqa: S311 - a test, not a secret
        cost = {"tokens": random.randint(0, 90), "usd": random.random() / 50}
        if random.random() < 0.15:
            broken: list[dict[str, Any]] = [
                {"error": "too late"},
                {"values": ["high"], "votes": ["?"]},
                {},
            ]
            return {**random.choice(broken), **cost}
        if order["kind"] in ("propose", "sample"):
            texts = [f"Thought {random.randint(0, 12)}" for _ in range(order["count"])]
            finals = ("3", "7")
            return {"candidates": [{"text": t, "final": t.endswith(finals)} for t in texts], **cost}
        if order["kind"] == "value":
            return {"values": [random.random() for _ in range(order["count"])], **cost}
        if order["kind"] == "vote":
            labels = [thought["label"] for thought in order["thoughts"]]
            return {"votes": random.choices(labels, k=order["count"]), **cost}
        return {"verified": random.random() < 0.1, **cost}

    return answer
