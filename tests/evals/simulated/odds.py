"""Whether a count of hits fits a chance, exactly."""

from __future__ import annotations

from math import exp, lgamma, log


def plausible(hits: int, tries: int, chance: float, doubt: float = 1e-5) -> bool:
    """Return whether neither tail of the binomial distribution is smaller than `doubt`."""
    if chance in {0.0, 1.0}:
        return hits == tries * chance
    upto = sum(_odds(each, tries, chance) for each in range(hits + 1))
    return min(upto, 1 - upto + _odds(hits, tries, chance)) > doubt


def _odds(hits: int, tries: int, chance: float) -> float:
    ways = lgamma(tries + 1) - lgamma(hits + 1) - lgamma(tries - hits + 1)
    return exp(ways + hits * log(chance) + (tries - hits) * log(1 - chance))
