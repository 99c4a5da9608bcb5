"""Plans of operations for fuzzing: some can be carried out, most have something odd in them."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.support.fuzzing.values import INJECTIONS, Raw

DEEDS = ("generate", "refine", "aggregate", "score", "keep_best", "validate", "repeat")
NAMES = (
    "start",
    "generate1",
    "score2",
    "keep_best3",
    "general",
    "judge",
    "nobody",
    *INJECTIONS[:4],
)
COUNTS = ("0", "1", "2", "20", "21", "-1", "1.5", "1e9", "null")
PARTS = (0, 0.5, 1)
MOST = 6


def plan(dice: Random) -> Any:
    """Return a plan by name, or as an object."""
    if dice.random() < 0.3:
        return dice.choice(("explore", "nonsense", "", {}, {"operations": []}))
    whole: dict[str, Any] = {
        "operations": [_operation(dice, 0) for _ in range(dice.randint(1, MOST))]
    }
    if dice.random() < 0.3:
        name = dice.choice(("calls", "tokens", "usd", "seconds"))
        whole["limits"] = {name: Raw(dice.choice(COUNTS))}
    if dice.random() < 0.2:
        whole["stop_at"] = dice.choice(PARTS)
    return whole


def _operation(dice: Random, depth: int) -> dict[str, Any]:
    deed = dice.choice(DEEDS)
    made: dict[str, Any] = {"do": deed}
    if deed == "repeat":
        made["body"] = [_operation(dice, depth + 1) for _ in range(dice.randint(0, 2))] if (
            depth < MOST) else []  # fmt: skip
        made["until"] = {"best_at_least": dice.choice(PARTS)}
    if deed == "validate" or dice.random() < 0.1:
        made["by"] = dice.choice(NAMES)
    if dice.random() < 0.2:
        made[dice.choice(("samples", "n", "size", "most"))] = Raw(dice.choice(COUNTS))
    if dice.random() < 0.15:
        made["after"] = [dice.choice(NAMES)]
    if dice.random() < 0.1:
        made["id"] = dice.choice(NAMES)
    return made
