"""What has one reading is read; what has none, or two, is refused with a call that works."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from reasonloom.contracts.base import Request
from reasonloom.contracts.example_calls import SAMPLES, example_call, parse_leniently
from reasonloom.contracts.memory.recall import ExplainedRecall, Recall
from reasonloom.contracts.memory.tools import OwnersUpdateMemory
from reasonloom.contracts.reasoning.reason import Reason
from reasonloom.contracts.runs import ReasoningAnswer
from reasonloom.contracts.schema import publish
from reasonloom.contracts.thinking.analyze import SpacedAnalyze
from reasonloom.contracts.validation import parse_request
from reasonloom.errors import InvalidArgument
from reasonloom.server.catalogue.selection import LINES

READ: list[tuple[type[Request], dict[str, Any], dict[str, Any]]] = [
    (ExplainedRecall, {"query": "x", "top_k": "5"}, {"text": "x", "limit": 5}),
    (ExplainedRecall, {"min_strength": "0.5"}, {"minStrength": 0.5}),
    (ExplainedRecall, {"explain": "True"}, {"explain": True}),
    (ExplainedRecall, {"sectors": "semantic, Episodic"}, {"sectors": ["semantic", "episodic"]}),
    (ExplainedRecall, {"tags": '["a", "b c"]'}, {"metadata": {"tags": ["a", "b c"]}}),
    (ExplainedRecall, {"metadata": '{"category": "x"}'}, {"metadata": {"category": "x"}}),
    (
        OwnersUpdateMemory,
        {"id": "mem-1", "importance": 0.5},
        {"memoryId": "mem-1", "metadata": {"importance": 0.5}},
    ),
    (Reason, {"question": "x", "max_branches": 3}, {"text": "x", "options": {"max_branches": 3}}),
    (Reason, {"text": "x", "context": {"a": 1}}, {"text": "x", "context": '{"a": 1}'}),
    (
        SpacedAnalyze,
        {"text": "x", "framework": "root-cause", "constraints": "no debt, ever again"},
        {
            "problem": "x",
            "preferredFramework": "root-cause-analysis",
            "context": {"constraints": ["no debt, ever again"]},
        },
    ),
    (
        ReasoningAnswer,
        {"runId": "r", "answers": {"r1q1": "yes"}},
        {"run_id": "r", "answers": [{"id": "r1q1", "reply": "yes"}]},
    ),
]


@pytest.mark.parametrize(("model", "given", "expected"), READ)
def test_what_has_one_reading_is_read(
    model: type[Request], given: dict[str, Any], expected: dict[str, Any]
) -> None:
    read = parse_leniently(model, given)
    assert read.model_dump(mode="json", by_alias=True, exclude_unset=True) == expected
    with pytest.raises(InvalidArgument):
        parse_request(model, given)


SERVER_NAMES = ("project", "edges", "space")
"""Required arguments that name what the server stores, other than ids."""

ONE_OF_SEVERAL = ("conversation_log", "memory_temporal", "reasoning_feedback")
"""Tools that need one of several arguments or an object, and none by itself."""

REFUSED: list[tuple[type[Request], dict[str, Any], str, dict[str, Any] | None]] = [
    (ExplainedRecall, {"text": "x", "query": "y"}, "query", {"text": "x"}),
    (ExplainedRecall, {"text": "x", "limit": "many"}, "limit", {"text": "x"}),
    (ExplainedRecall, {"qery": "x", "limt": 3}, "qery", {"text": "x", "limit": 3}),
    (ExplainedRecall, {"text": "x", "limit": "5.5"}, "limit", {"text": "x"}),
    (ExplainedRecall, {"text": "x", "explain": "yes"}, "explain", {"text": "x"}),
    (ExplainedRecall, {"text": "x", "primarySector": "e"}, "primarySector", {"text": "x"}),
    (ExplainedRecall, {"text": "a\0b"}, "text", None),
    (Reason, {"text": 5}, "text", {"text": SAMPLES["text"]}),
    (Reason, {"mode": "tree"}, "text", {"text": SAMPLES["text"],
                                        "mode": "tree"}),
    (OwnersUpdateMemory, {"id": "mem-1"}, "arguments", {"memoryId": "mem-1",
                                                        "content": SAMPLES["content"]}),
]  # fmt: skip


@pytest.mark.parametrize(("model", "given", "field", "example"), REFUSED)
def test_what_has_none_or_two_is_refused_with_an_example(
    model: type[Request], given: dict[str, Any], field: str, example: dict[str, Any] | None
) -> None:
    with pytest.raises(InvalidArgument) as caught:
        parse_leniently(model, given)
    assert caught.value.field == field
    assert caught.value.example == example
    if example is not None:
        parse_request(model, example)


@pytest.mark.parametrize("tool", LINES)
def test_an_example_of_an_empty_call_has_no_placeholder(tool: str) -> None:
    model = LINES[tool].request
    example = example_call(model, {})
    if example is None:
        assert tool in ONE_OF_SEVERAL or any(
            name.endswith(("id", "ids")) or name in SERVER_NAMES
            for name in map(str.lower, publish(model)["required"])
        )
    else:
        assert not re.search(r"[<>…]|\.\.\.", json.dumps(example, ensure_ascii=False))
        parse_request(model, example)


def test_a_hint_names_no_field_that_is_given() -> None:
    with pytest.raises(InvalidArgument, match="texts: unknown field; the fields are"):
        parse_request(ExplainedRecall, {"text": "x", "texts": "y"})
    with pytest.raises(InvalidArgument, match="limits: unknown field; did you mean limit"):
        parse_request(ExplainedRecall, {"text": "x", "limits": 5})


def test_an_example_is_short_and_a_correct_call_is_its_own() -> None:
    long = example_call(ExplainedRecall, {"text": "x" * 90_000, "limit": 0})
    assert long == {"text": f"{'x' * 200}…"}
    given = {"userId": "local", "text": "x"}
    assert example_call(Recall, given) == given
