"""One batch of a file about to be stored: what is new, changed, there already, or void."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import UUID

from reasonloom.errors import Conflict
from reasonloom.nodes.history.ingestion.reports import BatchCounts, FileReport
from reasonloom.stores.history.chunks import Known
from reasonloom.stores.history.transcripts import TranscriptRow

if TYPE_CHECKING:
    from reasonloom.nodes.history.ingestion.batches import Batch
    from reasonloom.transcripts.chunking import Chunk


Vectors = Mapping[str, Sequence[float]]
"""Vectors by the keys of their chunks."""


class Overtaken(Conflict):
    """Another process stored a batch of the same file meanwhile: begin again where it stands."""


@dataclass(slots=True)
class StoredFile:
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
    report: FileReport
    aside: UUID | None = None
    skipped: Mapping[str, int] = field(default_factory=dict)
    finished: bool = False


Piece = tuple[StoredFile, "Batch"]


@dataclass(slots=True)
class BatchChanges:
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
    def of(cls, carried: StoredFile, batch: Batch, known: dict[str, Known]) -> BatchChanges:
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

    def counted(self) -> BatchCounts:
        """Return how many there are of each."""
        return BatchCounts(
            len(self.new), len(self.changed), self.there, self.forgotten, len(self.void)
        )


def batch_keys(batch: Batch) -> list[str]:
    """Return the keys that a batch speaks of."""
    replaced = [chunk.replaces for chunk in batch.chunks if chunk.replaces]
    return [*(chunk.id for chunk in batch.chunks), *replaced, *batch.dropped]


def chunk_place(carried: StoredFile, batch: Batch, chunk: Chunk) -> tuple[str, str | None]:
    """Return a chunk's session and its folder.

    The first lines of Claude Code's files may not tell them, but the file is of one session.
    """
    session, folder = chunk.source.session, chunk.source.project
    if carried.row.form == "claude-code":
        session, folder = session or batch.source.session, folder or batch.source.project
    return session or carried.state["session"], carried.state["project"] or folder
