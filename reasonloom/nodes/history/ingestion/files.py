"""Opens files at their checkpoints: finds each one's transcript, and replaces it if necessary."""

import os
import stat
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO
from uuid import UUID, uuid4

from reasonloom.contracts.caller import Caller
from reasonloom.errors import InvalidArgument
from reasonloom.nodes.execution import Loom
from reasonloom.nodes.history.ingestion.batches import Batch, Batches
from reasonloom.nodes.history.ingestion.formats import (
    SniffResult,
    default_session,
    format_of,
    open_reading,
    sniff_format,
)
from reasonloom.nodes.history.ingestion.pieces import Overtaken, StoredFile
from reasonloom.nodes.history.ingestion.reports import FileReport, IngestOptions, unreadable
from reasonloom.stores.history import transcripts
from reasonloom.stores.history.transcripts import TranscriptRow
from reasonloom.transcripts.chunking import ChunkerState
from reasonloom.transcripts.lines import Position


@dataclass(slots=True)
class SourceFile:
    """A file to read; `anew` is True once it was opened, so that `again` restarts it only once."""

    report: FileReport
    path: Path
    done: bool = False
    anew: bool = False


@dataclass(slots=True)
class OpenFile:
    """A file being read."""

    given: SourceFile
    carried: StoredFile
    batches: Batches
    size: int
    read: int
    _passed: int = 0

    def says_more(self, batch: Batch) -> bool:
        """Return whether a last batch changes anything stored.

        Nothing is stored for a file without a complete line: its format is not known yet.
        """
        row = self.carried.row
        if row.position is None and not batch.offset and not self.carried.aside:
            return False
        same = row.position is not None and dict(batch.position) == dict(row.position)
        waits = self.carried.aside or any(self.carried.state.get("unlinked", {}).values())
        return bool(not same or batch.chunks or batch.dropped or waits)

    def advanced(self, batch: Batch) -> int:
        """Count a batch as read; return the progress in bytes, up to the file's end at the last."""
        self.given.report.bytes += max(0, batch.offset - self.read)
        self.read = batch.offset
        end = max(self.size, batch.offset) if batch.last else batch.offset
        passed, self._passed = end - self._passed, end
        return passed


@contextmanager
def report_refusal(report: FileReport) -> Iterator[None]:
    """Record in the report why a file cannot be read, instead of raising."""
    try:
        yield
    except InvalidArgument as error:
        report.refused = error.message
    except OSError as error:
        report.refused = unreadable(error)
    except UnicodeError:
        report.refused = "It cannot be read: its name or content is not text"


@contextmanager
def _stream(path: Path) -> Iterator[BinaryIO]:
    """Open a regular file; anything else is refused unopened, because a pipe would block."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise InvalidArgument("It is no file", field="path")
    with path.open("rb") as stream:
        yield stream


@dataclass(slots=True)
class FileOpener:
    """Opens files for one ingestion."""

    loom: Loom
    caller: Caller
    wish: IngestOptions

    def in_order(self, files: Sequence[SourceFile]) -> list[SourceFile]:
        """Return the files ordered by their first timestamps; refuse those that cannot be opened.

        A file that is given twice is read once.
        """
        begins: dict[str, tuple[str, str, SourceFile]] = {}
        for given in files:
            with report_refusal(given.report), _stream(given.path) as stream:
                path = stored_path(given.path)
                begins.setdefault(path, (sniff_format(stream, given.path).begins, path, given))
        return [given for _, _, given in sorted(begins.values(), key=lambda each: each[:2])]

    @asynccontextmanager
    async def opened(self, given: SourceFile) -> AsyncIterator[OpenFile]:
        """Open a file at its checkpoint.

        Raises:
            InvalidArgument: it is binary, UTF-16, or holds no conversation.
            OSError: it cannot be read.
            Overtaken: another process reads the same file.
        """
        with _stream(given.path) as stream:
            sniffed = sniff_format(stream, given.path)
            row, aside = await self._found(stream, given.path, sniffed)
            since = Position.of(row.position) if row.position else None
            reading = open_reading(stream, given.path, format_of(row.form), since)
            again = self.wish.again and not given.anew
            if since and (reading.rewritten or again):
                given.report.rewritten = reading.rewritten
                row, aside = await self._anew(row, sniffed, aside)
                since = None
                reading = open_reading(stream, given.path, format_of(row.form), None)
            given.anew = True
            given.report.form = format_of(row.form)
            state = dict(row.state or self._first(given.path))
            cut = state.pop("cutting", None)
            batches = Batches(
                reading,
                ChunkerState.of(cut) if cut else None,
                cut and cut["clock"],
                thinking=state["thinking"],
                size=self.wish.batch,
            )
            carried = StoredFile(row, state, given.report, aside, row.skipped or {})
            size = os.fstat(stream.fileno()).st_size
            yield OpenFile(given, carried, batches, size, since.offset if since else 0)

    def _first(self, path: Path) -> dict[str, Any]:
        """Return the initial state that each reading passes on to the next."""
        return {
            "session": default_session(path),
            "project": self.wish.project,
            "thinking": self.wish.thinking,
        }

    async def _found(
        self, stream: BinaryIO, path: Path, sniffed: SniffResult
    ) -> tuple[TranscriptRow, UUID | None]:
        """Return the file's transcript, by path or, if it was moved, by content; else a new one.

        Also return the transcript that was set aside when the file was rewritten, if any.
        """
        place = stored_path(path)
        async with self.loom.database.begin(self.caller) as tx:
            row, aside = await transcripts.find(tx, place)
            if row is None:
                for other in await transcripts.like(tx, sniffed.head, place):
                    if _left(other, stream) and (
                        self.wish.dry_run or await transcripts.move(tx, other.id, place)
                    ):
                        row = replace(other, path=place)
                        break
        new = TranscriptRow(uuid4(), place, self.wish.form or sniffed.form, sniffed.head)
        return row or new, aside.id if aside else None

    async def _anew(
        self, row: TranscriptRow, sniffed: SniffResult, aside: UUID | None
    ) -> tuple[TranscriptRow, UUID | None]:
        """Set the file's transcript aside and return a fresh one, with the one set aside."""
        fresh = TranscriptRow(uuid4(), row.path, self.wish.form or sniffed.form, sniffed.head)
        if self.wish.dry_run:
            return fresh, row.id
        async with self.loom.database.begin(self.caller) as tx:
            if (await transcripts.hold(tx, [row.id])).get(row.id) != row.step:
                raise Overtaken("another process is reading this file", field="path")
            aside = await transcripts.put_aside(tx, row)
            await transcripts.make(tx, [fresh])
        return fresh, aside


def _left(other: TranscriptRow, stream: BinaryIO) -> bool:
    """Return whether `stream` is the file that was read at `other`'s path and moved since."""
    return (
        other.position is not None
        and not os.path.exists(other.path)  # noqa: PTH110 - a path of any bytes
        and Position.of(other.position).fits(stream)
    )


def stored_path(path: Path) -> str:
    """Return a file's resolved path as text that can be stored."""
    return os.fsencode(os.path.realpath(path)).decode("utf-8", "backslashreplace")
