"""Stores a load: batches of one or more files in one transaction, with their checkpoints."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid5

from reasonloom.contracts.caller import Caller
from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.nodes.execution import Loom
from reasonloom.nodes.history.ingestion.batches import Batch
from reasonloom.nodes.history.ingestion.formats import ONE_SESSION
from reasonloom.nodes.history.ingestion.pieces import (
    BatchChanges,
    Overtaken,
    Piece,
    StoredFile,
    Vectors,
    batch_keys,
    chunk_place,
)
from reasonloom.nodes.history.ingestion.reports import BatchCounts
from reasonloom.nodes.memory.calendar.terms import date_terms
from reasonloom.nodes.memory.embedding import embed_or_note
from reasonloom.stores.database import Transaction
from reasonloom.stores.history import chunk_sequence, chunks, projects, transcripts
from reasonloom.stores.history.chunks import ChunkRow, Known, Lane
from reasonloom.stores.history.history_sessions import Place, sessions_for
from reasonloom.stores.history.transcripts import TranscriptRow
from reasonloom.stores.memory import import_rows
from reasonloom.stores.memory.memories import NewMemory
from reasonloom.transcripts.chunking import Chunk


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
            raise Overtaken("another process is reading this file", field="path")
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


EFFECTS = UUID("3a52a2f0-9a1b-4f0a-8a55-4f4c2a3b8f11")
"""UUID namespace of the effect ids that are derived from chunk keys."""

TOOL = "history"
MIDDLE = 0.5
"""Salience and importance of every chunk, since nothing rated them."""


def chunk_row(chunk: Chunk, transcript: UUID, place: Place, at: datetime) -> ChunkRow:
    """Return the chunk row that goes with a memory; `place` is its session and project."""
    session, project = place
    return ChunkRow(
        key=chunk.id,
        transcript=transcript,
        project=project,
        session=session,
        agent=chunk.agent,
        first_turn=chunk.first_turn,
        last_turn=chunk.last_turn,
        ordinal=chunk.ordinal,
        started_at=chunk.started_at,
        ended_at=chunk.ended_at,
        at=at,
        tokens=chunk.tokens,
        continues=chunk.continues,
        files=chunk.files,
        errors=chunk.errors,
        names=chunk.names,
        spawns=chunk.spawns,
    )


NewChunk = tuple[NewMemory, ChunkRow]


@dataclass(slots=True)
class LoadWriter:
    """The writes of one load within its transaction."""

    loom: Loom
    caller: Caller
    tx: Transaction
    known: dict[str, Known]
    slugs: dict[str | None, str]
    vectors: Vectors | None

    async def write(self, load: Sequence[Piece]) -> list[tuple[TranscriptRow, BatchCounts]]:
        """Write the load; return each file's updated transcript and its counts.

        Void chunks are removed first, because a new chunk may have the same key.
        """
        chosen = self._chosen(load)
        made = await self._made(load)
        tx = self.tx
        for (carried, _), each in zip(load, chosen, strict=True):
            await chunks.adopt(tx, each.adopted, carried.row.id)
        lanes = await chunks.drop(tx, [key for each in chosen for key in each.void])
        new = [made[chunk.id] for each in chosen for chunk in each.new]
        ids = dict(zip((row.key for _, row in new), await chunks.add(tx, new), strict=True))
        changed = [(key, *made[chunk.id]) for each in chosen for key, chunk in each.changed]
        await chunks.renew(tx, changed)
        for (carried, batch), each in zip(load, chosen, strict=True):
            if batch.last and carried.aside:
                lanes += await self._empty(carried.aside, each)
        lanes += [row.lane for _, row in new] + [row.lane for _, _, row in changed]
        await chunk_sequence.follow(tx, lanes)
        states = [
            self._state(carried, batch, each, ids, made)
            for (carried, batch), each in zip(load, chosen, strict=True)
        ]
        await chunk_sequence.link_agents(tx, self._ended(load, states))
        return [
            (self._row(carried, batch, state), self._stored(each))
            for (carried, batch), each, state in zip(load, chosen, states, strict=True)
        ]

    def _chosen(self, load: Sequence[Piece]) -> list[BatchChanges]:
        """Return the changes of each piece; chunks of earlier pieces count as stored."""
        known, chosen = dict(self.known), []
        for carried, batch in load:
            each = BatchChanges.of(carried, batch, known)
            chosen.append(each)
            for chunk in (*each.new, *(chunk for _, chunk in each.changed)):
                known[chunk.id] = Known(0, carried.row.id, False)
        return chosen

    async def _made(self, load: Sequence[Piece]) -> dict[str, NewChunk]:
        """Return each chunk's memory and row by key; the first file wins on duplicate keys."""
        now = self.loom.clock()
        places: dict[str, Place] = {}
        for carried, batch in load:
            for chunk in batch.chunks:
                session, folder = chunk_place(carried, batch, chunk)
                places.setdefault(chunk.id, (session, self.slugs[folder]))
        sessions = await sessions_for(self.tx, list(dict.fromkeys(places.values())))
        made: dict[str, NewChunk] = {}
        for carried, batch in load:
            for chunk, at in zip(batch.chunks, batch.at, strict=True):
                if chunk.id not in made:
                    place = places[chunk.id]
                    row = chunk_row(chunk, carried.row.id, place, at or now)
                    made[chunk.id] = self._memory(chunk, row, sessions[place]), row
        return made

    def _memory(self, chunk: Chunk, row: ChunkRow, session: UUID) -> NewMemory:
        """Return a chunk's memory; its one vector is stored for every sector."""
        vector = (self.vectors or {}).get(chunk.id)
        return NewMemory(
            effect=uuid5(EFFECTS, chunk.id),
            content=chunk.text,
            sector="episodic",
            event_type="episode",
            source_kind="transcript",
            principal=self.caller.owner,
            tool=TOOL,
            salience=MIDDLE,
            importance=MIDDLE,
            decay_rate=0.0,
            token_count=chunk.tokens,
            created_at=row.at,
            valid_from=row.at,
            session_id=session,
            project=row.project,
            dates=date_terms("", None, row.at.date()),  # logs are full of irrelevant dates
            vectors=dict.fromkeys(SECTORS, vector) if vector else {},
            model=self.loom.embedder.model if vector else None,
        )

    async def _empty(self, aside: UUID, chosen: BatchChanges) -> list[Lane]:
        """Remove the chunks that a rewritten file no longer has; return their lanes."""
        left = [each.memory_id for each in (await chunks.of_transcript(self.tx, aside)).values()]
        lanes = await chunks.drop(self.tx, left)
        await transcripts.remove(self.tx, aside)
        chosen.void += left
        return lanes

    def _state(
        self,
        carried: StoredFile,
        batch: Batch,
        chosen: BatchChanges,
        ids: Mapping[str, int],
        made: Mapping[str, NewChunk],
    ) -> dict[str, Any]:
        """Return the file's next state, with its unlinked chunks and its sessions."""
        written = [(ids[chunk.id], chunk.id) for chunk in chosen.new]
        written += [(key, chunk.id) for key, chunk in chosen.changed]
        gone = set(chosen.void)
        before: Mapping[str, list[int]] = carried.state.get("unlinked", {})
        unlinked = {slug: [key for key in keys if key not in gone] for slug, keys in before.items()}
        for memory, key in written:
            unlinked.setdefault(made[key][1].project, []).append(memory)
        names = list(carried.state.get("sessions", []))
        if carried.row.form in ONE_SESSION:
            names += [made[key][1].session for _, key in written]
        return {
            **carried.state,
            "step": carried.row.step + 1,
            "cutting": batch.cutting,
            "unlinked": {slug: list(dict.fromkeys(keys)) for slug, keys in unlinked.items()},
            "sessions": list(dict.fromkeys(names)),
        }

    def _ended(self, load: Sequence[Piece], states: Sequence[Mapping[str, Any]]) -> list[str]:
        """Return the sessions of the files that this load finishes."""
        ended = [state["sessions"] for (_, batch), state in zip(load, states, strict=True)
                 if batch.last]  # fmt: skip
        return list(dict.fromkeys(name for names in ended for name in names))

    def _row(self, carried: StoredFile, batch: Batch, state: dict[str, Any]) -> TranscriptRow:
        """Return the transcript updated by the batch, and set the file's state."""
        carried.state = state
        return replace(
            carried.row,
            position=batch.position,
            state=state,
            size=batch.offset,
            skipped={why: n + carried.skipped.get(why, 0) for why, n in batch.skipped.items()},
        )

    def _stored(self, chosen: BatchChanges) -> BatchCounts:
        """Return the counts of a piece."""
        stored = chosen.counted()
        if self.vectors is None:
            stored.unembedded = stored.new + stored.changed
        return stored
