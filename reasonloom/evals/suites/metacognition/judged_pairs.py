"""Figures of pairs: how often the sound reasoning is rated above the flawed one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from reasonloom.evals.suites.figures import Figure, share
from reasonloom.evals.suites.metacognition.data import FAULTS, Pair
from reasonloom.evals.suites.metacognition.judged_biases import Said

PART = "pairs"
GUESS = 0.5


def pair_figures(items: Sequence[Pair], said: Said, tool: str) -> Iterator[Figure]:
    """Yield the shares that `tool` ranks right, in all and by fault; a tie counts half.

    `ties` is the share of the pairs whose two sides were rated the same.
    """
    if not items:
        return
    ranked = {item.id: rank(said[item.id]) for item in items}
    yield share(PART, tool, list(ranked.values()), guess=GUESS)
    yield share(PART, f"{tool}, ties", [float(each == GUESS) for each in ranked.values()])
    for fault in FAULTS:
        hits = [ranked[item.id] for item in items if item.label == fault]
        if hits:
            yield share(PART, tool, hits, of=fault, guess=GUESS)


def rank(worth: Mapping[str, float]) -> float:
    """Return 1 where the sound side is worth more, 0 where the flawed one is, a half for a tie."""
    sound, flawed = worth["sound"], worth["flawed"]
    return GUESS if sound == flawed else float(sound > flawed)
