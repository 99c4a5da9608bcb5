"""Splits a file into batches of chunks, each with the checkpoint to resume from."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from reasonloom.transcripts.chunking import Chunk, Chunker, ChunkerState
from reasonloom.transcripts.lines import Position, parse_moment
from reasonloom.transcripts.reader import TurnReader
from reasonloom.transcripts.turns import Source


@dataclass(slots=True)
class Batch:
    """Chunks with their times, dropped keys, and the checkpoint to resume from once stored.

    Attributes:
        at: time of each chunk; None if neither it nor an earlier one has a time.
        dropped: keys of chunks that are void.
        position: reader state, as JSON.
        cutting: chunker state, as JSON.
        offset: bytes of the file read so far.
        source: session and project of the file, as far as they are known.
    """

    chunks: list[Chunk]
    at: list[datetime | None]
    dropped: list[str]
    position: Mapping[str, Any]
    cutting: Mapping[str, Any]
    offset: int
    turns: int
    skipped: dict[str, int]
    last: bool
    source: Source


@dataclass(slots=True)
class Batches:
    """The batches of one reading, created lazily."""

    reading: TurnReader
    state: ChunkerState | None
    clock: str | None
    thinking: bool
    size: int
    turns: int = 0
    _chunks: list[Chunk] = field(default_factory=list)
    _at: list[datetime | None] = field(default_factory=list)

    def __iter__(self) -> Iterator[Batch]:
        """Yield the batches; the last one, which may be empty, reaches the end of the file.

        Raises:
            InvalidArgument: no line of the file could be used.
            OSError: reading failed.
        """
        cutter = Chunker(self.state, thinking=self.thinking)
        for turn in self.reading:
            self.turns += 1
            self._take(cutter.add(turn))
            if len(self._chunks) >= self.size and (position := self.reading.halfway()):
                yield self._batch(position, cutter.state(), [])
        ending = cutter.end()
        settled = self.clock
        self._take(ending.chunks)
        self.clock = settled
        position = self.reading.position
        assert position is not None  # noqa: S101 - the reading has ended
        yield self._batch(position, ending.state, ending.dropped, last=True)

    def _take(self, chunks: list[Chunk]) -> None:
        """Add chunks, each with its own time or the last known one."""
        for chunk in chunks:
            self._chunks.append(chunk)
            self._at.append(chunk.started_at or parse_moment(self.clock))
            last = chunk.ended_at or chunk.started_at
            self.clock = last.isoformat() if last else self.clock

    def _batch(
        self, position: Position, state: ChunkerState, dropped: list[str], *, last: bool = False
    ) -> Batch:
        """Return the collected chunks as a batch and reset."""
        chunks, at, turns = self._chunks, self._at, self.turns
        self._chunks, self._at, self.turns = [], [], 0
        skipped = asdict(self.reading.skipped)
        cutting = {**state.wire(), "clock": self.clock}
        return Batch(
            chunks, at, dropped, position.wire(), cutting, position.offset, turns, skipped, last,
            self.reading.source,
        )  # fmt: skip
