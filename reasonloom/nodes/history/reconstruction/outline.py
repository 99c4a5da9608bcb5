"""Outlines a session that is too long to show: requests, decisions, errors, files, last reply."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice

from reasonloom.nodes.history.briefing import decisions_in, quote
from reasonloom.nodes.history.truncation import marked_texts, role_of
from reasonloom.stores.history.chunk_lists import OutlinedChunk
from reasonloom.text import tokens

QUOTED = (80, 48, 28, 16)
"""Maximum tokens of a quotation, tried in turn until everything fits."""

LAST = 2
"""How many times longer than others the quotation of the last reply may be."""

FILES, FILE_TOKENS = 12, 24
"""How many files are listed, and the maximum tokens of each."""

LEAST_LINE, GAP = 8, 16
"""Minimum tokens of a line, and tokens of the line that says how many are left out."""

ANSWERED = "answered"
CONTINUED = ", continued]"


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a session: its time, kind and text; `after` says how an error ended."""

    time: datetime | None
    kind: str
    text: str
    after: str = ""


def outline(chunks: Sequence[OutlinedChunk], budget: int, *, newest: bool) -> str:
    """Return the outline of a session within `budget` tokens.

    If not everything fits, quotations get shorter; then replies are dropped except for the last
    one; then the events farthest from the preserved end of the session are dropped.

    Args:
        chunks: chunks of one session, in time order.
        budget: token budget.
        newest: whether to preserve the end of the session instead of the beginning.
    """
    every = list(_events(chunks))
    days = {chunk.time.astimezone(UTC).date() for chunk in chunks if chunk.time}
    clock = "%m-%d %H:%M" if len(days) > 1 else "%H:%M"
    for events in (every, [event for event in every if event.kind != ANSWERED]):
        fewest = len(events) * LEAST_LINE
        for most in QUOTED if fewest <= budget else ():
            lines = [_line(event, clock, most) for event in events]
            text = "\n".join([*lines, *_end(chunks, most)])
            if tokens.count_tokens(text) <= budget:
                return text
    ordered = reversed(events) if newest else events
    shortest = (_line(event, clock, QUOTED[-1]) for event in ordered)
    return _fitting(shortest, len(events), list(_end(chunks, QUOTED[-1])), budget, newest=newest)


def _events(chunks: Sequence[OutlinedChunk]) -> Iterator[Event]:
    """Yield the events of a session; only errors count in sub-agents' chunks."""
    answer: Event | None = None
    known: set[str] = set()
    for place, chunk in enumerate(chunks):
        for kind, text in _spoken(chunk) if chunk.agent is None else ():
            if kind == "User":
                yield from (answer,) if answer else ()
                answer = None
                yield Event(chunk.time, "asked", text)
            elif kind == "Assistant":
                answer = Event(chunk.time, ANSWERED, text)
            for sentence in decisions_in(text) if kind in ("User", "Assistant") else ():
                yield Event(chunk.time, "decided", sentence)
        for error in chunk.errors:
            if error not in known:
                known.add(error)
                yield Event(chunk.time, "error", error, _ending(chunks[place:], error))


def _ending(chunks: Sequence[OutlinedChunk], error: str) -> str:
    """Return how an error ended that first occurs in the first of `chunks`."""
    seen = [place for place, chunk in enumerate(chunks) if error in chunk.errors]
    failing = max(place for place, chunk in enumerate(chunks) if chunk.errors)
    times = f"{len(seen)} times; " if len(seen) > 1 else ""
    reply = _reply_after(chunks[seen[-1] :], error)
    if failing == seen[-1] and chunks[failing].errors[-1] == error:
        return f"{times}the last of the session{reply}"
    return f"{times}not seen again{reply}"


def _reply_after(chunks: Sequence[OutlinedChunk], error: str) -> str:
    """Return a quotation of the first reply after an error; empty if there is none."""
    met = False
    for chunk in chunks:
        for kind, text in _spoken(chunk, whole=False):
            met = met or error in text
            if met and kind == "Assistant" and error not in text:
                return f'; then: "{quote(text, QUOTED[2])}"'
    return ""


def _spoken(chunk: OutlinedChunk, *, whole: bool = True) -> Iterator[tuple[str, str]]:
    """Yield the role and text of each part; `whole` skips parts continued from the last chunk."""
    for marker, text in marked_texts(chunk.content):
        if text.strip() and not (whole and marker.rstrip().endswith(CONTINUED)):
            yield role_of(marker), text.strip()


def _line(event: Event, clock: str, most: int) -> str:
    time = f"{event.time.astimezone(UTC).strftime(clock)} " if event.time else ""
    ending = f" ({event.after})" if event.after else ""
    return f'- {time}{event.kind}: "{quote(event.text, most)}"{ending}'


def _end(chunks: Sequence[OutlinedChunk], most: int) -> Iterator[str]:
    """Yield the closing lines: the session's files, last first, and the last reply."""
    files = list(dict.fromkeys(file for chunk in reversed(chunks) for file in chunk.files))
    if files:
        more = f" and {len(files) - FILES} more" if len(files) > FILES else ""
        named = ", ".join(quote(file, FILE_TOKENS) for file in islice(files, FILES))
        yield f"Files, the last first: {named}{more}"
    main = [chunk for chunk in chunks if chunk.agent is None] or chunks
    replies = (text for chunk in reversed(main) for text in reversed(list(_replies(chunk))))
    if reply := next(replies, ""):
        yield f'Answered last: "{quote(reply, most * LAST)}"'


def _replies(chunk: OutlinedChunk) -> Iterator[str]:
    return (text for kind, text in _spoken(chunk, whole=False) if kind == "Assistant")


def _fitting(
    lines: Iterable[str], number: int, end: Sequence[str], budget: int, *, newest: bool
) -> str:
    """Return as many lines as fit together with the closing lines.

    Args:
        lines: the lines, most important first.
        number: how many lines there are.
        end: the closing lines.
        budget: token budget.
        newest: whether `lines` are in reverse order.
    """
    ended = list(end)
    while ended and tokens.count_tokens("\n".join(ended)) > budget // 2:
        del ended[0]
    left = budget - tokens.count_tokens("\n".join(ended)) - GAP
    kept: list[str] = []
    for line in lines:
        left -= tokens.count_tokens(line) + 1
        if left < 0:
            break
        kept.append(line)
    gap = f"[… {number - len(kept):,} lines left out]"
    return "\n".join([gap, *reversed(kept), *ended] if newest else [*kept, gap, *ended])
