"""What is asked of the simulated intersecter, read from the words and form of a question."""

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
    "intersections": {"intersections": [[0]]},
    "unions": {"unions": [[0]]},
    "parts": {"parts": [[0]]},
}
KINDS = {
    ("intersections", frozenset({"first", "second", "attempts"})): "intersect",
    ("unions", frozenset({"first", "second", "attempts"})): "union",
    ("parts", frozenset({"numbers", "size"})): "split",
}
"""What is meant, by the form asked for and the passages there are."""

MOST_PARTS = 100


@dataclass(frozen=True, slots=True)
class Request:
    """A readable question: its kind, its sets in the order of the question, and how many answers.

    `size` is that of a split's parts.
    """

    kind: str
    sets: list[list[int]]
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
        raise Unreadable("I know intersect, split and union; it is none of them.")
    if kind != "split":
        sets = [_set(told, "first"), _set(told, "second")]
        return Request(kind, sets, attempts=count(told, "attempts", MOST_ATTEMPTS))
    whole, size = _set(told, "numbers"), count(told, "size", MOST_NUMBERS)
    if not 0 < len(whole) <= MOST_PARTS * size:
        raise Unreadable(f"size should make 1 to {MOST_PARTS} parts.")
    return Request(kind, [whole], size=size)


def _set(told: dict[str, str], name: str) -> list[int]:
    """Return a set in its order; a number twice in it is there once."""
    return [*dict.fromkeys(numbers(told, name))]
