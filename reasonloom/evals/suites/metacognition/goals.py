"""What was set as a goal before there was a check, for the part that works without an llm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from reasonloom.evals.suites.figures import ALL, Figure
from reasonloom.evals.suites.metacognition.questions import CONTRACTS, RANKED


@dataclass(frozen=True, slots=True)
class Goal:
    """A bound that a figure must reach, or must not exceed."""

    sign: Literal[">=", "<=", "<"]
    bound: float

    def met(self, value: float) -> bool:
        """Tell whether a figure meets it."""
        if self.sign == ">=":
            return value >= self.bound
        return value <= self.bound if self.sign == "<=" else value < self.bound


GOALS: Mapping[tuple[str, str, str], Goal] = MappingProxyType(
    {
        ("biases", "precision", ALL): Goal(">=", 0.8),
        ("biases", "recall", ALL): Goal(">=", 0.6),
        ("biases", "false alarms", "none"): Goal("<=", 0.1),
        ("emotions", "top-1", ALL): Goal(">=", 0.6),
        ("frameworks", "top-1", ALL): Goal(">=", 0.7),
        **{("pairs", tool, ALL): Goal(">=", 0.8) for tool in RANKED},
    }
)
"""By part, name and class."""

OFFLINE_GOALS: Mapping[tuple[str, str, str], Goal] = MappingProxyType(
    {("latency", "p50", tool): Goal("<", 5.0) for tool in CONTRACTS}
)
"""Those that hold only where no language model is waited for."""


def goal_of(figure: Figure, *, offline: bool) -> Goal | None:
    """Return the goal that was set for a figure, if any."""
    place = (figure.part, figure.name, figure.of)
    return GOALS.get(place) or (OFFLINE_GOALS.get(place) if offline else None)
