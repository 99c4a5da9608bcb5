"""Reads Codex's transcripts ("rollouts"): one JSONL file per thread, sub-agents' included.

A line is `{"timestamp", "type", "payload"}` (`RolloutLine` in Codex's protocol). The conversation
is in the lines of the type `response_item`; events repeat it for displays.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, BinaryIO

from reasonloom.transcripts.hosts.codex_items import NO_MESSAGE, parse_item
from reasonloom.transcripts.hosts.single_lane import SingleLane
from reasonloom.transcripts.lines import (
    LONGEST,
    PATH_LENGTH,
    Line,
    Position,
    parse_moment,
    short_text,
)
from reasonloom.transcripts.parts import Message, message_part
from reasonloom.transcripts.reader import TurnReader
from reasonloom.transcripts.turns import Kind, Skipped, Source, Turn

NOISE = re.compile(
    rb'\{"timestamp":"[^"]{0,40}",(?:"ordinal":\d{1,12},)?"type":'
    rb'"(?:event_msg|turn_context|world_state|token_usage_record)"'
)
"""Lines outside the conversation, matched by their prefix to avoid parsing."""

_KNOWN = """
session_meta response_item compacted event_msg turn_context world_state token_usage_record
inter_agent_communication
"""
KNOWN = frozenset(_KNOWN.split())


def read(stream: BinaryIO, since: Position | None = None, *, longest: int = LONGEST) -> TurnReader:
    """Return the turns of a rollout, from its beginning or from `since`.

    A turn starts with what a person wrote; instructions, the environment and other text that Codex
    writes in the user's name do not start one. In a fork or a resumed thread, the first session and
    folder count.

    Raises:
        InvalidArgument: the file is binary or UTF-16, or contains no line of a rollout.
    """
    return TurnReader(stream, since, Rollout, longest=longest)


class Rollout(SingleLane):
    """The conversation of one rollout."""

    def __init__(self, known: Position | None) -> None:
        super().__init__(known, Source())

    def take(self, line: Line, skipped: Skipped) -> tuple[list[Turn], bool]:
        """Process a line; return the turn that it completes, and whether it adds to any turn."""
        if NOISE.match(line.data):
            self.taken += 1
            return [], False
        return super().take(line, skipped)

    def read(self, entry: Mapping[str, Any], skipped: Skipped) -> Message | None:
        """See `SingleLane`."""
        kind, payload = entry.get("type"), entry.get("payload")
        if not isinstance(kind, str) or not isinstance(payload, dict):
            skipped.malformed += 1
            return None
        if kind not in KNOWN:
            skipped.unknown += 1
            return None
        if kind == "session_meta":
            self._learn(payload)
        if kind == "response_item":
            return self._item(payload, self.moment(entry), skipped)
        self.taken += 1
        text = payload.get("message") if kind == "compacted" else None
        if not isinstance(text, str):
            return None
        return Message(message_part(Kind.SUMMARY, text, self.moment(entry)), False)

    def identity(self, entry: Mapping[str, Any]) -> str | None:
        """See `SingleLane`."""
        payload = entry["payload"]
        name = short_text(payload.get("id"))
        return f"{payload.get('type')} {name}" if name else None

    def moment(self, entry: Mapping[str, Any]) -> datetime | None:
        """See `SingleLane`."""
        return parse_moment(entry.get("timestamp"))

    def _item(
        self, payload: Mapping[str, Any], at: datetime | None, skipped: Skipped
    ) -> Message | None:
        kind = payload.get("type")
        if kind in NO_MESSAGE:
            self.taken += 1
            return None
        message = parse_item(payload, at)
        if message is not None:
            self.taken += 1
        elif isinstance(kind, str) and not kind.startswith(("message", "function", "custom")):
            skipped.unknown += 1
        else:
            skipped.malformed += 1
        return message

    def _learn(self, meta: Mapping[str, Any]) -> None:
        """Learn the source from the first line; that of a sub-agent names the thread it is of."""
        known, git = self.source, meta.get("git")
        if known.session is not None:
            return
        own = short_text(meta.get("id"))
        parent = _parent(meta.get("source")) or short_text(meta.get("parent_thread_id"))
        agent = short_text(meta.get("agent_nickname")) or short_text(meta.get("agent_role"))
        self.source = Source(
            session=parent or own,
            project=short_text(meta.get("cwd"), PATH_LENGTH),
            branch=short_text(git.get("branch")) if isinstance(git, dict) else None,
            client=short_text(meta.get("cli_version")),
            agent=(agent or (own or "")[:8] or "unnamed") if parent else None,
        )


def _parent(source: Any) -> str | None:
    """Return the thread that started a sub-agent: `{"subagent": {"thread_spawn": {…}}}`."""
    for key in ("subagent", "thread_spawn"):
        source = source.get(key) if isinstance(source, dict) else None
    return short_text(source.get("parent_thread_id")) if isinstance(source, dict) else None
