"""Iterates over a file's turns, from the beginning or from an earlier position."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from reasonloom.errors import InvalidArgument
from reasonloom.transcripts.lines import (
    LONGEST,
    Line,
    Lines,
    Position,
    digest,
    ends_of,
    parse_entry,
    require_text,
)
from reasonloom.transcripts.turns import Skipped, Source, Turn

PATIENCE = 500
"""Number of unreadable lines at a file's beginning after which it is rejected."""


@dataclass(slots=True)
class Started:
    """Where an open turn started, and its number."""

    number: int
    start: int
    source: Source


class Form(ABC):
    """Parses lines of one format into turns, and tracks the open ones.

    Attributes:
        number: the next turn's number.
        taken: number of lines in this format, known noise included.
        started: the open turns, in order.
    """

    started: Sequence[Started] = ()

    def __init__(self, known: Position | None, agent: str | None = None) -> None:
        self.source = known.source if known else Source(agent=agent)
        self.number = known.turn if known else 1
        self.taken = 0

    @abstractmethod
    def take(self, line: Line, skipped: Skipped) -> tuple[list[Turn], bool]:
        """Process a line; return the turns that it completes, and whether it adds to any turn."""

    def whole(self, line: Line) -> bool:
        """Return whether a last line without a line feed is complete: a JSON object."""
        return parse_entry(line, Skipped()) is not None

    @abstractmethod
    def open(self) -> list[Turn]:
        """Return the open turns in order, marked incomplete."""

    def resumption(self, offset: int) -> tuple[int, int, Source]:
        """Return the offset, number and source of the first open turn, else of the next turn."""
        if not self.started:
            return offset, self.number, self.source
        first = self.started[0]
        return first.start, first.number, first.source


class TurnReader(Iterator[Turn]):
    """An iterator of turns. Once exhausted, `position` is where the next read starts.

    Attributes:
        rewritten: whether the file was rewritten and is read from the beginning; earlier chunks
            are then obsolete.
        skipped: counts of the lines skipped in this read.
        position: the position to resume from, None before the end.
    """

    def __init__(
        self,
        stream: BinaryIO,
        since: Position | None,
        form: Callable[[Position | None], Form],
        *,
        lines_of_json: bool = True,
        longest: int = LONGEST,
    ) -> None:
        require_text(stream, lines_of_json=lines_of_json)
        self.rewritten = since is not None and not since.fits(stream)
        self.since = None if self.rewritten else since
        self.skipped = Skipped()
        self.position: Position | None = None
        self._form = form(self.since)
        self._lines = Lines(stream, self.since.start if self.since else 0, longest)
        self._stream, self._waiting = stream, 0
        self._turns = self._read()

    def __next__(self) -> Turn:
        return next(self._turns)

    @property
    def source(self) -> Source:
        """The source of the conversation, as known from the lines read so far."""
        return self._form.source

    def halfway(self) -> Position | None:
        """Return the position to resume from after the last yielded turn, None if impossible.

        It is impossible between turns that end together and once the open turns are yielded; after
        the end, use `position`. Open turns are read again as new.
        """
        if self._waiting or self.position is not None:
            return None
        start, number, source = self._form.resumption(self._lines.offset)
        place = self._stream.tell()
        known = digest(*ends_of(self._stream, start))
        self._stream.seek(place)
        return Position(start, start, number, known, source)

    def _read(self) -> Iterator[Turn]:
        form, known = self._form, self.since.offset if self.since else 0
        fresh, count = False, 0
        for line in self._lines:
            if not line.ended:
                if not form.whole(line):
                    break
                self._lines.take(line.data)
            new = line.end > known
            turns, added = form.take(line, self.skipped if new else Skipped())
            fresh |= new and added
            for left, turn in enumerate(turns, start=1):
                self._waiting = len(turns) - left
                yield turn
            count += bool(line.data.strip())
            if count >= PATIENCE and not form.taken and self.since is None:
                break
        self.skipped.oversized += sum(start >= known for start in self._lines.oversized)
        unread = count and self.skipped.malformed + self.skipped.unknown
        if self.since is None and not form.taken and unread:
            raise InvalidArgument(
                "The file has no conversation in this format; "
                f"none of its first {count} lines could be read",
                field="path",
            )
        if fresh:
            self._waiting = 1
            yield from form.open()
        lines = self._lines
        start, number, source = form.resumption(lines.offset)
        self.position = Position(
            lines.offset, start, number, digest(lines.head, lines.tail), source
        )
