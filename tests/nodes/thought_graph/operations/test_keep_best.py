"""What stays of judged thoughts: the best of each idea; and what is merged with what."""

from __future__ import annotations

from typing import Any

import pytest

from reasonloom.nodes.thought_graph.operations.machine import frontier
from reasonloom.nodes.thought_graph.operations.orders import Order
from tests.nodes.thought_graph.operations.worlds import plan, run

LEAVE = "The kitchen leaves the peanuts out of every dish that Anna orders tonight."
LEAVES = "The kitchen leaves the peanuts out of every dish that Anna orders tonight!"
LUNCH = "Anna brings a lunchbox of her own and eats from it."


def texts(given: Any, answer: Any) -> list[str]:
    return [each["text"] for each in frontier(run(given, answer))]


def judging(worth: dict[str, float], **said: Any) -> Any:
    """Answer each kind of order; thoughts that are not listed are worth 0.1."""

    def answer(order: Order) -> Any:
        if order["kind"] == "judge":
            ballot = {
                each["id"]: {"total": worth.get(each["text"], 0.1)} for each in order["thoughts"]
            }
            return {"ballot": ballot}
        found = said[order["kind"]]
        return {"candidates": [{"text": each} for each in found]}

    return answer


def test_near_copies_do_not_take_two_places() -> None:
    given = plan(
        {"do": "generate", "samples": 3}, {"do": "score"}, {"do": "keep_best", "n": 2, "of": "all"}
    )
    answer = judging({LEAVE: 0.8, LEAVES: 0.9, LUNCH: 0.3}, generate=[LEAVE, LEAVES, LUNCH])
    assert texts(given, answer) == [LEAVES, LUNCH]


def test_a_denial_is_another_idea() -> None:
    denied = LEAVE.replace("leaves", "does not leave")
    given = plan(
        {"do": "generate", "samples": 2}, {"do": "score"}, {"do": "keep_best", "n": 2, "of": "all"}
    )
    answer = judging({LEAVE: 0.8, denied: 0.7}, generate=[LEAVE, denied])
    assert texts(given, answer) == [LEAVE, denied]


@pytest.mark.parametrize(("refined", "merges"), [(0.9, [LUNCH, "better"]), (0.2, [LEAVE, LUNCH])])
def test_a_thought_is_not_merged_with_what_it_was_refined_from(
    refined: float, merges: list[str]
) -> None:
    given = plan(
        {"do": "generate", "samples": 2}, {"do": "score"}, {"do": "refine"}, {"do": "score"},
        {"do": "aggregate"},
    )  # fmt: skip
    merged: list[list[str]] = []
    worth = {LEAVE: 0.6, LUNCH: 0.5, "better": refined}

    def answer(order: Order) -> Any:
        if order["kind"] == "aggregate":
            merged.append([each["text"] for each in order["thoughts"]])
        if order["kind"] == "refine" and order["thoughts"][0]["text"] == LUNCH:
            return {"error": "none"}
        return judging(worth, generate=[LEAVE, LUNCH], refine=["better"], aggregate=["all"])(order)

    run(given, answer)
    assert [sorted(each) for each in merged] == [sorted(merges)]


def test_a_refinement_is_judged_together_with_what_it_must_beat() -> None:
    given = plan({"do": "generate"}, {"do": "score"}, {"do": "refine"}, {"do": "score"})
    ballots: list[list[str]] = []

    def answer(order: Order) -> Any:
        if order["kind"] == "judge":
            ballots.append([each["text"] for each in order["thoughts"]])
        return judging({}, generate=[LEAVE], refine=["better"])(order)

    run(given, answer)
    assert ballots[0] == [LEAVE]
    assert sorted(ballots[1:]) == sorted([[LEAVE, "better"], ["better", LEAVE]])


def test_a_plan_that_an_older_version_began_keeps_its_ballots_orders() -> None:
    from reasonloom.nodes.thought_graph.operations.questions import label_thoughts

    thoughts: Any = [{"id": name, "text": name} for name in "abcdefgh"]
    old: Any = {"key": "score2/0.1", "thoughts": thoughts, "in_order": False}
    drawn = [each["id"] for each in label_thoughts(old).values()]
    assert drawn != list("abcdefgh")
    new: Any = {**old, "in_order": True}
    assert [each["id"] for each in label_thoughts(new).values()] == list("abcdefgh")
