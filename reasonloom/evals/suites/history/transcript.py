"""Writes sessions as Claude Code does: a file of JSON lines a session, each with its parent.

<folder>/<cwd with - for />/<session>.jsonl
<folder>/<cwd with - for />/<session>/subagents/agent-<agent>.jsonl
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from reasonloom.evals.suites.history.data import BRIEFING
from reasonloom.evals.suites.history.history_data import World
from reasonloom.evals.suites.history.records import Turn
from reasonloom.evals.suites.history.vocabulary import Prose

VERSION = "2.0.0"
MODEL = "made-up"
TAKES = {"Bash": "command", "Read": "file_path", "Write": "file_path", "Edit": "file_path"}
"""The parameter by which a tool takes its text; all others take `query`."""


def stamp(time: datetime) -> str:
    """Return a time as the lines have it, in UTC and to the millisecond."""
    return time.strftime("%Y-%m-%dT%H:%M:%S.") + f"{time.microsecond // 1000:03d}Z"


def slug(cwd: str) -> str:
    """Return the name of the folder of a project."""
    return cwd.replace("/", "-").replace(".", "-")


@dataclass
class Thread:
    """The lines of a session, or of a sub-agent of it, each bound to the one before it.

    `names` gives the UUIDs of the lines. Every method returns the UUID of its line.
    `size` is the bytes of all lines.
    """

    session: str
    cwd: str
    names: Iterator[str]
    agent: str | None = None
    parent: str | None = None
    lines: list[bytes] = field(default_factory=list)
    size: int = 0

    def user(self, text: str, time: datetime) -> str:
        """Add what the user, or whoever briefs the sub-agent, says."""
        return self._add("user", {"role": "user", "content": text}, time)

    def assistant(self, text: str, time: datetime) -> str:
        """Add what the assistant says."""
        return self._answered({"type": "text", "text": text}, time)

    def thinking(self, text: str, time: datetime) -> str:
        """Add what the assistant thinks."""
        return self._answered({"type": "thinking", "thinking": text, "signature": ""}, time)

    def call(self, number: str, tool: str, given: dict[str, Any], time: datetime) -> str:
        """Add the use of a tool; `number` is what its result is bound to."""
        return self._answered(
            {"type": "tool_use", "id": number, "name": tool, "input": given}, time
        )

    def result(self, number: str, text: str, time: datetime, *, failed: bool = False) -> str:
        """Add what a tool gave."""
        block: dict[str, Any] = {"tool_use_id": number, "type": "tool_result", "content": text}
        if failed:
            block["is_error"] = True
        return self._add("user", {"role": "user", "content": [block]}, time)

    def note(self, kind: str, **told: Any) -> None:
        """Add a line that is no part of what was said, such as a summary."""
        self._keep({"type": kind, **told})

    def write(self, folder: Path) -> int:
        """Write the file of this thread; return its bytes."""
        path = folder / slug(self.cwd) / f"{self.session}.jsonl"
        if self.agent is not None:
            path = path.with_suffix("") / "subagents" / f"agent-{self.agent}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.write_bytes(b"".join(self.lines))

    def _answered(self, block: dict[str, Any], time: datetime) -> str:
        message = {"type": "message", "role": "assistant", "model": MODEL, "content": [block]}
        return self._add("assistant", message, time)

    def _add(self, kind: str, message: dict[str, Any], time: datetime) -> str:
        own = next(self.names)
        line = {
            "parentUuid": self.parent,
            "isSidechain": self.agent is not None,
            "userType": "external",
            "cwd": self.cwd,
            "sessionId": self.session,
            "version": VERSION,
            "gitBranch": "main",
            **({} if self.agent is None else {"agentId": self.agent}),
            "type": kind,
            "message": message,
            "uuid": own,
            "timestamp": stamp(time),
        }
        self._keep(line)
        self.parent = own
        return own

    def _keep(self, told: dict[str, Any]) -> None:
        line = json.dumps(told, ensure_ascii=False, separators=(",", ":")) + "\n"
        self.lines.append(line.encode())
        self.size += len(self.lines[-1])


def write_world(
    world: World, folder: Path, *, noise: Prose | None = None, length: int = 1_200
) -> dict[str, str]:
    """Write the sessions of a labelled world; return the turn's id for the UUID of every line.

    With `noise` what a tool gave goes on for so many characters without meaning, as the output of
    real tools does; without it a world is so small that it fits whole into an answer.
    """
    for session in world.sessions:
        for agent in dict.fromkeys(turn.agent for turn in session.turns):
            own = [turn for turn in session.turns if turn.agent == agent]
            names = iter([_name(turn.id) for turn in own])
            thread = Thread(_name(session.id), world.project, names, agent)
            number = ""
            for turn in own:
                number = f"toolu_{turn.id}" if turn.role == "call" else number
                more = "" if noise is None or turn.role != "result" else noise.lines(length)
                _put(thread, turn, number, f"{turn.text}\n{more}".rstrip())
            thread.write(folder)
    return {_name(turn.id): turn.id for turn in world.turns}


def _put(thread: Thread, turn: Turn, number: str, text: str) -> None:
    if turn.role == "user":
        thread.user(text, turn.time)
    elif turn.role == "assistant":
        thread.assistant(text, turn.time)
    elif turn.role == "result":
        thread.result(number, text, turn.time)
    else:
        thread.call(number, str(turn.tool), _given(turn), turn.time)


def _given(turn: Turn) -> dict[str, Any]:
    if turn.tool == BRIEFING:
        return {"description": turn.text, "prompt": turn.text}
    return {TAKES.get(str(turn.tool), "query"): turn.text}


def _name(of: str) -> str:
    return str(uuid5(NAMESPACE_URL, of))
