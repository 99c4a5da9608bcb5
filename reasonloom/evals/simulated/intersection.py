"""A simulated model that splits, intersects and unites sets of numbers, with random slips.

It sees only the text of a question and the schema of the answer. To draw another answer to the same
question, set `Ask.sample`; the answers of one call are numbered from it.

The constants were fixed before any controller was written. Source: the success table that
Reinforced Graph of Thoughts (Riesen) measured with GPT-3.5 (gpt-3.5-turbo-0125) for two sets of
equal size, one answer each.
"""

from collections.abc import Mapping
from random import Random
from typing import ClassVar, Final

from reasonloom.evals.simulated.draw import along
from reasonloom.evals.simulated.number_lists import MOST_PARTS, ListModel

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

PROMPT_TOKENS: Final = {"intersect": 845, "union": 57}
"""Tokens of the published prompts without their lists (cl100k). Measured."""

SPLIT_TOKENS: Final = {32: 341, 64: 600, 128: 1100}
"""Tokens of the published split prompts, by the size of the set to split.

32 is measured. 64 and 128 are taken from the sorting prompts, which are built alike, plus the
difference at 32.
"""


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


class SimulatedIntersecter(ListModel):
    """Answers questions about sets at the error rates measured for GPT-3.5, seeded by `seed`."""

    name = "simulated:intersection"
    forms: ClassVar = {
        "intersections": {"intersections": [[0]]},
        "unions": {"unions": [[0]]},
        "parts": {"parts": [[0]]},
    }
    kinds: ClassVar = {
        ("intersections", frozenset({"first", "second", "attempts"})): "intersect",
        ("unions", frozenset({"first", "second", "attempts"})): "union",
        ("parts", frozenset({"numbers", "size"})): "split",
    }
    known = "intersect, split and union"
    lists: ClassVar = dict.fromkeys(("intersect", "union"), ("first", "second"))
    too_many = f"size should make 1 to {MOST_PARTS} parts."
    making: ClassVar = {"intersect": ("intersections", _intersect), "union": ("unions", _unite)}
    prompt_tokens, split_tokens = PROMPT_TOKENS, SPLIT_TOKENS

    def read_list(self, found: Mapping[str, str], name: str) -> list[int]:
        """Parse a set, preserving order and removing duplicates."""
        return [*dict.fromkeys(super().read_list(found, name))]
