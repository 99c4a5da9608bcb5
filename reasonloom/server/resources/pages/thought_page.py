"""Writes a thought as a Markdown page: the line that led to it, drawn, and what it says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC
from itertools import pairwise
from typing import TYPE_CHECKING

from reasonloom.nodes.sessions.picture import shortened
from reasonloom.server.resources.pages.markdown import in_markdown, quoted
from reasonloom.text.mermaid import in_mermaid

if TYPE_CHECKING:
    from reasonloom.stores.sessions.thoughts import PastThought, ThoughtRow

LONGEST_CONTENT = 10_000
LONGEST_QUESTION = 2_000
LONGEST_LABEL = 60


def page(thought: ThoughtRow, before: Sequence[PastThought]) -> str:
    """Return the page; texts of others are escaped, and what is left out is said."""
    parts = [
        f"# Thought {thought.id}",
        *_facts(thought),
        f"```mermaid\n{_chart(thought, before)}\n```",
    ]
    if thought.input.strip():
        parts += ["## Asked", *_cut(thought.input, LONGEST_QUESTION)]
    return "\n\n".join([*parts, "## Concluded", *_cut(thought.content, LONGEST_CONTENT)]) + "\n"


def _facts(thought: ThoughtRow) -> Iterator[str]:
    yield (
        f"Number {thought.position} of its session, {in_markdown(thought.mode)}, confidence "
        f"{thought.confidence:.2f}, llm {in_markdown(thought.llm)}. "
        f"{thought.created_at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC."
    )
    yield f"Session: `reasonloom://session/{thought.session_id}`"
    if thought.run_id:
        yield f"Run: `reasonloom://run/{thought.run_id}`"


def _chart(thought: ThoughtRow, before: Sequence[PastThought]) -> str:
    """Draw the way from the oldest thought shown to this one."""
    said = [*(each.content for each in before), thought.content]
    lines = [
        f't{place}["{in_mermaid(shortened(text, LONGEST_LABEL))}"]'
        for place, text in enumerate(said)
    ]
    arrows = [f"t{one} --> t{other}" for one, other in pairwise(range(len(said)))]
    return "\n".join(["flowchart TD", *lines, *arrows, f"style t{len(before)} stroke-width:3px"])


def _cut(text: str, longest: int) -> Iterator[str]:
    yield quoted(text[:longest])
    if len(text) > longest:
        yield f"*Cut: the first {longest:,} of {len(text):,} characters.*"
