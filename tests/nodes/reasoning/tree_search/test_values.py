"""Values that candidates bring along: nobody is paid for them, and they count as judged ones do."""

from __future__ import annotations

import math
from typing import Any

import pytest

from reasonloom.nodes.reasoning.tree_search.outcome import best
from reasonloom.nodes.reasoning.tree_search.state import State
from reasonloom.nodes.reasoning.tree_search.treesearch_orders import Order
from tests.nodes.reasoning.tree_search.worlds import search


def bringing(*candidates: dict[str, Any], judged: list[str]) -> Any:
    """Answer proposals with these candidates; a judge notes whom it is asked about, and says .5."""

    def answer(order: Order) -> Any:
        if order["kind"] == "propose":
            return {"candidates": list(candidates)}
        judged.extend(thought["text"] for thought in order["thoughts"])
        return {"values": [0.5], "votes": ["A"]}

    return answer


def values(state: State) -> dict[str, float | None]:
    return {node["text"]: node["value"] for node in state["nodes"][1:]}


def test_a_value_that_is_brought_along_is_not_asked_for() -> None:
    judged: list[str] = []
    brought = ({"text": "known", "value": 0.75}, {"text": "open"}, {"text": "zero", "value": 0})
    state = search(bringing(*brought, judged=judged), depth=1)
    assert judged == ["open"]
    assert values(state) == {"known": 0.75, "open": 0.5, "zero": 0}
    assert (best(state)["text"], best(state)["value"]) == ("known", 0.75)
    assert state["spent"]["value"]["calls"] == 1


def test_it_is_held_against_the_threshold_and_lent_to_twins() -> None:
    judged: list[str] = []
    brought = ({"text": "low", "value": 0.1}, {"text": "high", "value": 0.9}, {"text": "High"})
    state = search(bringing(*brought, judged=judged), depth=1, prune_below=0.2, twins="keep")
    assert judged == []
    assert [node["status"] for node in state["nodes"][1:]] == ["pruned", "answer", "answer"]
    assert values(state) == {"low": 0.1, "high": 0.9, "High": 0.9}


@pytest.mark.parametrize("nonsense", ["high", math.nan, True, None, 10**30, [1]])
def test_nonsense_is_no_value(nonsense: object) -> None:
    judged: list[str] = []
    state = search(bringing({"text": "a", "value": nonsense}, judged=judged), depth=1)
    assert judged == ["a"]
    assert values(state) == {"a": 0.5}


def test_votes_pass_it_over() -> None:
    judged: list[str] = []
    brought = ({"text": "a", "value": 9}, {"text": "b"})
    state = search(bringing(*brought, judged=judged), depth=1, judge="vote", controller="beam")
    assert sorted(judged) == ["a", "b"]
    assert sorted(filter(None, values(state).values())) == [1.0]
