"""The changes that storing a batch makes: new, changed, already stored, and void chunks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from reasonloom.errors import Conflict
from reasonloom.nodes.history.ingestion.batches import Batch
from reasonloom.nodes.history.ingestion.formats import ONE_SESSION
from reasonloom.nodes.history.ingestion.reports import BatchCounts, FileReport
from reasonloom.stores.history.chunks import Known
from reasonloom.stores.history.transcripts import TranscriptRow
from reasonloom.transcripts.chunking import Chunk

Vectors = Mapping[str, Sequence[float]]
"""Vectors by the keys of their chunks."""


class Overtaken(Conflict):
    """Another process stored a batch of the same file: restart from its checkpoint."""


@dataclass(slots=True)
class StoredFile:
    """The stored state of a file being read.

    Args:
        row: its transcript, with the checkpoint.
        state: state besides the chunker's: the session's name if the file has none, the project
            requested by the caller, ids that are not linked yet.
        report: the report of this reading.
        aside: the transcript with the file's chunks from before it was rewritten.
        skipped: lines that earlier readings skipped, counted by reason.
        finished: whether the file is stored to its end.
    """

    row: TranscriptRow
    state: dict[str, Any]
    report: FileReport
    aside: UUID | None = None
    skipped: Mapping[str, int] = field(default_factory=dict)
    finished: bool = False


Piece = tuple[StoredFile, "Batch"]


@dataclass(slots=True)
class BatchChanges:
    """The changes of a batch; chunks of other files are neither changed nor removed.

    Attributes:
        new: chunks to add.
        changed: memory ids of this file's chunks, with their replacements.
        void: memory ids to remove.
        adopted: memory ids to take over from the transcript that was set aside.
        there: how many chunks are already stored.
        forgotten: how many of the stored or changed chunks were forgotten.
    """

    new: list[Chunk] = field(default_factory=list)
    changed: list[tuple[int, Chunk]] = field(default_factory=list)
    void: list[int] = field(default_factory=list)
    adopted: list[int] = field(default_factory=list)
    there: int = 0
    forgotten: int = 0

    @classmethod
    def of(cls, carried: StoredFile, batch: Batch, known: dict[str, Known]) -> BatchChanges:
        """Compare a batch's chunks with the stored ones."""
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

    def counted(self) -> BatchCounts:
        """Return the counts."""
        return BatchCounts(
            len(self.new), len(self.changed), self.there, self.forgotten, len(self.void)
        )


def batch_keys(batch: Batch) -> list[str]:
    """Return all chunk keys that a batch refers to."""
    replaced = [chunk.replaces for chunk in batch.chunks if chunk.replaces]
    return [*(chunk.id for chunk in batch.chunks), *replaced, *batch.dropped]


def chunk_place(carried: StoredFile, batch: Batch, chunk: Chunk) -> tuple[str, str | None]:
    """Return a chunk's session and project folder.

    The first lines of a host's file may lack them, but such a file has only one session.
    """
    session, folder = chunk.source.session, chunk.source.project
    if carried.row.form in ONE_SESSION:
        session, folder = session or batch.source.session, folder or batch.source.project
    return session or carried.state["session"], carried.state["project"] or folder
