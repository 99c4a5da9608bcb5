"""Imports the memories of a validated file, idempotently and in atomic batches."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain, islice
from typing import Any, BinaryIO, TypeVar
from uuid import UUID, uuid4, uuid5

from reasonloom.contracts.caller import Caller
from reasonloom.contracts.memory.export_format import PortableEmbedder, PortableMemory
from reasonloom.nodes.execution import Loom
from reasonloom.nodes.memory.portable.lines import GoodLine
from reasonloom.nodes.memory.portable.rows import (
    TOOL,
    embed_lines,
    memory_from_line,
    restored_columns,
)
from reasonloom.nodes.memory.portable.validation import FileCheck, good_lines
from reasonloom.stores.database import Transaction
from reasonloom.stores.memory import import_rows
from reasonloom.stores.memory.import_rows import store_many
from reasonloom.stores.runs import runs
from reasonloom.stores.runs.runs import RunRow

BATCH = 250
"""Memories stored per transaction; an interrupted import leaves complete batches."""

LINE_NAMESPACE = UUID("6f2c8a52-6c0e-4f0e-9d0b-7d1f5c1d9a31")
"""Namespace of effects derived from the content of lines without an origin."""

SUPERSEDES = "supersedes"

T = TypeVar("T")
Progress = Callable[[int], None]
"""Callback with the number of processed lines."""


@dataclass(slots=True)
class ImportResult:
    """The counts of an import; `there` is the number of memories that already existed."""

    stored: int = 0
    there: int = 0
    edges: int = 0
    lost_edges: int = 0
    unembedded: int = 0


@dataclass(slots=True)
class MemoryImport:
    """An import of one file into a caller's space; `details` are recorded as its run's input."""

    loom: Loom
    caller: Caller
    source: BinaryIO
    ours: PortableEmbedder
    keep_strength: bool = field(default=False, kw_only=True)
    details: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    done: ImportResult = field(default_factory=ImportResult, init=False)
    _ids: dict[str, int] = field(default_factory=dict, init=False)
    _run: UUID = field(default_factory=uuid4, init=False)
    _recorded: bool = field(default=False, init=False)

    async def foresee(self) -> ImportResult:
        """Count the memories to store and those that already exist, without storing any."""
        for batch in _batches(self._lines(), BATCH):
            async with self.loom.database.begin(self.caller) as tx:
                known = await self._known(tx, batch)
            new = {self._effect(line.memory) for line in batch if line.number not in known}
            self.done.stored += len(new)
            self.done.there += len(batch) - len(new)
        return self.done

    async def store(self, progress: Progress) -> ImportResult:
        """Store every valid line that does not exist yet, then the links between memories.

        A repeated import, also after an interruption, stores only what is missing.

        Raises:
            DatabaseUnavailable: the connection was lost; completed batches remain stored.
        """
        count = 0
        for batch in _batches(self._lines(), BATCH):
            await self._store(batch)
            count += len(batch)
            progress(count)
        for edges in _batches(chain(self._edges(), self._superseding()), 4 * BATCH):
            async with self.loom.database.begin(self.caller) as tx:
                self.done.edges += await import_rows.link_many(tx, edges)
        return self.done

    def _lines(self) -> Iterator[GoodLine]:
        return good_lines(self.source, self.ours, FileCheck())

    def _effect(self, memory: PortableMemory) -> UUID:
        """Return the idempotency key of a memory in this space, from its origin or its content."""
        if memory.provenance and memory.provenance.origin:
            origin = UUID(memory.provenance.origin)
            return uuid5(origin, f"import/{self.caller.owner}/{self.caller.space}")
        given = memory.model_dump(exclude={"id", "edges", "embeddings"}, exclude_unset=True)
        digest = sha256(json.dumps(given, sort_keys=True).encode()).hexdigest()
        return uuid5(LINE_NAMESPACE, f"{self.caller.owner}/{self.caller.space}/{digest}")

    async def _known(self, tx: Transaction, batch: Sequence[GoodLine]) -> dict[int, int]:
        """Return the ids of the lines that are already stored, by line number.

        A memory exported from this same space has its origin as its effect.
        """
        effects: dict[int, list[UUID]] = {}
        for line in batch:
            provenance = line.memory.provenance
            origin = [UUID(provenance.origin)] if provenance and provenance.origin else []
            effects[line.number] = [self._effect(line.memory), *origin]
        stored = await import_rows.stored_effects(tx, set(chain.from_iterable(effects.values())))
        return {
            number: stored[effect]
            for number, both in effects.items()
            for effect in both
            if effect in stored
        }

    async def _store(self, batch: Sequence[GoodLine]) -> None:
        async with self.loom.database.begin(self.caller) as tx:
            known = await self._known(tx, batch)
        at = self.loom.clock()
        new = [line for line in batch if line.number not in known]
        vectors = await embed_lines(self.loom.embedder, new)
        async with self.loom.database.begin(self.caller) as tx:
            await import_rows.hold_owner(tx)
            known = await self._known(tx, batch)
            new = [line for line in new if line.number not in known]
            if new:
                await self._record(tx)
            memories = [
                memory_from_line(
                    line.memory,
                    self._effect(line.memory),
                    at=at,
                    principal=self.caller.owner,
                    session=await self._session(tx, line.memory),
                    vectors=vectors[line.number],
                    model=self.ours.model,
                    run=self._run,
                )
                for line in new
            ]
            ids = await store_many(tx, memories)
            rows = [
                restored_columns(line.memory, key, at=at, keep_strength=self.keep_strength)
                for line, key in zip(new, ids, strict=True)
            ]
            if rows:
                await import_rows.settle(tx, rows, [row for row in rows if row["deleted_at"]])
        self._recorded = self._recorded or bool(new)
        known.update(zip((line.number for line in new), ids, strict=True))
        self._ids.update({line.memory.id: known[line.number] for line in batch if line.memory.id})
        stored = len(set(ids))
        self.done.stored += stored
        self.done.there += len(batch) - stored
        self.done.unembedded += sum(not vectors[line.number] for line in new)

    async def _record(self, tx: Transaction) -> None:
        """Record the run of this import once, with the first batch that stores anything.

        Imported memories may be older than their import; a rollback needs the time of the run.
        """
        if not self._recorded:
            row = RunRow(
                id=self._run,
                tool=TOOL,
                graph=TOOL,
                graph_version=1,
                status=runs.DONE,
                input={"keep_strength": self.keep_strength, **self.details},
                created_at=self.loom.clock(),
                space=self.caller.space,
                client=TOOL,
            )
            await runs.record(tx, row)

    async def _session(self, tx: Transaction, memory: PortableMemory) -> UUID | None:
        session = memory.session
        if session is None:
            return None
        return await import_rows.session_for(
            tx,
            name=session.name,
            known_as=UUID(session.id) if session.id else None,
            project=memory.project,
        )

    def _edges(self) -> Iterator[dict[str, Any]]:
        for line in self._lines():
            for edge in line.memory.edges or ():
                columns = edge.model_dump(include={"type", "weight", "origin", "created_at"})
                yield from self._link(line.memory.id, edge.target, columns)

    def _superseding(self) -> Iterator[dict[str, Any]]:
        """Yield a link for each line with `superseded_by`; to be called after `_edges`.

        A memory is superseded by a newer one, that is, by a later line.
        """
        columns = {"type": SUPERSEDES, "weight": 1.0, "origin": TOOL, "created_at": None}
        for line in self._lines():
            if line.memory.superseded_by is not None:
                yield from self._link(line.memory.superseded_by, line.memory.id, columns)

    def _link(
        self, source: str | None, target: str | None, columns: dict[str, Any]
    ) -> Iterator[dict[str, Any]]:
        """Yield the row of a link, or count it as lost if either end was not stored."""
        ends = self._ids.get(source or ""), self._ids.get(target or "")
        if None in ends:
            self.done.lost_edges += 1
        else:
            yield {"source": ends[0], "target": ends[1], **columns}


def _batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
