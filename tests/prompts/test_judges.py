"""Judges write their reasons before their scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from reasonloom.prompts.registry import PromptRegistry

JUDGES = (
    "analysis/select", "auto/compare", "auto/route", "divergent/check", "evals/judge", "got/judge",
    "grounding/entailment", "metacognition/bias", "metacognition/confidence",
    "metacognition/emotion", "metacognition/quality", "models/outcome", "reflection/compare",
    "tree/judge",
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


def test_no_packaged_prompt_repeats_its_schema_in_prose() -> None:
    """Providers enforce it, or are given it behind the prompt."""
    registry = PromptRegistry()
    benchmarks = ("evals/", "game24/", "intersection/", "sorting/")
    names = [each for each in registry.names() if not each.startswith(benchmarks)]
    assert not [each for each in names if "one JSON object" in registry.get(each).body]


@pytest.mark.parametrize("name", ["got/judge", "tree/judge", "reflection/compare"])
def test_the_criteria_are_named(name: str) -> None:
    text = " ".join(newest(name).body.split())
    for words in ("worst error", "is it correct", "is anything needed left out"):
        assert words in text
