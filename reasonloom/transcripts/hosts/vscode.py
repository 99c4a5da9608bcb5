"""Reads VS Code's transcripts of agent sessions: one JSONL file per session, kept for its hooks.

A line is `{"type", "data", "id", "timestamp", "parentId"}` (`TranscriptEntry` in the source of the
Copilot extension). The documentation of hooks does not promise that the format stays, so a line of
an unknown type is counted, not guessed at.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, BinaryIO

from reasonloom.transcripts.hosts.single_lane import SingleLane
from reasonloom.transcripts.lines import LONGEST, PATH_LENGTH, Position, parse_moment, short_text
from reasonloom.transcripts.parts import (
    BLOCKS,
    Message,
    message_part,
    parse_arguments,
    tool_result,
    tool_use,
)
from reasonloom.transcripts.reader import TurnReader
from reasonloom.transcripts.turns import Kind, Part, Skipped, Source

_KNOWN = """
session.start user.message assistant.turn_start assistant.message tool.execution_start
tool.execution_complete assistant.usage assistant.turn_end
"""
KNOWN = frozenset(_KNOWN.split())


def read(stream: BinaryIO, since: Position | None = None, *, longest: int = LONGEST) -> TurnReader:
    """Return the turns of a transcript, from its beginning or from `since`.

    Raises:
        InvalidArgument: the file is binary or UTF-16, or contains no line of a transcript.
    """
    return TurnReader(stream, since, Session, longest=longest)


class Session(SingleLane):
    """The conversation of one file."""

    def __init__(self, known: Position | None) -> None:
        super().__init__(known, Source())

    def read(self, entry: Mapping[str, Any], skipped: Skipped) -> Message | None:
        """See `SingleLane`."""
        kind, data = entry.get("type"), entry.get("data")
        if not isinstance(kind, str) or not isinstance(data, dict) or not self.identity(entry):
            skipped.malformed += 1
            return None
        if kind not in KNOWN:
            skipped.unknown += 1
            return None
        self.taken += 1
        if kind == "session.start":
            self._learn(data)
        at = self.moment(entry)
        if kind == "user.message":
            parts = message_part(Kind.USER, _text(data.get("content")), at)
            return Message(parts, bool(parts))
        if kind == "assistant.message":
            return Message(tuple(_answer(data, at)), False)
        return _result(data, at) if kind == "tool.execution_complete" else None

    def identity(self, entry: Mapping[str, Any]) -> str | None:
        """See `SingleLane`."""
        return short_text(entry.get("id"))

    def moment(self, entry: Mapping[str, Any]) -> datetime | None:
        """See `SingleLane`."""
        return parse_moment(entry.get("timestamp"))

    def _learn(self, data: Mapping[str, Any]) -> None:
        context = data.get("context")
        folder = context.get("cwd") if isinstance(context, dict) else None
        known = self.source
        self.source = Source(
            session=known.session or short_text(data.get("sessionId")),
            project=known.project or short_text(folder, PATH_LENGTH),
            client=known.client or short_text(data.get("vscodeVersion")),
        )


def _answer(data: Mapping[str, Any], at: datetime | None) -> Iterator[Part]:
    """Yield the thoughts and the text of an answer, and the tools that it calls."""
    yield from message_part(Kind.THINKING, _text(data.get("reasoningText")), at)
    yield from message_part(Kind.ASSISTANT, _text(data.get("content")), at)
    calls = data.get("toolRequests")
    for call in calls[:BLOCKS] if isinstance(calls, list) else ():
        if isinstance(call, dict):
            given = call.get("arguments")
            given = parse_arguments(given) if isinstance(given, str) else given
            yield tool_use(call.get("name"), given, call.get("toolCallId"), at)


def _result(data: Mapping[str, Any], at: datetime | None) -> Message | None:
    """Return what a tool returned; one that succeeded without text adds nothing."""
    result, failed = data.get("result"), data.get("success") is False
    full = _text(result.get("content")) if isinstance(result, dict) else ""
    if not full and not failed:
        return None
    part = tool_result(full, at, short_text(data.get("toolCallId")), failed=failed)
    return Message((part,), False)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
