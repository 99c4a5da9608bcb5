"""Errors, nonsense and silence mark a node; the search goes on with the rest, or says why not."""

from __future__ import annotations

from typing import Any

import pytest

from reasonloom.errors import InvalidArgument
from reasonloom.nodes.reasoning.tree_search.budget import best_so_far
from reasonloom.nodes.reasoning.tree_search.machine import begin_search
from reasonloom.nodes.reasoning.tree_search.orders import Order
from reasonloom.nodes.reasoning.tree_search.settings import SearchSettings
from tests.nodes.reasoning.tree_search.worlds import search

NONSENSE: list[Any] = [
    *(None, {}, [], "yes", 7, {"error": "too late"}, {"candidates": "abc", "values": 3}),
    {"candidates": [None, 3, " ", {"text": 5}, {"txt": "a"}], "values": [float("nan"), "1", True]},
    {
        "candidates": [],
        "values": [float("inf"), 10**400, -1e300],
        "tokens": "many",
        "usd": -4,
        "at": None,
    },
]


@pytest.mark.parametrize("nonsense", NONSENSE, ids=repr)
def test_all_proposals_failing_is_a_clear_reason(nonsense: Any) -> None:
    found = best_so_far(search(lambda order: nonsense))
    assert (found["node"], found["text"], found["ended"]) == (None, "", "failed")
    told = "too late" if nonsense == {"error": "too late"} else "nothing that can be used came"
    assert found["reason"].startswith(f"no candidate came: {told}")


@pytest.mark.parametrize("nonsense", NONSENSE, ids=repr)
@pytest.mark.parametrize("judge", ["value", "vote"])
def test_all_judgements_failing_leaves_the_thoughts_unjudged(nonsense: Any, judge: str) -> None:
    state = search(
        lambda order: {"candidates": ["a", "b"]} if order["kind"] == "propose" else nonsense,
        controller="greedy",
        judge=judge,
    )
    assert [node["status"] for node in state["nodes"][1:]] == ["unjudged", "unjudged"]
    assert all(node["fault"] for node in state["nodes"][1:])
    assert (best_so_far(state)["text"], best_so_far(state)["value"]) == ("a", None)


@pytest.mark.parametrize("controller", ["beam", "depth_first", "best_first", "uct"])
@pytest.mark.parametrize("nonsense", NONSENSE, ids=repr)
def test_the_search_goes_on_with_the_rest(controller: str, nonsense: Any) -> None:
    """The better thought cannot be gone on from, one of the others cannot be judged."""

    def answer(order: Order) -> Any:
        text = order["thoughts"][0]["text"]
        if text in ("fails", "unheard"):
            judged = order["kind"] == "value" and text == "fails"
            return {"values": [0.9]} if judged else nonsense
        if order["kind"] == "propose":
            return {"candidates": ["fails", "unheard", "works"] if text == "?" else ["done"]}
        return {"values": [0.4]}

    width = 3 if controller in ("beam", "best_first") else 1
    state = search(answer, "?", controller=controller, width=width, depth=2)
    status = {node["text"]: node["status"] for node in state["nodes"]}
    assert status["fails"] == "barren"
    assert status["unheard"] == "unjudged"
    assert best_so_far(state)["path"] == ["works", "done"]


def test_a_failed_call_is_paid_like_any_other() -> None:
    state = search(lambda order: {"error": "cut off", "tokens": 30, "usd": 0.5})
    assert state["spent"] == {"propose": {"calls": 1, "tokens": 30.0, "usd": 0.5}}


def test_more_candidates_than_asked_for_are_cut() -> None:
    answer: dict[str, Any] = {"candidates": list("abcdef"), "values": [0.1, 0.9]}
    state = search(lambda order: answer, depth=1, branching=4)
    assert [node["text"] for node in state["nodes"][1:]] == list("abcd")
    assert best_so_far(state)["value"] == 0.1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("controller", "random"), ("generate", "guess"), ("judge", None), ("check", "always")),
        *(("branching", 0), ("depth", 1.5), ("judgements", True), ("most_calls", None)),
        *(("exploration", None), ("exploration", -1), ("most_usd", float("nan"))),
        *(("most_tokens", "9"), ("prune_below", float("inf")), ("width", 2), ("twins", "kill")),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(field: str, value: Any) -> None:
    with pytest.raises(InvalidArgument, match=field) as refused:
        SearchSettings(**{"controller": "greedy", field: value})
    assert refused.value.field == field


@pytest.mark.parametrize("controller", ["depth_first", "best_first", "uct"])
def test_votes_of_two_rounds_are_never_compared(controller: str) -> None:
    with pytest.raises(InvalidArgument, match="one round") as refused:
        SearchSettings(controller=controller, judge="vote")
    assert refused.value.field == "judge"


def test_a_blank_problem_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="problem"):
        begin_search(" \n", SearchSettings())
