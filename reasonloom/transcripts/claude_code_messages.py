"""Parses the message of a Claude Code transcript line into parts."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from reasonloom.text.cleaning import output_text
from reasonloom.transcripts.lines import parse_moment, short_text
from reasonloom.transcripts.parts import (
    BLOCKS,
    Message,
    message_part,
    text_part,
    tool_result,
    tool_use,
)
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
        return Message(message_part(Kind.SUMMARY, _plain(content), at), False)
    results = tuple(_results(content, entry, at))
    request, begins = _parse_request(content, at)
    return Message((*results, *request), begins)


def parse_summary(entry: Mapping[str, Any]) -> Message:
    """Return the message of a summary line."""
    summary = entry.get("summary")
    text = summary if isinstance(summary, str) else ""
    return Message(message_part(Kind.SUMMARY, text, parse_moment(entry.get("timestamp"))), False)


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
        part = message_part(Kind.USER, raw, at)
        parts += part
        begins |= bool(part)
    return tuple(parts), begins


def _by_client(text: str, at: datetime | None) -> tuple[Part, ...] | None:
    """Return the parts of text that the client wrote for the user, None for other text."""
    if text.startswith(CLIENTS):
        named = dict(COMMAND.findall(text[:20_000]))
        command = f"{named.get('name', '')} {named.get('args', '')}"
        return message_part(Kind.USER, command, at)
    if text.startswith("<bash-input>"):
        typed = TYPED.match(text)
        return text_part(Kind.TOOL_USE, output_text(typed[1]) if typed else "", at, name="!")
    if text.startswith(("<bash-stdout>", "<bash-stderr>")):
        printed = "\n".join(PRINTED.findall(text[:200_000]))
        return text_part(Kind.TOOL_RESULT, output_text(printed), at, name="!")
    if text.startswith(NOTICES):
        return text_part(Kind.TOOL_RESULT, output_text(text), at, name="notice")
    return None


def _assistant_parts(content: str | list[Any], at: datetime | None) -> Iterator[Part]:
    if isinstance(content, str):
        yield from message_part(Kind.ASSISTANT, content, at)
        return
    for block in content[:BLOCKS]:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "text" and isinstance(block.get("text"), str):
            yield from message_part(Kind.ASSISTANT, block["text"], at)
        elif kind == "thinking" and isinstance(block.get("thinking"), str):
            yield from message_part(Kind.THINKING, block["thinking"], at)
        elif kind in {"tool_use", "server_tool_use"}:
            yield tool_use(block.get("name"), block.get("input"), block.get("id"), at)


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
        yield tool_result(
            _plain(block.get("content")),
            at,
            short_text(block.get("tool_use_id")),
            failed=block.get("is_error") is True,
            agent=agent,
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
