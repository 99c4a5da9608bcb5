"""What is asked of the simulated sorter, read from the words and the form of a question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reasonloom.evals.simulated.passages import (
    MOST_ATTEMPTS,
    MOST_NUMBERS,
    Unreadable,
    count,
    form_of,
    numbers,
    passages,
)

FORMS: dict[str, dict[str, Any]] = {
    "sorted_lists": {"sorted_lists": [[0]]},
    "parts": {"parts": [[0]]},
    "parts, sorted_parts, sorted": {"parts": [[0]], "sorted_parts": [[0]], "sorted": [0]},
}
KINDS = {
    ("sorted_lists", frozenset({"numbers", "attempts"})): "sort",
    ("sorted_lists", frozenset({"numbers", "flawed", "attempts"})): "repair",
    ("sorted_lists", frozenset({"first", "second", "attempts"})): "merge",
    ("parts", frozenset({"numbers", "size"})): "split",
    ("parts, sorted_parts, sorted", frozenset({"numbers"})): "chain",
}
"""What is meant, by the form asked for and the passages there are."""

LISTS = {"repair": ("numbers", "flawed"), "merge": ("first", "second")}
"""The passages that hold lists, of the kinds that have more than `numbers`."""

MOST_PARTS = 100


@dataclass(frozen=True, slots=True)
class Request:
    """A readable question: its kind, its lists of digits by passage, and how many are asked for.

    Attributes:
        lists: `numbers`, and `flawed` of a repair; or `first` and `second`.
        attempts: answers asked for in this call.
        size: of a split's parts.
    """

    kind: str
    lists: dict[str, list[int]]
    attempts: int = 1
    size: int = 1


def read(words: str, schema: dict[str, Any] | None) -> Request:
    """Return what a question asks for.

    Raises:
        Unreadable: it is no such question, or ill-formed.
    """
    form, told = form_of(schema, FORMS), passages(words)
    kind = KINDS.get((form, frozenset(told)))
    if kind is None:
        raise Unreadable("I know sort, chain, split, merge and repair; it is none of them.")
    lists = {name: _digits(told, name) for name in LISTS.get(kind, ("numbers",))}
    size = count(told, "size", MOST_NUMBERS) if "size" in told else 1
    if kind == "split" and len(lists["numbers"]) > MOST_PARTS * size:
        raise Unreadable(f"size makes more than {MOST_PARTS} parts.")
    attempts = count(told, "attempts", MOST_ATTEMPTS) if "attempts" in told else 1
    return Request(kind=kind, lists=lists, attempts=attempts, size=size)


def _digits(told: dict[str, str], name: str) -> list[int]:
    found = numbers(told, name)
    if any(each > 9 for each in found) or (not found and name == "numbers"):  # noqa: PLR2004
        raise Unreadable(f"{name} should be a list of digits from 0 to 9.")
    return found
