"""Fits how likely two memories are about the same matter: `python training/fit_matter.py`.

Two features, the cosine of the packaged encoder and the share of common words. Pairs of the
`replaces-*` cases are about the same matter, whether the newer one replaces the older or not;
neighbours are not: memories of one world of `questions-*`, and the older memory of one case with
the newer one of another. A logistic regression with a small penalty; both kinds weigh the same.
"""

from __future__ import annotations

import json
import random
import sys
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from calibrate_answers import fit

from reasonloom.llm.encoder.encoder import encode
from reasonloom.nodes.memory.replacement import LEAST_COSINE, common_words

if TYPE_CHECKING:
    from collections.abc import Iterator

CASES = Path(__file__).parent / "cases"
EACH, SEED = 1_500, 1
"""The most pairs of each kind of neighbours."""

FAVOUR = 2.0
"""Added to the offset: what the reader takes for replaced is more often of one matter than half."""

OTHER = 0.45
"""The greatest cosine of the older memories of two cases that are about different matters."""


def lines(pattern: str) -> Iterator[dict[str, Any]]:
    """Yield the cases of the files of a pattern."""
    for path in sorted(CASES.glob(pattern)):
        yield from map(json.loads, path.read_text("utf-8").splitlines())


def features(pairs: list[tuple[str, str]]) -> np.ndarray:
    """Return the cosine and the share of common words of each pair."""
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    vectors = dict(zip(texts, encode(texts), strict=True))
    return np.array([[vectors[a] @ vectors[b], common_words(a, b)] for a, b in pairs])


def neighbours(chosen: random.Random, cases: list[tuple[str, str]]) -> Iterator[np.ndarray]:
    """Yield the features of pairs that are alike and about different matters."""
    worlds = [each["memories"] for each in lines("questions-*.jsonl")]
    inside = features([pair for world in worlds for pair in combinations(world, 2)])
    some = chosen.sample(cases, EACH)
    older, newer = (np.array(encode([pair[n] for pair in some])) for n in (0, 1))
    alike = np.argwhere((older @ newer.T >= LEAST_COSINE) & (older @ older.T < OTHER))
    places = chosen.sample(alike.tolist(), EACH)
    yield chosen_rows(chosen, inside[inside[:, 0] >= LEAST_COSINE])
    yield features([(some[first][0], some[second][1]) for first, second in places])


def chosen_rows(chosen: random.Random, rows: np.ndarray) -> np.ndarray:
    """Return some of the rows."""
    return rows[chosen.sample(range(len(rows)), EACH)]


def main() -> None:
    """Print the weights by their names."""
    chosen = random.Random(SEED)  # noqa: S311
    cases = [(each["older"], each["newer"]) for each in lines("replaces-*.jsonl")]
    same = features(cases)
    others = np.concatenate(list(neighbours(chosen, cases)))
    rows, is_same = np.r_[same, others], np.r_[np.ones(len(same)), np.zeros(len(others))]
    weights = np.where(is_same == 1, 0.5 / is_same.mean(), 0.5 / (1 - is_same.mean()))
    *found, offset = fit(rows, is_same, weights)
    for name, value in zip(("cosine", "words", "offset"), (*found, offset + FAVOUR), strict=True):
        sys.stdout.write(f"{name} {value:.2f}\n")


if __name__ == "__main__":
    main()
