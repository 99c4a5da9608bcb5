"""One thought with its prompts, replies and memories."""

from reasonloom.nodes.sessions.thought_sources import ThoughtSources
from reasonloom.studio.runs.run_parts import draw_calls, memory_links
from reasonloom.studio.widgets.elements import facts, moment, prose, tag


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
        tag("p", "No language model was called for it.", "studio-quiet")


def _short(value: object) -> bool:
    return isinstance(value, (str, int, float)) and len(str(value)) < 80  # noqa: PLR2004
