from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasonloom.llm.structured_output import read_object, storable
from tests.llm.conftest import SCHEMA

GOOD: dict[str, Any] = {"thought": "use {braces} and ```fences```", "confidence": 0.5}
PLAIN = json.dumps(GOOD)


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        f"  \n{PLAIN}\n",
        f"```json\n{json.dumps({**GOOD, 'thought': 'x'})}\n```",
        f"Sure! Here it is:\n{PLAIN}\nHope that helps.",
        f"Set {{x}} first. {PLAIN}",
        f'{{"thought": 1}} no, rather: {PLAIN}',
        json.dumps({"answer": GOOD}),
        json.dumps([GOOD]),
    ],
)
def test_the_object_is_found_however_it_is_wrapped(text: str) -> None:
    found = read_object(text, SCHEMA)
    assert found is not None
    assert found["confidence"] == 0.5


def test_the_last_object_wins_in_prose() -> None:
    draft = json.dumps({"thought": "draft", "confidence": 0.1})
    found = read_object(f"<think>{draft}</think> {PLAIN}", SCHEMA)
    assert found == GOOD


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no json at all",
        PLAIN[:-2],
        '{"thought": "x"}',
        '{"thought": "x", "confidence": 2}',
        '{"thought": "x", "confidence": NaN}',
        '{"thought": "x", "confidence": 1e999}',
        '["thought", 0.5]',
        "null",
        "{" * 100_000,
        '{"a":' * 100_000,
    ],
)
def test_what_does_not_follow_the_schema_is_none(text: str) -> None:
    started = time.monotonic()
    assert read_object(text, SCHEMA) is None
    assert time.monotonic() - started < 2


def test_what_no_database_stores_is_taken_out() -> None:
    found = read_object('{"thought": "a\\u0000b\\ud800c\\ud83d\\ude00", "confidence": 1}', SCHEMA)
    assert found is not None
    assert found["thought"] == "ab\ufffdc\U0001f600"
    assert storable("\ud83d\ude00\x00") == "\U0001f600"


def test_a_reference_is_never_fetched() -> None:
    with pytest.raises(Exception, match=r"(?i)unresolvable"):
        read_object(PLAIN, {"$ref": "http://127.0.0.1:9/schema.json"})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("abc"), inner),
    max_leaves=8,
)  # fmt: skip


@given(st.dictionaries(st.text("abc", min_size=1), json_values), st.text("xyz.\n {`"))
def test_any_object_comes_back_from_prose_before_it(value: dict[str, Any], prose: str) -> None:
    assert read_object(f"{prose}\n{json.dumps({'it': value})}", {"required": ["it"]}) == {
        "it": value
    }


@given(st.text())
def test_no_text_breaks_the_reader(text: str) -> None:
    found = read_object(text, {"type": "object"})
    assert found is None or isinstance(found, dict)


def test_an_infinite_number_is_no_json() -> None:
    assert read_object('{"n": 1e999}', {"type": "object"}) is None
    assert read_object('{"n": 1e9}', {"type": "object"}) == {"n": 1e9}


def test_an_answer_that_says_more_than_was_asked_is_taken_without_the_rest() -> None:
    schema = {
        "type": "object",
        "additionalProperties": False,
        "required": ["thought", "steps"],
        "properties": {
            "thought": {"type": "string"},
            "steps": {
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {"name": {"type": "string"}},
                },
            },
        },
    }
    text = '{"thought": "t", "metadata": {}, "steps": [{"name": "a", "id": 1}]}'
    assert read_object(text, schema) == {"thought": "t", "steps": [{"name": "a"}]}
    assert read_object('{"metadata": {}, "steps": []}', schema) is None
