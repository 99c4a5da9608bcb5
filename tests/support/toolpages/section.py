"""The section of one tool: what it takes and answers, how it fails, and an example."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mcp_types import Tool

from reasonloom.contracts.schema import publish
from reasonloom.contracts.toolsets import ALL_TOOLS, EXTRA_TOOLS, INVENTORY, reference_name
from reasonloom.server.catalogue.selection import CLASSIC_TOOLS, DEFAULT_TOOLS
from reasonloom.server.envelopes.envelope import Envelope
from reasonloom.server.toolsets.toolset import Effect, ToolLine
from tests.support.toolpages import errors, schema
from tests.support.toolpages.errors import Refusal
from tests.support.toolpages.normalisation import Stillness, as_json
from tests.support.toolpages.player import Played

ITEMS, LINES, LETTERS = 6, 2, 300
"""What an example shows: items of a list, those that are objects, and characters of a text."""

EFFECTS: Mapping[Effect, str] = {
    Effect.READS: "reads",
    Effect.ADDS: "adds",
    Effect.CHANGES: "changes",
    Effect.DESTROYS: "destroys",
}


@dataclass
class ToolDescription:
    """All that a page tells of one tool."""

    line: ToolLine
    form: Envelope
    tool: Tool
    played: Played
    refusals: list[Refusal] = field(default_factory=list)
    asked: Mapping[str, int] = field(default_factory=dict)


def section(name: str, shown: ToolDescription, still: Stillness) -> str:
    """Return the section of a tool on the page of a toolset."""
    line, tool = shown.line, shown.tool
    taken = schema.arguments(tool.input_schema, _beyond(line))
    answered = schema.answer(line.answer)
    return "\n\n".join(
        [
            f"## `{line.name}`",
            tool.description or "",
            _facts(name, shown),
            f"**Arguments**\n\n{taken}" if taken else "**Arguments**: none.",
            f"**Answer**: {_answer_summary(line)}\n\n{answered}",
            _own_errors(shown),
            _example(shown, still),
        ]
    )


def _answer_summary(line: ToolLine) -> str:
    """Return what an answer's contract says of it."""
    return " ".join((line.answer.__doc__ or "").split())


def _own_errors(shown: ToolDescription) -> str:
    if not shown.refusals:
        return "**Errors**: [those of every tool](#errors-of-every-tool)."
    told = errors.refusals(shown.refusals)
    return f"**Errors** in addition to [those of every tool](#errors-of-every-tool)\n\n{told}"


def _beyond(line: ToolLine) -> set[str]:
    """Return the arguments that the tool's reference does not have."""
    if line.reference_request is None:
        return set()
    reference = publish(line.reference_request).get("properties", {})
    return set(publish(line.request)["properties"]) - set(reference)


def _facts(name: str, shown: ToolDescription) -> str:
    line, hints = shown.line, shown.tool.annotations
    assert hints
    told = [
        ("read-only", hints.read_only_hint),
        ("destructive", hints.destructive_hint),
        ("idempotent", hints.idempotent_hint),
    ]
    chosen = {
        "default": DEFAULT_TOOLS, "classic": CLASSIC_TOOLS, "all": ALL_TOOLS,
        "extras": EXTRA_TOOLS, **INVENTORY,
    }  # fmt: skip
    groups = [f"`{group}`" for group, names in chosen.items() if line.name in names]
    facts = [
        f"- Served by {', '.join(groups)}.",
        f"- Effect: {EFFECTS[line.effect]} ({', '.join(_hint(*each) for each in told)}).",
        f"- Language model: {_model(shown)}",
    ]
    if line.name in ALL_TOOLS:
        facts.insert(0, f"- Under `--as`: `{reference_name(line.name)}`.")
    return "\n".join(facts)


def _hint(word: str, holds: bool | None) -> str:
    return word if holds else f"not {word}"


def _model(shown: ToolDescription) -> str:
    if not shown.line.open_world:
        return "none is asked."
    asked = ", ".join(f"`{prompt}` {count} x" for prompt, count in shown.asked.items())
    said = f"in the example {asked}" if asked else "not asked in the example"
    return f"{said}. Works offline too, as the example shows."


def _example(shown: ToolDescription, still: Stillness) -> str:
    given = still(shown.played.arguments)
    answer = _cut(still(shown.played.answer))
    parts = [f"**Example**\n\n```json\n{as_json(given)}\n```"]
    parts.append(f"```text\n{still(shown.played.text).rstrip()}\n```")
    if "text" in answer:
        answer["text"] = "(as above)"
    parts.append(f"```json\n{as_json(answer)}\n```")
    return "\n\n".join(parts)


def _cut(value: Any) -> Any:
    """Return what an example shows of an answer: the beginning of what is long."""
    if isinstance(value, dict):
        return {name: _cut(each) for name, each in value.items()}
    if isinstance(value, list):
        most = LINES if any(isinstance(each, dict | list) for each in value) else ITEMS
        rest = len(value) - most
        return [*map(_cut, value[:most]), *([f"… {rest} more"] if rest > 0 else [])]
    if isinstance(value, str) and len(value) > LETTERS:
        return value[:LETTERS] + "…"
    return value
