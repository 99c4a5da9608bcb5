"""Draws for Mermaid how basins stand to each other, the strongest relations first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from reasonloom.nodes.sessions.picture import shortened
from reasonloom.text.mermaid import in_mermaid

if TYPE_CHECKING:
    from reasonloom.contracts.mental_models.models import Relation

MOST_DRAWN = 60
"""Basins in one drawing, in the order that they are given in."""

MOST_LINES = 100
LONGEST_LABEL = 48
LINES = {
    "causal": "-->|causes|",
    "temporal": "-.->|before|",
    "hierarchical": "==>|holds|",
    "associated": "---|with|",
}
GONE = "classDef gone stroke-dasharray:4"


def chart(
    names: Mapping[str, str], relations: Sequence[Relation], gone: Sequence[str] = ()
) -> tuple[str, list[str]]:
    """Return the drawing of basins by id, and what must be said of what is left out of it."""
    signs = {basin: f"b{number}" for number, basin in enumerate(list(names)[:MOST_DRAWN], 1)}
    lines = [each for each in relations if each.source in signs and each.target in signs]
    drawn = [_basin(signs[each], names[each], each in gone) for each in signs]
    drawn += [
        f"{signs[each.source]} {LINES[each.kind]} {signs[each.target]}"
        for each in lines[:MOST_LINES]
    ]
    left = [
        f"*The drawing leaves out {count:,} {what}.*"
        for count, what in (
            (len(names) - len(signs), "smaller basins"),
            (len(lines) - MOST_LINES, "weaker relations"),
        )
        if count > 0
    ]
    return "\n".join(["flowchart LR", *drawn, GONE]), left


def _basin(sign: str, name: str, gone: bool) -> str:
    return f'{sign}(["{in_mermaid(shortened(name, LONGEST_LABEL))}"]){":::gone" if gone else ""}'
