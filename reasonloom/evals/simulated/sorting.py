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
from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar, Final

from reasonloom.evals.simulated.conversation import Unreadable
from reasonloom.evals.simulated.draw import stream
from reasonloom.evals.simulated.number_lists import (
    MOST_PARTS,
    Answered,
    ListModel,
    Request,
    cut,
    list_usage,
)

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


def _sort(chance: Random, numbers: list[int]) -> list[int]:
    return spread(slip(chance, counts(numbers), sort_mean(len(numbers)), SORT_SHAPE))


def _merge(chance: Random, first: list[int], second: list[int]) -> list[int]:
    both = first + second
    return spread(slip(chance, counts(both), merge_mean(len(both)), MERGE_SHAPE))


def _repair(chance: Random, numbers: list[int], flawed: list[int]) -> list[int]:
    mended = mend(chance, counts(numbers), counts(flawed))
    return spread(slip(chance, mended, FRESH * sort_mean(len(numbers)), SORT_SHAPE))


def _distribute(chance: Random, parts: list[list[int]], tally: list[int]) -> list[list[int]]:
    """Return the sorted parts, with slips distributed so that their counts add up to `tally`."""
    for digit, times in enumerate(tally):
        while (wrong := times - sum(part[digit] for part in parts)) != 0:
            able = parts if wrong > 0 else [part for part in parts if part[digit] > 0]
            chance.choice(able)[digit] += 1 if wrong > 0 else -1
    return [*map(spread, parts)]


class SimulatedSorter(ListModel):
    """Answers questions about lists of digits at GPT-3.5's published rates, seeded by `seed`."""

    name = "simulated:sorting"
    forms: ClassVar = {
        "sorted_lists": {"sorted_lists": [[0]]},
        "parts": {"parts": [[0]]},
        "parts, sorted_parts, sorted": {"parts": [[0]], "sorted_parts": [[0]], "sorted": [0]},
    }
    kinds: ClassVar = {
        ("sorted_lists", frozenset({"numbers", "attempts"})): "sort",
        ("sorted_lists", frozenset({"numbers", "flawed", "attempts"})): "repair",
        ("sorted_lists", frozenset({"first", "second", "attempts"})): "merge",
        ("parts", frozenset({"numbers", "size"})): "split",
        ("parts, sorted_parts, sorted", frozenset({"numbers"})): "chain",
    }
    known = "sort, chain, split, merge and repair"
    lists: ClassVar = {"repair": ("numbers", "flawed"), "merge": ("first", "second")}
    too_many = f"size makes more than {MOST_PARTS} parts."
    making: ClassVar = {
        "sort": ("sorted_lists", _sort),
        "merge": ("sorted_lists", _merge),
        "repair": ("sorted_lists", _repair),
    }
    prompt_tokens, split_tokens = PROMPT_TOKENS, SPLIT_TOKENS

    def read_list(self, found: Mapping[str, str], name: str) -> list[int]:
        """Parse a list of digits; only `numbers` must not be empty."""
        read = super().read_list(found, name)
        if any(each > 9 for each in read) or (not read and name == "numbers"):  # noqa: PLR2004
            raise Unreadable(f"{name} should be a list of digits from 0 to 9.")
        return read

    def answered(self, request: Request, sample: int) -> Answered:
        """Sort in a chain: in parts, where the slips occur, and merge them; else as the base."""
        if request.kind != "chain":
            return super().answered(request, sample)
        (numbers,) = request.lists
        chance = stream(self._seed, json.dumps(numbers), "chain", sample=sample)
        mean = CHAIN_SHARE * sort_mean(len(numbers))
        tally = slip(chance, counts(numbers), mean, CHAIN_SHAPE)
        parts = cut(numbers, CHAIN_PART)
        sorted_parts = _distribute(chance, [counts(part) for part in parts], tally)
        # Billed as in the prototype: parts and sorted parts each count as the length of the list.
        numbers_out = sum(tally) + 2 * len(numbers)
        usage = list_usage(PROMPT_TOKENS["chain"], len(numbers), numbers_out)
        return {"parts": parts, "sorted_parts": sorted_parts, "sorted": spread(tally)}, usage
