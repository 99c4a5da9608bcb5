"""The script of the week: its sessions, and the questions at its end.

A session begins with `=== name host time`. Its lines are a request (`>`), an answer (`<`), a tool
use (`! name: argument`) with its output (`|`), a memory (`+ name [replaces name]: text`), and a
question for a tree of thoughts (`? tree: text`) with the approaches that the agent sees (`~`).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

FOLDER = Path(__file__).parent
MEMORY = re.compile(r"(\w+)(?: replaces (\w+))?: (.*)")


@dataclass
class Line:
    """One line of a session; `more` are its outputs or approaches."""

    kind: str
    text: str
    more: list[str] = field(default_factory=list)


@dataclass
class Session:
    """One session of the week."""

    name: str
    host: str
    at: datetime
    lines: list[Line] = field(default_factory=list)


@dataclass(frozen=True)
class Question:
    """A question about the week, the tool to ask, and what the deciding passage contains."""

    question: str
    tool: str
    keys: tuple[str, ...]


def sessions() -> list[Session]:
    """Return the sessions in their order."""
    found: list[Session] = []
    for text in (FOLDER / "week.txt").read_text().splitlines():
        mark, _, rest = text.partition(" ")
        if mark == "===":
            name, host, at = rest.split()
            found.append(Session(name, host, datetime.fromisoformat(at).replace(tzinfo=UTC)))
        elif mark in "|~":
            found[-1].lines[-1].more.append(rest)
        else:
            found[-1].lines.append(Line(mark, rest))
    return found


def questions() -> list[Question]:
    """Return the twenty questions."""
    rows = map(json.loads, (FOLDER / "questions.jsonl").read_text().splitlines())
    return [Question(row["question"], row["tool"], tuple(row["keys"])) for row in rows]
