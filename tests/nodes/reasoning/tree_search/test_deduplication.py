"""Thoughts that were there before: known, not paid for, and never the end of the last path."""

from __future__ import annotations

from typing import Any

from reasonloom.nodes.reasoning.tree_search.budget import best_so_far
from reasonloom.nodes.reasoning.tree_search.machine import (
    absorb,
    begin_search,
    finished,
    open_orders,
)
from reasonloom.nodes.reasoning.tree_search.orders import Order
from reasonloom.nodes.reasoning.tree_search.settings import SearchSettings
from tests.nodes.reasoning.tree_search.worlds import search


def world(children: dict[str, list[Any]], values: dict[str, float] | None = None) -> Any:
    """Answer by the last thought of the path; a thought without children has none."""

    def answer(order: Order) -> Any:
        text = order["thoughts"][0]["text"]
        if order["kind"] == "value":
            return {"values": [(values or {}).get(text, 0.5)]}
        path = "/".join(order["thoughts"][0]["path"])
        return {"candidates": children.get(path, [])}

    return answer


def final(text: str) -> dict[str, Any]:
    return {"text": text, "final": True}


def test_what_differs_in_case_and_space_alone_is_a_twin() -> None:
    state = search(
        world({"": ["Add 4", " add  4", "add 5", "Caf\u00e9", "cafe\u0301"]}), branching=5
    )
    twins = [node["text"] for node in state["nodes"] if node["status"] == "twin"]
    assert twins == [" add  4", "cafe\u0301"]


def test_the_generator_may_say_what_makes_a_thought_the_same() -> None:
    same = [{"text": "4 + 6 = 10", "identity": "10"}, {"text": "5 * 2 = 10", "identity": "10"}]
    state = search(world({"": same}))
    assert [node["twin_of"] for node in state["nodes"]] == [None, None, 1]


def test_near_thoughts_are_twins_where_a_distance_is_given() -> None:
    def distance(left: str, right: str) -> float:
        return abs(len(left) - len(right)) / 10

    state = begin_search("a problem of some length", SearchSettings(novelty=0.1, depth=1))
    answer = world({"": ["aaaa", "bbbbb", "ccccccc"]})
    while not finished(state):
        for order in open_orders(state):
            state = absorb(state, order, answer(order), distance)
    assert [node["twin_of"] for node in state["nodes"]] == [None, None, 1, None]
    assert state["spent"]["value"]["calls"] == 2


def test_nobody_goes_on_from_a_twin_while_another_path_is_open() -> None:
    answer = world({"": ["a", "b"], "a": ["b"], "b": [final("c")]}, {"a": 0.9, "b": 0.1})
    state = search(answer)
    assert [node["text"] for node in state["nodes"] if node["status"] == "twin"] == ["b"]
    assert best_so_far(state)["path"] == ["b", "c"]


def test_the_last_open_path_goes_on_through_a_twin_that_nobody_is_paid_to_judge() -> None:
    answer = world({"": ["a"], "a": ["A", "a "], "a/A": [final("b")]})
    for controller in ("greedy", "beam", "depth_first", "best_first", "uct"):
        state = search(answer, controller=controller, depth=4)
        assert best_so_far(state)["path"] == ["a", "A", "b"], controller
        assert state["spent"]["value"]["calls"] == 2


def test_a_thought_that_repeats_the_problem_starves_nobody() -> None:
    answer = world({"": ["What now?"], "What now?": [final("b")]})
    for controller in ("greedy", "beam", "depth_first", "best_first", "uct"):
        state = search(answer, "What now?", controller=controller)
        assert best_so_far(state)["text"] == "b", controller


def test_the_twin_of_a_pruned_thought_is_no_hope() -> None:
    answer = world({"": ["a", "b"], "a": ["b"]}, {"a": 0.9, "b": 0.1})
    state = search(answer, controller="depth_first", prune_below=0.5)
    assert [node["status"] for node in state["nodes"]] == ["opened", "opened", "pruned", "twin"]


def test_an_answer_does_not_repeat_the_same_words_said_on_the_way() -> None:
    answer = world({"": ["42"], "42": [final("42")]})
    found = best_so_far(search(answer))
    assert (found["path"], found["status"]) == (["42", "42"], "answer")
