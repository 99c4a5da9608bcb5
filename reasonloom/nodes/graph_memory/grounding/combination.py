"""Joins the features of a claim into probabilities of its verdict: one logistic regression.

The coefficients are in `combination.json`, fitted by `training/fit_grounding.py`.
"""

import json
import math
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from reasonloom.nodes.graph_memory.grounding.features import OPEN_FIGURES

FOLDER = "reasonloom.nodes.graph_memory.grounding"
FILE = "combination.json"

Label = Literal["verified", "partial", "ungrounded", "contradicted"]


def probabilities(features: Mapping[str, float]) -> dict[Label, float]:
    """Return the probability of each verdict; they sum to 1."""
    fitted = combination()
    numbers = [
        (features[name] - mean) / spread
        for name, mean, spread in zip(
            fitted["features"], fitted["means"], fitted["spreads"], strict=True
        )
    ]
    scores = {
        label: offset + sum(w * x for w, x in zip(weights, numbers, strict=True))
        for label, (offset, *weights) in fitted["weights"].items()
    }
    most = max(scores.values())
    powers = {label: math.exp(score - most) for label, score in scores.items()}
    whole = sum(powers.values())
    return {label: power / whole for label, power in powers.items()}


def choose(likely: Mapping[Label, float], features: Mapping[str, float]) -> Label:
    """Return the verdict: verified and contradicted only from their thresholds on.

    A claim of which memories lack a figure is not verified.
    """
    least = combination()["thresholds"]
    if likely["verified"] >= least["verified"] and not features[OPEN_FIGURES]:
        return "verified"
    if likely["contradicted"] >= least["contradicted"]:
        return "contradicted"
    return "partial" if likely["partial"] > likely["ungrounded"] else "ungrounded"


@cache
def combination() -> dict[str, Any]:
    """Return the fitted numbers: features, means, spreads, weights (offset first), thresholds."""
    loaded: dict[str, Any] = json.loads((files(FOLDER) / FILE).read_text("utf-8"))
    return loaded
