"""Renders pieces of past conversations as one text within a token budget.

Every piece has a heading that says when and where it was said. Content cannot imitate a heading:
lines that look like one are escaped with a backslash.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Self, get_args

from reasonloom.contracts.history import ChunkResult, Host
from reasonloom.nodes.history.truncation import fair_share, truncate
from reasonloom.stores.history.chunk_links import WalkChunk
from reasonloom.stores.history.chunk_lists import ChunkRow
from reasonloom.text import tokens
from reasonloom.transcripts.rendering import UNSEEN

Head = Callable[[int, int], str]
"""Returns the first line, given the number of pieces and the tokens of the text."""

Mark = Callable[["Piece | None", "Piece"], str | None]
"""Returns a line to insert between the previous piece and the next, if any."""

WORTH = 100
"""Minimum remaining tokens for another piece that must be cut."""

SHORT_ID, NAME_LENGTH, REASON_LENGTH = 8, 40, 160
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}", re.IGNORECASE)
OURS = re.compile(
    rf"^([\s{UNSEEN}]*)(?==+[\s{UNSEEN}]*+[^=\s]|\[[\s{UNSEEN}]*(?:note|chain walk)\b)",
    re.MULTILINE | re.IGNORECASE,
)
"""Lines that look like a piece's heading, or like the notes below the pieces."""

TRIES = 8


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk, or a part of one, to render.

    Attributes:
        time: aware; None if its transcript has none.
        tokens: tokens of the whole chunk.
        score: relevance to the query, 0..1; None without a query.
        why: why it follows an earlier piece; rendered on one line.
        partial: whether `content` is only a part of the chunk.
        form: the format of its transcript.
    """

    id: int
    project: str
    session: str
    agent: str | None
    time: datetime | None
    tokens: int
    content: str
    score: float | None = None
    why: str | None = None
    partial: bool = False
    form: str = ""

    @classmethod
    def of(cls, chunk: WalkChunk | ChunkRow, **fields: Any) -> Self:
        """Return the piece of a chunk; `fields` sets the fields that differ from the chunk's."""
        time = chunk.time if isinstance(chunk, ChunkRow) else chunk.started_at
        fields = {"content": chunk.content, "form": chunk.form, **fields}
        return cls(
            chunk.id, chunk.project, chunk.session, chunk.agent, time, chunk.tokens, **fields
        )


@dataclass(frozen=True, slots=True)
class RenderedPiece:
    """The rendered content of a piece, its tokens, and whether it was cut."""

    text: str
    tokens: int
    cut: bool


@dataclass(frozen=True, slots=True)
class RenderedText:
    """The text, the pieces it contains, and its tokens."""

    text: str
    chunks: list[ChunkResult]
    tokens: int


def render(
    pieces: Sequence[Piece],
    budget: int,
    *,
    head: Head,
    below: Sequence[str] = (),
    order: Sequence[int] | None = None,
    shared: bool = False,
    reserved: Sequence[str] = (),
    mark: Mark | None = None,
) -> RenderedText:
    """Render the pieces as one text of at most `budget` tokens.

    Args:
        pieces: the pieces, in output order.
        budget: tokens of the whole text, including `below` and `reserved`.
        head: returns the first line, given the number of pieces and the tokens of the text.
        below: lines after the pieces; dropped if they would take more than half of the budget.
        order: indices into `pieces`, in the order in which they get room; output order if None.
        shared: every piece gets room, and the longest are cut first; otherwise the first pieces
            are rendered whole, one is cut, and the rest is left out.
        reserved: lines that the caller adds after the text (notes), for which room is left.
        mark: returns lines between pieces, such as session boundaries.
    """
    kept = tokens.count_tokens("\n".join(below)) + 2 if below else 0
    below = below if kept * 2 <= budget else ()
    later = sum(tokens.count_tokens(line) + 4 for line in reserved)
    room = budget - (kept if below else 0) - min(later, budget // 2)
    most = room
    for _ in range(TRIES):
        chosen = _chosen(
            pieces, room - tokens.count_tokens(head(len(pieces), budget)) - 1, order, shared
        )
        written, size = _written(pieces, chosen, head, below, mark)
        if size <= most + (kept if below else 0) or not chosen:
            break
        room -= size - most + 2
    return RenderedText(written, _piece_values(pieces, chosen), size)


def heading(piece: Piece) -> str:
    """Return the heading of a piece: when, where, its id, and why it follows."""
    time = piece.time.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC") if piece.time else "undated"
    named = [time, one_line(piece.project, NAME_LENGTH), f"session {short_session(piece.session)}"]
    named += [f"agent {one_line(piece.agent, NAME_LENGTH)}"] if piece.agent else []
    named += [f"mem-{piece.id}"]
    named += [one_line(piece.why, REASON_LENGTH)] if piece.why else []
    return f"=== {' | '.join(named)} ==="


def short_session(session: str) -> str:
    """Return a session id for display: the start of a UUID, or up to NAME_LENGTH of any other."""
    return session[:SHORT_ID] if UUID.fullmatch(session) else one_line(session, NAME_LENGTH)


def host_of(form: str | None) -> Host | None:
    """Return the host that records transcripts of a format; None for formats of no host."""
    return next((host for host in get_args(Host) if host == form), None)


def one_line(text: str, most: int) -> str:
    """Return `text` on one line of at most `most` characters."""
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _chosen(
    pieces: Sequence[Piece], room: int, order: Sequence[int] | None, shared: bool
) -> dict[int, RenderedPiece]:
    """Return the rendered pieces that fit into `room` tokens, by index."""
    safe = [OURS.sub(r"\1\\", piece.content) for piece in pieces]
    heads = [tokens.count_tokens(heading(piece)) + 3 for piece in pieces]
    if shared:
        return _shared(safe, heads, room)
    chosen: dict[int, RenderedPiece] = {}
    for place in order if order is not None else range(len(pieces)):
        left = room - heads[place]
        size = tokens.count_tokens(safe[place])
        if size <= left:
            chosen[place] = RenderedPiece(safe[place], size, cut=False)
            room = left - size
            continue
        if (not chosen or left >= WORTH) and (text := truncate(safe[place], left)):
            chosen[place] = RenderedPiece(text, tokens.count_tokens(text), cut=True)
        break
    return chosen


def _shared(safe: Sequence[str], heads: Sequence[int], room: int) -> dict[int, RenderedPiece]:
    """Give every piece a fair share of the room; drop the first ones if headings take over half."""
    first = 0
    while first < len(safe) - 1 and sum(heads[first:]) * 2 > room:
        first += 1
    sizes = [tokens.count_tokens(each) for each in safe]
    share = fair_share(sizes[first:], room - sum(heads[first:]))
    texts = {place: truncate(safe[place], share) for place in range(first, len(safe))}
    return {
        place: RenderedPiece(text, tokens.count_tokens(text), cut=text != safe[place])
        for place, text in texts.items()
        if text
    }


def _written(
    pieces: Sequence[Piece],
    chosen: dict[int, RenderedPiece],
    head: Head,
    below: Sequence[str],
    mark: Mark | None,
) -> tuple[str, int]:
    """Return the text and its tokens, a number that the first line contains.

    Everything after the first line is counted once: no token spans the blank line between them,
    because pieces, marks and the lines below begin with a character that merges with no newline.
    """
    body = "\n\n".join(_blocks(pieces, chosen, mark))
    rest = "\n\n".join(part for part in (body, "\n".join(below)) if part)
    fixed = tokens.count_tokens(rest)
    size = 0
    for _ in range(3):
        first = head(len(chosen), size)
        first += "\n\n" if first and rest else ""
        before, size = size, tokens.count_tokens(first) + fixed
        if before == size:
            break
    return first + rest, size


def _blocks(
    pieces: Sequence[Piece], chosen: dict[int, RenderedPiece], mark: Mark | None
) -> Iterator[str]:
    """Yield each chosen piece under its heading, and the lines between pieces."""
    before: Piece | None = None
    for place in sorted(chosen):
        piece = pieces[place]
        if mark and (line := mark(before, piece)):
            yield line
        yield f"{heading(piece)}\n{chosen[place].text}"
        before = piece


def _piece_values(pieces: Sequence[Piece], chosen: dict[int, RenderedPiece]) -> list[ChunkResult]:
    """Return the chosen pieces as structured output, in order."""
    return [
        ChunkResult(
            id=f"mem-{piece.id}",
            project=piece.project,
            session_id=piece.session,
            agent=piece.agent,
            time=piece.time.isoformat() if piece.time else None,
            tokens=chosen[place].tokens,
            score=None if piece.score is None else round(piece.score, 4),
            content=chosen[place].text,
            cut=chosen[place].cut or piece.partial,
            host=host_of(piece.form),
        )
        for place, piece in enumerate(pieces)
        if place in chosen
    ]


SPARE = 4
"""Tokens of the markup around a note."""


def fit_lines(head: str, lines: Sequence[str], budget: int, more: str) -> str:
    """Return the head with as many lines as fit into `budget` tokens.

    If not all fit, `more` is the last line, with `{n}` replaced by how many are left out.
    """
    whole = "\n".join([head, *lines])
    if tokens.count_tokens(whole) <= budget:
        return whole

    def cut(count: int) -> str:
        return "\n".join([head, *lines[:count], more.format(n=len(lines) - count)])

    low, high = 0, len(lines) - 1
    while low < high:
        middle = (low + high + 1) // 2
        fits = tokens.count_tokens(cut(middle)) <= budget
        low, high = (middle, high) if fits else (low, middle - 1)
    return cut(low)


def remaining_budget(budget: int, notes: Sequence[str]) -> int:
    """Return the tokens of `budget` that the notes below the text leave; at least half of it."""
    return max(
        budget // 2,
        budget - sum(tokens.count_tokens(f"[Note: {note}]\n") + SPARE for note in notes),
    )
