"""Changes between two runs: flipped items with their transcripts, and prompt texts."""

from difflib import unified_diff
from typing import Any

from reasonloom.evals.comparison.pairs import Key, Pairs, Side

RIGHT = 0.5
"""Reduced score from which an item counts as right."""


def is_right(score: float, lower: bool) -> bool:
    """Return whether a reduced score counts as right; with `lower`, if below the threshold."""
    return (score >= RIGHT) != lower


def flips(both: Pairs, score: str, *, lower: bool) -> dict[str, list[dict[str, Any]]]:
    """Return the items that became right and those that became wrong, largest change first.

    Each has its input and target, and both runs' answers with transcripts. With `lower`, scores
    below the threshold count as right.
    """
    found: dict[str, list[dict[str, Any]]] = {"to_right": [], "to_wrong": []}
    for key in both.keys:
        before, after = (is_right(each.scores[key], lower) for each in (both.base, both.other))
        if before != after:
            way = "to_right" if after else "to_wrong"
            found[way].append(_flip(both, key, score))
    for each in found.values():
        each.sort(key=lambda flip: -abs(flip["run_score"] - flip["base_score"]))
    return found


def _flip(both: Pairs, key: Key, score: str) -> dict[str, Any]:
    record = both.base.records[key][0]
    return {
        "item": key[0],
        "input": record.input,
        "target": record.target,
        "base_score": both.base.scores[key],
        "run_score": both.other.scores[key],
        "base": _answers(both.base, key, score),
        "run": _answers(both.other, key, score),
    }


def _answers(side: Side, key: Key, score: str) -> list[dict[str, Any]]:
    return [
        {
            "epoch": record.epoch,
            "score": record.scores[score],
            "output": record.output,
            "said": record.said.get(score, ""),
            "error": record.error,
            "run": record.run,
            "calls": record.calls,
        }
        for record in side.records[key]
    ]


def prompts(base: dict[str, Any], other: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the prompts that differ between two run heads, each with a diff of its text."""
    one, two = base.get("prompts", {}), other.get("prompts", {})
    found = []
    for name in sorted({*one, *two}):
        before, after = one.get(name, {}), two.get(name, {})
        if before.get("hash") != after.get("hash"):
            old, new = prompt_text(base, name), prompt_text(other, name)
            found.append(
                {
                    "prompt": name,
                    "base_version": before.get("version"),
                    "run_version": after.get("version"),
                    "difference": text_difference(old, new, name),
                }
            )
    return found


def prompt_text(head: dict[str, Any], name: str) -> str:
    """Return the text of a prompt named in a run's head, empty if it has none."""
    return str(head.get("texts", {}).get(head.get("prompts", {}).get(name, {}).get("hash"), ""))


def text_difference(before: str, after: str, name: str) -> list[str]:
    """Return the lines of a unified diff."""
    lines = unified_diff(
        before.splitlines(), after.splitlines(), f"{name} (base)", f"{name} (run)", lineterm=""
    )
    return list(lines)
