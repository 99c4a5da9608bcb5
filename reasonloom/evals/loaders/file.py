"""A file of cases: one JSON object a line, all of one tool, no question twice."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from reasonloom.errors import Conflict, DuplicateName, InvalidArgument
from reasonloom.evals.core.tool import Tool
from reasonloom.evals.loaders.files import JSONL, Row, rows

if TYPE_CHECKING:
    from reasonloom.evals.loaders.cases import Case

try:
    import fcntl
except ImportError:  # Windows: nothing keeps two processes apart
    fcntl = None  # type: ignore[assignment]

TOOL = "tool"


def add(path: Path, case: Case) -> int:
    """Append a case, wholly or not at all, and return how many there are then.

    Raises:
        DuplicateName: the file has a case of this id, or one that asks the same.
        Conflict: its cases are of another tool.
        InvalidArgument: it is no file of cases, or cannot be written.
    """
    if path.suffix.lower() != JSONL:
        raise InvalidArgument(f"suite: {path.name}: must be a file named *{JSONL}", field="suite")
    with _held(path) as file:
        size = os.fstat(file).st_size
        known = rows(path) if size else []
        _refuse(known, case, path)
        ended = size == 0 or os.pread(file, 1, size - 1) == b"\n"
        _write(file, size, ("" if ended else "\n") + _line(case))
    return len(known) + 1


def answering(path: Path) -> Tool | None:
    """Return what answers a file of cases: the tool that its rows name, None where none does.

    Raises:
        InvalidArgument: rows name different tools, or not all of them one.
        UnknownName: no eval knows the tool.
    """
    if path.suffix.lower() != JSONL:
        return None
    found = rows(path)
    if not any(row.cells.get(TOOL) for row in found):
        return None
    first = found[0].cell(TOOL)
    for row in found:
        if row.cell(TOOL) != first:
            raise row.refuse(TOOL, f"must be {first}, as in {found[0].where}")
    tool = Tool(str(first))
    _ = tool.known
    return tool


def _refuse(known: list[Row], case: Case, path: Path) -> None:
    digest = json.dumps(case.input, sort_keys=True)
    for row in known:
        name = str(row.cells.get("id", ""))
        if name == case.id:
            raise DuplicateName(
                f"{path.name}: {row.where}: the id {case.id} is taken; name another by --id"
            )
        if json.dumps(row.cells.get("input"), sort_keys=True) == digest:
            raise DuplicateName(f"{path.name}: {row.where}: the case {name} asks the same already")
        if (tool := row.cells.get(TOOL)) != case.tool:
            raise Conflict(
                f"{path.name}: {row.where}: is of {tool or 'no tool'}, and the run called"
                f" {case.tool}; name another file by --suite"
            )


def _line(case: Case) -> str:
    return json.dumps(asdict(case), ensure_ascii=False) + "\n"


@contextmanager
def _held(path: Path) -> Iterator[int]:
    """Open the file for appending, alone until it is closed."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
    except OSError:
        raise InvalidArgument(f"suite: {path.name}: cannot be written", field="suite") from None
    try:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield file
    finally:
        os.close(file)


def _write(file: int, size: int, line: str) -> None:
    left = line.encode("utf-8", "replace")
    try:
        while left:
            left = left[os.write(file, left) :]
    except OSError:
        os.ftruncate(file, size)
        raise InvalidArgument("suite: the file cannot be written", field="suite") from None
