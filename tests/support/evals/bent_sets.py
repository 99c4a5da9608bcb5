"""Copies of labelled sets with one mistake in them, which are to be refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from reasonloom.errors import InvalidArgument

Rows = list[dict[str, Any]]
Bend = Callable[[Rows], object]


def bent(source: Path, files: Sequence[str], file: str, bend: Bend, folder: Path) -> Path:
    """Copy a set's files to a folder, the records of one of them bent; return the folder."""
    for each in files:
        rows = [json.loads(line) for line in (source / each).read_text().splitlines()]
        if each == file:
            bend(rows)
        (folder / each).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def refused(load: Callable[[str, Path], object], path: Path, why: str) -> None:
    """Require that a set is refused for a reason, without the folder's name."""
    with pytest.raises(InvalidArgument) as raised:
        load("all", path)
    assert why in raised.value.message
    assert str(path.parent if path.suffix else path) not in raised.value.message
