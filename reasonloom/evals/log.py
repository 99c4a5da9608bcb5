"""The log of one eval: append-only JSON lines, keyed by item and epoch, so that it can resume."""

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

from reasonloom.errors import Conflict, InvalidArgument

try:
    import fcntl
except ImportError:  # Windows has no file locks here
    fcntl = None  # type: ignore[assignment]

HEAD = "head"


@dataclass(frozen=True, slots=True)
class Record:
    """The result of one item in one epoch; `group` is how figures are broken down.

    Attributes:
        of: digest of the item's input and target.
        cluster: shared by dependent items; empty if independent.
        input, target, output: the question, the right answer, and the system's answer.
        said: a scorer's reasons, by its name.
        usage: calls, tokens and US dollars of the answer.
        calls: requests to the language model and its replies.
        run: id of the engine's run, if any.
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


KNOWN = tuple(each.name for each in fields(Record))
"""Fields of other versions' logs that are not listed here are ignored."""

REQUIRED = KNOWN[: KNOWN.index("of")]


class EvalLog:
    """One run's file; written entries never change."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records: list[Record] = []
        self.head: dict[str, Any] = {}
        self._file: int | None = None
        if path.exists():
            self._read()

    def _read(self) -> None:
        """Read the file; a last line cut short by a kill is ignored."""
        self.records, self.head = [], {}
        for line in self.path.read_text(encoding="utf-8", errors="replace").split("\n"):
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            try:
                if HEAD in entry:
                    self.head = dict(entry[HEAD])
                else:
                    values = {name: value for name, value in entry.items() if name in KNOWN}
                    self.records.append(Record(**values))
            except (TypeError, AttributeError):
                why = f"{self.path.name} is no run of an eval"
                raise InvalidArgument(why, field="runs") from None

    def begin(self, head: dict[str, Any]) -> None:
        """Write the head; refuse one that differs from the head in the file."""
        if self.head and self.head != head:
            changed = ", ".join(_changed(self.head, head))
            why = f"the run to resume had another {changed}; begin a new one"
            raise InvalidArgument(why, field="resume")
        if not self.head:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.head = head
            self._append({HEAD: head})

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the file open and locked, and read it again; Conflict if another process writes it.

        Another process may have written between the first read and the lock.
        """
        with self._opened():
            self._read()
            yield

    @contextmanager
    def _opened(self) -> Iterator[int]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            lock(file, f"the run {self.path.name} is at work in another process")
            size = os.fstat(file).st_size
            if size and os.pread(file, 1, size - 1) != b"\n":  # a kill cut the last line short
                os.write(file, b"\n")
            self._file = file
            yield file
        finally:
            self._file = None
            os.close(file)

    def add(self, record: Record) -> None:
        """Append one record."""
        self.records.append(record)
        self._append(_entry(record))

    def done(self) -> set[tuple[str, int]]:
        """Return the finished items and epochs."""
        return {(record.item, record.epoch) for record in self.records}

    def _append(self, entry: dict[str, Any]) -> None:
        line = json.dumps(entry, ensure_ascii=False, default=str).encode("utf-8", "replace") + b"\n"
        if self._file is not None:
            write_whole(self._file, line)
            return
        with self._opened() as file:
            write_whole(file, line)


LONGEST_STEM = 100


@contextmanager
def new_log(folder: Path, name: str) -> Iterator[Path]:
    """Yield the path of a new run of an eval, no other run's; removed if nothing is written."""
    stem = re.sub(r"[^\w.-]+", "-", name)[:LONGEST_STEM]
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    folder.mkdir(parents=True, exist_ok=True)
    for number in count(1):
        path = folder / f"{stem}-{moment}{f'-{number}' if number > 1 else ''}.jsonl"
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            continue
        break
    try:
        yield path
    finally:
        if path.stat().st_size == 0:
            path.unlink()


def lock(file: int, held: str = "") -> None:
    """Lock a file; waits for another process, or raises Conflict with the message `held` if set."""
    try:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX | (fcntl.LOCK_NB if held else 0))
    except BlockingIOError:
        raise Conflict(held) from None


def write_whole(file: int, line: bytes) -> None:
    """Write a line in one call where possible, so that a kill rarely leaves part of it."""
    while line:
        line = line[os.write(file, line) :]


def _changed(before: dict[str, Any], head: dict[str, Any]) -> list[str]:
    """Return the keys in which two heads differ, with the differing names inside mappings."""
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
    """Return a record without empty fields."""
    values = {name: getattr(record, name) for name in KNOWN}
    return {
        name: value
        for name, value in values.items()
        if name in REQUIRED or value not in ("", None, {}, [])
    }
