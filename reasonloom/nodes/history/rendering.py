"""Tells pieces of past conversations within a budget of tokens: one text, and what it holds.

Every piece stands under a line of its own that says when and where it was said. No content can
imitate such a line: one that looks like it gets a backslash.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from reasonloom.contracts.history import ChunkResult
from reasonloom.nodes.history.truncation import fair_share, truncate
from reasonloom.text import tokens
from reasonloom.transcripts.rendering import UNSEEN

Head = Callable[[int, int], str]
"""Gives the text's first line for the number of pieces and the tokens of the text."""

Mark = Callable[["Piece | None", "Piece"], str | None]
"""Gives a line to stand between the piece told before and the next, None for none."""

WORTH = 100
"""Where fewer tokens are left than this, no further piece is begun."""

SHORT_ID, NAME_LENGTH, REASON_LENGTH = 8, 40, 160
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}", re.IGNORECASE)
OURS = re.compile(
    rf"^([\s{UNSEEN}]*)(?==+[\s{UNSEEN}]*+[^=\s]|\[[\s{UNSEEN}]*(?:note|chain walk)\b)",
    re.MULTILINE | re.IGNORECASE,
)
"""Lines that look like the heading of a piece, or like what the answer says below the pieces."""

TRIES = 8


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk as it may be told.

    Attributes:
        time: aware; None where its transcript told none.
        tokens: of the content.
        score: what it was found by, 0..1; None where nothing was asked.
        why: why it follows what was told before it; one line is made of it.
        partial: `content` is not all of the chunk.
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


@dataclass(frozen=True, slots=True)
class RenderedPiece:
    """What of a piece is told, its tokens, and whether something of it is left out."""

    text: str
    tokens: int
    cut: bool


@dataclass(frozen=True, slots=True)
class RenderedText:
    """The text within its budget, the pieces it tells, its tokens, and how many are left out."""

    text: str
    chunks: list[ChunkResult]
    tokens: int
    omitted: int


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
    """Return the pieces as one text of at most `budget` tokens.

    Args:
        pieces: in the order in which they are told.
        budget: tokens of the whole text, what is `below` and `reserved` included.
        head: the first line; told how many pieces there are, and the tokens of the text.
        below: lines after the pieces; left out where they would take half of the budget.
        order: places in `pieces` in the order in which they get room; that of telling if None.
        shared: every piece is told, the longest cut first; else the first are told whole, one is
            cut, and the rest is left out.
        reserved: lines that somebody adds after the text (notes), for which room is kept.
        mark: gives lines between pieces, such as where another session begins.
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
    return RenderedText(written, _piece_values(pieces, chosen), size, len(pieces) - len(chosen))


def heading(piece: Piece) -> str:
    """Return the line over a piece: when, where, which, and why it is told here."""
    time = piece.time.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC") if piece.time else "undated"
    named = [time, one_line(piece.project, NAME_LENGTH), f"session {short_session(piece.session)}"]
    named += [f"agent {one_line(piece.agent, NAME_LENGTH)}"] if piece.agent else []
    named += [f"mem-{piece.id}"]
    named += [one_line(piece.why, REASON_LENGTH)] if piece.why else []
    return f"=== {' | '.join(named)} ==="


def short_session(session: str) -> str:
    """Return a session's id as it is shown: how a UUID begins, any other whole."""
    return session[:SHORT_ID] if UUID.fullmatch(session) else one_line(session, NAME_LENGTH)


def one_line(text: str, most: int) -> str:
    """Return `said` on one line, of at most `most` characters."""
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _chosen(
    pieces: Sequence[Piece], room: int, order: Sequence[int] | None, shared: bool
) -> dict[int, RenderedPiece]:
    """Return what of which piece is told, by its place."""
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
    """Return what is told of every piece; where all would be too little, the first are left out."""
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
    """Return the text and its tokens, which it tells itself.

    What follows the first line is counted once: no token spans the empty line between them, as
    the pieces, and what stands between and below them, begin with a sign that joins no line end.
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
    """Yield each piece that is told under its heading, and what stands between them."""
    before: Piece | None = None
    for place in sorted(chosen):
        piece = pieces[place]
        if mark and (line := mark(before, piece)):
            yield line
        yield f"{heading(piece)}\n{chosen[place].text}"
        before = piece


def _piece_values(pieces: Sequence[Piece], chosen: dict[int, RenderedPiece]) -> list[ChunkResult]:
    """Return the pieces that are told as values, in their order."""
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
        )
        for place, piece in enumerate(pieces)
        if place in chosen
    ]


SPARE = 4
"""Tokens of the mark-up that a client sees around a note."""


def fit_lines(head: str, lines: Sequence[str], budget: int, more: str) -> tuple[str, int]:
    """Return the head with as many of the lines as fit into `budget` tokens, and how many.

    Where not all fit, `more` is the last line; `{n}` in it is how many are left out.
    """
    whole = "\n".join([head, *lines])
    if tokens.count_tokens(whole) <= budget:
        return whole, len(lines)
    low, high = 0, len(lines) - 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (
            (middle, high) if _size(head, lines, middle, more) <= budget else (low, middle - 1)
        )
    return "\n".join([head, *lines[:low], more.format(n=len(lines) - low)]), low


def remaining_budget(budget: int, notes: Sequence[str]) -> int:
    """Return what of `budget` remains beside notes that stand below the text."""
    return max(
        budget // 2,
        budget - sum(tokens.count_tokens(f"[Note: {note}]\n") + SPARE for note in notes),
    )


def _size(head: str, lines: Sequence[str], count: int, more: str) -> int:
    return tokens.count_tokens("\n".join([head, *lines[:count], more.format(n=len(lines) - count)]))
