"""Stores a load: batches of one or more files in one transaction, with their checkpoints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reasonloom.nodes.history.ingestion.pieces import (
    BatchChanges,
    Overtaken,
    Piece,
    Vectors,
    batch_keys,
    chunk_place,
)
from reasonloom.nodes.history.ingestion.writer import LoadWriter
from reasonloom.nodes.memory.embedding import embed_or_note
from reasonloom.stores.history import chunks, projects, transcripts
from reasonloom.stores.history.transcripts import TranscriptRow
from reasonloom.stores.memory import import_rows

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.nodes.execution import Loom
    from reasonloom.stores.database import Transaction


@dataclass(slots=True)
class LoadStore:
    """Stores loads for one caller."""

    loom: Loom
    caller: Caller
    _slugs: dict[str | None, str] = field(default_factory=dict)

    async def embedded(self, load: Sequence[Piece], there: Vectors | None = None) -> Vectors | None:
        """Return vectors by key: those of `there`, and of chunks that are not stored yet.

        Returns None if the embedder is unavailable. No lock is held while embedding.
        """
        there = there or {}
        texts = {chunk.id: chunk.text for _, batch in load for chunk in batch.chunks}
        async with self.loom.database.begin(self.caller) as tx:
            known = await chunks.known(tx, list(texts))
        new = [key for key in texts if key not in known and key not in there]
        if not new:
            return there
        vectors, notes = await embed_or_note(self.loom.embedder, [texts[key] for key in new])
        return None if notes else {**there, **dict(zip(new, vectors, strict=True))}

    async def store(self, load: Sequence[Piece], vectors: Vectors | None) -> None:
        """Store a load in one transaction; its pieces belong to different files.

        `vectors` may predate other loads; chunks that were stored then but no longer are get
        embedded here. None stores the load without vectors.

        Raises:
            Overtaken: another process stored a batch of one of the files since it was opened.
        """
        if vectors is not None:
            vectors = await self.embedded(load, vectors)
        async with self.loom.database.begin(self.caller) as tx:
            await self._hold(tx, [carried.row for carried, _ in load])
            known = await chunks.known(
                tx, [name for _, batch in load for name in batch_keys(batch)]
            )
            slugs = await self._slugs_of(tx, load)
            work = LoadWriter(self.loom, self.caller, tx, known, slugs, vectors)
            done = await work.write(load)
            await transcripts.save(tx, [row for row, _ in done])
        self._slugs |= slugs
        for (carried, batch), (row, stored) in zip(load, done, strict=True):
            carried.row, carried.finished = row, batch.last
            carried.report.add(stored, batch)

    async def foresee(self, load: Sequence[Piece]) -> None:
        """Count what storing a load would do."""
        async with self.loom.database.begin(self.caller) as tx:
            known = await chunks.known(
                tx, [name for _, batch in load for name in batch_keys(batch)]
            )
        for carried, batch in load:
            chosen = BatchChanges.of(carried, batch, known)
            carried.report.add(chosen.counted(), batch)
            carried.finished = batch.last

    async def _hold(self, tx: Transaction, rows: Sequence[TranscriptRow]) -> None:
        """Lock the transcripts, creating new ones, and the owner row, as every memory write does.

        Raises:
            Overtaken: another process stored a batch of one of the files since it was opened.
        """
        await transcripts.make(tx, [row for row in rows if row.position is None])
        steps = await transcripts.hold(tx, [row.id for row in rows])
        if any(steps.get(row.id) != row.step for row in rows):
            raise Overtaken("another process reads this file", field="path")
        await import_rows.hold_owner(tx)

    async def _slugs_of(self, tx: Transaction, load: Sequence[Piece]) -> dict[str | None, str]:
        """Return the project slugs of the load's folders."""
        wanted = {
            chunk_place(carried, batch, chunk)[1]
            for carried, batch in load
            for chunk in batch.chunks
        }
        slugs = {folder: self._slugs[folder] for folder in wanted if folder in self._slugs}
        for folder in sorted(wanted - slugs.keys(), key=lambda path: path or ""):
            slugs[folder] = await projects.project_for(tx, folder)
        return slugs
