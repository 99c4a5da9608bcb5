"""Writes basins as a Markdown page: a drawing, a table, and the strongest memories of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from reasonloom.nodes.sessions.picture import shortened
from reasonloom.server.resources.pages.basin_chart import chart
from reasonloom.server.resources.pages.markdown import in_markdown, quoted

if TYPE_CHECKING:
    from reasonloom.contracts.mental_models.extras import BasinListed, BasinsListed
    from reasonloom.contracts.mental_models.models import Relation

NONE = "There are none yet: they form by themselves as memories are stored."
COLUMNS = "| basin | memories | coherence | models | keywords | id |"
RULE = "|---|---|---|---|---|---|"


def page(found: BasinsListed, relations: Sequence[Relation]) -> str:
    """Return the page; texts of others are escaped, and what is left out is said."""
    return "\n\n".join(["# Basins", *_parts(found, relations)]) + "\n"


def _parts(found: BasinsListed, relations: Sequence[Relation]) -> Iterator[str]:
    if not found.basins:
        yield NONE
        return
    shown = len(found.basins)
    yield f"Clusters of memories: {found.total:,}" + (
        f", of which these are the {shown} largest." if shown < found.total else "."
    )
    yield "\n".join([COLUMNS, RULE, *map(_row, found.basins)])
    drawing, left = chart({each.id: each.name for each in found.basins}, relations)
    yield f"```mermaid\n{drawing}\n```"
    yield from left
    yield "## Memories"
    for each in found.basins:
        yield f"### {in_markdown(shortened(each.name))}"
        for memory in each.memories:
            yield f"{memory.id}, strength {memory.strength:.2f}"
            yield quoted(memory.excerpt)


def _row(each: BasinListed) -> str:
    cells = (
        in_markdown(shortened(each.name)),
        each.member_count,
        f"{each.coherence:.2f}",
        each.model_count,
        in_markdown(", ".join(each.keywords)),
        f"`{each.id}`",
    )
    return f"| {' | '.join(map(str, cells))} |"
