"""Judges: values are means and paid once for a thought, votes are blind, proofs stop the search."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reasonloom.nodes.judging.ballots import label
from reasonloom.nodes.reasoning.tree_search.budget import best_so_far
from reasonloom.nodes.reasoning.tree_search.orders import Order
from reasonloom.nodes.reasoning.tree_search.state import State
from tests.nodes.reasoning.tree_search.test_arrival import chosen
from tests.nodes.reasoning.tree_search.worlds import chaos, search


def proposing(*texts: str, **answers: Any) -> Any:
    """Answer proposals with these texts, and every other kind as given: a value or a function."""

    def answer(order: Order) -> Any:
        if order["kind"] in ("propose", "sample"):
            return {"candidates": list(texts)}
        told = answers[order["kind"]]
        return told(order) if callable(told) else told

    return answer


def test_a_value_is_the_mean_of_its_samples() -> None:
    judgements = iter([0.25, 0.75, 0.5])
    answer = proposing("a", value=lambda order: {"values": [next(judgements)]})
    state = search(answer, depth=1, judgements=3)
    assert best_so_far(state)["value"] == 0.5
    assert state["spent"]["value"]["calls"] == 3


def test_several_samples_of_one_call_cost_one_call() -> None:
    answer = proposing("a", value=lambda order: {"values": [0.25, 0.75, 0.5][: order["count"]]})
    state = search(answer, depth=1, judgements=3, batched=True)
    assert best_so_far(state)["value"] == 0.5
    assert state["spent"]["value"]["calls"] == 1


@settings(max_examples=300, deadline=None)
@given(salt=st.integers(0, 10**6), given=chosen())
def test_a_thought_is_never_judged_twice(salt: int, given: dict[str, Any]) -> None:
    judged: Counter[tuple[str, int]] = Counter()

    def answer(order: Order) -> Any:
        if order["kind"] == "value":
            judged[order["thoughts"][0]["text"].casefold(), order["sample"]] += 1
        if order["kind"] == "vote":
            texts = [thought["text"].casefold() for thought in order["thoughts"]]
            assert len(texts) == len(set(texts))
        return chaos(salt)(order)

    search(answer, "?", **given)
    assert all(count == 1 for count in judged.values())


def test_a_twin_that_is_kept_has_its_original_s_value() -> None:
    values = {"a": 0.25, "b": 0.75}
    answer = proposing(
        "a", " A", "b", value=lambda order: {"values": [values[order["thoughts"][0]["text"]]]}
    )
    nodes = search(answer, depth=1, twins="keep")["nodes"]
    assert [node["value"] for node in nodes[1:]] == [0.25, 0.25, 0.75]


def test_votes_are_turned_back_from_their_labels() -> None:
    def vote(order: Order) -> Any:
        labels = {thought["text"]: thought["label"] for thought in order["thoughts"]}
        return {"votes": [labels["c"] if order["sample"] else f" {labels['a'].lower()} "]}

    answer = proposing("a", "b", "c", "d", vote=vote)
    state = search(answer, controller="greedy", judge="vote", judgements=4, depth=1)
    assert [node["value"] for node in state["nodes"][1:]] == [0.25, 0.0, 0.75, 0.0]
    assert best_so_far(state)["text"] == "c"


def test_a_judge_that_always_takes_the_first_prefers_nobody() -> None:
    answer = proposing("a", "b", "c", "d", vote={"votes": ["A"]})
    state = search(
        answer, controller="greedy", judge="vote", judgements=900, depth=1, most_calls=1000
    )
    assert all(abs((node["value"] or 0) - 0.25) < 0.06 for node in state["nodes"][1:])


def test_a_ballot_tells_nothing_but_the_thoughts() -> None:
    """Two runs that differ in who was first alone show the same ballots once sorted."""
    ballots: list[list[str]] = []

    def vote(order: Order) -> Any:
        assert {key for thought in order["thoughts"] for key in thought} == {
            *("label", "text", "data", "final", "path")
        }
        assert [thought["label"] for thought in order["thoughts"]] == ["A", "B", "C"]
        assert order["key"] == f"1.vote.{order['sample']}"
        ballots.append([thought["text"] for thought in order["thoughts"]])
        return {"votes": ["A"]}

    for texts in (("a", "b", "c"), ("c", "b", "a")):
        search(proposing(*texts, vote=vote), controller="beam", judge="vote", judgements=8, depth=1)
    assert len({json.dumps(ballot) for ballot in ballots}) > 1
    assert {frozenset(ballot) for ballot in ballots} == {frozenset("abc")}


def test_one_seed_shows_the_same_ballots_and_another_does_not() -> None:
    def ballots(seed: int) -> list[list[str]]:
        seen: list[list[str]] = []

        def vote(order: Order) -> Any:
            seen.append([thought["text"] for thought in order["thoughts"]])
            return {"votes": ["A"]}

        answer = proposing(*"abcdef", vote=vote)
        search(
            answer, controller="greedy", judge="vote", judgements=5, depth=1, branching=6, seed=seed
        )
        return seen

    assert ballots(1) == ballots(1)
    assert ballots(1) != ballots(2)


def test_nobody_votes_on_a_single_thought() -> None:
    state = search(proposing("a"), controller="greedy", judge="vote", depth=1)
    assert best_so_far(state)["value"] == 1.0
    assert "vote" not in state["spent"]


def test_labels_do_not_run_out() -> None:
    assert [label(place) for place in (0, 25, 26, 51, 52)] == ["A", "Z", "AA", "ZZ", "AAA"]
    assert len({label(place) for place in range(200)}) == 200


@pytest.mark.parametrize("check", ["function", "call"])
def test_the_search_stops_at_a_proof_and_pays_no_judge_for_it(check: str) -> None:
    answer = proposing("1", "4", check=lambda o: {"verified": o["thoughts"][0]["text"] == "4"})
    state = search(answer, depth=1, check=check)
    found = best_so_far(state)
    assert (found["text"], found["verified"], found["ended"]) == ("4", True, "verified")
    assert "value" not in state["spent"]
    assert state["spent"]["check"]["calls"] == (2 if check == "call" else 0)


def test_what_no_checker_could_prove_has_its_value_and_is_not_called_verified() -> None:
    answer = proposing("a", "b", check={"error": "away"}, value={"values": [0.5]})
    found = best_so_far(search(answer, depth=1, check="call"))
    assert (found["value"], found["verified"], found["status"]) == (0.5, False, "answer")


def test_a_refuted_answer_does_not_stop_best_first_and_comes_last() -> None:
    """The answer found first is refuted, and the search goes on to the next."""
    tree = {"?": ["a", "b"], "a": ["wrong"], "b": ["right"]}
    values = {"a": 0.9, "b": 0.1}

    def answer(order: Order) -> Any:
        text = order["thoughts"][0]["text"]
        if order["kind"] == "propose":
            return {"candidates": tree[text]}
        if order["kind"] == "check":
            return {"verified": text == "right"}
        return {"values": [values[text]]}

    assert best_so_far(search(answer, "?", depth=2, check="call"))["path"] == ["b", "right"]
    tree["b"] = ["wrong too"]
    found = best_so_far(search(answer, "?", depth=2, check="call"))
    assert (found["text"], found["verified"], found["ended"]) == ("a", False, "complete")


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
    assert (best_so_far(state)["text"], best_so_far(state)["value"]) == ("known", 0.75)
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
