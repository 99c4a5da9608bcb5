"""Parses a Game of 24 question from its text and the schema of its answer alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from reasonloom.evals.simulated.conversation import (
    MOST_ATTEMPTS,
    Unreadable,
    count,
    form_of,
    passages,
)
from reasonloom.evals.simulated.game24.check import (
    State,
    Step,
    is_natural,
    make_state,
    parse_number,
)

Kind = Literal["propose", "value", "answer", "chain", "direct"]

FORMS: dict[str, dict[str, Any]] = {
    "propose": {"proposals": [{"step": "1 + 2 = 3", "left": "3"}]},
    "value": {"judgements": ["sure", "likely", "impossible"]},
    "answer": {"answer": "1 + 2"},
    "chain": {"solutions": [{"steps": ["1 + 2 = 3"], "answer": "1 + 2"}]},
    "direct": {"answers": ["1 + 2"]},
}
"""An example answer of each kind; the requested schema selects the kind."""

NEEDED: dict[Kind, frozenset[str]] = {
    "propose": frozenset({"numbers"}),
    "value": frozenset({"numbers", "attempts"}),
    "answer": frozenset({"puzzle", "steps"}),
    "chain": frozenset({"puzzle", "attempts"}),
    "direct": frozenset({"puzzle", "attempts"}),
}
"""The passages that each kind requires."""

MEASURED: dict[Kind, tuple[int, int]] = {"propose": (2, 4), "value": (1, 3)}
"""Range of the count of numbers left that the constants cover."""

PUZZLE = (2, 4)
"""Range of the count of a puzzle's numbers."""

_MOST_STEPS = 8
_PARTS = 5


@dataclass(frozen=True, slots=True)
class Question:
    """A parsed question: kind of answer, numbers left, puzzle, and the steps so far as written.

    `numbers` and `puzzle` default to each other; `attempts` is the number of samples requested in
    this call.
    """

    kind: Kind
    numbers: State
    puzzle: State
    steps: tuple[Step, ...]
    attempts: int


def read_question(words: str, schema: dict[str, Any] | None) -> Question:
    """Parse the question in the user text; raises Unreadable if it is malformed."""
    kind, found = cast("Kind", form_of(schema, FORMS)), passages(words)
    lacking = sorted(NEEDED[kind] - set(found))
    if lacking:
        raise Unreadable(f"There is no <{lacking[0]}>.")
    puzzle = _puzzle(found) if "puzzle" in found else None
    left = _numbers(found, "numbers", MEASURED[kind]) if kind in MEASURED else puzzle
    return Question(
        kind=kind,
        numbers=left or (),
        puzzle=puzzle or left or (),
        steps=_steps(found.get("steps", "")),
        attempts=count(found, "attempts", MOST_ATTEMPTS) if "attempts" in found else 1,
    )


def _puzzle(found: Mapping[str, str]) -> State:
    puzzle = _numbers(found, "puzzle", PUZZLE)
    if not is_natural(puzzle):
        raise Unreadable("puzzle should be whole numbers, none below 0.")
    return puzzle


def _numbers(found: Mapping[str, str], name: str, among: tuple[int, int]) -> State:
    try:
        numbers = make_state([parse_number(each) for each in found[name].split()])
    except ValueError as error:
        raise Unreadable(f"{name}: {error}.") from None
    if not among[0] <= len(numbers) <= among[1]:
        raise Unreadable(f"{name} should be {among[0]} to {among[1]} numbers, such as 4 6 10.")
    return numbers


def _steps(text: str) -> tuple[Step, ...]:
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > _MOST_STEPS:
        raise Unreadable(f"steps should be at most {_MOST_STEPS}.")
    return tuple(map(_step, lines))


def _step(line: str) -> Step:
    parts = line.split()
    try:
        if len(parts) == _PARTS and parts[1] in {"+", "-", "*", "/"} and parts[3] == "=":
            return Step(
                parse_number(parts[0]), parts[1], parse_number(parts[2]), parse_number(parts[4])
            )
    except ValueError:
        pass
    raise Unreadable(f"steps: {line.strip()[:40]!r} should be such as 8 - 1/3 = 23/3.")
