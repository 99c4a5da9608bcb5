"""Fits the weights of `answerable`: `python training/calibrate_answers.py RUN.jsonl...`.

Each RUN is a run of `reasonloom eval run answerable --half dev`. A logistic regression with a small
penalty; questions with and without an answer weigh the same, and so does each set.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

PENALTY, STEPS = 1.0, 50


def records_of(path: Path) -> list[dict[str, Any]]:
    """Return the results in a run's file, without its head."""
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [each for each in lines if each.get("output") and each["output"]["readings"]]


def fit(features: np.ndarray, has: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the coefficients, the offset last (Newton's method)."""
    x = np.c_[features, np.ones(len(features))]
    penalty = np.diag([PENALTY] * features.shape[1] + [0.0])
    found = np.zeros(x.shape[1])
    for _ in range(STEPS):
        guessed = 1 / (1 + np.exp(-x @ found))
        slope = x.T @ (weights * (guessed - has)) + penalty @ found
        found -= np.linalg.solve(
            (x * (weights * guessed * (1 - guessed))[:, None]).T @ x + penalty, slope
        )
    return found


def main() -> None:
    """Print the coefficients by their names."""
    records = [each for path in sys.argv[1:] for each in records_of(Path(path))]
    outputs = [each["output"] for each in records]
    features = np.array([[np.mean(each["readings"])] for each in outputs])
    has = np.array([float(each["target"]) for each in records])
    kinds = [(each["group"], each["target"]) for each in records]
    counts = Counter(kinds)
    weights = np.array([len(kinds) / len(counts) / counts[kind] for kind in kinds])
    for name, value in zip(("slope", "offset"), fit(features, has, weights), strict=True):
        sys.stdout.write(f"{name} {value:.2f}\n")


if __name__ == "__main__":
    main()
