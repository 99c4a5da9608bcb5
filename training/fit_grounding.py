"""Fits how grounding joins its features: `python training/fit_grounding.py [--ablate]`.

Reads `cases/grounds-1.jsonl` with the packaged reader and writes `combination.json`. Claims that
literal comparison decides are left out, as they are in use. Thresholds are the lowest at which at
most 1 % of all claims are wrongly verified and 3 % wrongly contradicted, in cross-validation over
the notes. `--ablate` writes nothing: it prints a table of what each group of features is worth, in
cross-validation and on the dev half of `everyday`.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import numpy as np

from reasonloom.evals.suites.everyday.data import load_everyday
from reasonloom.nodes.graph_memory.grounding import combination
from reasonloom.nodes.graph_memory.grounding.features import GROUPS, NAMES, OPEN_FIGURES, read_claim
from reasonloom.nodes.graph_memory.grounding.literal import decide_literally

CASES = Path(__file__).parent / "cases" / "grounds-1.jsonl"
LABELS = ("verified", "partial", "ungrounded", "contradicted")
WRONG = {"verified": 0.01, "contradicted": 0.03}
"""Most of all claims that may get a verdict wrongly."""

PENALTY, FOLDS, SEEDS, STEPS = 5.0, 10, 5, 30


@dataclass(frozen=True)
class Claims:
    """Claims: features (claims x features), labels, their notes, and what words decide of them.

    `literal` is the place of a label, -1 where words decide nothing; `figures` tells that memories
    lack a figure of the claim.
    """

    features: np.ndarray
    labels: np.ndarray
    notes: list[tuple[str, ...]]
    literal: np.ndarray
    figures: np.ndarray

    def only(self, names: Sequence[str]) -> Claims:
        """Return the claims with some features alone."""
        kept = [NAMES.index(name) for name in names]
        return replace(self, features=self.features[:, kept])


async def read_claims(rows: Sequence[tuple[str, Sequence[str], str]]) -> Claims:
    """Read claims, their notes and labels."""
    read, literal = [], []
    for claim, notes, _ in rows:
        texts = dict(enumerate(notes))
        features = (await read_claim(claim, texts)).features
        read.append([features[name] for name in NAMES])
        found = decide_literally(claim, texts)
        literal.append(LABELS.index(found.label) if found.label and found.settled else -1)
    labels = np.array([LABELS.index(label) for *_, label in rows])
    table = np.array(read)
    figures = table[:, NAMES.index(OPEN_FIGURES)] > 0
    return Claims(table, labels, [tuple(n) for _, n, _ in rows], np.array(literal), figures)


@dataclass(frozen=True)
class Fitted:
    """A regression: weights are (1 + features) x labels, the offset first."""

    means: np.ndarray
    spreads: np.ndarray
    weights: np.ndarray

    def probabilities(self, features: np.ndarray) -> np.ndarray:
        """Return the probability of each label, one row for each claim."""
        numbers = (features - self.means) / self.spreads
        return _softmax(np.c_[np.ones(len(numbers)), numbers] @ self.weights)


def fit(features: np.ndarray, labels: np.ndarray) -> Fitted:
    """Fit a multinomial logistic regression by Newton's method."""
    means, spreads = features.mean(0), features.std(0)
    spreads[spreads == 0] = 1.0
    x = np.c_[np.ones(len(features)), (features - means) / spreads]
    width, count = x.shape[1], len(LABELS)
    target = np.eye(count)[labels]
    weights = np.zeros((width, count))
    penalty = np.full((width, count), PENALTY)
    penalty[0] = 1e-6
    for _ in range(STEPS):
        guessed = _softmax(x @ weights)
        slope = x.T @ (guessed - target) + penalty * weights
        shares = guessed[:, :, None] * (np.eye(count) - guessed[:, None, :])
        bend = np.einsum("ni,nab,nj->aibj", x, shares, x).reshape(width * count, -1)
        bend += np.diag(penalty.T.ravel()) + 1e-8 * np.eye(width * count)
        weights -= np.linalg.solve(bend, slope.T.ravel()).reshape(count, width).T
    return Fitted(means, spreads, weights)


def _softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def cross_validate(claims: Claims, seed: int) -> np.ndarray:
    """Return the probabilities of each claim, fitted without the claims of its notes."""
    groups = list(dict.fromkeys(claims.notes))
    places = np.random.default_rng(seed).permutation(len(groups)) % FOLDS
    of_group = dict(zip(groups, places, strict=True))
    folds = np.array([of_group[notes] for notes in claims.notes])
    found = np.zeros((len(folds), len(LABELS)))
    for fold in range(FOLDS):
        taught = (folds != fold) & (claims.literal < 0)
        fitted = fit(claims.features[taught], claims.labels[taught])
        found[folds == fold] = fitted.probabilities(claims.features[folds == fold])
    return found


def without_figures(likely: np.ndarray, claims: Claims) -> np.ndarray:
    """Return probabilities by which no claim is verified of which a figure is lacking."""
    figures = np.tile(claims.figures, len(likely) // len(claims.figures))
    return np.where(figures[:, None] & (np.arange(len(LABELS)) == 0), 0.0, likely)


def thresholds(likely: np.ndarray, claims: Claims) -> dict[str, float]:
    """Return the lowest thresholds at which few enough claims are wrongly given each verdict."""
    labels = np.tile(claims.labels, SEEDS)
    literal = np.tile(claims.literal, SEEDS)
    least = {}
    for label, share in WRONG.items():
        place = LABELS.index(label)
        steps = np.arange(0.4, 1.0, 0.005)
        wrong = [
            np.where(literal < 0, likely[:, place] >= step, literal == place) & (labels != place)
            for step in steps
        ]
        least[label] = float(
            next(s for s, w in zip(steps, wrong, strict=True) if w.mean() <= share)
        )
    return {label: round(step, 3) for label, step in least.items()}


def decide(likely: np.ndarray, literal: np.ndarray, least: dict[str, float]) -> np.ndarray:
    """Return the verdicts, as `combination.choose` gives them."""
    verified, partial, ungrounded, contradicted = likely.T
    found = np.where(partial > ungrounded, 1, 2)
    found = np.where(contradicted >= least["contradicted"], 3, found)
    found = np.where(verified >= least["verified"], 0, found)
    return np.where(literal >= 0, literal, found)


def figures(
    claims: Claims, everyday: Claims, *, veto: bool = True
) -> tuple[str, Fitted, dict[str, float]]:
    """Return a line of the table, the fit, and the thresholds."""
    vetoed = without_figures if veto else lambda likely, _: likely
    plain = np.concatenate([cross_validate(claims, seed) for seed in range(SEEDS)])
    likely = vetoed(plain, claims)
    least = thresholds(likely, claims)
    taught = claims.literal < 0
    fitted = fit(claims.features[taught], claims.labels[taught])
    labels = np.tile(claims.labels, SEEDS)
    loss = -np.log(plain[np.arange(len(labels)), labels]).mean()
    of_cases = decide(likely, np.tile(claims.literal, SEEDS), least)
    of_everyday = decide(
        vetoed(fitted.probabilities(everyday.features), everyday), everyday.literal, least
    )
    cells = [f"{loss:.3f}", *_shares(of_cases, labels), *_shares(of_everyday, everyday.labels)]
    return " | ".join(cells), fitted, least


def _shares(found: np.ndarray, labels: np.ndarray) -> list[str]:
    """Return the share right, the share of verified claims found, and the two kinds of wrong."""
    shares = [(found == labels).mean(), (found[labels == 0] == 0).mean()]
    shares += [((found == place) & (labels != place)).mean() for place in (0, 3)]
    return [f"{100 * each:.1f}" for each in shares]


def write(fitted: Fitted, least: dict[str, float]) -> None:
    """Write the packaged file; `reader` is the SHA-256 of the reader's weights."""
    reader = (files("reasonloom.llm.classifier") / "reader.onnx").read_bytes()
    rounded = [[round(float(w), 4) for w in column] for column in fitted.weights.T]
    content = {
        "cases_sha256": sha256(CASES.read_bytes()).hexdigest(),
        "reader_sha256": sha256(reader).hexdigest(),
        "seeds": list(range(SEEDS)),
        "features": list(NAMES),
        "means": [round(float(each), 4) for each in fitted.means],
        "spreads": [round(float(each), 4) for each in fitted.spreads],
        "weights": dict(zip(LABELS, rounded, strict=True)),
        "thresholds": least,
    }
    folder = Path(str(files(combination.FOLDER)))
    (folder / combination.FILE).write_text(json.dumps(content, indent=1) + "\n", "utf-8")


async def main() -> None:
    """Fit and write, or print the table."""
    rows = [json.loads(line) for line in CASES.read_text("utf-8").splitlines()]
    claims = await read_claims([(row["claim"], row["notes"], row["label"]) for row in rows])
    dev = load_everyday("dev").claims
    everyday = await read_claims([(each.claim, each.notes, each.verdict) for each in dev])
    line, fitted, least = figures(claims, everyday)
    sys.stdout.write(f"| all | {line} |\n{least}\n")
    if "--ablate" not in sys.argv:
        write(fitted, least)
        return
    line, _, _ = figures(claims, everyday, veto=False)
    sys.stdout.write(f"| without the veto of figures | {line} |\n")
    for group, names in GROUPS.items():
        kept = [name for name in NAMES if name not in names]
        line, _, _ = figures(claims.only(kept), everyday.only(kept))
        sys.stdout.write(f"| without {group} | {line} |\n")


if __name__ == "__main__":
    asyncio.run(main())
