"""Transcripts of VS Code and recordings of Cursor for tests, made from documentation.

VS Code: `TranscriptEntry` in `sessionTranscriptService.ts` of microsoft/vscode (Copilot extension).
Cursor: the inputs of hooks as in cursor.com/docs/hooks. None was compared with what the two write.
"""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass, field
from typing import Any, Self

from tests.support.history.host_transcripts import HostScript

NUMBERS = itertools.count()


@dataclass
class VSCodeScript(HostScript):
    """A session of VS Code; `first` adds to the data of its first line."""

    first: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        own = {"sessionId": self.session, "version": 1, "producer": "copilot-agent",
               "copilotVersion": "0.47.0", "vscodeVersion": "1.120.0", "startTime": self.time(),
               "context": {"cwd": self.cwd}}  # fmt: skip
        self.line("session.start", own | self.first)

    def line(self, kind: str, data: Any) -> Self:
        name, before = f"evt-{next(NUMBERS)}", len(self.lines) or None
        return self.put({"type": kind, "data": data, "id": name, "timestamp": self.time(),
                         "parentId": before and f"evt-{before}"})  # fmt: skip

    def user(self, text: str) -> Self:
        return self.line("user.message", {"content": text, "attachments": []})

    def answered(self, text: str, *calls: dict[str, Any], **more: Any) -> Self:
        self.line("assistant.turn_start", {"turnId": "0"})
        data = {"messageId": f"msg-{next(NUMBERS)}", "content": text, "toolRequests": list(calls)}
        return self.line("assistant.message", data | more)

    def returned(self, call: str, text: str | None, *, success: bool = True) -> Self:
        result = {} if text is None else {"result": {"content": text}}
        return self.line(
            "tool.execution_complete", {"toolCallId": call, "success": success, **result}
        )


def tool_request(name: str, given: Any, call: str) -> dict[str, Any]:
    """Return a tool's call as an assistant's message lists it."""
    return {"toolCallId": call, "name": name, "arguments": json.dumps(given), "type": "function"}


@dataclass
class CursorScript(HostScript):
    """The inputs of Cursor's hooks in one conversation."""

    generation: str = "gen-1"

    def event(self, name: str, **more: Any) -> dict[str, Any]:
        """Return the input of a hook."""
        return {"conversation_id": self.session, "generation_id": self.generation,
                "model": "some-model", "hook_event_name": name, "cursor_version": "2.6.0",
                "workspace_roots": [self.cwd], "user_email": "ana@example.com",
                "transcript_path": "/home/ana/.cursor/x.jsonl", **more}  # fmt: skip

    def line(self, name: str, **more: Any) -> Self:
        return self.put({"timestamp": self.time(), **self.event(name, **more)})

    def user(self, text: str) -> Self:
        self.generation = f"gen-{next(NUMBERS)}"
        return self.line("beforeSubmitPrompt", prompt=text, attachments=[])

    def answered(self, text: str) -> Self:
        return self.line("afterAgentResponse", text=text)
