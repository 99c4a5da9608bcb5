"""What is read from a transcript: parts of turns, and whose conversation it is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Kind(StrEnum):
    """What a part of a turn is."""

    USER = "user"
    ASSISTANT = "assistant"
    THINKING = "thinking"
    TOOL_USE = "tool_use"
    TOOL_RESULT = "tool_result"
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that was said or done in a turn.

    Args:
        kind: what it is.
        text: without hidden and control characters; long tool output is cut and says so.
        at: when, aware UTC, None where the transcript does not say.
        name: the tool's name, or the speaker's in a plain conversation.
        tool_id: what pairs a use of a tool with its result.
        agent: the sub-agent that this use of a tool started, or whose result this is.
        failed: the tool answered with an error.
        files: paths that it names, in order, each once.
        errors: lines that tell of an error, in order, each once.
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
    """Whose conversation it is; each fact None where the transcript does not tell it.

    Args:
        session: the session's id.
        project: the working folder's full path as the session began.
        branch: the git branch.
        client: the client's version.
        agent: the sub-agent whose own transcript this file is.
        speaker: who spoke first in a plain conversation with names.
    """

    session: str | None = None
    project: str | None = None
    branch: str | None = None
    client: str | None = None
    agent: str | None = None
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """What a person asked, and all that was said and done until the next time.

    Args:
        number: from 1, in the order of beginning within its file.
        parts: in the order of the file; at least one.
        started_at: when it began, aware UTC, None where the transcript does not say.
        ended_at: when its last line was written.
        agent: the sub-agent it belongs to, None for the main conversation.
        complete: whether the next turn has begun, so that nothing can be added.
        source: what was known of the conversation as the turn began.
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
    """How many lines were not taken, and why; what is known noise is not counted.

    `malformed` lines are no JSON object or lack what their type needs; `oversized` ones exceed the
    limit; `recoded` ones are no UTF-8 and were read as Windows-1252 (taken all the same);
    `unknown` ones are of a type that this reader does not know.
    """

    malformed: int = 0
    oversized: int = 0
    recoded: int = 0
    unknown: int = 0
