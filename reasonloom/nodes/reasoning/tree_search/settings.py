"""The settings of a search: controller, judge, stopping rules, and budget."""

import math
from dataclasses import dataclass

from reasonloom.errors import InvalidArgument

CHOICES = {
    "controller": ("greedy", "beam", "depth_first", "best_first", "uct"),
    "generate": ("propose", "sample"),
    "judge": ("value", "vote"),
    "check": ("none", "function", "call"),
    "twins": ("close", "keep"),
}
AT_LEAST_ONE = ("branching", "depth", "judgements", "width", "most_calls")
NOT_NEGATIVE = ("exploration", "expected_tokens", "expected_usd")
NOT_NEGATIVE_OR_NONE = ("novelty", "most_tokens", "most_usd", "most_seconds")
WIDE = ("beam", "best_first")
BY_BALLOT = ("greedy", "beam")
LARGEST = 1e15
"""Numbers with a larger absolute value are rejected, like non-finite ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """The settings of a search; those in `CHOICES` accept one of the values listed there.

    Attributes:
        controller: selects the thoughts to continue from.
        generate: `propose` requests all candidates in one call, `sample` uses one call for each.
        branching: candidates requested per thought.
        depth: steps from the problem to an answer; a thought at this depth is an answer.
        judge: `value` assigns each thought a number, `vote` picks the best of a round.
        judgements: values per thought, or votes per round (at most one per thought).
        batched: True if one call can return several samples or judgements.
        check: how answers are verified: not at all, by a plain function, or by a paid call.
        width: thoughts that beam keeps, or that best-first opens at once.
        exploration: UCT's constant; sqrt(2) is UCB1's, for values in 0..1.
        prune_below: thoughts with a lower value are closed; None closes none.
        twins: `close` does not continue duplicates of an earlier thought, `keep` does.
        novelty: distance at or below which two thoughts are duplicates; None compares text only.
        seed: determines the order in which ballots show thoughts.
        most_calls, most_tokens, most_usd, most_seconds: the budget; None means no limit.
        expected_tokens, expected_usd: cost of one call, until one has been made.

    Raises:
        InvalidArgument: invalid value; `field` names it.
    """

    controller: str = "best_first"
    generate: str = "propose"
    branching: int = 4
    depth: int = 3
    judge: str = "value"
    judgements: int = 1
    batched: bool = False
    check: str = "none"
    width: int = 1
    exploration: float = math.sqrt(2)
    prune_below: float | None = None
    twins: str = "close"
    novelty: float | None = None
    seed: int = 0
    most_calls: int = 100
    most_tokens: float | None = None
    most_usd: float | None = None
    most_seconds: float | None = None
    expected_tokens: float = 0.0
    expected_usd: float = 0.0

    def __post_init__(self) -> None:
        for name, words in CHOICES.items():
            given = getattr(self, name)
            _require(given in words, name, f"one of {', '.join(words)}", given)
        for name in AT_LEAST_ONE:
            given = getattr(self, name)
            whole = isinstance(given, int) and not isinstance(given, bool)
            _require(whole and given >= 1, name, "a whole number of 1 or more", given)
        for name in (*NOT_NEGATIVE, *NOT_NEGATIVE_OR_NONE):
            given = getattr(self, name)
            absent = given is None and name in NOT_NEGATIVE_OR_NONE
            valid = absent or (is_number(given) and given >= 0)
            _require(valid, name, "a finite number of 0 or more", given)
        threshold = self.prune_below
        valid = threshold is None or is_number(threshold)
        _require(valid, "prune_below", "a finite number, or None", threshold)
        wide = self.width == 1 or self.controller in WIDE
        _require(wide, "width", f"1 for {self.controller}", self.width)
        comparable = self.judge == "value" or self.controller in BY_BALLOT
        _require(
            comparable,
            "judge",
            f"value for {self.controller}: a vote compares the thoughts of one round only",
            self.judge,
        )


def is_number(given: object) -> bool:
    """Return whether a value is a bounded number and not a bool."""
    if isinstance(given, bool) or not isinstance(given, int | float):
        return False
    return abs(given) <= LARGEST


def read_cost(given: object) -> float:
    """Return a reported cost, or 0 if it is not a usable number."""
    return max(0.0, given) if isinstance(given, int | float) and is_number(given) else 0.0


def _require(valid: bool, field: str, form: str, given: object) -> None:
    if not valid:
        raise InvalidArgument(f"{field} must be {form}; given: {given!r}", field=field)
