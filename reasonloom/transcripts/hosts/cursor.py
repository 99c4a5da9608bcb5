"""Reads what our hook recorded of a conversation in Cursor: one JSONL file per conversation.

The format of Cursor's own transcripts is not documented, but the inputs of its hooks are. A line
has the fields `RECORDED` of one input, and the `timestamp` at which our hook got it.
"""

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, BinaryIO

from reasonloom.transcripts.hosts.single_lane import SingleLane
from reasonloom.transcripts.lines import LONGEST, PATH_LENGTH, Position, parse_moment, short_text
from reasonloom.transcripts.parts import (
    Message,
    message_part,
    parse_arguments,
    tool_result,
    tool_use,
)
from reasonloom.transcripts.reader import TurnReader
from reasonloom.transcripts.turns import Kind, Skipped, Source

PROMPT, RESPONSE, THOUGHT = "beforeSubmitPrompt", "afterAgentResponse", "afterAgentThought"
TOOL, TOOL_FAILED = "postToolUse", "postToolUseFailure"
KNOWN = frozenset({PROMPT, RESPONSE, THOUGHT, TOOL, TOOL_FAILED})
"""The events that our hook records."""

_RECORDED = """
hook_event_name conversation_id generation_id cursor_version workspace_roots prompt text
tool_name tool_input tool_output tool_use_id error_message
"""
RECORDED = tuple(_RECORDED.split())
"""The fields of an input that are kept; the user's e-mail address and attached files are not."""


def read(stream: BinaryIO, since: Position | None = None, *, longest: int = LONGEST) -> TurnReader:
    """Return the turns of a recording, from its beginning or from `since`.

    Raises:
        InvalidArgument: the file is binary or UTF-16, or contains no line of a recording.
    """
    return TurnReader(stream, since, Recording, longest=longest)


class Recording(SingleLane):
    """The conversation of one file."""

    def __init__(self, known: Position | None) -> None:
        super().__init__(known, Source())

    def read(self, entry: Mapping[str, Any], skipped: Skipped) -> Message | None:
        """See `SingleLane`."""
        event = entry.get("hook_event_name")
        if not isinstance(event, str) or not short_text(entry.get("conversation_id")):
            skipped.malformed += 1
            return None
        if event not in KNOWN:
            skipped.unknown += 1
            return None
        self._learn(entry)
        message = _message(event, entry, self.moment(entry))
        if message is None:
            skipped.malformed += 1
        else:
            self.taken += 1
        return message

    def identity(self, entry: Mapping[str, Any]) -> str | None:
        """Return the same for one event that two files of hooks recorded."""
        held = {name: entry.get(name) for name in RECORDED}
        return hashlib.sha256(json.dumps(held, sort_keys=True).encode()).hexdigest()

    def moment(self, entry: Mapping[str, Any]) -> datetime | None:
        """See `SingleLane`."""
        return parse_moment(entry.get("timestamp"))

    def _learn(self, entry: Mapping[str, Any]) -> None:
        roots, known = entry.get("workspace_roots"), self.source
        folder = roots[0] if isinstance(roots, list) and roots else None
        self.source = Source(
            session=known.session or short_text(entry.get("conversation_id")),
            project=known.project or short_text(folder, PATH_LENGTH),
            client=known.client or short_text(entry.get("cursor_version")),
        )


def _message(event: str, entry: Mapping[str, Any], at: datetime | None) -> Message | None:
    """Return the message of an event, None if what it must have is missing."""
    if event in (TOOL, TOOL_FAILED):
        return _tool(entry, at, failed=event == TOOL_FAILED)
    text = entry.get("prompt" if event == PROMPT else "text")
    if not isinstance(text, str):
        return None
    kinds = {PROMPT: Kind.USER, RESPONSE: Kind.ASSISTANT, THOUGHT: Kind.THINKING}
    parts = message_part(kinds[event], text, at)
    return Message(parts, event == PROMPT and bool(parts))


def _tool(entry: Mapping[str, Any], at: datetime | None, *, failed: bool) -> Message | None:
    """Return the use of a tool with its result; its output is JSON as text."""
    name, call = short_text(entry.get("tool_name")), short_text(entry.get("tool_use_id"))
    if name is None:
        return None
    given, output = entry.get("tool_input"), entry.get("error_message" if failed else "tool_output")
    used = tool_use(name, parse_arguments(given) if isinstance(given, str) else given, call, at)
    full = output if isinstance(output, str) else ""
    result = (tool_result(full, at, call, failed=failed, name=name),) if full or failed else ()
    return Message((used, *result), False)
