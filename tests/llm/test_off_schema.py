"""What of a reply in a form of its own is fitted to the schema asked for, and what never is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasonloom.llm.interfaces import Reply
from reasonloom.llm.off_schema import as_requested
from reasonloom.prompts.registry import PromptRegistry

PROMPTS = PromptRegistry()
THOUGHT = {"thought": "Anna sails.", "confidence": 0.4, "metadata": {"tags": ["a", "b"]}}


def read(reply: object, prompt: str) -> Reply:
    schema = PROMPTS.get(prompt).schema
    assert schema is not None
    text = reply if isinstance(reply, str) else json.dumps(reply)
    return as_requested(Reply(text, None, "m"), schema)


@pytest.mark.parametrize(
    ("prompt", "parsed"),
    [
        ("divergent/view", {"viewpoint": "Anna sails.", "confidence": 0.4}),
        ("reflection/revise", {"revision": "Anna sails."}),
        ("got/generate", {"continuations": [{"thought": "Anna sails.", "confidence": 0.4}]}),
        ("got/conclude", {"conclusion": "Anna sails.", "sources": []}),
        ("got/judge", None),
        ("tree/judge", None),
        ("tree/propose", None),
        ("auto/route", None),
        ("reflection/critique", None),
        ("breakdown/link", None),
        ("metacognition/confidence", None),
    ],
)
def test_the_text_takes_its_one_place_or_none(prompt: str, parsed: dict[str, Any] | None) -> None:
    reply = read(THOUGHT, prompt)
    assert (reply.text, reply.parsed, reply.confidence) == ("Anna sails.", parsed, 0.4)
    assert reply.off_schema


@pytest.mark.parametrize(
    "prose",
    [
        "Anna sails.",
        'Start it with {"port": 80, "name": "Anna"} in its file.',
        "[Anna] sails.",
        "{x} is what Anna sails.",
        "42",
        "{" * 5_000,
        '{"a":' * 5_000,
    ],
)
def test_prose_stays_as_it_is(prose: str) -> None:
    reply = read(prose, "linear/continue")
    assert (reply.text, reply.off_schema) == (prose, False)


def test_json_in_prose_is_read_where_it_has_a_known_key() -> None:
    assert read(f"Sure: {json.dumps(THOUGHT)} Bye.", "divergent/view").text == "Anna sails."


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("Held: she sails.", "held"),
        ("held", "held"),
        ("It has not held.", None),
        ("Unclear whether it held.", "unclear"),
        ("Withheld.", None),
    ],
)
def test_a_member_of_an_enumeration_opens_the_text(said: str, outcome: str | None) -> None:
    parsed = read({"answer": said}, "models/outcome").parsed
    assert (parsed and parsed["outcome"]) == outcome


def test_a_confidence_that_is_missing_is_left_to_the_mode() -> None:
    reply = read({"answer": "Anna sails."}, "divergent/view")
    assert (reply.text, reply.parsed, reply.confidence) == ("Anna sails.", None, None)


@pytest.mark.parametrize("cut", range(20, 66))
def test_json_cut_anywhere_within_its_text_is_read(cut: int) -> None:
    whole = json.dumps({"confidence": 0.4, "answer": 'Anna "the sailor" sails, {always}.'})
    text = read(whole[:cut], "linear/continue").text
    assert 'Anna "the sailor" sails, {always}.'.startswith(text) or text == whole[:cut]
    assert text != whole[:cut] or cut < len('{"confidence": 0.4, "answer": "A')


@given(st.text(), st.sampled_from(PROMPTS.names()))
def test_no_text_breaks_the_reading(text: str, prompt: str) -> None:
    schema = PROMPTS.get(prompt).schema
    if schema is not None:
        assert as_requested(Reply(text, None, "m"), schema).text or not text
