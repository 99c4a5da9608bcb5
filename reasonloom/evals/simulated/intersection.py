"""A simulated model that splits, intersects and unites sets of numbers, with random slips.

It sees only the text of a question and the schema of the answer. To draw another answer to the same
question, set `Ask.sample`; the answers of one call are numbered from it.

The constants were fixed before any controller was written. Source: the success table that
Reinforced Graph of Thoughts (Riesen) measured with GPT-3.5 (gpt-3.5-turbo-0125) for two sets of
equal size, one answer each.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from reasonloom.evals.simulated.conversation import (
    GPT_35,
    MOST_ATTEMPTS,
    MOST_NUMBERS,
    SimulatedModel,
    Unreadable,
    count,
    form_of,
    numbers,
    passages,
)
from reasonloom.evals.simulated.draw import along, stream
from reasonloom.llm.interfaces import Ask, Usage

SUCCESS: Final = {16: 0.92, 24: 0.46, 28: 0.29, 32: 0.18}
"""Share of answers without an error, by the size of each set. Measured."""

SLIP: Final = {0: 0.0} | {size: 1 - share ** (1 / size) for size, share in SUCCESS.items()}
"""Probability of a slip per number looked up, by size. Solved from `SUCCESS`.

Assumed: the numbers of the shorter set are looked up independently, one by one; a common number is
missed as often as another is invented, so success does not depend on the overlap. The one worked
example published with the task (10 answers) has only misses, 5 of 45, and repeats, which are not
simulated. Samples are independent because no figures on their similarity were published, so
sampling may gain more here than with a real model.

The rate is interpolated between the sizes. Nothing was measured beyond 32: it is extrapolated with
the slope between 28 and 32 (.124 at 64, .267 at 128), up to `MOST_SLIP`.

For sets of different sizes the mean size is used. Assumed; in the worked example, 32 numbers
against 16, 6 of 10 answers are right, and this gives .60.
"""

MOST_SLIP: Final = 0.5
"""Upper bound of the slip rate: no number is more likely wrong than right. Assumed."""

UNION_SUCCESS: Final = 0.99
"""Share of faultless answers when joining two lists into one of 32 numbers.

Measured, but taken from the same source's table for merging sorted lists: it has none for unions.
"""

UNION_SIZE: Final = 32

UNION_SLIP: Final = 1 - UNION_SUCCESS ** (1 / UNION_SIZE)
"""Probability that a union omits a number, at any size. Solved; growth with size is unknown."""

TOKENS: Final = 3
"""Tokens of one number in a list, including commas and brackets. Measured."""

PROMPT_TOKENS: Final = {"intersect": 845, "union": 57}
"""Tokens of the published prompts without their lists (cl100k). Measured."""

SPLIT_TOKENS: Final = {32: 341, 64: 600, 128: 1100}
"""Tokens of the published split prompts, by the size of the set to split.

32 is measured. 64 and 128 are taken from the sorting prompts, which are built alike, plus the
difference at 32.
"""

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
"""The kind of request, by the requested form and the passages present."""

MOST_PARTS = 100


@dataclass(frozen=True, slots=True)
class Request:
    """A parsed request: its kind, its sets in order, and the number of answers.

    `size` is the size of a split's parts.
    """

    kind: str
    sets: list[list[int]]
    attempts: int = 1
    size: int = 1


def read_request(words: str, schema: dict[str, Any] | None) -> Request:
    """Parse a question; raises Unreadable if it is none of the known kinds."""
    form, found = form_of(schema, FORMS), passages(words)
    kind = KINDS.get((form, frozenset(found)))
    if kind is None:
        raise Unreadable("I know intersect, split and union; it is none of them.")
    if kind != "split":
        sets = [_set(found, "first"), _set(found, "second")]
        return Request(kind, sets, attempts=count(found, "attempts", MOST_ATTEMPTS))
    whole, size = _set(found, "numbers"), count(found, "size", MOST_NUMBERS)
    if not 0 < len(whole) <= MOST_PARTS * size:
        raise Unreadable(f"size should make 1 to {MOST_PARTS} parts.")
    return Request(kind, [whole], size=size)


def _set(found: dict[str, str], name: str) -> list[int]:
    """Parse a set, preserving order and removing duplicates."""
    return [*dict.fromkeys(numbers(found, name))]


class SimulatedIntersecter(SimulatedModel):
    """Answers questions about sets at the error rates measured for GPT-3.5, seeded by `seed`."""

    name = "simulated:intersection"
    price = GPT_35

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def respond(self, question: tuple[str, str], ask: Ask) -> tuple[dict[str, Any], Usage]:
        """Split a set, or return as many attempts as requested."""
        request = read_request(question[1], ask.schema)
        if request.kind == "split":
            return self._split(request)
        return self._attempts(request, ask.sample)

    def _split(self, request: Request) -> tuple[dict[str, Any], Usage]:
        """Split a set, without slips."""
        (whole,) = request.sets
        parts = [whole[at : at + request.size] for at in range(0, len(whole), request.size)]
        prompt = max(0.0, along(SPLIT_TOKENS, len(whole)))
        return {"parts": parts}, _usage(prompt, len(whole), len(whole))

    def _attempts(self, request: Request, sample: int) -> tuple[dict[str, Any], Usage]:
        """Intersect or unite once per attempt; the prompt is charged once per call."""
        name, made = _ATTEMPTS[request.kind]
        first, second = request.sets
        item, state = json.dumps(first), json.dumps(second)
        answers = [
            made(stream(self._seed, item, request.kind, state, number), first, second)
            for number in range(sample, sample + request.attempts)
        ]
        numbers_in, numbers_out = len(first) + len(second), sum(map(len, answers))
        return {name: answers}, _usage(PROMPT_TOKENS[request.kind], numbers_in, numbers_out)


def slip_rate(first: int, second: int) -> float:
    """Return the probability of a slip per number looked up, for two sets of these sizes."""
    return min(MOST_SLIP, along(SLIP, (first + second) / 2))


def _intersect(chance: Random, first: list[int], second: list[int]) -> list[int]:
    """Look up each number of the shorter set in the other; a slip inverts the result."""
    looked_up, other = sorted((first, second), key=len)
    present, rate = set(other), slip_rate(len(first), len(second))
    return [each for each in looked_up if (each in present) != (chance.random() < rate)]


def _unite(chance: Random, first: list[int], second: list[int]) -> list[int]:
    """Append the second set to the first; a slip omits a number."""
    both = dict.fromkeys([*first, *second])
    return [each for each in both if chance.random() >= UNION_SLIP]


_ATTEMPTS: dict[str, tuple[str, Callable[[Random, list[int], list[int]], list[int]]]] = {
    "intersect": ("intersections", _intersect),
    "union": ("unions", _unite),
}


def _usage(prompt: float, numbers_in: int, numbers_out: int) -> Usage:
    return GPT_35.usage(prompt + TOKENS * numbers_in, TOKENS * numbers_out)
