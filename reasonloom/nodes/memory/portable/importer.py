"""Stores the memories of a checked file: in batches, each whole, and never twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar
from uuid import UUID, uuid4, uuid5

from reasonloom.contracts.memory.export_format import PortableEmbedder, PortableMemory
from reasonloom.nodes.memory.portable.lines import GoodLine
from reasonloom.nodes.memory.portable.rows import (
    TOOL,
    embed_lines,
    memory_from_line,
    restored_columns,
)
from reasonloom.nodes.memory.portable.validation import FileCheck, good_lines
from reasonloom.stores.memory import import_rows
from reasonloom.stores.memory.import_rows import store_many
from reasonloom.stores.runs import runs
from reasonloom.stores.runs.runs import RunRow

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.nodes.loom import Loom
    from reasonloom.stores.database import Transaction

BATCH = 250
"""Memories of one transaction; what a kill leaves is whole batches."""

LINE_NAMESPACE = UUID("6f2c8a52-6c0e-4f0e-9d0b-7d1f5c1d9a31")
"""The namespace of effects that are made of a line's words, where it names no origin."""

SUPERSEDES = "supersedes"

T = TypeVar("T")
Progress = Callable[[int], None]
"""Told how many lines are done."""


@dataclass(slots=True)
class ImportResult:
    """What became of a file."""

    stored: int = 0
    there: int = 0
    edges: int = 0
    lost_edges: int = 0
    unembedded: int = 0


class MemoryImport:
    """One import of one file into one caller's space."""

    def __init__(
        self,
        loom: Loom,
        caller: Caller,
        source: BinaryIO,
        ours: PortableEmbedder,
        *,
        keep_strength: bool = False,
    ) -> None:
        self.loom, self.caller = loom, caller
        self._source, self._ours = source, ours
        self._keep_strength = keep_strength
        self._ids: dict[str, int] = {}
        self._run = uuid4()
        self._recorded = False
        self.done = ImportResult()

    async def foresee(self) -> ImportResult:
        """Count what would be stored and what is there, and store nothing."""
        for batch in _batches(self._lines(), BATCH):
            async with self.loom.database.begin(self.caller) as tx:
                there = await self._there(tx, batch)
            new = {self._effect(line.memory) for line in batch if line.number not in there}
            self.done.stored += len(new)
            self.done.there += len(batch) - len(new)
        return self.done

    async def store(self, tell: Progress) -> ImportResult:
        """Store every good line that is not there yet, then the links between them.

        Done again, or after a kill, it stores what is missing and nothing twice.

        Raises:
            DatabaseUnavailable: it went away; what was stored stays, and may be sent again.
        """
        count = 0
        for batch in _batches(self._lines(), BATCH):
            await self._store(batch)
            count += len(batch)
            tell(count)
        for edges in _batches(chain(self._edges(), self._superseding()), 4 * BATCH):
            async with self.loom.database.begin(self.caller) as tx:
                self.done.edges += await import_rows.link_many(tx, edges)
        return self.done

    def _lines(self) -> Iterator[GoodLine]:
        return good_lines(self._source, self._ours, FileCheck())

    def _effect(self, memory: PortableMemory) -> UUID:
        """Return the name of storing this memory in this space: its origin, or its words."""
        if memory.provenance and memory.provenance.origin:
            origin = UUID(memory.provenance.origin)
            return uuid5(origin, f"import/{self.caller.owner}/{self.caller.space}")
        said = memory.model_dump(exclude={"id", "edges", "embeddings"}, exclude_unset=True)
        words = sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
        return uuid5(LINE_NAMESPACE, f"{self.caller.owner}/{self.caller.space}/{words}")

    async def _there(self, tx: Transaction, batch: Sequence[GoodLine]) -> dict[int, int]:
        """Return the ids of the lines that are stored already, by line number.

        A memory that was exported from this very space is known by its origin itself.
        """
        names: dict[int, list[UUID]] = {}
        for line in batch:
            provenance = line.memory.provenance
            origin = [UUID(provenance.origin)] if provenance and provenance.origin else []
            names[line.number] = [self._effect(line.memory), *origin]
        known = await import_rows.stored_effects(
            tx, {each for both in names.values() for each in both}
        )
        return {
            number: known[effect]
            for number, both in names.items()
            for effect in both
            if effect in known
        }

    async def _store(self, batch: Sequence[GoodLine]) -> None:
        async with self.loom.database.begin(self.caller) as tx:
            there = await self._there(tx, batch)
        at = self.loom.clock()
        new = [line for line in batch if line.number not in there]
        vectors = await embed_lines(self.loom.embedder, new, at)
        async with self.loom.database.begin(self.caller) as tx:
            await import_rows.hold_owner(tx)
            there = await self._there(tx, batch)
            new = [line for line in new if line.number not in there]
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
                    model=self._ours.model,
                    run=self._run,
                )
                for line in new
            ]
            ids = await store_many(tx, memories)
            rows = [
                restored_columns(line.memory, key, at=at, keep_strength=self._keep_strength)
                for line, key in zip(new, ids, strict=True)
            ]
            hidden = [row for row in rows if row["deleted_at"]]
            if rows:
                await import_rows.settle(tx, rows, hidden)
        self._recorded = self._recorded or bool(new)
        there.update(zip((line.number for line in new), ids, strict=True))
        self._note(batch, there, len(set(ids)), [not vectors[line.number] for line in new])

    async def _record(self, tx: Transaction) -> None:
        """Write this import's own run once, with what it stores first.

        By it a rollback knows when memories were stored that are older than their import.
        """
        if not self._recorded:
            row = RunRow(
                id=self._run,
                tool=TOOL,
                graph=TOOL,
                graph_version=1,
                status=runs.DONE,
                input={"keep_strength": self._keep_strength},
                created_at=self.loom.clock(),
                space=self.caller.space,
                client=TOOL,
            )
            await runs.record(tx, row)

    def _note(
        self, batch: Sequence[GoodLine], there: dict[int, int], stored: int, bare: list[bool]
    ) -> None:
        self._ids.update({line.memory.id: there[line.number] for line in batch if line.memory.id})
        self.done.stored += stored
        self.done.there += len(batch) - stored
        self.done.unembedded += sum(bare)

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
            source = self._ids.get(line.memory.id or "")
            for edge in line.memory.edges or ():
                target = self._ids.get(edge.target)
                if source is None or target is None:
                    self.done.lost_edges += 1
                    continue
                yield {
                    "source": source,
                    "target": target,
                    "type": edge.type,
                    "weight": edge.weight,
                    "origin": edge.origin,
                    "created_at": edge.created_at,
                }

    def _superseding(self) -> Iterator[dict[str, Any]]:
        """Yield a link for each line that says what supersedes it; those of `edges` go first.

        A memory is superseded by what is newer than it by number, so by a line that comes later.
        """
        for line in self._lines():
            if line.memory.superseded_by is None:
                continue
            source = self._ids.get(line.memory.superseded_by)
            target = self._ids.get(line.memory.id or "")
            if source is None or target is None:
                self.done.lost_edges += 1
                continue
            yield {
                "source": source,
                "target": target,
                "type": SUPERSEDES,
                "weight": 1.0,
                "origin": TOOL,
                "created_at": None,
            }


def _batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
