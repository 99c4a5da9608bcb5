"""One thought: what it says, the prompts and replies behind it, the memories around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from reasonloom.stores.runs import made_and_used, runs
from reasonloom.stores.sessions import thoughts
from reasonloom.studio.runs.memory_links import memory_links
from reasonloom.studio.runs.run_parts import calls_shown
from reasonloom.studio.widgets.facts import facts
from reasonloom.studio.widgets.tag import tag
from reasonloom.studio.widgets.texts import moment, prose

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.runs.made_and_used import Touched
    from reasonloom.stores.sessions.thoughts import ThoughtRow


@dataclass(frozen=True, slots=True)
class Behind:
    """A thought with what its run asked and touched; a run may have made several thoughts."""

    thought: ThoughtRow
    calls: Sequence[Mapping[str, Any]]
    memories: Sequence[Touched]


async def behind(tx: Transaction, thought_id: UUID) -> Behind:
    """Read a thought and what stands behind it.

    Raises:
        ThoughtNotFound: the visitor has none such.
    """
    row = await thoughts.require(tx, str(thought_id))
    if row.run_id is None:
        return Behind(row, [], [])
    calls = (await runs.calls_of(tx, [row.run_id]))[row.run_id]
    return Behind(row, calls, await made_and_used.of_run(tx, row.run_id))


def thought_panel(found: Behind) -> None:
    """Draw it."""
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
        calls_shown(found.calls)
    else:
        tag("p", "No language model was asked for it.", "studio-quiet")


def _short(value: object) -> bool:
    return isinstance(value, (str, int, float)) and len(str(value)) < 80  # noqa: PLR2004
