"""Judges write their reasons before their scores: in the schema, and in the form that they see."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from reasonloom.prompts.registry import PromptRegistry

JUDGES = (
    "auto/compare", "divergent/check", "evals/judge", "got/judge", "metacognition/bias",
    "metacognition/confidence", "metacognition/emotion", "metacognition/quality",
    "reflection/compare", "tree/judge",
)  # fmt: skip
IDS = ("label", "constraint", "other")


def objects(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a schema of an object and those of the objects in it."""
    if schema.get("type") == "object":
        yield schema
        for each in schema["properties"].values():
            yield from objects(each)
    if schema.get("type") == "array":
        yield from objects(schema["items"])


def is_verdict(schema: dict[str, Any]) -> bool:
    return schema.get("type") in ("number", "boolean") or "enum" in schema


def newest(name: str) -> Any:
    return PromptRegistry().get(name)


@pytest.mark.parametrize("name", JUDGES)
def test_reasons_come_before_verdicts(name: str) -> None:
    found = [
        each
        for each in objects(newest(name).schema)
        if any(map(is_verdict, each["properties"].values()))
    ]
    assert found
    for each in found:
        said = [key for key in each["properties"] if key not in IDS]
        assert not is_verdict(each["properties"][said[0]]), said
        assert [key for key in each["properties"] if key in each["required"]] == each["required"]


@pytest.mark.parametrize("name", JUDGES)
def test_the_form_shows_the_same_order(name: str) -> None:
    template = newest(name)
    form = template.body[template.body.index("Answer with one JSON object") :]
    for each in objects(template.schema):
        places = [form.index(f'"{key}":') for key in each["properties"] if f'"{key}":' in form]
        assert places == sorted(places)
        assert len(places) == len(each["properties"])


@pytest.mark.parametrize("name", ["got/judge", "tree/judge", "reflection/compare"])
def test_the_criteria_are_named(name: str) -> None:
    text = " ".join(newest(name).body.split())
    for words in ("worst error", "is it correct", "is anything needed left out"):
        assert words in text
