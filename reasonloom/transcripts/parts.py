"""Makes the parts of a turn from what a host's transcript holds: texts, tool uses, results."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from reasonloom.text.cleaning import ARGUMENT_LENGTH, OUTPUT_LENGTH, message_text, output_text
from reasonloom.transcripts.lines import NAME_LENGTH, PATH_LENGTH, short_text
from reasonloom.transcripts.mentions import FILES, distinct, errors, files
from reasonloom.transcripts.turns import Kind, Part

PLACES = ("file_path", "notebook_path", "path", "filename", "file", "absolute_path", "dir_path")
"""Tool arguments that contain a path."""

PROMPT = 4_000
"""Maximum characters stored of a sub-agent's prompt."""

ARGUMENTS = 40
BLOCKS = 400
"""Maximum blocks of one message."""


@dataclass(frozen=True, slots=True)
class Message:
    """The parts of one line, and whether it starts a user's request."""

    parts: tuple[Part, ...]
    begins: bool


def text_part(
    kind: Kind, text: str, at: datetime | None, name: str | None = None
) -> tuple[Part, ...]:
    """Return a part with a cleaned text, none if that is empty."""
    if not text.strip():
        return ()
    return (Part(kind, text, at, name=name, files=files(text), errors=errors(text)),)


def message_part(kind: Kind, text: str, at: datetime | None) -> tuple[Part, ...]:
    """Return a part with what somebody wrote, cleaned first."""
    return text_part(kind, message_text(text), at)


def tool_use(name: Any, given: Any, tool_id: Any, at: datetime | None) -> Part:
    """Return a tool use; several arguments become lines of `name: value`."""
    given = given if isinstance(given, dict) else {"input": given} if given else {}
    lines = [(key, _value(key, value)) for key, value in list(given.items())[:ARGUMENTS]]
    listed = "\n".join(f"{short_text(key)}: {value}" for key, value in lines if value)
    text = output_text(lines[0][1] if len(lines) == 1 else listed, OUTPUT_LENGTH + PROMPT)
    places = (short_text(given.get(key), PATH_LENGTH) or "" for key in PLACES)
    return Part(
        Kind.TOOL_USE,
        text,
        at,
        name=short_text(name),
        tool_id=short_text(tool_id),
        files=distinct((*places, *files(text)), FILES),
    )


def tool_result(
    full: str,
    at: datetime | None,
    tool_id: str | None,
    *,
    failed: bool,
    agent: str | None = None,
    name: str | None = None,
) -> Part:
    """Return the result of a tool; of a failed one, its beginning counts as an error."""
    text = output_text(full)
    first = text[:NAME_LENGTH].strip()
    return Part(
        Kind.TOOL_RESULT,
        text,
        at,
        name=name,
        tool_id=tool_id,
        agent=agent,
        failed=failed,
        files=files(text),
        errors=errors(full) or ((first,) if failed and first else ()),
    )


def parse_arguments(text: str) -> Mapping[str, Any] | str:
    """Return the JSON object that a host wrote as text, or the text itself."""
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict) else text


def _value(key: str, value: Any) -> str:
    if isinstance(value, str):
        return output_text(value, PROMPT if key in {"prompt", "message"} else ARGUMENT_LENGTH)
    try:
        return output_text(json.dumps(value, ensure_ascii=False), ARGUMENT_LENGTH)
    except (ValueError, RecursionError):
        return "(nested too deeply)"
