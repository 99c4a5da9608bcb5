"""The log of one eval: append-only JSON lines, keyed by item and epoch, so that it resumes."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from reasonloom.errors import InvalidArgument

HEAD = "head"


@dataclass(frozen=True, slots=True)
class Record:
    """What one item gave in one epoch; `group` is what figures are told apart by.

    `without` holds the scores of the same item with one signal left out, by its name.
    """

    item: str
    epoch: int
    group: str
    scores: dict[str, float]
    latency_ms: float
    without: dict[str, dict[str, float]] = field(default_factory=dict)


class EvalLog:
    """One run's file; what is written is never changed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records: list[Record] = []
        self.head: dict[str, Any] = {}
        if path.exists():
            self._read()

    def _read(self) -> None:
        """Read what is there; a last line that a kill cut short is left out."""
        for line in self.path.read_text(encoding="utf-8").splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if HEAD in entry:
                self.head = entry[HEAD]
            else:
                self.records.append(Record(**entry))

    def begin(self, head: dict[str, Any]) -> None:
        """Write what the run is of, or hold it against what the file says.

        Raises:
            InvalidArgument: the file belongs to another eval, data or settings.
        """
        if self.head and self.head != head:
            changed = sorted(key for key in head if self.head.get(key) != head[key])
            raise InvalidArgument(
                f"the run to resume had another {', '.join(changed)}; begin a new one",
                field="resume",
            )
        if not self.head:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.head = head
            self._append({HEAD: head})

    def add(self, record: Record) -> None:
        """Append one record."""
        self.records.append(record)
        self._append(asdict(record))

    def done(self) -> set[tuple[str, int]]:
        """Return the items and epochs that need not be run again."""
        return {(record.item, record.epoch) for record in self.records}

    def _append(self, entry: dict[str, Any]) -> None:
        text = json.dumps(entry, ensure_ascii=False)
        cut_short = self._is_cut_short()
        with self.path.open("a", encoding="utf-8") as file:
            file.write(("\n" if cut_short else "") + text + "\n")

    def _is_cut_short(self) -> bool:
        """Tell whether a kill left the last line without its end."""
        if not self.path.exists() or not self.path.stat().st_size:
            return False
        with self.path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) != b"\n"
