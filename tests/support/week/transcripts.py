"""The sessions of the week as each host writes them, with files that the agent reads before."""

from __future__ import annotations

import json
import random
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from tests.support.clients.hook_host import Host
from tests.support.history.host_transcripts import CodexScript, GeminiScript, tool_call
from tests.support.history.transcripts import Script
from tests.support.week.script import Session

READ_LINES = 120
NAMES = (
    "berth", "boat", "tide", "mooring", "buoy", "quay", "member", "price", "mail", "export",
    "office", "harbour",
)  # fmt: skip


def source_file(seed: str) -> str:
    """Return a file of code for the agent to read: what fills most of a real transcript."""
    drawn = random.Random(seed)  # noqa: S311 - not for secrets
    return "\n".join(
        f"    {drawn.choice(NAMES)}_{n} = load_{drawn.choice(NAMES)}(row[{n}], "
        f"default={drawn.randrange(1_000)})"
        for n in range(READ_LINES)
    )


class Writer:
    """Writes one session in the form of its host."""

    def __init__(self, session: Session, cwd: str) -> None:
        self.id = str(uuid5(NAMESPACE_URL, session.name))
        self.host = session.host
        made = {"codex": CodexScript, "gemini": GeminiScript}.get(session.host, Script)
        self.script: Any = made(session=self.id, cwd=cwd, now=session.at)

    def user(self, text: str) -> None:
        """Write a request."""
        self.script.user(text)

    def answer(self, text: str) -> None:
        """Write an answer."""
        (self.script.said if self.host == "claude-code" else self.script.answered)(text)

    def tool(self, name: str, argument: str, output: str) -> None:
        """Write a tool use with its output."""
        number = f"call_{len(self.script.lines)}"
        if self.host == "gemini":
            call = tool_call(name, {"command": argument}, output, at=self.script.time())
            self.script.answered("", toolCalls=[call])
        elif self.host == "codex":
            self.script.used("exec_command", {"cmd": argument}, number).returned(output, number)
        else:
            self.script.used(name, {"command": argument}, number).got(output, number)

    def write(self, machine: Host) -> dict[str, Any]:
        """Write the transcript where its host keeps it; return what the host's hooks send."""
        path = self._path(machine)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.script.data())
        return {"session_id": self.id, "transcript_path": str(path), "cwd": str(machine.project)}

    def texts(self) -> str:
        """Return what a transcript kept whole holds: the texts, without the host's fields."""
        found: list[str] = []
        for line in self.script.lines:
            _collect(json.loads(line), found)
        return "\n".join(found)

    def _path(self, machine: Host) -> Path:
        day: datetime = self.script.now
        return {
            "claude-code": machine.transcripts / f"{self.id}.jsonl",
            "codex": machine.root / "codex" / "sessions" / f"{day:%Y/%m/%d}" / f"{self.id}.jsonl",
            "gemini": machine.root / ".gemini" / "tmp" / "api" / "chats" / f"{self.id}.jsonl",
        }[self.host]


def _collect(value: Any, found: list[str]) -> None:
    """Collect the texts of a line: what was written, arguments and outputs of tools."""
    if isinstance(value, list):
        for each in value:
            _collect(each, found)
    if not isinstance(value, dict) or value.get("type") == "event_msg":
        return
    for key, held in value.items():
        if isinstance(held, str) and key in {"text", "content", "output", "arguments", "command"}:
            found.append(held)
        else:
            _collect(held, found)
