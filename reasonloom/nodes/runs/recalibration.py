"""Recalibrates confidences by outcomes that users report.

Logistic recalibration (Platt, 1999) with Gaussian priors centred on the identity, so that a few
outcomes change a confidence only slightly.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from reasonloom.stores.runs.outcomes import Outcome

SLOPE_SPREAD, SHIFT_SPREAD = 0.25, 0.5
"""Standard deviations of the priors on the slope (mean 1) and the shift (mean 0)."""

LEAST_SLOPE = 0.1
"""Positive minimum slope, which preserves the order of confidences."""

NEAREST = 0.01
"""Minimum distance of confidences from 0 and 1, where logits are infinite."""

STEPS, CONVERGED = 25, 1e-6
BINS = 10
FOLDS = 10


@dataclass(frozen=True, slots=True)
class Recalibration:
    """A map from stated confidence to probability, linear in the logits."""

    slope: float = 1.0
    shift: float = 0.0

    def apply(self, confidence: float) -> float:
        """Return the probability, 0..1, that an answer with this stated confidence is right."""
        return _probability(self.slope * _logit(confidence) + self.shift)


def fit_recalibration(outcomes: Sequence[Outcome]) -> Recalibration:
    """Return the maximum a posteriori map for the outcomes; the identity if there are none."""
    slope, shift = 1.0, 0.0
    points = [(_logit(each.confidence), each.outcome) for each in outcomes]
    for _ in range(STEPS if points else 0):
        change = _newton_step(points, slope, shift)
        slope, shift = max(slope - change[0], LEAST_SLOPE), shift - change[1]
        if max(map(abs, change)) < CONVERGED:
            break
    return Recalibration(slope, shift)


def recalibrated(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Recalibrate each confidence by the outcomes in other folds (cross-fitting)."""
    folds = [
        fit_recalibration([each for at, each in enumerate(outcomes) if at % FOLDS != fold])
        for fold in range(FOLDS)
    ]
    return [
        each._replace(confidence=folds[number % FOLDS].apply(each.confidence))
        for number, each in enumerate(outcomes)
    ]


def _newton_step(
    points: Sequence[tuple[float, float]], slope: float, shift: float
) -> tuple[float, float]:
    """Return the Newton step for the negative log posterior."""
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
    """Return the weighted mean gap of confidence and accuracy over ten bins of equal width.

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
