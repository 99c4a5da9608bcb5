"""Stores a load: batches of one or more files in one transaction, each with where to go on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from uuid import UUID

from reasonloom.errors import Conflict
from reasonloom.nodes.past.ingest_rows import memory_of, row_of
from reasonloom.nodes.past.ingest_told import Stored, Told
from reasonloom.nodes.vectors import embed_or_say
from reasonloom.stores import chunks, imported, projects, sequence, transcripts
from reasonloom.stores.chunks import ChunkRow, Known, Lane
from reasonloom.stores.memories import NewMemory
from reasonloom.stores.past_sessions import Place, sessions_for
from reasonloom.stores.transcripts import TranscriptRow

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.nodes.loom import Loom
    from reasonloom.nodes.past.ingest_batches import Batch
    from reasonloom.stores.database import Transaction
    from reasonloom.transcripts.chunks import Chunk

Vectors = Mapping[str, Sequence[float]]
Made = tuple[NewMemory, ChunkRow]


class Overtaken(Conflict):
    """Another process stored a batch of the same file meanwhile: begin again where it stands."""


@dataclass(slots=True)
class Carried:
    """A file that is being read, as it is stored so far.

    Args:
        row: its transcript, with what reading goes on from.
        state: what goes on beside the cutter's state: the session's name where the file tells
            none, the project that was asked for, ids that wait to be linked.
        aside: the transcript whose chunks the file had before it was rewritten.
        skipped: lines that earlier readings did not take.
    """

    row: TranscriptRow
    state: dict[str, Any]
    told: Told
    aside: UUID | None = None
    skipped: Mapping[str, int] = field(default_factory=dict)
    finished: bool = False


Piece = tuple[Carried, "Batch"]


@dataclass(slots=True)
class Store:
    """Stores loads for one caller."""

    loom: Loom
    caller: Caller
    _slugs: dict[str | None, str] = field(default_factory=dict)

    async def store(self, load: Sequence[Piece]) -> None:
        """Store a load in one transaction; no two of its pieces are of the same file.

        Raises:
            Overtaken: another process stored of one of the files since it was looked up.
        """
        vectors = await self._embedded(load)
        async with self.loom.database.begin(self.caller) as tx:
            await self._hold(tx, [carried.row for carried, _ in load])
            known = await chunks.known(tx, [name for _, batch in load for name in _names(batch)])
            slugs = await self._slugs_of(tx, load)
            work = Writing(self, tx, known, slugs, vectors)
            done = await work.write(load)
            await transcripts.save(tx, [row for row, _ in done])
        self._slugs |= slugs
        for (carried, batch), (row, stored) in zip(load, done, strict=True):
            carried.row, carried.finished = row, batch.last
            carried.told.add(stored, batch)

    async def foresee(self, load: Sequence[Piece]) -> None:
        """Count what storing a load would do."""
        async with self.loom.database.begin(self.caller) as tx:
            known = await chunks.known(tx, [name for _, batch in load for name in _names(batch)])
        for carried, batch in load:
            chosen = Chosen.of(carried, batch, known)
            carried.told.add(chosen.counted(), batch)
            carried.finished = batch.last

    async def _hold(self, tx: Transaction, rows: Sequence[TranscriptRow]) -> None:
        """Hold the transcripts, made where new, and let nobody else store for this owner."""
        await transcripts.make(tx, [row for row in rows if row.position is None])
        steps = await transcripts.hold(tx, [row.id for row in rows])
        if any(steps.get(row.id) != row.step for row in rows):
            raise Overtaken("another process reads this file", field="path")
        await imported.hold(tx)

    async def _embedded(self, load: Sequence[Piece]) -> Vectors | None:
        """Return the vectors of what is not stored yet by key, None where no embedder answers."""
        texts = {chunk.id: chunk.text for _, batch in load for chunk in batch.chunks}
        async with self.loom.database.begin(self.caller) as tx:
            known = await chunks.known(tx, list(texts))
        new = [key for key in texts if key not in known]
        if not new:
            return {}
        vectors, notes = await embed_or_say(self.loom.embedder, [texts[key] for key in new])
        return None if notes else dict(zip(new, vectors, strict=True))

    async def _slugs_of(self, tx: Transaction, load: Sequence[Piece]) -> dict[str | None, str]:
        """Return the slugs of the load's folders."""
        wanted = {
            _place(carried, batch, chunk)[1] for carried, batch in load for chunk in batch.chunks
        }
        slugs = {folder: self._slugs[folder] for folder in wanted if folder in self._slugs}
        for folder in sorted(wanted - slugs.keys(), key=lambda path: path or ""):
            slugs[folder] = await projects.project_for(tx, folder)
        return slugs


@dataclass(slots=True)
class Chosen:
    """What of a batch is new, what takes the place of a chunk of this file, and what is void.

    Another file's chunk is neither changed nor removed. `there` are chunks that are stored, or
    changed, already; ids are of memories.
    """

    new: list[Chunk] = field(default_factory=list)
    changed: list[tuple[int, Chunk]] = field(default_factory=list)
    void: list[int] = field(default_factory=list)
    adopted: list[int] = field(default_factory=list)
    there: int = 0
    forgotten: int = 0

    @classmethod
    def of(cls, carried: Carried, batch: Batch, known: dict[str, Known]) -> Chosen:
        """Sort a batch's chunks by what is stored."""
        chosen, owners = cls(), {carried.row.id, carried.aside}
        ours = {key: each for key, each in known.items() if each.transcript in owners}
        chosen.void = [ours[key].memory_id for key in batch.dropped if key in ours]
        for chunk in batch.chunks:
            place = ours.get(chunk.replaces or "")
            if same := known.get(chunk.id):
                chosen.there += 1
                chosen.forgotten += same.forgotten
                chosen.void += [place.memory_id] if place else []
                if carried.aside and same.transcript == carried.aside:
                    chosen.adopted.append(same.memory_id)
            elif place:
                chosen.changed.append((place.memory_id, chunk))
                chosen.forgotten += place.forgotten
            else:
                chosen.new.append(chunk)
        return chosen

    def counted(self) -> Stored:
        """Return how many there are of each."""
        return Stored(len(self.new), len(self.changed), self.there, self.forgotten, len(self.void))


@dataclass(slots=True)
class Writing:
    """The writes of one load within its transaction."""

    store: Store
    tx: Transaction
    known: dict[str, Known]
    slugs: dict[str | None, str]
    vectors: Vectors | None

    async def write(self, load: Sequence[Piece]) -> list[tuple[TranscriptRow, Stored]]:
        """Write the load; return each file's transcript as it stands then, and what became of it.

        What is void goes first: one of the new chunks may have its key.
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
        await sequence.follow(tx, lanes)
        states = [
            self._state(carried, batch, each, ids, made)
            for (carried, batch), each in zip(load, chosen, strict=True)
        ]
        await sequence.hand_over(tx, self._ended(load, states))
        return [
            (self._row(carried, batch, state), self._stored(each))
            for (carried, batch), each, state in zip(load, chosen, states, strict=True)
        ]

    def _chosen(self, load: Sequence[Piece]) -> list[Chosen]:
        """Sort each piece; a chunk that an earlier piece stores is there for a later one."""
        known, chosen = dict(self.known), []
        for carried, batch in load:
            each = Chosen.of(carried, batch, known)
            chosen.append(each)
            for chunk in (*each.new, *(chunk for _, chunk in each.changed)):
                known[chunk.id] = Known(0, carried.row.id, False)
        return chosen

    async def _made(self, load: Sequence[Piece]) -> dict[str, Made]:
        """Return the memory and the row of each chunk by its key; the first file's where two."""
        now, loom = self.store.loom.clock(), self.store.loom
        places: dict[str, Place] = {}
        for carried, batch in load:
            for chunk in batch.chunks:
                session, folder = _place(carried, batch, chunk)
                places.setdefault(chunk.id, (session, self.slugs[folder]))
        sessions = await sessions_for(self.tx, list(dict.fromkeys(places.values())))
        made: dict[str, Made] = {}
        for carried, batch in load:
            for chunk, at in zip(batch.chunks, batch.at, strict=True):
                if chunk.id not in made:
                    place = places[chunk.id]
                    row = row_of(chunk, carried.row.id, place, at or now)
                    memory = memory_of(
                        chunk,
                        row,
                        owner=self.store.caller.owner,
                        session=sessions[place],
                        vector=(self.vectors or {}).get(chunk.id),
                        model=loom.embedder.model,
                    )
                    made[chunk.id] = memory, row
        return made

    async def _empty(self, aside: UUID, chosen: Chosen) -> list[Lane]:
        """Remove what a rewritten file has no more."""
        left = [each.memory_id for each in (await chunks.of_transcript(self.tx, aside)).values()]
        lanes = await chunks.drop(self.tx, left)
        await transcripts.remove(self.tx, aside)
        chosen.void += left
        return lanes

    def _state(
        self,
        carried: Carried,
        batch: Batch,
        chosen: Chosen,
        ids: Mapping[str, int],
        made: Mapping[str, Made],
    ) -> dict[str, Any]:
        """Return what goes on with the file: what waits to be linked, and its sessions."""
        written = [(ids[chunk.id], chunk.id) for chunk in chosen.new]
        written += [(key, chunk.id) for key, chunk in chosen.changed]
        gone = set(chosen.void)
        before: Mapping[str, list[int]] = carried.state.get("unlinked", {})
        unlinked = {slug: [key for key in keys if key not in gone] for slug, keys in before.items()}
        for memory, key in written:
            unlinked.setdefault(made[key][1].project, []).append(memory)
        names = list(carried.state.get("sessions", []))
        if carried.row.form == "claude-code":
            names += [made[key][1].session for _, key in written]
        return {
            **carried.state,
            "step": carried.row.step + 1,
            "cutting": batch.cutting,
            "unlinked": {slug: list(dict.fromkeys(keys)) for slug, keys in unlinked.items()},
            "sessions": list(dict.fromkeys(names)),
        }

    def _ended(self, load: Sequence[Piece], states: Sequence[Mapping[str, Any]]) -> list[str]:
        """Return the sessions whose files are read to their ends."""
        ended = [state["sessions"] for (_, batch), state in zip(load, states, strict=True)
                 if batch.last]  # fmt: skip
        return list(dict.fromkeys(name for names in ended for name in names))

    def _row(self, carried: Carried, batch: Batch, state: dict[str, Any]) -> TranscriptRow:
        """Return the transcript as it stands after the batch."""
        carried.state = state
        return replace(
            carried.row,
            position=batch.position,
            state=state,
            size=batch.offset,
            skipped={why: n + carried.skipped.get(why, 0) for why, n in batch.skipped.items()},
        )

    def _stored(self, chosen: Chosen) -> Stored:
        """Return what became of a piece."""
        stored = chosen.counted()
        if self.vectors is None:
            stored.unembedded = stored.new + stored.changed
        return stored


def _names(batch: Batch) -> list[str]:
    """Return the keys that a batch speaks of."""
    replaced = [chunk.replaces for chunk in batch.chunks if chunk.replaces]
    return [*(chunk.id for chunk in batch.chunks), *replaced, *batch.dropped]


def _place(carried: Carried, batch: Batch, chunk: Chunk) -> tuple[str, str | None]:
    """Return a chunk's session and its folder.

    The first lines of Claude Code's files may not tell them, but the file is of one session.
    """
    session, folder = chunk.source.session, chunk.source.project
    if carried.row.form == "claude-code":
        session, folder = session or batch.source.session, folder or batch.source.project
    return session or carried.state["session"], carried.state["project"] or folder
