"""A scorer by regular expression, with a bound on the time that one search may take."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import regex

from reasonloom.errors import InvalidArgument
from reasonloom.evals.core.item import Item
from reasonloom.evals.core.scorer import Bench, Mark
from reasonloom.evals.core.way import text_of
from reasonloom.evals.scorers.text import LONGEST_ANSWER, targets

SECONDS = 1.0
TOO_LONG = "the expression took too long"


@dataclass(frozen=True)
class Pattern:
    """Scores 1 where an expression is found; with a group, where the group is the target.

    Attributes:
        expression: as the library `regex` reads it.
        seconds: that one search may take; an answer that takes longer gets 0, and it is said.
    """

    expression: str
    seconds: float = SECONDS
    name: str = "regex"
    _compiled: regex.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "_compiled", regex.compile(self.expression))
        except regex.error as error:
            raise InvalidArgument(f"regex: is no expression: {error}", field="regex") from None

    @property
    def needs_target(self) -> bool:
        """Whether a group is to be the target."""
        return bool(self._compiled.groups)

    def about(self) -> dict[str, Any]:
        """Return the expression."""
        return {"scorer": self.name, "expression": self.expression, "seconds": self.seconds}

    def refuse(self, item: Item) -> str:
        """Refuse nothing."""
        return ""

    def mark(self, item: Item, output: Any, bench: Bench) -> Mark:
        """Return 1 where the expression is found, and its last group is a target."""
        said = text_of(output)[-LONGEST_ANSWER:] if output is not None else ""
        try:
            found = [match[match.re.groups] for match in self._found(said)]
        except TimeoutError:
            return Mark(0.0, TOO_LONG)
        if not self.needs_target:
            return Mark(float(bool(found)))
        return Mark(float(bool(found) and (found[-1] or "").strip() in targets(item)))

    def _found(self, said: str) -> list[regex.Match[str]]:
        return list(self._compiled.finditer(said, timeout=self.seconds))
