"""Options and reports of an ingestion."""

from collections.abc import Callable
from dataclasses import dataclass, field

from reasonloom.nodes.history.ingestion.batches import Batch
from reasonloom.nodes.history.ingestion.formats import Format

BATCH = 1_024
"""Chunks per transaction; more are no faster, and a crash loses more."""

ReportProgress = Callable[[int], None]
"""Called with the number of bytes processed since the last call."""


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """Ingestion options; a file retains `form`, `project` and `thinking` from its first reading.

    Args:
        form: the format; detected if None.
        project: the project folder, overriding the file's own.
        thinking: store thinking too.
        again: read from the beginning, and remove chunks that the file no longer has.
        dry_run: store nothing, only report what would be stored.
        batch: minimum chunks per transaction; a turn is never split.
    """

    form: Format | None = None
    project: str | None = None
    thinking: bool = False
    again: bool = False
    dry_run: bool = False
    batch: int = BATCH


@dataclass(slots=True)
class BatchCounts:
    """Counts of a batch's chunks; `forgotten` ones were read again and stay hidden."""

    new: int = 0
    changed: int = 0
    there: int = 0
    forgotten: int = 0
    removed: int = 0
    unembedded: int = 0


@dataclass(slots=True)
class FileReport:
    """The report on one file; `bytes` and the counts cover this reading only.

    Attributes:
        name: display name, as given.
        refused: why the file was not read.
        rewritten: whether its stored part had changed, so that it was read from the beginning.
        skipped: lines skipped, counted by reason.
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
        """Whether there was nothing new to read."""
        return self.refused is None and not (self.turns or self.removed)

    def add(self, stored: BatchCounts, batch: Batch) -> None:
        """Add a batch to the counts."""
        self.turns += batch.turns
        for name in BatchCounts.__slots__:
            setattr(self, name, getattr(self, name) + getattr(stored, name))
        self.skipped = {why: lines for why, lines in batch.skipped.items() if lines}


def unreadable(error: OSError) -> str:
    """Return why a path cannot be read, without the path itself."""
    return f"It cannot be read: {error.strerror or 'the system refused'}"
