"""Reads a file's turns one after another, from the beginning or from where it was left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO, Protocol

from reasonloom.errors import InvalidArgument
from reasonloom.transcripts.lines import (
    HEAD,
    LONGEST,
    TAIL,
    Line,
    Lines,
    Position,
    digest,
    require_text,
)
from reasonloom.transcripts.turns import Skipped, Source, Turn

PATIENCE = 500
"""Lines of a file that may be unreadable before one that is not; then it is refused."""


class Form(Protocol):
    """Turns lines of one format into turns; holds those that are still open."""

    source: Source
    number: int
    """The next turn's number."""
    taken: int
    """Lines that belonged to this format, whether kept or known noise."""

    def take(self, line: Line, skipped: Skipped | None) -> tuple[list[Turn], bool]:
        """Return the turns that this line completes, and whether it adds to any.

        `skipped` is None for a line that was counted at an earlier reading.
        """

    def whole(self, line: Line) -> bool:
        """Return whether a last line without a line feed can be taken as it is."""

    def open(self) -> list[Turn]:
        """Return the turns that are still open, in order, as incomplete."""

    def resumption(self, offset: int) -> tuple[int, int, Source]:
        """Return where to begin again, with which number and source; `offset` if none is open."""


class TurnReader(Iterator[Turn]):
    """An iterator of turns. When it has ended, `position` says where the next reading begins.

    Attributes:
        rewritten: the file no longer has what was read of it, and is read from the beginning:
            what came of it before is void.
        skipped: lines that were not taken in this reading.
        source: whose conversation it is, as far as it was read.
        position: where to go on, None before the end.
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
        """Whose conversation it is, as far as it was read."""
        return self._form.source

    def halfway(self) -> Position | None:
        """Return from where to go on after the turn that was just given, None if nowhere.

        There is none between turns that end together, and none after the last complete turn:
        then `position` says it when the iterator has ended. What is open is read again as new.
        """
        if self._waiting or self.position is not None:
            return None
        start, number, source = self._form.resumption(self._lines.offset)
        place = self._stream.tell()
        self._stream.seek(0)
        head = self._stream.read(min(HEAD, start))
        self._stream.seek(max(0, start - TAIL))
        tail = self._stream.read(min(TAIL, start))
        self._stream.seek(place)
        return Position(start, start, number, digest(head, tail), source)

    def _read(self) -> Iterator[Turn]:
        """Yield the turns and set the position."""
        form, known = self._form, self.since.offset if self.since else 0
        fresh, count = False, 0
        for line in self._lines:
            if not line.ended:
                if not form.whole(line):
                    break
                self._lines.take(line.data)
            new = line.end > known
            turns, added = form.take(line, self.skipped if new else None)
            fresh |= new and added
            for left, turn in enumerate(turns, start=1):
                self._waiting = len(turns) - left
                yield turn
            count += bool(line.data.strip())
            if count >= PATIENCE and not form.taken and self.since is None:
                break
        self.skipped.oversized += sum(start >= known for start in self._lines.oversized)
        if self.since is None and not form.taken and self._unread(count):
            raise InvalidArgument(
                "The file holds no conversation in this format; "
                f"none of its first {count} lines could be read",
                field="path",
            )
        if fresh:
            self._waiting = 1
            yield from form.open()
        self.position = self._position()

    def _unread(self, count: int) -> bool:
        """Return whether lines were seen and none could be used."""
        return count > 0 and self.skipped.malformed + self.skipped.unknown > 0

    def _position(self) -> Position:
        """Return where the next reading begins."""
        lines = self._lines
        start, number, source = self._form.resumption(lines.offset)
        return Position(lines.offset, start, number, digest(lines.head, lines.tail), source)
