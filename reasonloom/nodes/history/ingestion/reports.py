"""What is asked of an ingestion, and what became of each file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reasonloom.nodes.history.ingestion.batches import Batch
    from reasonloom.nodes.history.ingestion.formats import Format

BATCH = 1_024
"""Chunks of one transaction: more are no faster, and more is lost by a kill."""

ReportProgress = Callable[[int], None]
"""Told how many more bytes are read and kept."""


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """How files are read; `form`, `project` and `thinking` are kept with a file once it is read.

    Args:
        form: the format, found out where None.
        project: the folder whose project it is, whatever the file says.
        thinking: keep thoughts, too.
        again: read from the beginning; what is not there any more is removed.
        dry_run: store nothing, and tell what would be.
        batch: chunks that are stored in one transaction, at least; a turn is never divided.
    """

    form: Format | None = None
    project: str | None = None
    thinking: bool = False
    again: bool = False
    dry_run: bool = False
    batch: int = BATCH


@dataclass(slots=True)
class BatchCounts:
    """What became of a batch; `forgotten` chunks were read again and stay hidden."""

    new: int = 0
    changed: int = 0
    there: int = 0
    forgotten: int = 0
    removed: int = 0
    unembedded: int = 0


@dataclass(slots=True)
class FileReport:
    """What became of one file; `name` is as it was given, `refused` says why it was not read.

    `bytes` are those read in this reading, and the counts are of it.
    """

    name: str
    refused: str | None = None
    form: Format | None = None
    bytes: int = 0
    turns: int = 0
    new: int = 0
    changed: int = 0
    there: int = 0
    removed: int = 0
    forgotten: int = 0
    unembedded: int = 0
    rewritten: bool = False
    skipped: dict[str, int] = field(default_factory=dict)

    @property
    def unchanged(self) -> bool:
        """Tell whether there was nothing new to read."""
        return self.refused is None and not (self.turns or self.removed)

    def add(self, stored: BatchCounts, batch: Batch) -> None:
        """Count a batch."""
        self.turns += batch.turns
        self.new += stored.new
        self.changed += stored.changed
        self.there += stored.there
        self.removed += stored.removed
        self.forgotten += stored.forgotten
        self.unembedded += stored.unembedded
        self.skipped = {why: lines for why, lines in batch.skipped.items() if lines}
