"""Truncates a chunk's text to a number of tokens: the longest parts first, each in its middle."""

import re
from collections.abc import Iterator, Sequence
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
"""Tokens of the pieces that a part is split into for cutting."""

LEAST_TOKENS = 20
"""Minimum tokens of a part, its marker included; parts are dropped if all would get less."""

MARK = 12
"""Approximate tokens of a cut marker."""

ENDED = 60
"""A part with a smaller token budget retains only its beginning."""

TRIES = 6
"""How often to retry with less room, since joined text may have more tokens than its parts."""


@dataclass(frozen=True, slots=True)
class Part:
    """The text of one speaker or tool: its role marker, the body after it, and its tokens."""

    marker: str
    body: str
    tokens: int


def truncate(content: str, room: int) -> str:
    """Return `content` within `room` tokens; cut markers say how much was removed.

    All parts get the same maximum size, so long tool output is cut before what people said.
    """
    if tokens.count_tokens(content) <= room:
        return content
    parts = [
        Part(marker, body, tokens.count_tokens(marker + body) + 1)
        for marker, body in marked_texts(content)
    ]
    for tried in range(TRIES):
        cleaning = _within(parts, room - tried * (4 + room // 20))
        if tokens.count_tokens(cleaning) <= room:
            return cleaning
    return ""


def marked_texts(content: str) -> Iterator[tuple[str, str]]:
    """Yield the role marker and the text of each part; text before the first marker is one too."""
    starts = [match.start() for match in MARKER.finditer(content)]
    for start, end in pairwise(sorted({0, *starts, len(content)})):
        whole = content[start:end].rstrip("\n")
        marked = MARKER.match(whole)
        marker = marked.group() if marked else ""
        yield marker, whole[len(marker) :]


def role_of(marker: str) -> str:
    """Return the role that a marker names: `User`, `Assistant`, `Result`, …"""
    return re.split(r"[:,\]]", marker[1:], maxsplit=1)[0]


def fair_share(sizes: Sequence[int], room: int) -> int:
    """Return the maximum size per item at which all items together fit into `room`."""
    left, waiting = room, sorted(sizes)
    for place, size in enumerate(waiting):
        share = left // (len(waiting) - place)
        if size > share:
            return max(0, share)
        left -= size
    return waiting[-1] if waiting else 0


def _within(parts: Sequence[Part], room: int) -> str:
    """Return the parts, each within its share of the room; middle ones are dropped if needed."""
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
    """Return a part with its marker, cut in the middle if it is larger than `room`."""
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
    """Split a piece further if it is more than half as large as the room."""
    if size * 2 <= room:
        return [(block, size)]
    least = max(1, room // 4)
    return list(splitting.split(block, least, least, tokens.count_tokens))


def _ends(bits: Sequence[tuple[str, int]], room: int) -> str:
    """Return the first and last pieces that fit, with a cut marker between them."""
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
    # A tail from the middle of a line must not start a line: it might look like a role marker.
    return "\n".join(each for each in (head.rstrip("\n"), cleaning.cut_marker(cut), tail) if each)


def _fitting(bits: Sequence[tuple[str, int]], room: int) -> int:
    """Return how many leading pieces fit into `room`."""
    for number, (_, size) in enumerate(bits):
        if size > room:
            return number
        room -= size
    return len(bits)


# Tool output is long and often noise; compared as a whole it would drown out what was said.

TOOL_LENGTH = 200
"""Characters of a tool's arguments or output that count."""

TOOLS = ("[Tool", "[Result")


def texts_in(content: str) -> list[str]:
    """Return the texts of a chunk's parts, in order, without markers; tool texts are shortened."""
    return [
        text[:TOOL_LENGTH] if marker.startswith(TOOLS) else text
        for marker, body in marked_texts(content)
        if (text := body.strip())
    ]


def gist(content: str) -> str:
    """Return the texts of a chunk's parts, joined."""
    return "\n".join(texts_in(content))
