"""Cuts a chunk's text to a number of tokens: the longest parts first, each in its middle."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from reasonloom.text import cleaning, tokens
from reasonloom.transcripts import splitting

MARKER = re.compile(
    r"^\[(?:User|Assistant|Thinking|Tool|Result|Summary)(?:: [^\]\n]{1,60})?"
    r"(?:, error)?(?:, continued)?\](?:[ \n]|\Z)",
    re.MULTILINE,
)
"""A role marker as `transcripts.rendering` writes it; content that looks like one is escaped."""

GRAIN = 24
"""Tokens of the bits that a part is cut into."""

LEAST_TOKENS = 20
"""Tokens a part is told with, its marker included; where all would get less, some are left out."""

MARK = 12
"""About the tokens of the words that tell of a cut."""

ENDED = 60
"""A part that may have fewer tokens keeps its beginning alone."""

TRIES = 6
"""How often less is taken where tokens, counted together, are more than their sum."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one speaker said or one tool gave, its marker and what follows that, and its tokens."""

    marker: str
    body: str
    tokens: int


def truncate(content: str, room: int) -> str:
    """Return `content` within `room` tokens; what is cut says how much it was.

    Every part keeps as much as the others where that is less than it has: so the long output of a
    tool is cut before what people said.
    """
    if tokens.count_tokens(content) <= room:
        return content
    parts = parts_of(content)
    for tried in range(TRIES):
        cleaning = _within(parts, room - tried * (4 + room // 20))
        if tokens.count_tokens(cleaning) <= room:
            return cleaning
    return ""


def parts_of(content: str) -> list[Part]:
    """Return the parts of a chunk's text, in order; one without a marker for any other text."""
    starts = [match.start() for match in MARKER.finditer(content)]
    bounds = sorted({0, *starts, len(content)})
    found: list[Part] = []
    for start, end in pairwise(bounds):
        whole = content[start:end].rstrip("\n")
        marked = MARKER.match(whole)
        marker = marked.group() if marked else ""
        found.append(Part(marker, whole[len(marker) :], tokens.count_tokens(whole) + 1))
    return found


def fair_share(sizes: Sequence[int], room: int) -> int:
    """Return the size up to which each may be told whole, so that all together fit into `room`."""
    left, waiting = room, sorted(sizes)
    for place, size in enumerate(waiting):
        share = left // (len(waiting) - place)
        if size > share:
            return max(0, share)
        left -= size
    return waiting[-1] if waiting else 0


def _within(parts: Sequence[Part], room: int) -> str:
    """Return the parts, those at both ends at least, each within its share of the room."""
    most = max(1, (room - MARK) // LEAST_TOKENS)
    if most < len(parts):
        ahead = -(-most * 2 // 3)
        behind = most - ahead
        left_out = len(parts) - most
        middle = f"[… {left_out} parts cut …]"
        kept = [*parts[:ahead], *parts[len(parts) - behind :]]
        room -= MARK
    else:
        kept, ahead, middle = list(parts), 0, ""
    share = fair_share([part.tokens for part in kept], room)
    lines = [_truncate_part(part, share) for part in kept]
    if middle:
        lines.insert(ahead, middle)
    return "\n".join(each for each in lines if each)


def _truncate_part(part: Part, room: int) -> str:
    """Return a part with its marker, cut in its middle where it is larger than `room`."""
    if part.tokens <= room:
        return f"{part.marker}{part.body}"
    own = room - tokens.count_tokens(part.marker) - 2 if part.marker else room
    if own < 1:
        return ""
    bits = [
        bit
        for block, size in splitting.split(part.body, GRAIN, GRAIN, tokens.count_tokens)
        for bit in _fine(block, size, own)
    ]
    return f"{part.marker}{_ends(bits, own)}"


def _fine(block: str, size: int, room: int) -> list[tuple[str, int]]:
    """Return a bit that alone is too large for the room as smaller ones."""
    if size * 2 <= room:
        return [(block, size)]
    least = max(1, room // 4)
    return list(splitting.split(block, least, least, tokens.count_tokens))


def _ends(bits: Sequence[tuple[str, int]], room: int) -> str:
    """Return the first bits and the last, and between them how much is cut."""
    room -= MARK
    ahead = _fitting(bits, room if room < ENDED else room * 2 // 3)
    used = sum(size for _, size in bits[:ahead])
    behind = _fitting(bits[:ahead:-1], room - used) if room >= ENDED else 0
    head = "".join(bit for bit, _ in bits[:ahead])
    tail = "".join(bit for bit, _ in bits[len(bits) - behind :]) if behind else ""
    cut = sum(len(bit) for bit, _ in bits) - len(head) - len(tail)
    if cut <= 0:
        return f"{head}{tail}"
    at_line = not behind or bits[len(bits) - behind - 1][0].endswith("\n")
    tail = tail if at_line else f"… {tail}"
    # What follows the middle of a line must not begin one: it might look like a marker there.
    return "\n".join(each for each in (head.rstrip("\n"), cleaning.cut_marker(cut), tail) if each)


def _fitting(bits: Sequence[tuple[str, int]], room: int) -> int:
    """Return how many of the first bits fit."""
    for number, (_, size) in enumerate(bits):
        if size > room:
            return number
        room -= size
    return len(bits)


# The output of tools is long and often noise: compared as a whole it hides what was said.

TOOL_LENGTH = 200
"""Characters of a tool's argument or output."""

TOOLS = ("[Tool", "[Result")


def texts_in(content: str) -> list[str]:
    """Return what each speaker said or tool gave in a chunk's text, in order, without markers."""
    marks = list(MARKER.finditer(content))
    bounds = [(0, "")] if not marks or marks[0].start() else []
    starts = [*bounds, *((mark.end(), mark.group()) for mark in marks)]
    ends = [*(mark.start() for mark in marks), len(content)]
    ends = ends if bounds else ends[1:]
    found: list[str] = []
    for (start, marker), end in zip(starts, ends, strict=True):
        cleaning = content[start:end].strip()
        cleaning = cleaning[:TOOL_LENGTH] if marker.startswith(TOOLS) else cleaning
        if cleaning:
            found.append(cleaning)
    return found


def gist(content: str) -> str:
    """Return the passages of a chunk's text as one."""
    return "\n".join(texts_in(content))
