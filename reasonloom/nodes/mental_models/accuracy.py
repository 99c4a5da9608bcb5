"""The track record of a model's predictions: accuracy with its interval, and Brier score."""

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import TypedDict

from reasonloom.stores.mental_models.models import ListedRow, ModelRow, TrackRecord
from reasonloom.stores.mental_models.predictions import Tally

UNKNOWN = 0.5
"""The accuracy of a model without resolved predictions."""

WEIGHT = 2.0
"""Weight of a prior, in predictions. The prior is the model's record for a template, and 0.5 for a
model. With two, one lucky prediction gives no certainty (Laplace's rule of succession)."""

DIGITS = 4
QUANTILE = NormalDist().inv_cdf(0.975)


class Figures(TypedDict):
    """The metrics of a model in answers."""

    prediction_accuracy: float
    resolved_count: int
    accuracy_interval: tuple[float, float] | None
    brier_score: float | None


def figures_of(counted: ModelRow | ListedRow | TrackRecord) -> Figures:
    """Return the metrics of a model."""
    count = counted.resolved
    ends = wilson_interval(counted.correct, count) if count else None
    return Figures(
        prediction_accuracy=accuracy(counted.correct, count),
        resolved_count=count,
        accuracy_interval=(round(ends[0], DIGITS), round(ends[1], DIGITS)) if ends else None,
        brier_score=round(counted.squared_error / count, DIGITS) if count else None,
    )


def accuracy(correct: int, count: int) -> float:
    """Return the share that held; `UNKNOWN` if none is resolved."""
    return round(correct / count, DIGITS) if count else UNKNOWN


def wilson_interval(hits: float, count: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a proportion (Wilson 1927), within 0..1."""
    found, z = hits / count, QUANTILE
    middle = (found + z * z / (2 * count)) / (1 + z * z / count)
    width = math.sqrt(found * (1 - found) / count + (z / (2 * count)) ** 2)
    half = z * width / (1 + z * z / count)
    return max(0.0, middle - half), min(1.0, middle + half)


def confidence(tallies: Sequence[Tally], template: int) -> float:
    """Return how likely a template's next prediction holds, by its own record and the model's."""
    own = [each for each in tallies if each.template == template]
    return round(_share(own, _share(tallies, UNKNOWN)), DIGITS)


def _share(counted: Sequence[Tally], prior: float) -> float:
    correct = sum(each.correct for each in counted)
    return (correct + WEIGHT * prior) / (sum(each.resolved for each in counted) + WEIGHT)
