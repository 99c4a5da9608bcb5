"""The types of a transcript: turns, their parts, and the source of a conversation."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Kind(StrEnum):
    """The kind of a part."""

    USER = "user"
    ASSISTANT = "assistant"
    THINKING = "thinking"
    TOOL_USE = "tool_use"
    TOOL_RESULT = "tool_result"
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True)
class Part:
    """One message, thought, tool use or tool result in a turn.

    Args:
        text: without hidden and control characters; long tool output is cut and says so.
        at: aware UTC, None if unknown.
        name: the tool's name, or the speaker's in a plain conversation.
        tool_id: pairs a tool use with its result.
        agent: the sub-agent that a tool use started, or whose result this is.
        failed: the tool answered with an error.
        files: distinct paths in it, in order.
        errors: distinct error lines in it, in order.
    """

    kind: Kind
    text: str
    at: datetime | None = None
    name: str | None = None
    tool_id: str | None = None
    agent: str | None = None
    failed: bool = False
    files: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """The source of a conversation; None for unknown facts.

    Args:
        session: the session's id.
        project: the full path of the working folder at the session's start.
        branch: the git branch.
        client: the client's version.
        agent: the sub-agent whose transcript the file is.
        speaker: the first speaker in a plain conversation with names.
    """

    session: str | None = None
    project: str | None = None
    branch: str | None = None
    client: str | None = None
    agent: str | None = None
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """A person's request and everything until the next one.

    Args:
        number: from 1, in order of beginning within the file.
        parts: in the order of the file; at least one.
        started_at, ended_at: aware UTC, None if unknown.
        agent: the sub-agent it belongs to, None for the main conversation.
        complete: the next turn has begun, so that nothing can be added.
        source: the source when the turn began.
        uuid: the id of its first message, the same in a copy of the conversation.
    """

    number: int
    parts: tuple[Part, ...]
    started_at: datetime | None
    ended_at: datetime | None
    agent: str | None
    complete: bool
    source: Source
    uuid: str | None = None


@dataclass(slots=True)
class Skipped:
    """Counts of lines that were not used, apart from known noise.

    `malformed`: no JSON object, or without what its type needs. `oversized`: beyond the limit.
    `recoded`: no UTF-8, read as Windows-1252 (and used). `unknown`: of an unknown type.
    """

    malformed: int = 0
    oversized: int = 0
    recoded: int = 0
    unknown: int = 0
