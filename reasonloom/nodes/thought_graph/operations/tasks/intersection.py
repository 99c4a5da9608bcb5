"""Intersecting two sets of numbers by cutting one of them (Besta et al. 2024, 5.2).

A thought's data holds the numbers found, and the two sets that should both contain them.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from reasonloom.errors import InvalidArgument
from reasonloom.nodes.thought_graph.operations.state import WHOLE, Thought
from reasonloom.nodes.thought_graph.operations.task import (
    Candidate,
    Check,
    Move,
    Task,
    TaskQuestion,
    Verdict,
)

PART = 16
"""Numbers per piece of a cut set, as in the published graphs."""

FORM = 'problem must be JSON of two sets of whole numbers, such as {"first": [1, 2], "second": [2]}'


def begin(problem: str) -> dict[str, Any]:
    """Parse a problem: a JSON object with two lists of distinct integers, `first` and `second`.

    Raises:
        InvalidArgument: the problem has another form.
    """
    try:
        given = json.loads(problem)
    except ValueError:
        given = None
    if not isinstance(given, dict) or set(given) != {"first", "second"}:
        raise InvalidArgument(FORM, field="problem")
    for numbers in given.values():
        if not _is_set(numbers):
            raise InvalidArgument(FORM, field="problem")
    return {"found": [], **given}


def _is_set(numbers: object) -> bool:
    whole = isinstance(numbers, list) and numbers and all(type(each) is int for each in numbers)
    return bool(whole) and len(set(numbers)) == len(numbers)  # type: ignore[call-overload,arg-type]


def _candidate(found: Sequence[int], first: Sequence[int], second: Sequence[int]) -> Candidate:
    data = {"found": list(found), "first": list(first), "second": list(second)}
    return Candidate(json.dumps([data["found"], data["first"]]), data)


def _split_variables(question: TaskQuestion) -> dict[str, Any]:
    return {"numbers": json.dumps(question.thoughts[0]["data"]["second"]), "size": PART}


def _read_split(question: TaskQuestion, answer: Mapping[str, Any]) -> list[Candidate]:
    """Return the pieces; pieces that do not add up to the set are rejected."""
    data = question.thoughts[0]["data"]
    if [number for part in answer["parts"] for number in part] != data["second"]:
        raise ValueError("the parts are not the set")
    return [_candidate([], part, data["first"]) for part in answer["parts"] if part]


def _intersect_variables(question: TaskQuestion) -> dict[str, Any]:
    data = question.thoughts[0]["data"]
    return {
        "first": json.dumps(data["first"]),
        "second": json.dumps(data["second"]),
        "attempts": question.count,
    }


def _read_intersections(question: TaskQuestion, answer: Mapping[str, Any]) -> list[Candidate]:
    data = question.thoughts[0]["data"]
    found = answer["intersections"][: question.count]
    return [_candidate(each, data["first"], data["second"]) for each in found]


def _union_variables(question: TaskQuestion) -> dict[str, Any]:
    first, second = (json.dumps(each["data"]["found"]) for each in question.thoughts)
    return {"first": first, "second": second, "attempts": question.count}


def _read_unions(question: TaskQuestion, answer: Mapping[str, Any]) -> list[Candidate]:
    first = [number for each in question.thoughts for number in each["data"]["first"]]
    second = question.thoughts[0]["data"]["second"]
    return [_candidate(each, first, second) for each in answer["unions"][: question.count]]


def errors(truth: Iterable[int], answer: Sequence[int]) -> int:
    """Return the number of missing, surplus and duplicate numbers in an answer."""
    wanted, got = set(truth), set(answer)
    return len(wanted ^ got) + len(answer) - len(got)


def common(problem: Thought, thought: Thought) -> set[int]:
    """Return the numbers that a thought should have found.

    A thought about the whole problem is compared with the problem's own sets, since numbers lost in
    a cut are also missing from the data it was derived from.
    """
    data = (problem if thought["part"] == WHOLE else thought)["data"]
    return set(data["first"]) & set(data["second"])


def _judge(problem: Thought, thought: Thought) -> Verdict:
    wrong = errors(common(problem, thought), thought["data"]["found"])
    return Verdict(1 / (1 + wrong), wrong == 0)


INTERSECTION = Task(
    name="intersection",
    begin=begin,
    moves={
        "cut": Move("intersection/split", _split_variables, _read_split),
        "generate": Move("intersection/intersect", _intersect_variables, _read_intersections),
        "aggregate": Move(
            "intersection/union", _union_variables, _read_unions, "got_aggregate", takes=2
        ),
    },
    checks={"common": Check("local check", _judge)},
)
