"""How often the simulated critic mends and breaks, frozen before any loop was run with it.

Source: Huang et al., "Large language models cannot self-correct reasoning yet" (ICLR 2024),
accuracy in per cent at the start, after rounds 1 and 2 of self-correction without a judge, and
with an oracle that stops at a right answer. Both rates were solved: `mend` from the oracle's row
(two rounds), then `spoil` from round 1. Round 2 is a prediction; CommonSenseQA with GPT-3.5 is
where it fails (36.4, published 41.8).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from reasonloom.evals.simulated.billing import GPT_4, GPT_35, Price


@dataclass(frozen=True, slots=True)
class Case:
    """One model on one set of questions.

    Attributes:
        start: the share of first answers that are right. Measured.
        mend: the chance that a round makes a wrong answer right. Solved.
        spoil: the chance that a round makes a right answer wrong. Solved.
        published: the shares right after round 1, round 2 and with the oracle. Measured.
        price: of the model in 2023; tokens are estimated from the texts.
    """

    name: str
    start: float
    mend: float
    spoil: float
    published: tuple[float, float, float]
    price: Price


CASES: Final = {
    case.name: case
    for case in (
        Case("gpt-4/gsm8k", 0.955, 0.255, 0.054, (0.915, 0.890, 0.975), GPT_4),
        Case("gpt-3.5/gsm8k", 0.759, 0.193, 0.072, (0.751, 0.747, 0.843), GPT_35),
        Case("gpt-3.5/commonsenseqa", 0.758, 0.348, 0.608, (0.381, 0.418, 0.897), GPT_35),
        Case("gpt-4/commonsenseqa", 0.820, 0.102, 0.053, (0.795, 0.800, 0.855), GPT_4),
    )
}

JUDGE_ERROR: Final = 0.10
"""The chance that the judge of two answers prefers the worse one. Assumed, not measured.

Chen et al. (ACL 2024) find that search pays with a discriminator of about 90 % accuracy. The first
gated round gains in all four cases while the error is below .154 (break-even of GPT-3.5 on
CommonSenseQA; GPT-4 on GSM8K has its own at .182).
"""

MOST_PLANTED: Final = 3
"""A wrong draft has 1 to this many defects, evenly drawn. Assumed; the rates are per answer."""

SURE, UNSURE, UNDECIDED = 0.8, 0.3, 0.5
"""What the model says of its confidence. Assumed: no figure says how it should be."""
