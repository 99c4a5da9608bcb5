"""Ingests transcript files as chunks; a crash leaves only complete batches."""

from __future__ import annotations

import asyncio
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field
from pathlib import Path

from reasonloom.contracts.caller import Caller
from reasonloom.errors import Deadlocked
from reasonloom.nodes.execution import Loom
from reasonloom.nodes.history.ingestion.files import (
    FileOpener,
    OpenFile,
    SourceFile,
    report_refusal,
)
from reasonloom.nodes.history.ingestion.links import link_chunks
from reasonloom.nodes.history.ingestion.pieces import Overtaken, Piece, StoredFile, Vectors
from reasonloom.nodes.history.ingestion.reports import FileReport, IngestOptions, ReportProgress
from reasonloom.nodes.history.ingestion.store import LoadStore
from reasonloom.stores.history import transcripts

LinkChunks = Callable[["Loom", "Caller", Mapping[str, Sequence[int]]], Awaitable[None]]
"""Links new chunks, given by project, with the stored ones."""

__all__ = ["FileReport", "IngestOptions", "ingest"]

MOST_DEADLOCKS = 20
"""Maximum retries of one ingestion after deadlocks."""


def _silent(_: int) -> None:
    """Ignore progress."""


async def ingest(
    loom: Loom,
    caller: Caller,
    files: Sequence[tuple[str, Path]],
    wish: IngestOptions | None = None,
    tell: ReportProgress = _silent,
    linking: LinkChunks = link_chunks,
) -> list[FileReport]:
    """Ingest files and return a report on each, in the order given.

    A file that cannot be read is reported and its stored chunks remain; the other files are
    ingested. Conversations are read in order of their first timestamps. A repeated call, also after
    a crash, resumes at the checkpoints.

    Args:
        loom: the services.
        caller: the owner of the chunks.
        files: display names and paths.
        wish: options; the defaults if None.
        tell: called with the number of bytes processed since the last call.
        linking: links the chunks of files that are stored to their end.

    Raises:
        DatabaseUnavailable: the database went away; what was stored remains.
    """
    wish = wish or IngestOptions()
    given = [SourceFile(FileReport(name), path) for name, path in files]
    opener = FileOpener(loom, caller, wish)
    work = Ingestion(loom, caller, wish, tell, opener, LoadStore(loom, caller), linking)
    left = await asyncio.to_thread(opener.in_order, given)
    crossed = 0
    while left:
        try:
            await work.run(left)
        except Overtaken:
            pass  # terminates: each time, the other process has made progress
        except Deadlocked:
            crossed += 1
            if crossed > MOST_DEADLOCKS:
                raise
        left = [each for each in left if not each.done]
    return [each.report for each in given]


@dataclass(slots=True)
class Ingestion:
    """The pipeline of one ingestion: chunk, embed, store and link."""

    loom: Loom
    caller: Caller
    wish: IngestOptions
    tell: ReportProgress
    opener: FileOpener
    store: LoadStore
    linking: LinkChunks

    async def run(self, files: Iterable[SourceFile]) -> None:
        """Store the loads in order; the next is chunked and embedded while one is stored.

        Raises:
            Overtaken: another process stored a batch of one of the files first.
        """
        loads = self._loads(files)
        coming = asyncio.ensure_future(self._next(loads))
        try:
            while (load := await coming) is not None:
                coming = asyncio.ensure_future(self._next(loads))
                await self._keep(load)
        finally:
            coming.cancel()
            await asyncio.gather(coming, return_exceptions=True)
            await loads.aclose()

    async def _next(self, loads: AsyncGenerator[Load, None]) -> Load | None:
        """Return the next load with its vectors; None at the end."""
        load = await anext(loads, None)
        if load is not None and not self.wish.dry_run:
            load.vectors = await self.store.embedded(load.pieces)
        return load

    async def _loads(self, files: Iterable[SourceFile]) -> AsyncGenerator[Load, None]:
        """Yield loads of about `wish.batch` chunks or more, with at most one batch per file.

        The last load may have fewer.
        """
        load = Load()
        for given in files:
            with report_refusal(given.report):
                async for opened, piece in self._pieces(given):
                    load.add(opened, piece)
                    if load.chunks >= self.wish.batch or not piece[1].last:
                        yield load
                        load = Load()
            given.done = given.done or given.report.refused is not None
        if load.pieces:
            yield load

    async def _pieces(self, given: SourceFile) -> AsyncIterator[tuple[OpenFile, Piece]]:
        """Yield a file's batches, read in a thread."""
        async with self.opener.opened(given) as opened:
            batches = iter(opened.batches)
            while True:
                batch = await asyncio.to_thread(next, batches)
                if not batch.last or opened.says_more(batch):
                    yield opened, (opened.carried, batch)
                else:
                    given.done = True
                    self.tell(opened.size)
                if batch.last:
                    return

    async def _keep(self, load: Load) -> None:
        """Store a load and link the files that are finished."""
        if self.wish.dry_run:
            await self.store.foresee(load.pieces)
        else:
            await self.store.store(load.pieces, load.vectors)
            await self._link([carried for carried, _ in load.pieces if carried.finished])
        for opened, (_, batch) in zip(load.opened, load.pieces, strict=True):
            opened.given.done = batch.last
            self.tell(opened.advanced(batch))

    async def _link(self, finished: Sequence[StoredFile]) -> None:
        """Link the unlinked chunks of finished files, then record that they are linked."""
        waiting: dict[str, list[int]] = {}
        for carried in finished:
            for project, ids in carried.state.get("unlinked", {}).items():
                waiting.setdefault(project, []).extend(ids)
        if new := {project: ids for project, ids in waiting.items() if ids}:
            await self.linking(self.loom, self.caller, new)
        if waiting:
            async with self.loom.database.begin(self.caller) as tx:
                await transcripts.settle(tx, [carried.row for carried in finished])


@dataclass(slots=True)
class Load:
    """Pieces that are stored together, with their files.

    `vectors` is None if the embedder is unavailable.
    """

    opened: list[OpenFile] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    chunks: int = 0
    vectors: Vectors | None = None

    def add(self, opened: OpenFile, piece: Piece) -> None:
        """Add a piece."""
        self.opened.append(opened)
        self.pieces.append(piece)
        self.chunks += len(piece[1].chunks)
