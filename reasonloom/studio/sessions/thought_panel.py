"""One thought with its prompts, replies and memories."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from reasonloom.stores.database import Transaction
from reasonloom.stores.runs import run_lineage, runs
from reasonloom.stores.runs.run_lineage import RunMemory
from reasonloom.stores.sessions import thoughts
from reasonloom.stores.sessions.thoughts import ThoughtRow
from reasonloom.studio.runs.run_parts import draw_calls, memory_links
from reasonloom.studio.widgets.elements import facts, moment, prose, tag


@dataclass(frozen=True, slots=True)
class ThoughtSources:
    """A thought with the calls and memories of its run, which may have several thoughts."""

    thought: ThoughtRow
    calls: Sequence[Mapping[str, Any]]
    memories: Sequence[RunMemory]


async def thought_sources(tx: Transaction, thought_id: UUID) -> ThoughtSources:
    """Read a thought with its sources.

    Raises:
        ThoughtNotFound: the visitor has no such thought.
    """
    row = await thoughts.require(tx, str(thought_id))
    if row.run_id is None:
        return ThoughtSources(row, [], [])
    calls = (await runs.calls_of(tx, [row.run_id]))[row.run_id]
    return ThoughtSources(row, calls, await run_lineage.memories_of_run(tx, row.run_id))


def thought_panel(found: ThoughtSources) -> None:
    """Draw the thought with its calls and memories."""
    row = found.thought
    tag("h2", f"Step {row.position}")
    facts(
        {
            "Mode": row.mode,
            "Confidence": f"{row.confidence:.2f}",
            "Language model": row.llm,
            "Stored": moment(row.created_at),
            "Run": ("open", f"/run/{row.run_id}") if row.run_id else None,
            **{name: str(value) for name, value in row.metadata.items() if _short(value)},
        }
    )
    if row.input.strip():
        tag("h3", "Asked")
        prose(row.input)
    tag("h3", "Concluded")
    prose(row.content)
    memory_links(found.memories)
    if found.calls:
        tag("h3", f"Calls of its run: {len(found.calls):,}")
        draw_calls(found.calls)
    else:
        tag("p", "No language model was asked for it.", "studio-quiet")


def _short(value: object) -> bool:
    return isinstance(value, (str, int, float)) and len(str(value)) < 80  # noqa: PLR2004
