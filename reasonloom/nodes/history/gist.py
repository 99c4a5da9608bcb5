"""What a chunk is about: what was said whole, and of what tools were given and gave the beginning.

The output of tools is long and often noise: compared as a whole it hides what was said.
"""

from __future__ import annotations

from reasonloom.nodes.history.truncation import MARKER

TOOL_SHOWN = 200
"""Characters of a tool's argument or output."""

TOOLS = ("[Tool", "[Result")


def said_in(content: str) -> list[str]:
    """Return what each speaker said or tool gave in a chunk's text, in order, without markers."""
    marks = list(MARKER.finditer(content))
    bounds = [(0, "")] if not marks or marks[0].start() else []
    starts = [*bounds, *((mark.end(), mark.group()) for mark in marks)]
    ends = [*(mark.start() for mark in marks), len(content)]
    ends = ends if bounds else ends[1:]
    found: list[str] = []
    for (start, marker), end in zip(starts, ends, strict=True):
        said = content[start:end].strip()
        said = said[:TOOL_SHOWN] if marker.startswith(TOOLS) else said
        if said:
            found.append(said)
    return found


def gist(content: str) -> str:
    """Return the passages of a chunk's text as one."""
    return "\n".join(said_in(content))
