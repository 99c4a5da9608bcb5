"""Transcripts of Codex and Gemini CLI for tests.

Made from their sources: `RolloutLine` in Codex's protocol, `chatRecordingTypes.ts` of Gemini CLI.
Each line was compared with what Codex 0.171.0 and Gemini CLI 0.61.0 wrote against a local model.
"""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Self

from tests.support.history.transcripts import BEGIN

NUMBERS = itertools.count()


@dataclass
class HostScript:
    """Writes the lines of one session, each ten seconds after the one before."""

    session: str = "01a2257a-7cb4-7910-adab-30e2acd7b7fd"
    cwd: str = "/home/ana/api"
    lines: list[str] = field(default_factory=list)
    now: datetime = BEGIN

    def put(self, entry: dict[str, Any]) -> Self:
        text = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
        self.lines.append(text)
        return self

    def time(self) -> str:
        self.now += timedelta(seconds=10)
        return self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def data(self) -> bytes:
        return "".join(f"{line}\n" for line in self.lines).encode("utf-8", "surrogatepass")


@dataclass
class CodexScript(HostScript):
    """A rollout; `meta` adds to its first line."""

    meta: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        own = {"id": self.session, "timestamp": self.time(), "cwd": self.cwd,
               "originator": "codex_cli", "cli_version": "0.171.0", "source": "cli",
               "git": {"branch": "main"}}  # fmt: skip
        self.line("session_meta", own | self.meta)

    def line(self, kind: str, payload: Any) -> Self:
        ordinal = {"ordinal": len(self.lines)}
        return self.put({"timestamp": self.time(), **ordinal, "type": kind, "payload": payload})

    def item(self, kind: str, **more: Any) -> Self:
        return self.line("response_item", {"type": kind, **more})

    def message(self, role: str, *texts: str, kinds: list[str] | None = None) -> Self:
        block = "output_text" if role == "assistant" else "input_text"
        about = {"content_item_kinds": kinds} if kinds else {}
        return self.item(
            "message",
            id=f"msg_{next(NUMBERS)}",
            role=role,
            content=[{"type": block, "text": text} for text in texts],
            internal_chat_message_metadata_passthrough=about,
        )

    def user(self, text: str) -> Self:
        self.message("user", text, kinds=["user.text"])
        return self.line("event_msg", {"type": "user_message", "message": text})

    def answered(self, text: str) -> Self:
        self.message("assistant", text)
        return self.line("event_msg", {"type": "agent_message", "message": text})

    def used(self, name: str, given: Any, call: str = "call_1") -> Self:
        return self.item("function_call", name=name, arguments=json.dumps(given), call_id=call)

    def returned(self, output: Any, call: str = "call_1") -> Self:
        return self.item("function_call_output", call_id=call, output=output)


@dataclass
class GeminiScript(HostScript):
    """A session of Gemini CLI; `first` adds to its first line."""

    first: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        own = {"sessionId": self.session, "projectHash": "799c52", "startTime": self.time(),
               "lastUpdated": self.time(), "kind": "main"}  # fmt: skip
        self.put(own | self.first)
        context = "<session_context>\nThis is the Gemini CLI.\n</session_context>"
        self.put({"$set": {"messages": [self.record("user", [{"text": context}])]}})

    def record(self, kind: str, content: Any, name: str | None = None, **more: Any) -> Any:
        name = name or f"id-{next(NUMBERS)}"
        return {"id": name, "timestamp": self.time(), "type": kind, "content": content, **more}

    def message(self, kind: str, content: Any, name: str | None = None, **more: Any) -> Self:
        self.put(self.record(kind, content, name, **more))
        return self.put({"$set": {"lastUpdated": self.time()}})

    def user(self, text: str) -> Self:
        return self.message("user", [{"text": text}])

    def answered(self, text: str, name: str | None = None, **more: Any) -> Self:
        return self.message("gemini", text, name, thoughts=[], model="gemini-2.5-pro", **more)


def tool_call(
    name: str, args: Any, output: str, status: str = "success", at: str = "2026-03-01T09:00:30.000Z"
) -> dict[str, Any]:
    """Return a tool call of Gemini CLI with its result."""
    response = {"id": f"{name}_1", "name": name, "response": {"output": output}}
    return {"id": f"{name}_1", "name": name, "args": args, "status": status,
            "result": [{"functionResponse": response}],
            "timestamp": at}  # fmt: skip
