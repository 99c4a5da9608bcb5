"""Recalibrates confidences by the outcomes that users report.

Logistic recalibration (Platt, 1999) with Gaussian priors around no change, so that few outcomes
move a confidence little.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from reasonloom.stores.runs.outcomes import Outcome

SLOPE_SPREAD, SHIFT_SPREAD = 0.25, 0.5
"""Standard deviations of the priors: how far the slope is from 1, and the shift from 0."""

LEAST_SLOPE = 0.1
"""A surer answer stays the surer one."""

NEAREST = 0.01
"""Confidences are kept this far from 0 and 1, where their logits are infinite."""

STEPS, CONVERGED = 25, 1e-6
BINS = 10
FOLDS = 10


@dataclass(frozen=True, slots=True)
class Recalibration:
    """A map of stated confidences to probabilities: a line between their logits."""

    slope: float = 1.0
    shift: float = 0.0

    def apply(self, confidence: float) -> float:
        """Return the probability that an answer of this confidence is right, in 0..1."""
        return _probability(self.slope * _logit(confidence) + self.shift)


def fit_recalibration(outcomes: Sequence[Outcome]) -> Recalibration:
    """Return the most probable map given outcomes; the identity without any."""
    slope, shift = 1.0, 0.0
    points = [(_logit(each.confidence), each.outcome) for each in outcomes]
    for _ in range(STEPS if points else 0):
        change = _newton_step(points, slope, shift)
        slope, shift = max(slope - change[0], LEAST_SLOPE), shift - change[1]
        if max(map(abs, change)) < CONVERGED:
            break
    return Recalibration(slope, shift)


def recalibrated(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return outcomes with each confidence as recalibrated by the others (cross-fitted)."""
    folds = [fit_recalibration(_without(outcomes, fold)) for fold in range(FOLDS)]
    return [
        each._replace(confidence=folds[number % FOLDS].apply(each.confidence))
        for number, each in enumerate(outcomes)
    ]


def _without(outcomes: Sequence[Outcome], fold: int) -> list[Outcome]:
    return [each for number, each in enumerate(outcomes) if number % FOLDS != fold]


def _newton_step(
    points: Sequence[tuple[float, float]], slope: float, shift: float
) -> tuple[float, float]:
    """Return Newton's step on the negative logarithm of the posterior."""
    by_slope, by_shift = 1 / SLOPE_SPREAD**2, 1 / SHIFT_SPREAD**2
    gradient = [(slope - 1) * by_slope, shift * by_shift]
    both = 0.0
    for logit, outcome in points:
        probability = _probability(slope * logit + shift)
        weight = probability * (1 - probability)
        gradient[0] += (probability - outcome) * logit
        gradient[1] += probability - outcome
        by_slope += weight * logit * logit
        by_shift += weight
        both += weight * logit
    determinant = by_slope * by_shift - both * both
    return (
        (by_shift * gradient[0] - both * gradient[1]) / determinant,
        (by_slope * gradient[1] - both * gradient[0]) / determinant,
    )


def expected_calibration_error(outcomes: Sequence[Outcome]) -> float:
    """Return the mean distance of confidence and share right over ten bins of equal width.

    Raises:
        ValueError: there are no outcomes.
    """
    if not outcomes:
        raise ValueError("no outcomes")
    bins: dict[int, list[Outcome]] = {}
    for each in outcomes:
        bins.setdefault(min(int(each.confidence * BINS), BINS - 1), []).append(each)
    gaps = (
        abs(sum(each.confidence for each in held) - sum(each.outcome for each in held))
        for held in bins.values()
    )
    return sum(gaps) / len(outcomes)


def _logit(confidence: float) -> float:
    kept = min(max(confidence, NEAREST), 1 - NEAREST)
    return math.log(kept / (1 - kept))


def _probability(logit: float) -> float:
    return 1 / (1 + math.exp(-logit)) if logit >= 0 else 1 - 1 / (1 + math.exp(logit))
