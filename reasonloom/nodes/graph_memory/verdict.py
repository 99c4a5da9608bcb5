"""The rules by which the graph's quality is judged: shares that are certain, not single nodes.

A rule speaks of the share of nodes that are weak in one way. It holds where the share is above
the rule's limit with 95 % certainty, by the lower end of Wilson's interval (Wilson 1927,
Probable inference, the law of succession, and statistical inference), and where it concerns
LEAST nodes. So one bad node of three says nothing, and thirty of a hundred do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

Z = 1.96
"""The normal distribution's quantile for 95 %, both sides."""

LEAST = 3
"""Nodes that a rule must concern before it holds, whatever their share."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Shares above which a weakness warns or fails; None where it never does."""

    what: str
    of: str
    warns: float
    fails: float | None


WEAK = Rule("have a confidence below {threshold:g}", "current nodes", 0.15, 0.35)
STALE = Rule("have faded below a strength of {threshold:g}", "current nodes", 0.25, 0.50)
ORPHAN = Rule("are linked to no other, a session's course aside", "current nodes", 0.50, None)
UNSUPPORTED = Rule("rest on no current node", "current decisions", 0.25, 0.50)
OPPOSED = Rule("contradict one another", "current nodes", 0.02, 0.10)


@dataclass(frozen=True, slots=True)
class Weakness:
    """What a rule is held against: how many of how many, and the threshold that was given."""

    rule: Rule
    count: int
    of: int
    threshold: float = 0.0

    @property
    def share(self) -> float:
        """The share of those that it can concern, 0 where there are none."""
        return self.count / self.of if self.of else 0.0

    @property
    def certain(self) -> float:
        """The share that it has at least, with 95 % certainty."""
        return wilson(self.count, self.of)

    @property
    def level(self) -> str:
        """What it makes of the graph: pass, warn or fail."""
        if self.count < LEAST:
            return "pass"
        if self.rule.fails is not None and self.certain > self.rule.fails:
            return "fail"
        return "warn" if self.certain > self.rule.warns else "pass"

    def said(self) -> str:
        """Return in words what was found, and which limit it passes or keeps."""
        what = self.rule.what.format(threshold=self.threshold)
        found = f"{self.count} of {self.of} {self.rule.of} ({self.share:.0%}) {what}"
        if self.count < LEAST:
            return f"{found}; fewer than {LEAST} are no rule's matter"
        passed = {"fail": self.rule.fails, "warn": self.rule.warns, "pass": self.rule.warns}
        limit = passed[self.level]
        verb = {"fail": "above the {:.0%} that fail", "warn": "above the {:.0%} that warn"}
        told = verb.get(self.level, "not above the {:.0%} that warn").format(limit)
        return f"{found}; at least {self.certain:.0%} with 95 % certainty, {told}"


def wilson(count: int, of: int) -> float:
    """Return the lower end of Wilson's interval for a share of `count` of `of`, 0..1."""
    if not of:
        return 0.0
    share, squared = count / of, Z * Z
    middle = share + squared / (2 * of)
    half = Z * math.sqrt(share * (1 - share) / of + squared / (4 * of * of))
    return max(0.0, (middle - half) / (1 + squared / of))


def verdict(weaknesses: Sequence[Weakness]) -> tuple[str, list[str]]:
    """Return the worst level, and in words what leads to it; what is there but passes follows."""
    ordered = sorted(weaknesses, key=lambda each: ("fail", "warn", "pass").index(each.level))
    said = [each.said() for each in ordered if each.count]
    return ordered[0].level, said or ["nothing weak was found"]
