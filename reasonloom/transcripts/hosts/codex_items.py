"""Parses the items of Codex's transcripts into parts: messages, reasoning, tools."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from reasonloom.transcripts.lines import short_text
from reasonloom.transcripts.parts import (
    BLOCKS,
    Message,
    message_part,
    parse_arguments,
    tool_result,
    tool_use,
)
from reasonloom.transcripts.turns import Kind

_NO_MESSAGE = """
additional_tools agent_message compaction compaction_summary context_compaction ghost_snapshot
image_generation_call tool_search_call tool_search_output
"""
NO_MESSAGE = frozenset(_NO_MESSAGE.split())
"""Items without text of the conversation, or with a copy of it."""

WRITTEN = re.compile(
    r"\s*(?:# AGENTS\.md instructions\b|<([a-z_]{2,60})[\s>].*</\1>\s*\Z)", re.DOTALL
)
"""Text that Codex writes in the user's name: within one pair of tags, or the file AGENTS.md."""

EXIT = re.compile(r"^(?:Exit code: |Process exited with code )(-?\d+)$", re.MULTILINE)
HEADER, BELOW = 400, "\nOutput:\n"
"""Characters of an output in which Codex writes the exit code, and what ends them."""


def parse_item(item: Mapping[str, Any], at: datetime | None) -> Message | None:
    """Return the message of a response item, None if it is malformed or unknown."""
    kind = item.get("type")
    if kind == "message":
        return _message(item, at)
    if kind == "reasoning":
        texts = [*_texts(item.get("summary")), *_texts(item.get("content"))]
        return Message(message_part(Kind.THINKING, "\n".join(texts), at), False)
    if kind in {"function_call_output", "custom_tool_call_output"}:
        return _result(item, at)
    call = _call(item)
    if call is None:
        return None
    name, given = call
    return Message((tool_use(name, given, item.get("call_id"), at),), False)


def _message(item: Mapping[str, Any], at: datetime | None) -> Message | None:
    content, role = item.get("content"), item.get("role")
    if not isinstance(content, list) or not isinstance(role, str):
        return None
    if role == "assistant":
        return Message(message_part(Kind.ASSISTANT, "\n".join(_texts(content)), at), False)
    if role != "user":
        return Message((), False)
    parts = message_part(Kind.USER, "\n".join(_texts(_typed(item, content))), at)
    return Message(parts, bool(parts))


def _typed(item: Mapping[str, Any], content: list[Any]) -> list[Any]:
    """Return what a person wrote; newer versions name the kind of each block."""
    about = item.get("internal_chat_message_metadata_passthrough")
    kinds = about.get("content_item_kinds") if isinstance(about, dict) else None
    if isinstance(kinds, list) and len(kinds) == len(content):
        named = zip(content, map(str, kinds), strict=True)
        content = [
            block for block, kind in named if kind.startswith("user.") or kind in {"", "unknown"}
        ]
    return [block for block in content if not _written(block)]


def _written(block: Any) -> bool:
    text = block.get("text") if isinstance(block, dict) else None
    return isinstance(text, str) and WRITTEN.match(text) is not None


def _call(item: Mapping[str, Any]) -> tuple[str, Any] | None:
    """Return the name and arguments of a tool call, None if the item is none."""
    kind, name = item.get("type"), short_text(item.get("name"))
    action = item.get("action")
    if kind == "function_call" and name and isinstance(item.get("arguments"), str):
        return name, parse_arguments(item["arguments"])
    if kind == "custom_tool_call" and name and isinstance(item.get("input"), str):
        return name, item["input"]
    if kind == "local_shell_call" and isinstance(action, dict):
        return "local_shell", action
    if kind == "web_search_call":
        return "web_search", action if isinstance(action, dict) else {}
    return None


def _result(item: Mapping[str, Any], at: datetime | None) -> Message | None:
    """Return the result of a tool; outputs are text, blocks, or (older) an object with both."""
    output = item.get("output")
    success = output.get("success") if isinstance(output, dict) else None
    held = output.get("content") if isinstance(output, dict) else output
    if not isinstance(held, str | list):
        return None
    text = held if isinstance(held, str) else "\n".join(_texts(held))
    text, code = _unwrapped(text)
    failed = success is False or code not in (None, 0)
    part = tool_result(
        text, at, short_text(item.get("call_id")), failed=failed, name=short_text(item.get("name"))
    )
    return Message((part,), False)


def _unwrapped(text: str) -> tuple[str, int | None]:
    """Return an output and its exit code; older versions wrote both as a JSON object."""
    held = parse_arguments(text) if text.startswith('{"output"') else text
    if isinstance(held, str):
        found = EXIT.search(text[:HEADER])
        below = text.find(BELOW, 0, HEADER + len(BELOW)) if found else -1
        return text[below + len(BELOW) if below >= 0 else 0 :], int(found[1]) if found else None
    about, output = held.get("metadata"), held.get("output")
    code = about.get("exit_code") if isinstance(about, dict) else None
    return output if isinstance(output, str) else text, code if isinstance(code, int) else None


def _texts(blocks: Any) -> Iterator[str]:
    """Yield the texts of blocks; an image becomes a placeholder."""
    for block in blocks[:BLOCKS] if isinstance(blocks, list) else ():
        if not isinstance(block, dict):
            continue
        if isinstance(block.get("text"), str):
            yield block["text"]
        elif block.get("type") == "input_image":
            yield "[image]"
