"""How far lenses agree, in made-up numbers."""

from __future__ import annotations

from typing import Any

import pytest

from reasonloom.nodes.metacognition.confidence import judge_agreement
from tests.support.llms.checks import GOOD, NO_BIAS, SOLID, bias, felt, votes

ONE: dict[str, Any] = {"biases": [bias("framing", "x", 0.6)]}


@pytest.mark.parametrize(
    ("part", "said", "wanted"),
    [
        ("bias", [NO_BIAS, NO_BIAS, NO_BIAS], 1.0),
        ("bias", [ONE, ONE, ONE], 1.0),
        ("bias", [ONE, NO_BIAS], 0.4),
        ("bias", [ONE, ONE, NO_BIAS], 0.6),
        ("bias", [ONE, None, None], None),
        ("bias", [None, None, None], None),
        ("quality", [GOOD, {**GOOD, "coherence": 0.4}], 0.9),
        ("confidence", [SOLID, SOLID], 1.0),
        ("emotion", [felt("joy", 0.8), felt("awe", 0.4)], 0.4),
    ],
)
def test_agreement_is_one_less_the_mean_difference_of_pairs(
    part: Any, said: list[dict[str, Any] | None], wanted: float | None
) -> None:
    assert judge_agreement(votes(part, *said)) == wanted


def test_only_lenses_of_one_part_are_held_against_each_other() -> None:
    assert judge_agreement([*votes("bias", ONE), *votes("emotion", felt("joy", 1.0))]) is None
    both = [*votes("bias", ONE, NO_BIAS), *votes("emotion", felt("joy", 1.0), felt("joy", 1.0))]
    assert judge_agreement(both) == 0.7
