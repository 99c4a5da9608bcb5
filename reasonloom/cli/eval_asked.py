"""What `reasonloom eval run` was asked, and what runs it, as kinds of evals take and give it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Result = dict[str, Any]
Tell = Callable[[str, int, int], None]
Work = Callable[[Tell], Awaitable[Result]]


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command was asked: an eval, its data, the log, and options that were given."""

    name: str
    data: Path | None
    log: Path
    options: Mapping[str, Any]
