"""A plan asks only what its task has, and of as many thoughts as a question takes."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from reasonloom.errors import InvalidArgument
from reasonloom.nodes.thought_graph.operations.machine import start_plan
from reasonloom.nodes.thought_graph.operations.outcome import outcome
from reasonloom.nodes.thought_graph.operations.tasks.general import GENERAL
from reasonloom.nodes.thought_graph.operations.tasks.sorting import SORTING
from tests.nodes.thought_graph.operations.worlds import plan, run


@pytest.mark.parametrize(
    ("operation", "field"),
    [
        ({"do": "aggregate"}, "size"),
        ({"do": "aggregate", "size": 3}, "size"),
        ({"do": "aggregate", "move": "generate", "size": 2}, "move"),
        ({"do": "generate", "move": "aggregate"}, "move"),
        ({"do": "refine", "move": "aggregate"}, "move"),
        ({"do": "repeat", "body": [{"do": "aggregate"}]}, "size"),
    ],
)
def test_a_question_about_too_many_or_too_few_thoughts_is_refused(
    operation: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidArgument) as refused:
        start_plan(plan(operation), "[1, 0]", SORTING)
    assert refused.value.field == field


@pytest.mark.parametrize(
    "operation",
    [
        {"do": "generate", "id": "start"},
        {"do": "generate", "id": "repeat1.1.1"},
        {"do": "generate", "id": "a/0"},
        {"do": "repeat", "body": [{"do": "score", "id": "x"}]},
        {"do": "repeat", "body": [{"do": "score", "after": ["start"]}]},
    ],
)
def test_names_that_could_be_mistaken_are_refused(operation: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        plan(operation)


def answer(order: Any) -> Any:
    return {"candidates": [{"text": f"{order['key']}.{n}"} for n in range(order["count"])]}


def test_an_operation_can_go_back_to_the_problem() -> None:
    given = plan(
        {"do": "generate", "id": "one"},
        {"do": "generate", "id": "two", "after": ["start"]},
        {"do": "aggregate", "after": ["one", "two"]},
    )
    came = outcome(run(given, answer))
    assert came["best"] is not None
    assert came["best"]["parents"] == ["one/0.0", "two/0.0"]


def test_a_repetition_without_a_condition_goes_round_as_often_as_told() -> None:
    given = plan({"do": "repeat", "most": 4, "body": [{"do": "generate"}]})
    state = run(given, answer, task=GENERAL)
    assert (state["steps"]["repeat1"]["round"], outcome(state)["calls"]) == (4, 4)
