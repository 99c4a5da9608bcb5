"""What the classifier says of a text, and the order in which it says it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

NONE = "none"
BIASES = (
    NONE, "confirmation", "anchoring", "availability", "recency", "representativeness",
    "framing", "sunk_cost", "attribution",
)  # fmt: skip
EMOTIONS = (
    NONE, "joy", "sadness", "anger", "fear", "disgust", "surprise", "pride", "shame", "guilt",
    "gratitude", "awe",
)  # fmt: skip
FRAMEWORKS = (
    "scientific-method", "design-thinking", "systems-thinking", "critical-thinking",
    "creative-problem-solving", "root-cause-analysis", "first-principles", "scenario-planning",
)  # fmt: skip


class Scores(NamedTuple):
    """What is said of one text.

    `bias`, `emotion` and `framework` are probabilities that sum to 1. `circumplex` is valence,
    arousal and dominance, not bounded. `soundness` is a logarithm of odds that only tells which
    of two texts reasons better. `pull` tells for each token, by where it stands in the text, what
    it adds to each bias and to none: their mean is the logarithm of its odds.
    """

    bias: Mapping[str, float]
    emotion: Mapping[str, float]
    circumplex: tuple[float, float, float]
    framework: Mapping[str, float]
    soundness: float
    pull: Sequence[tuple[int, int, Sequence[float]]] = ()

    def pull_of(self, bias: str, start: int, end: int) -> float:
        """Return how much the tokens from `start` to `end` speak for a bias rather than none."""
        place = BIASES.index(bias)
        inside = (of for first, last, of in self.pull if start <= first < last <= end)
        return float(sum(of[place] - of[0] for of in inside))


def scores_of(
    outputs: Mapping[str, Sequence[float]], pull: Sequence[tuple[int, int, Sequence[float]]]
) -> Scores:
    """Return the scores of one text from the numbers of the graph's outputs."""
    valence, arousal, dominance = map(float, outputs["circumplex"])
    return Scores(
        bias=_shares(BIASES, outputs["bias"]),
        emotion=_shares(EMOTIONS, outputs["emotion"]),
        circumplex=(valence, arousal, dominance),
        framework=_shares(FRAMEWORKS, outputs["framework"]),
        soundness=float(outputs["soundness"][0]),
        pull=pull,
    )


def _shares(names: Sequence[str], numbers: Sequence[float]) -> dict[str, float]:
    """Return the softmax of the numbers under their names."""
    most = max(numbers)
    powers = [math.exp(float(number) - float(most)) for number in numbers]
    whole = sum(powers)
    return {name: power / whole for name, power in zip(names, powers, strict=True)}
