"""Reads Claude Code's transcripts: one JSONL file per session and per sub-agent."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import PurePath
from typing import Any, BinaryIO

from reasonloom.transcripts.claude_code_messages import parse_message, parse_summary
from reasonloom.transcripts.lines import (
    LONGEST,
    PATH_LENGTH,
    Line,
    Position,
    parse_entry,
    parse_moment,
    short_text,
)
from reasonloom.transcripts.parts import Message
from reasonloom.transcripts.reader import Form, Started, TurnReader
from reasonloom.transcripts.turns import Kind, Part, Skipped, Source, Turn

NOISE = re.compile(
    rb'\{"type":"(?:file-history-snapshot|queue-operation|last-prompt|custom-title|ai-title|mode'
    rb'|permission-mode|attachment|pr-link|tag|agent-name|agent-color|agent-setting|task-summary)"'
)
"""Lines outside the conversation, matched by their prefix to avoid parsing."""

_KNOWN = """
user assistant summary system progress file-history-snapshot queue-operation last-prompt
custom-title ai-title mode permission-mode attachment pr-link tag agent-name agent-color
agent-setting task-summary result saved_hook_context
"""
KNOWN = frozenset(_KNOWN.split())
AGENT_FILE = re.compile(r"agent-([\w-]{1,120})\.jsonl")


def read(
    stream: BinaryIO,
    since: Position | None = None,
    *,
    agent: str | None = None,
    longest: int = LONGEST,
) -> TurnReader:
    """Return the turns of a transcript, from its beginning or from `since`.

    A turn starts with a user message; tool results alone, interruption notices, commands and other
    lines of the client do not start one. Sidechains within the file are turns of their agents. The
    last turn is incomplete, and is returned again with the same number when it grows.

    Args:
        stream: the file, seekable; it may grow during reading.
        since: the position at which the previous read ended.
        agent: the sub-agent that the file belongs to (see `agent_of`).
        longest: the maximum length of a line in bytes.

    Raises:
        InvalidArgument: the file is binary or UTF-16, or contains no transcript line.
    """
    return TurnReader(stream, since, lambda known: Conversation(known, agent), longest=longest)


def agent_of(path: PurePath) -> str | None:
    """Return the sub-agent that a transcript file belongs to, None for a session's own file."""
    match = AGENT_FILE.fullmatch(path.name)
    if match:
        return match[1]
    return path.stem if path.parent.name == "subagents" else None


@dataclass(slots=True)
class OpenTurn(Started):
    """A turn that may still grow."""

    agent: str | None
    uuid: str | None
    parts: list[Part] = field(default_factory=list)
    begun: bool = False
    first: datetime | None = None
    last: datetime | None = None
    seen: set[str] = field(default_factory=set)

    def turn(self, agents: Mapping[str, str], *, complete: bool) -> Turn:
        """Return the turn so far, its parts completed with tool names and sub-agents."""
        names = {p.tool_id: p.name for p in self.parts if p.kind is Kind.TOOL_USE and p.tool_id}
        parts = tuple(_paired(part, names, agents) for part in self.parts)
        return Turn(
            self.number, parts, self.first, self.last, self.agent, complete, self.source, self.uuid
        )


class Conversation(Form):
    """The open turns of one file: the main conversation's and those of sidechains within it."""

    def __init__(self, known: Position | None, agent: str | None) -> None:
        super().__init__(known, agent)
        self.started: list[OpenTurn] = []
        self._current: dict[str | None, OpenTurn] = {}
        self._agents: dict[str, str] = {}
        self._roots: dict[str, str] = {}

    def take(self, line: Line, skipped: Skipped) -> tuple[list[Turn], bool]:
        """Process a line; return the turns that it completes, and whether it adds to any turn."""
        if NOISE.match(line.data):
            self.taken += 1
            return [], False
        if not line.data.strip():
            return [], False
        entry = parse_entry(line, skipped)
        kind = entry.get("type") if entry is not None else None
        if entry is None or not isinstance(kind, str):
            skipped.malformed += 1
            return [], False
        if kind not in KNOWN:
            skipped.unknown += 1
            return [], False
        return self._known(kind, entry, line, skipped)

    def open(self) -> list[Turn]:
        """Return the open turns, marked incomplete."""
        return [turn.turn(self._agents, complete=False) for turn in self.started]

    def _known(
        self, kind: str, entry: Mapping[str, Any], line: Line, skipped: Skipped
    ) -> tuple[list[Turn], bool]:
        if kind == "progress":
            self.taken += 1
            return [], self._learn_agent(entry)
        if kind == "summary":
            message: Message | None = parse_summary(entry)
        elif kind in {"user", "assistant"}:
            message = parse_message(entry)
        else:
            self.taken += 1
            return [], False
        if message is None:
            skipped.malformed += 1
            return [], False
        self.taken += 1
        return self._add(entry, message, line.start)

    def _add(
        self, entry: Mapping[str, Any], message: Message, start: int
    ) -> tuple[list[Turn], bool]:
        """Add a message to its turn; a new turn of the file's own agent closes all open ones."""
        self._learn(entry)
        lane = self._lane(entry)
        uuid = short_text(entry.get("uuid"))
        turn = self._current.get(lane)
        if not message.parts or (turn and uuid and uuid in turn.seen):
            return [], False
        closed: list[Turn] = []
        if turn is None or (message.begins and turn.begun):
            if lane == self.source.agent:
                closed = self._close()
            turn = OpenTurn(self.number, start, self.source, lane, uuid)
            self.number += 1
            self.started.append(turn)
            self._current[lane] = turn
        turn.begun |= message.begins or any(p.kind is not Kind.SUMMARY for p in message.parts)
        turn.parts += message.parts
        turn.seen |= {uuid} if uuid else set()
        at = parse_moment(entry.get("timestamp"))
        turn.first, turn.last = turn.first or at, at or turn.last
        for part in message.parts:
            if part.agent and part.tool_id:
                self._agents[part.tool_id] = part.agent
        return closed, True

    def _close(self) -> list[Turn]:
        closed = [turn.turn(self._agents, complete=True) for turn in self.started]
        self.started, self._current, self._agents, self._roots = [], {}, {}, {}
        return closed

    def _lane(self, entry: Mapping[str, Any]) -> str | None:
        """Return the agent of a line: the file's own or that of a sidechain."""
        if entry.get("isSidechain") is not True:
            return self.source.agent
        agent = short_text(entry.get("agentId"))
        if agent:
            return agent
        if self.source.agent:
            return self.source.agent
        uuid, parent = short_text(entry.get("uuid")), short_text(entry.get("parentUuid"))
        root = self._roots.get(parent or "") or f"sidechain-{(uuid or 'unnamed')[:8]}"
        if uuid:
            self._roots[uuid] = root
        return root

    def _learn(self, entry: Mapping[str, Any]) -> None:
        """Update the source: the first session and folder win, and the latest branch and client."""
        known = self.source
        self.source = Source(
            session=known.session or short_text(entry.get("sessionId")),
            project=known.project or short_text(entry.get("cwd"), PATH_LENGTH),
            branch=short_text(entry.get("gitBranch")) or known.branch,
            client=short_text(entry.get("version")) or known.client,
            agent=known.agent,
        )

    def _learn_agent(self, entry: Mapping[str, Any]) -> bool:
        """Record which tool use started the agent of a progress line; return if that is new."""
        data = entry.get("data")
        agent = short_text(data.get("agentId")) if isinstance(data, dict) else None
        tool = short_text(entry.get("parentToolUseID")) or short_text(entry.get("toolUseID"))
        if not agent or not tool or self._agents.get(tool) == agent:
            return False
        self._agents[tool] = agent
        return bool(self.started)


def _paired(part: Part, names: Mapping[str, str | None], agents: Mapping[str, str]) -> Part:
    """Return the part with its tool's name and its sub-agent, if known."""
    if not part.tool_id:
        return part
    name = part.name or names.get(part.tool_id)
    agent = part.agent or agents.get(part.tool_id)
    return replace(part, name=name, agent=agent)
