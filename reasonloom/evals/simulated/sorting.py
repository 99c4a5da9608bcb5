"""A simulated model that sorts, splits, merges and repairs lists of digits, with random slips.

It sees only the text of a question and the schema of the answer. Slips are drawn independently for
every sample, because no figures on the similarity of answers were published. To draw another answer
to the same question, set `Ask.sample`; the answers of one call are numbered from it.

The constants were fixed before any controller was written. "Fitted": chosen to reproduce the
figures of the Graph of Thoughts poster (GPT-3.5, temperature 1.0, lists of 64, vector coordinates
of its box plot): median errors 40.5 for one answer, 20 for a chain, 16 for a tree, 7 for the
graph. They were picked from a grid by the 64-element quartiles with the rows for 32 and 128 known,
so errors at 128 are weak evidence. "Measured": counted on the published prompts. Prices were never
fitted.
"""

import json
import math
from collections.abc import Callable, Sequence
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

SORT_HALF: Final = 50.0
"""List length at which one answer has slips in half of the digits. Fitted."""

SORT_STEEPNESS: Final = 3.0
"""Steepness of the growth of slips with the length around `SORT_HALF`. Fitted."""

SORT_SHAPE: Final = 6.0
"""Gamma shape of an answer's slips. Fitted to quartiles 28 and 55; yields 29 and 50."""

CHAIN_SHARE: Final = 0.48
"""Slips of a chain, which sorts short parts, as a share of one answer's. Fitted."""

CHAIN_SHAPE: Final = 9.0
"""Gamma shape of a chain's slips. Fitted to quartiles 16 and 25."""

CHAIN_PART: Final = 16
"""Digits per part of a chain, as in the published prompt."""

MERGE_AT_64: Final = 11.5
"""Mean slips of one merge into 64 digits. Fitted."""

MERGE_POWER: Final = 1.25
"""Exponent of the growth of a merge's slips with its length. Fitted with 128 known."""

MERGE_SHAPE: Final = 4.5
"""Gamma shape of a merge's slips. Fitted."""

MENDED: Final = 0.10
"""Probability that a repair mends an error in a count, independently. Fitted."""

FRESH: Final = 1.0
"""New slips of a repair, as a share of those made when sorting from scratch. Fitted."""

TOO_OFTEN: Final = 2 / 3
"""Probability that slips make a digit too frequent rather than too rare. Assumed."""

TOKENS: Final = 3
"""Tokens of one number in a list. Measured."""

PROMPT_TOKENS: Final = {"sort": 739, "chain": 1510, "repair": 1271, "merge": 171}
"""Tokens of the published prompts without their lists. Measured."""

SPLIT_TOKENS: Final = {32: 333, 64: 592, 128: 1092}
"""Tokens of the published split prompts, by the length of the list to split. Measured."""

DIGITS = 10
MOST_A_NUMBER = 10
"""Maximum slips per number of an answer."""


def sort_mean(length: int) -> float:
    """Return the mean slips of one answer that sorts `length` digits."""
    return length / (1 + math.pow(SORT_HALF / length, SORT_STEEPNESS)) if length else 0


def merge_mean(length: int) -> float:
    """Return the mean slips of one merge into `length` digits."""
    return MERGE_AT_64 * math.pow(length / 64, MERGE_POWER)


def counts(numbers: Sequence[int]) -> list[int]:
    """Return how often each digit occurs."""
    return [numbers.count(digit) for digit in range(DIGITS)]


def spread(tally: Sequence[int]) -> list[int]:
    """Return the sorted list with these counts."""
    return [digit for digit, times in enumerate(tally) for _ in range(times)]


def slip(chance: Random, tally: Sequence[int], mean: float, shape: float) -> list[int]:
    """Return the digit counts of an answer whose right counts are `tally`.

    The number of slips is gamma distributed with this mean and shape. All slips of a digit go in
    one direction, so that each adds an error; a count of 0 always increases.
    """
    slipped = list(tally)
    drawn = chance.gammavariate(shape, mean / shape) if mean > 0 else 0.0
    whole = int(drawn) + (chance.random() < drawn - int(drawn))
    ways = [1 if chance.random() < TOO_OFTEN else -1 for _ in range(DIGITS)]
    for _ in range(min(whole, MOST_A_NUMBER * sum(tally))):
        digit = chance.randrange(DIGITS)
        slipped[digit] += ways[digit] if slipped[digit] + ways[digit] >= 0 else 1
    return slipped


def mend(chance: Random, tally: Sequence[int], flawed: Sequence[int]) -> list[int]:
    """Return the counts `flawed` after mending some of the deviations from `tally`."""
    mended = []
    for right, wrong in zip(tally, flawed, strict=True):
        left = sum(chance.random() >= MENDED for _ in range(abs(wrong - right)))
        mended.append(right + (left if wrong > right else -left))
    return mended


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
"""The kind of request, by the requested form and the passages present."""

LISTS = {"repair": ("numbers", "flawed"), "merge": ("first", "second")}
"""The list passages of kinds that do not have just `numbers`."""

MOST_PARTS = 100


@dataclass(frozen=True, slots=True)
class Request:
    """A parsed request; `lists` has `numbers` (and `flawed` to repair), or `first` and `second`."""

    kind: str
    lists: dict[str, list[int]]
    attempts: int = 1
    size: int = 1


def read_request(words: str, schema: dict[str, Any] | None) -> Request:
    """Parse a question; raises Unreadable if it is none of the known kinds."""
    form, found = form_of(schema, FORMS), passages(words)
    kind = KINDS.get((form, frozenset(found)))
    if kind is None:
        raise Unreadable("I know sort, chain, split, merge and repair; it is none of them.")
    lists = {name: _digits(found, name) for name in LISTS.get(kind, ("numbers",))}
    size = count(found, "size", MOST_NUMBERS) if "size" in found else 1
    if kind == "split" and len(lists["numbers"]) > MOST_PARTS * size:
        raise Unreadable(f"size makes more than {MOST_PARTS} parts.")
    attempts = count(found, "attempts", MOST_ATTEMPTS) if "attempts" in found else 1
    return Request(kind=kind, lists=lists, attempts=attempts, size=size)


def _digits(found_passages: dict[str, str], name: str) -> list[int]:
    found = numbers(found_passages, name)
    if any(each > 9 for each in found) or (not found and name == "numbers"):  # noqa: PLR2004
        raise Unreadable(f"{name} should be a list of digits from 0 to 9.")
    return found


class SimulatedSorter(SimulatedModel):
    """Answers questions about lists of digits at GPT-3.5's published rates, seeded by `seed`."""

    name = "simulated:sorting"
    price = GPT_35

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def respond(self, question: tuple[str, str], ask: Ask) -> tuple[dict[str, Any], Usage]:
        """Split, sort in a chain, or return as many attempts as requested."""
        request = read_request(question[1], ask.schema)
        return _ANSWERS[request.kind](self, request, ask.sample)

    def _attempts(self, request: Request, sample: int) -> tuple[dict[str, Any], Usage]:
        """Sort, merge or repair once per attempt; the prompt is charged once per call."""
        given = list(request.lists.values())
        item, *rest = map(json.dumps, given)
        attempt, state = _ATTEMPTS[request.kind], "".join(rest)
        made = [
            attempt(stream(self._seed, item, request.kind, state, number), *given)
            for number in range(sample, sample + request.attempts)
        ]
        usage = _usage(PROMPT_TOKENS[request.kind], sum(map(len, given)), sum(map(sum, made)))
        return {"sorted_lists": [*map(spread, made)]}, usage

    def _chain(self, request: Request, sample: int) -> tuple[dict[str, Any], Usage]:
        """Sort in parts and merge them; the slips occur in the parts."""
        numbers = request.lists["numbers"]
        chance = stream(self._seed, json.dumps(numbers), "chain", sample=sample)
        mean = CHAIN_SHARE * sort_mean(len(numbers))
        tally = slip(chance, counts(numbers), mean, CHAIN_SHAPE)
        parts = _cut(numbers, CHAIN_PART)
        sorted_parts = _distribute(chance, [counts(part) for part in parts], tally)
        # Billed as in the prototype: parts and sorted parts each count as the length of the list.
        usage = _usage(PROMPT_TOKENS["chain"], len(numbers), sum(tally) + 2 * len(numbers))
        return {"parts": parts, "sorted_parts": sorted_parts, "sorted": spread(tally)}, usage

    def _split(self, request: Request, _: int) -> tuple[dict[str, Any], Usage]:
        """Split a list, without slips."""
        numbers = request.lists["numbers"]
        prompt = max(0.0, along(SPLIT_TOKENS, len(numbers)))
        parts = _cut(numbers, request.size)
        return {"parts": parts}, _usage(prompt, len(numbers), len(numbers))


_ANSWERS = {
    "sort": SimulatedSorter._attempts,
    "merge": SimulatedSorter._attempts,
    "repair": SimulatedSorter._attempts,
    "chain": SimulatedSorter._chain,
    "split": SimulatedSorter._split,
}


def _sort(chance: Random, numbers: list[int]) -> list[int]:
    return slip(chance, counts(numbers), sort_mean(len(numbers)), SORT_SHAPE)


def _merge(chance: Random, first: list[int], second: list[int]) -> list[int]:
    both = first + second
    return slip(chance, counts(both), merge_mean(len(both)), MERGE_SHAPE)


def _repair(chance: Random, numbers: list[int], flawed: list[int]) -> list[int]:
    mended = mend(chance, counts(numbers), counts(flawed))
    return slip(chance, mended, FRESH * sort_mean(len(numbers)), SORT_SHAPE)


_ATTEMPTS: dict[str, Callable[..., list[int]]] = {"sort": _sort, "merge": _merge, "repair": _repair}


def _cut(numbers: list[int], size: int) -> list[list[int]]:
    return [numbers[start : start + size] for start in range(0, len(numbers), size)]


def _distribute(chance: Random, parts: list[list[int]], tally: list[int]) -> list[list[int]]:
    """Return the sorted parts, with slips distributed so that their counts add up to `tally`."""
    for digit, times in enumerate(tally):
        while (wrong := times - sum(part[digit] for part in parts)) != 0:
            able = parts if wrong > 0 else [part for part in parts if part[digit] > 0]
            chance.choice(able)[digit] += 1 if wrong > 0 else -1
    return [*map(spread, parts)]


def _usage(prompt: float, numbers_in: int, numbers_out: int) -> Usage:
    return GPT_35.usage(prompt + TOKENS * numbers_in, TOKENS * numbers_out)
