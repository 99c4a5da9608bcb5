"""The baseline: grounding by counting words, which the set is written to defeat."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from reasonloom.evals.suites.graph_memory.grounding.data import KINDS, Claim, Verdict, World

WORD = re.compile(r"[^\W\d_]+|\d+(?:[.,:]\d+)*")
UNSPACED = re.compile(r"[぀-ヿ一-鿿]+")
STEPS = [step / 20 for step in range(22)]


@dataclass(frozen=True)
class Counted:
    """A claim and the share (0 to 1) of its words that the best memory holds."""

    claim: Claim
    share: float


@dataclass(frozen=True)
class Thresholds:
    """`verified` from one share on, `partial` from another on; above 1 is never."""

    verified: float
    partial: float

    def verdict(self, share: float) -> Verdict:
        """Return what is said of a share."""
        if share >= self.verified:
            return "verified"
        return "partial" if share >= self.partial else "ungrounded"


def counted(worlds: Sequence[World]) -> list[Counted]:
    """Return every claim with its share; only current memories count."""
    return [
        Counted(claim, max(_share(claim.text, memory.text) for memory in world.current))
        for world in worlds
        for claim in world.claims
    ]


def best(claims: Sequence[Counted]) -> Thresholds:
    """Return the thresholds, in steps of 0.05, with the highest mean of the verdicts."""
    tried = [Thresholds(high, low) for high, low in product(STEPS, STEPS) if low <= high]
    return max(tried, key=lambda each: balanced(claims, each))


def right(claims: Sequence[Counted], by: Thresholds) -> dict[str, float]:
    """Return the share of right verdicts for each kind."""
    hits: dict[str, list[bool]] = {kind: [] for kind in KINDS}
    for each in claims:
        hits[each.claim.kind].append(by.verdict(each.share) == each.claim.verdict)
    return {kind: sum(told) / len(told) for kind, told in hits.items()}


def balanced(claims: Sequence[Counted], by: Thresholds) -> float:
    """Return the mean over the three verdicts of the share that is given rightly."""
    hits: dict[Verdict, list[bool]] = {}
    for each in claims:
        hits.setdefault(each.claim.verdict, []).append(by.verdict(each.share) == each.claim.verdict)
    return sum(sum(told) / len(told) for told in hits.values()) / len(hits)


def _share(claim: str, memory: str) -> float:
    asked, held = set(_words(claim)), set(_words(memory))
    return len(asked & held) / len(asked)


def _words(text: str) -> Iterator[str]:
    """Yield the words; what is written without spaces falls into pairs of characters."""
    for word in WORD.findall(text.casefold()):
        if UNSPACED.match(word):
            yield from (word[n : n + 2] for n in range(max(1, len(word) - 1)))
        else:
            yield word
