"""The vendored facts of the five references, and the ways to compare ours with them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Set
from typing import Any

from reasonloom.contracts.toolsets import SERVED_AS, reference_name
from reasonloom.server.toolsets.table import TOOLSETS
from reasonloom.server.toolsets.toolset import ToolLine
from tests import ROOT

FACTS: list[dict[str, Any]] = json.loads(
    (ROOT / "tests" / "contracts" / "references.json").read_text()
)["tools"]
BUILT: list[tuple[str, ToolLine]] = [
    (toolset.name, line) for toolset in TOOLSETS for line in toolset.tools
]
AS_NAMES = {toolset: name for name, toolset in SERVED_AS.items()}

BEYOND = {
    "remember": {"space", "supersede"},
    "recall": {"asOf", "between", "explain", "spaces"},
    "search": {"asOf", "between", "explain", "spaces"},
    "memory_query": {"as_of", "between"},
    "memory_ground": {"as_of", "between", "userId"},
    "history_search": {"as_of", "between", "host"},
    "history_list_sessions": {"host"},
    "reasoning_linear": {"userId"},
    "reasoning_tree": {"userId"},
    "reasoning_divergent": {"userId"},
    "reasoning_reflection": {"question", "userId"},
    "reasoning_auto": {"execute", "userId"},
    "think": {"userId"},
    "ponder": {"userId"},
    "analyze": {"userId"},
    "breakdown": {"userId"},
    "reasoning_got_prune": {"preview", "restore"},
}
"""The closed list of arguments beyond a reference, in the combined server only."""

WIDER: dict[str, dict[str, dict[str, float]]] = {"ponder": {"timeout": {"maximum": 600_000}}}
"""Bounds of arguments that the combined server has wider than the reference."""

OPTIONAL = {
    "remember": {"userId", "sessionId", "primarySector"},
    "recall": {"userId"},
    "search": {"userId"},
    "update_memory": {"userId"},
    "forget": {"userId"},
}
"""What a reference requires and the combined server does not."""

BESIDE: dict[str, dict[str, Any]] = {
    "update_memory": {"strength": 0.5},
    "reasoning_reflection": {"content": "a plain text"},
    "conversation_log": {"user_message": "a plain text"},
    "memory_similar": {"query_text": "a plain text"},
    "memory_temporal": {
        "range_a": {"type": "time_window", "start": 0, "end": 1},
        "range_b": {"type": "time_window", "start": 0, "end": 1},
    },
}
"""What a tool wants beside its required arguments: one of several."""

EXACT = ("type", "enum", "minimum", "maximum", "default", "format")
NOT_OURS_TO_ADD = ("enum", "format", "const", "pattern")
"""What would refuse values that the reference takes; mere size limits may be added."""


def facts_of(toolset: str, name: str) -> dict[str, Any]:
    """Return what the reference says of a tool; `name` is the combined server's."""
    return next(
        fact
        for fact in FACTS
        if fact["toolset"] == toolset and fact["name"] == reference_name(name)
    )


def widened(schema: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a reference's schema of arguments with the bounds that the combined server has."""
    properties = {
        key: {**value, **WIDER.get(name, {}).get(key, {})}
        for key, value in schema["properties"].items()
    }
    return {**schema, "properties": properties}


def schema_faults(
    reference: dict[str, Any],
    ours: dict[str, Any],
    *,
    beyond: Set[str],
    optional: Set[str] = frozenset(),
    path: str = "",
) -> Iterator[str]:
    """Yield where a published schema departs from the reference's."""
    where = path or "arguments"
    for key in EXACT:
        if key in reference and ours.get(key) != reference[key]:
            yield f"{where}: {key} is {ours.get(key)!r}, the reference says {reference[key]!r}"
    for key in NOT_OURS_TO_ADD:
        if key in ours and key not in reference:
            yield f"{where}: {key} is not in the reference"
    if set(ours.get("required", ())) != set(reference.get("required", ())) - optional:
        yield f"{where}: required is {ours.get('required')}, not {reference.get('required')}"
    theirs, mine = reference.get("properties", {}), ours.get("properties", {})
    if lacking := set(theirs) - set(mine):
        yield f"{where}: lacks {sorted(lacking)}"
    if foreign := set(mine) - set(theirs) - beyond:
        yield f"{where}: has {sorted(foreign)} beyond the reference"
    for name in theirs.keys() & mine.keys():
        yield from schema_faults(
            theirs[name], mine[name], beyond=set(), path=f"{path}.{name}".strip(".")
        )
    if "items" in reference:
        yield from schema_faults(
            reference["items"], ours.get("items", {}), beyond=set(), path=f"{where}[]"
        )


KINDS: dict[str, tuple[type, ...]] = {"string": (str,), "number": (int, float), "boolean": (bool,)}


def shape_faults(shape: Any, value: Any, path: str = "answer") -> Iterator[str]:
    """Yield where an answer lacks a documented key or has it with another type.

    A list must hold something to be judged by, unless it is shown empty; a key such as
    `mem-abc123` stands for any, and so does an object that is shown empty.
    """
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            yield f"{path}: {value!r} is no object"
        elif shape and all(key.startswith("mem-abc") for key in shape):
            yield from () if value else (f"{path}: an empty map",)
            for key, item in value.items():
                yield from shape_faults(next(iter(shape.values())), item, f"{path}.{key}")
        else:
            for key, inner in shape.items():
                if key not in value:
                    yield f"{path}: lacks {key}"
                else:
                    yield from shape_faults(inner, value[key], f"{path}.{key}")
    elif isinstance(shape, list):
        if not isinstance(value, list) or (shape and not value):
            yield f"{path}: {value!r} is no list that holds something"
            return
        for place, item in enumerate(value if shape else []):
            yield from shape_faults(shape[0], item, f"{path}.{place}")
    elif shape is not None and (
        not isinstance(value, KINDS[shape]) or (isinstance(value, bool) and shape != "boolean")
    ):
        yield f"{path}: {value!r} is no {shape}"


def least_request(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the smallest request that a schema accepts."""
    return {name: example(schema["properties"][name]) for name in schema.get("required", ())}


def example(schema: dict[str, Any]) -> Any:
    """Return a value that a property's schema accepts."""
    match schema:
        case {"enum": [first, *_]} | {"examples": [first, *_]}:
            return first
        case {"type": "array"}:
            return [example(schema["items"])] * schema.get("minItems", 1)
        case {"type": "object"}:
            return least_request(schema)
    plain = {"string": "a plain text", "boolean": False}
    if schema.get("format") == "date-time":
        plain["string"] = "2025-12-07T10:30:00Z"
    return plain.get(schema["type"], schema.get("minimum", 1))
