"""Parses the message of a Claude Code transcript line into parts."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from reasonloom.text.cleaning import ARGUMENT_LENGTH, OUTPUT_LENGTH, message_text, output_text
from reasonloom.transcripts.lines import NAME_LENGTH, PATH_LENGTH, parse_moment, short_text
from reasonloom.transcripts.mentions import FILES, distinct, errors, files
from reasonloom.transcripts.turns import Kind, Part

INTERRUPTED = "[Request interrupted by user"
"""The client's notice that the user interrupted the assistant."""

COMMAND = re.compile(r"<command-(name|args)>(.*?)</command-\1>", re.DOTALL)
"""The name and arguments of a command such as /review."""

CLIENTS = ("<local-command-", "<command-message>", "<command-name>", "<user-memory-input>")
TYPED = re.compile(r"<bash-input>(.*?)</bash-input>", re.DOTALL)
PRINTED = re.compile(r"<bash-std(?:out|err)>(.*?)</bash-std(?:out|err)>", re.DOTALL)
NOTICES = ("<task-notification>", "<teammate-message", "<agent-notification>")
"""Prefixes of other agents' reports, which appear as user messages."""

PLACES = ("file_path", "notebook_path", "path", "filename", "file")
"""Tool arguments that contain a path."""

PROMPT = 4_000
"""Maximum characters stored of a sub-agent's prompt."""

BLOCKS = 400
"""Maximum blocks of one message."""


@dataclass(frozen=True, slots=True)
class Message:
    """The parts of one line, and whether it starts a user's request."""

    parts: tuple[Part, ...]
    begins: bool


def parse_message(entry: Mapping[str, Any]) -> Message | None:
    """Return the message of a user or assistant line, None if it has none."""
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, str | list):
        return None
    at = parse_moment(entry.get("timestamp"))
    if entry.get("type") == "assistant":
        return Message(tuple(_assistant_parts(content, at)), False)
    if entry.get("isMeta") is True:
        return Message((), False)
    if entry.get("isCompactSummary") is True:
        return Message(_part(Kind.SUMMARY, message_text(_plain(content)), at), False)
    results = tuple(_results(content, entry, at))
    request, begins = _parse_request(content, at)
    return Message((*results, *request), begins)


def parse_summary(entry: Mapping[str, Any]) -> Message:
    """Return the message of a summary line."""
    summary = entry.get("summary")
    text = message_text(summary) if isinstance(summary, str) else ""
    return Message(_part(Kind.SUMMARY, text, parse_moment(entry.get("timestamp"))), False)


def _parse_request(content: str | list[Any], at: datetime | None) -> tuple[tuple[Part, ...], bool]:
    """Return the parts of a user message, and whether it is a request."""
    texts = [content] if isinstance(content, str) else list(_texts(content))
    parts: list[Part] = []
    begins = False
    for raw in texts:
        stripped = raw.lstrip()
        if stripped.startswith(INTERRUPTED):
            continue
        if stripped.startswith("<") and (by_client := _by_client(stripped, at)) is not None:
            parts += by_client
            continue
        part = _part(Kind.USER, message_text(raw), at)
        parts += part
        begins |= bool(part)
    return tuple(parts), begins


def _by_client(text: str, at: datetime | None) -> tuple[Part, ...] | None:
    """Return the parts of text that the client wrote for the user, None for other text."""
    if text.startswith(CLIENTS):
        named = dict(COMMAND.findall(text[:20_000]))
        return _part(
            Kind.USER, message_text(f"{named.get('name', '')} {named.get('args', '')}"), at
        )
    if text.startswith("<bash-input>"):
        typed = TYPED.match(text)
        return _part(Kind.TOOL_USE, output_text(typed[1]) if typed else "", at, name="!")
    if text.startswith(("<bash-stdout>", "<bash-stderr>")):
        printed = "\n".join(PRINTED.findall(text[:200_000]))
        return _part(Kind.TOOL_RESULT, output_text(printed), at, name="!")
    if text.startswith(NOTICES):
        return _part(Kind.TOOL_RESULT, output_text(text), at, name="notice")
    return None


def _assistant_parts(content: str | list[Any], at: datetime | None) -> Iterator[Part]:
    if isinstance(content, str):
        yield from _part(Kind.ASSISTANT, message_text(content), at)
        return
    for block in content[:BLOCKS]:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "text" and isinstance(block.get("text"), str):
            yield from _part(Kind.ASSISTANT, message_text(block["text"]), at)
        elif kind == "thinking" and isinstance(block.get("thinking"), str):
            yield from _part(Kind.THINKING, message_text(block["thinking"]), at)
        elif kind in {"tool_use", "server_tool_use"}:
            yield _tool_use(block, at)


def _tool_use(block: Mapping[str, Any], at: datetime | None) -> Part:
    """Return a tool use; several arguments become lines of `name: value`."""
    given = block.get("input")
    given = given if isinstance(given, dict) else {"input": given} if given else {}
    lines = [(key, _value(key, value)) for key, value in list(given.items())[:40]]
    listed = "\n".join(f"{short_text(key)}: {value}" for key, value in lines if value)
    text = output_text(lines[0][1] if len(lines) == 1 else listed, OUTPUT_LENGTH + PROMPT)
    places = (short_text(given.get(key), PATH_LENGTH) or "" for key in PLACES)
    return Part(
        Kind.TOOL_USE,
        text,
        at,
        name=short_text(block.get("name")),
        tool_id=short_text(block.get("id")),
        files=distinct((*places, *files(text)), FILES),
    )


def _value(key: str, value: Any) -> str:
    if isinstance(value, str):
        return output_text(value, PROMPT if key in {"prompt", "message"} else ARGUMENT_LENGTH)
    try:
        return output_text(json.dumps(value, ensure_ascii=False), ARGUMENT_LENGTH)
    except (ValueError, RecursionError):
        return "(nested too deeply)"


def _results(
    content: str | list[Any], entry: Mapping[str, Any], at: datetime | None
) -> Iterator[Part]:
    if isinstance(content, str):
        return
    outcome = entry.get("toolUseResult")
    agent = short_text(outcome.get("agentId")) if isinstance(outcome, dict) else None
    for block in content[:BLOCKS]:
        if not isinstance(block, dict) or block.get("type") != "tool_result":
            continue
        full = _plain(block.get("content"))
        text, failed = output_text(full), block.get("is_error") is True
        first = text[:NAME_LENGTH].strip()
        yield Part(
            Kind.TOOL_RESULT,
            text,
            at,
            tool_id=short_text(block.get("tool_use_id")),
            agent=agent,
            failed=failed,
            files=files(text),
            errors=errors(full) or ((first,) if failed and first else ()),
        )


def _plain(content: Any) -> str:
    """Return the text of content in any form; images and documents become placeholders."""
    if isinstance(content, str):
        return content
    return "\n".join(_texts(content)) if isinstance(content, list) else ""


def _texts(blocks: list[Any]) -> Iterator[str]:
    """Yield the texts of nested blocks, without recursion."""
    waiting, taken = list(reversed(blocks[:BLOCKS])), 0
    while waiting and taken < BLOCKS:
        block = waiting.pop()
        taken += 1
        if isinstance(block, str):
            yield block
        elif isinstance(block, dict):
            if isinstance(block.get("text"), str):
                yield block["text"]
            elif block.get("type") in {"image", "document"}:
                yield f"[{block['type']}]"
            elif isinstance(block.get("content"), list) and block.get("type") != "tool_result":
                waiting.extend(reversed(block["content"][:BLOCKS]))
        elif isinstance(block, list):
            waiting.extend(reversed(block[:BLOCKS]))


def _part(kind: Kind, text: str, at: datetime | None, name: str | None = None) -> tuple[Part, ...]:
    if not text.strip():
        return ()
    return (Part(kind, text, at, name=name, files=files(text), errors=errors(text)),)
