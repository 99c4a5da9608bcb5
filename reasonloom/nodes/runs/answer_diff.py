"""Renders answers as comparable lines, one sentence each with its path, and diffs them.

Ids are omitted, since they differ between runs; an id that refers to a part of the same answer is
replaced by the name of that part.
"""

import re
from collections.abc import Iterator, Mapping
from difflib import unified_diff
from typing import Any

SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
MAIN = ("content", "improved_reasoning", "rationale")
"""Keys of an answer's main text; the first one present is used."""

NAMES = ("name", "lens", "area", "mode", "constraint", "by")
"""Keys that name a part of an answer; the first one present is used."""

CONTEXT_LINES = 1
"""Unchanged lines of context around a difference."""


def answer_statements(answer: Mapping[str, Any] | None) -> list[str]:
    """Return the sentences of an answer's main text."""
    text = next((answer[name] for name in MAIN if answer.get(name)), "") if answer else ""
    return _sentences(str(text))


def lines_of(answer: Mapping[str, Any] | None) -> list[str]:
    """Render an answer as lines: its main text, then every other value with its path."""
    if answer is None:
        return []
    main = answer_statements(answer)
    whole = " ".join(main)
    rest = [
        line
        for name, value in answer.items()
        if not (isinstance(value, str) and " ".join(_sentences(value)) == whole)
        for line in _rendered(name, value, _names_in(answer))
    ]
    return [*main, *rest]


def difference(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> list[str]:
    """Return a unified diff of two answers, empty if they are equivalent."""
    lines = unified_diff(
        lines_of(before), lines_of(after), "origin", "fork", n=CONTEXT_LINES, lineterm=""
    )
    return list(lines)


def _sentences(text: str) -> list[str]:
    return [line for line in SENTENCE.split(text) if line]


def _names_in(answer: Mapping[str, Any]) -> dict[str, str]:
    """Return the names of the parts that have an id, by id."""
    parts = [part for value in answer.values() if isinstance(value, list) for part in value]
    return {
        str(part["id"]): _name(part, place)
        for place, part in enumerate(parts, 1)
        if isinstance(part, Mapping) and "id" in part
    }


def _name(part: Mapping[str, Any], place: int) -> str:
    return next((str(part[name]) for name in NAMES if part.get(name)), str(place))


def _rendered(path: str, value: Any, names: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of one value, `path: value`; text yields one line per sentence."""
    last = path.rpartition(" / ")[2]
    if last == "id" or last.endswith("_id"):
        return
    if isinstance(value, Mapping):
        for name, part in value.items():
            if name not in NAMES or str(part) not in path:
                yield from _rendered(f"{path} / {name}", part, names)
    elif isinstance(value, list):
        for place, part in enumerate(value, 1):
            inner = f"{path} / {_name(part, place)}" if isinstance(part, Mapping) else path
            yield from _rendered(inner, part, names)
    elif isinstance(value, str):
        yield from (f"{path}: {each}" for each in _sentences(names.get(value, value)))
    elif value is not None:
        yield f"{path}: {round(value, 4) if isinstance(value, float) else value}"
