"""Values in other types are read as the schema asks, never made up, and no value breaks it."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasonloom.llm.coercion import coerced, conforms
from reasonloom.llm.structured_output import misfit, read_object
from reasonloom.prompts.registry import PromptRegistry
from tests.llm.conftest import SCHEMA
from tests.llm.test_structured import json_values

PROMPTS = PromptRegistry()
SHARE = {"type": "number", "minimum": 0, "maximum": 1}
SCHEMAS = [schema for name in PROMPTS.names() if (schema := PROMPTS.get(name).schema)]
KEYS = sorted({key for schema in SCHEMAS for key in schema["properties"]})


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ("0.8", 0.8),
        (".8", 0.8),
        ("1", 1.0),
        ("about 80 %", 0.8),
        ("4/5", 0.8),
        ("8 out of 10", 0.8),
        (80, 0.8),
        ("80", 0.8),
        (100, 1.0),
    ],
)
def test_a_share_is_read_in_any_form(value: object, read: float) -> None:
    assert coerced(value, SHARE) == pytest.approx(read)


@pytest.mark.parametrize(
    "value",
    ["high", "0.7-0.9", "0.0 to 1.0", 8, "8", "5/4", "4/0", 101, True, None, "", "1.2", "-0.1", {}],
)
def test_what_is_no_share_is_left_for_validation(value: object) -> None:
    assert not conforms(coerced(value, SHARE), SHARE)


def test_a_thousand_is_never_one() -> None:
    assert coerced("1,000", {"type": "number"}) == "1,000"


@pytest.mark.parametrize(
    ("text", "read"),
    [("Supported.", "supported"), ("silent: no memory says it", "silent"), ("Not supported", None),
     ("supported or silent", None), ("supported|silent", None)],
)  # fmt: skip
def test_a_member_is_a_whole_text_or_opens_it(text: str, read: str | None) -> None:
    schema = {"enum": ["supported", "silent"]}
    assert coerced(text, schema) == (read or text)


def test_lists_are_filled_only_in_an_answer_that_has_most_of_its_keys() -> None:
    critique = PROMPTS.get("reflection/critique").schema
    assert critique is not None
    assert read_object('{"confidence": 0.9, "thought": "Fine."}', critique) is None
    bias = PROMPTS.get("metacognition/bias").schema
    assert bias is not None
    assert read_object('{"error": "overloaded"}', bias) is None


@given(
    st.one_of(json_values, st.dictionaries(st.sampled_from(KEYS), json_values)),
    st.sampled_from(SCHEMAS),
)
def test_no_value_breaks_the_reading(value: Any, schema: dict[str, Any]) -> None:
    coerced(value, schema)
    text = json.dumps(value)
    found = read_object(text, schema)
    assert conforms(found, schema) if found is not None else misfit(text, schema)


@pytest.mark.parametrize(
    "text",
    [
        '{"thought": "' + 'b" ' * 16_000,
        '{"a": [' * 30 + '"' * 30_000,
        "{'a': '" + "b' " * 16_000,
        "{" + "," * 40_000,
        '{"a": ' + "(" * 5_000,
        '{"a": ' * 190 + "1",
        "{" * 100_000,
        "[" * 49_000,
        '{"thought": "' + 'word, "x": y ' * 3_000,
        "```json\n" * 5_000 + '{"a": ',
    ],
    ids=lambda text: text[:12],
)
def test_no_text_holds_the_process(text: str) -> None:
    started = time.monotonic()
    read_object(text, SCHEMA)
    misfit(text, SCHEMA)
    assert time.monotonic() - started < 5
