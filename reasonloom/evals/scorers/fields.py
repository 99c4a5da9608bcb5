"""Scores objects by the share of the target's fields that match in the answer."""

import json
from dataclasses import dataclass
from typing import Any

from reasonloom.evals.core.item import Item, Mark, ScoringContext
from reasonloom.evals.core.way import value_at
from reasonloom.llm.structured_output import read_object


@dataclass(frozen=True)
class Fields:
    """Scores the share of matching fields; with `whole`, 1 only if all match, else 0.

    `fields` are the dotted paths to compare; if empty, all top-level fields of the target.
    """

    fields: tuple[str, ...] = ()
    whole: bool = False
    name: str = "json_fields"
    needs_target: bool = True

    def about(self) -> dict[str, Any]:
        """Return the scorer's parameters."""
        return {"scorer": self.name, "fields": list(self.fields), "whole": self.whole}

    def refuse(self, item: Item) -> str:
        """Refuse a target that is not a JSON object."""
        return "" if _object(item.target) is not None else "target is no JSON object"

    def mark(self, item: Item, output: Any, bench: ScoringContext) -> Mark:
        """Return the score, with the wrong fields as the reason."""
        target, answer = _object(item.target) or {}, _object(output)
        if answer is None:
            return Mark(0.0, "no JSON object")
        names = self.fields or tuple(target)
        wrong = [
            name for name in names if not _same(value_at(target, name), value_at(answer, name))
        ]
        share = 1 - len(wrong) / len(names) if names else 1.0
        score = float(not wrong) if self.whole else share
        return Mark(score, f"wrong: {', '.join(wrong)}" if wrong else "")


def _object(value: Any) -> dict[str, Any] | None:
    """Return an object, extracting it from text if necessary; None if there is none."""
    if isinstance(value, dict):
        return value
    return read_object(value, {"type": "object"}) if isinstance(value, str) else None


def _same(one: Any, other: Any) -> bool:
    """Return whether two values are equal as JSON: 1 equals 1.0, but not true."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other
    return json.dumps(one, sort_keys=True, default=str) == json.dumps(
        other, sort_keys=True, default=str
    )
