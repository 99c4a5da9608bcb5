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
        text: without hidden and control characters; long text is truncated with a marker.
        at: aware UTC, None if unknown.
        name: the tool's name, or the speaker's in a plain conversation.
        tool_id: pairs a tool use with its result.
        agent: the sub-agent that a tool use started, or whose result this is.
        failed: whether the tool returned an error.
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
    """The origin of a conversation; unknown fields are None.

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
    """A user's request and everything until the next one.

    Args:
        number: from 1, in order of the turns' starts within the file.
        parts: at least one, in file order.
        started_at, ended_at: aware UTC, None if unknown.
        agent: the sub-agent it belongs to, None for the main conversation.
        complete: whether the next turn has started, so that nothing can be added.
        source: the source at the start of the turn.
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
    """Counts of irregular lines, known noise excluded.

    `malformed`: not a JSON object, or lacking required fields. `oversized`: above the size limit.
    `recoded`: not valid UTF-8, so decoded leniently (and used). `unknown`: of an unknown type.
    """

    malformed: int = 0
    oversized: int = 0
    recoded: int = 0
    unknown: int = 0
