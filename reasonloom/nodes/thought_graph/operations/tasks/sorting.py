"""Sorting lists of digits by cutting, sorting, merging and repairing (Besta et al. 2024, 5.1).

A thought's data holds its list (`list`), and the digits it should contain (`of`).
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
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

DIGITS = range(10)
PART = 16
"""Digits per piece of a cut list, as in the published graphs."""


def begin(problem: str) -> dict[str, Any]:
    """Parse a problem: a JSON list of digits.

    Raises:
        InvalidArgument: the problem has another form.
    """
    try:
        digits = json.loads(problem)
    except ValueError:
        digits = None
    valid = isinstance(digits, list) and all(type(d) is int and d in DIGITS for d in digits)
    if not digits or not valid:
        raise InvalidArgument(
            "problem must be a JSON list of digits, such as [3, 0, 7]", field="problem"
        )
    return {"list": digits, "of": digits}


def _candidate(digits: Sequence[int], of: Sequence[int]) -> Candidate:
    return Candidate(json.dumps(list(digits)), {"list": list(digits), "of": list(of)})


def _of(thought: Thought) -> list[int]:
    return list(thought["data"]["of"])


def _split_variables(question: TaskQuestion) -> dict[str, Any]:
    return {"numbers": json.dumps(_of(question.thoughts[0])), "size": PART}


def _read_split(question: TaskQuestion, answer: Mapping[str, Any]) -> list[Candidate]:
    """Return the pieces; pieces that do not add up to the list are rejected."""
    if [digit for part in answer["parts"] for digit in part] != _of(question.thoughts[0]):
        raise ValueError("the parts are not the list")
    return [_candidate(part, part) for part in answer["parts"] if part]


def _sort_variables(question: TaskQuestion) -> dict[str, Any]:
    return {"numbers": json.dumps(_of(question.thoughts[0])), "attempts": question.count}


def _read_sorted(question: TaskQuestion, answer: Mapping[str, Any]) -> list[Candidate]:
    of = [digit for each in question.thoughts for digit in _of(each)]
    return [_candidate(digits, of) for digits in answer["sorted_lists"][: question.count]]


def _chain_variables(question: TaskQuestion) -> dict[str, Any]:
    return {"numbers": json.dumps(_of(question.thoughts[0]))}


def _read_chain(question: TaskQuestion, answer: Mapping[str, Any]) -> list[Candidate]:
    return [_candidate(answer["sorted"], _of(question.thoughts[0]))]


def _merge_variables(question: TaskQuestion) -> dict[str, Any]:
    first, second = (json.dumps(each["data"]["list"]) for each in question.thoughts)
    return {"first": first, "second": second, "attempts": question.count}


def _repair_variables(question: TaskQuestion) -> dict[str, Any]:
    flawed = question.thoughts[0]["data"]["list"]
    return {
        "numbers": json.dumps(_of(question.thoughts[0])),
        "flawed": json.dumps(flawed),
        "attempts": question.count,
    }


def errors(original: Sequence[int], answer: Sequence[int]) -> int:
    """Return the error count of an answer, which is 0 only for the sorted `original`.

    The sum of the differences in digit counts, plus the number of descents (the published score).
    """
    wanted, got = Counter(original), Counter(answer)
    miscounted = sum(abs(wanted[each] - got[each]) for each in wanted.keys() | got.keys())
    return miscounted + sum(before > after for before, after in pairwise(answer))


def expected_digits(problem: Thought, thought: Thought) -> list[int]:
    """Return the digits that a thought should contain.

    A thought about the whole problem is compared with the problem's digits, since digits lost in a
    cut are also missing from the data it was derived from.
    """
    return _of(problem if thought["part"] == WHOLE else thought)


def _judge(problem: Thought, thought: Thought) -> Verdict:
    wrong = errors(expected_digits(problem, thought), thought["data"]["list"])
    return Verdict(1 / (1 + wrong), wrong == 0)


SORTING = Task(
    name="sorting",
    begin=begin,
    moves={
        "cut": Move("sorting/split", _split_variables, _read_split),
        "generate": Move("sorting/sort", _sort_variables, _read_sorted),
        "chain": Move("sorting/chain", _chain_variables, _read_chain),
        "aggregate": Move(
            "sorting/merge", _merge_variables, _read_sorted, "got_aggregate", takes=2
        ),
        "refine": Move("sorting/repair", _repair_variables, _read_sorted, "got_refine"),
    },
    checks={"sorted": Check("local check", _judge)},
)
