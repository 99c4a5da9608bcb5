"""The log of one eval: append-only JSON lines, keyed by item and epoch, so that it resumes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

from reasonloom.errors import Conflict, InvalidArgument

try:
    import fcntl
except ImportError:  # Windows: nothing keeps two processes apart
    fcntl = None  # type: ignore[assignment]

HEAD = "head"


@dataclass(frozen=True, slots=True)
class Record:
    """What one item gave in one epoch; `group` is what figures are told apart by.

    Attributes:
        of: the digest of the item's input and target.
        cluster: items of one cluster hang together; empty where it stands by itself.
        input, target, output: what was asked, what is right, and what the system answered.
        said: why a scorer gave its score, by the scorer's name.
        usage: calls, tokens and US dollars that the answer took.
        calls: what the language model was asked, and what it said.
        run: the id of the engine's run, where there is one.
        error: why there is no answer; all scores are 0 then.
    """

    item: str
    epoch: int
    group: str
    scores: dict[str, float]
    latency_ms: float
    of: str = ""
    cluster: str = ""
    input: Any = None
    target: Any = None
    output: Any = None
    said: dict[str, str] = field(default_factory=dict)
    usage: dict[str, float] = field(default_factory=dict)
    calls: list[dict[str, Any]] = field(default_factory=list)
    run: str = ""
    error: str = ""


REQUIRED = tuple(
    each.name for each in fields(Record) if each.default is each.default_factory is MISSING
)
OPTIONAL = tuple(each.name for each in fields(Record) if each.name not in REQUIRED)
KNOWN = {*REQUIRED, *OPTIONAL}
"""A log of another version may hold more, which is left out."""


class EvalLog:
    """One run's file; what is written is never changed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records: list[Record] = []
        self.head: dict[str, Any] = {}
        self._file: int | None = None
        if path.exists():
            self._read()

    def _read(self) -> None:
        """Read what is there; a last line that a kill cut short is left out.

        Raises:
            InvalidArgument: the file holds something else.
        """
        self.records, self.head = [], {}
        for line in self.path.read_text(encoding="utf-8", errors="replace").split("\n"):
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            try:
                self._keep(entry)
            except (TypeError, AttributeError):
                raise InvalidArgument(
                    f"{self.path.name} is no run of an eval", field="runs"
                ) from None

    def _keep(self, entry: dict[str, Any]) -> None:
        if HEAD in entry:
            self.head = dict(entry[HEAD])
        else:
            told = {name: value for name, value in entry.items() if name in KNOWN}
            self.records.append(Record(**told))

    def begin(self, head: dict[str, Any]) -> None:
        """Write what the run is of, or hold it against what the file says.

        Raises:
            InvalidArgument: the file belongs to another eval, data or settings.
        """
        if self.head and self.head != head:
            raise InvalidArgument(
                f"the run to resume had another {', '.join(_changed(self.head, head))}; begin a new"
                " one",
                field="resume",
            )
        if not self.head:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.head = head
            self._append({HEAD: head})

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep the file open, and to this process alone; what it holds is read anew.

        Another process may have written between the first reading and the lock.

        Raises:
            Conflict: another process writes it.
            InvalidArgument: the file holds something else.
        """
        with self._opened():
            self._read()
            yield

    @contextmanager
    def _opened(self) -> Iterator[None]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            self._lock(file)
            self._end_line(file)
            self._file = file
            yield
        finally:
            self._file = None
            os.close(file)

    def add(self, record: Record) -> None:
        """Append one record."""
        self.records.append(record)
        self._append(_entry(record))

    def done(self) -> set[tuple[str, int]]:
        """Return the items and epochs that need not be run again."""
        return {(record.item, record.epoch) for record in self.records}

    def _append(self, entry: dict[str, Any]) -> None:
        line = json.dumps(entry, ensure_ascii=False, default=str).encode("utf-8", "replace") + b"\n"
        if self._file is None:
            with self._opened():
                self._write(line)
        else:
            self._write(line)

    def _write(self, line: bytes) -> None:
        """Write a line in one go: whoever kills this process finds all of it, or nothing."""
        if self._file is None:
            raise RuntimeError("the log is not open")
        while line:
            line = line[os.write(self._file, line) :]

    def _lock(self, file: int) -> None:
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Conflict(f"the run {self.path.name} is at work in another process") from None

    @staticmethod
    def _end_line(file: int) -> None:
        """End a last line that a kill left without its end."""
        size = os.fstat(file).st_size
        if size and os.pread(file, 1, size - 1) != b"\n":
            os.write(file, b"\n")


def _changed(before: dict[str, Any], head: dict[str, Any]) -> list[str]:
    """Return what two heads do not have in common; of prompts and the like also their names."""
    found = []
    for key in sorted({*before, *head}):
        one, two = before.get(key), head.get(key)
        if one == two:
            continue
        names = []
        if isinstance(one, dict) and isinstance(two, dict) and key != "texts":
            names = sorted(name for name in {*one, *two} if one.get(name) != two.get(name))
        found.append(f"{key} ({', '.join(names)})" if names else key)
    return found


def _entry(record: Record) -> dict[str, Any]:
    """Return a record as it is written: without what is empty."""
    entry = {name: getattr(record, name) for name in REQUIRED}
    for name in OPTIONAL:
        if (value := getattr(record, name)) not in ("", None, {}, []):
            entry[name] = value
    return entry
