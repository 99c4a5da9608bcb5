from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reasonloom.errors import LlmRefused
from reasonloom.llm.coercion import conforms
from reasonloom.llm.offline.fill import NOTHING_KNOWN, fill
from reasonloom.llm.offline.model import OfflineModel
from reasonloom.text.extraction import Findings
from reasonloom.text.sentences import sentences_in
from reasonloom.text.words import words_in
from tests.llm.conftest import SCHEMA, ask

MATERIAL: dict[str, object] = {
    "content": "Which database does the billing service use?",
    "memories": [
        {"id": "mem-1", "content": "Lunch is at noon. The billing service uses Postgres 16."},
        {"id": "mem-2", "content": "The database is backed up nightly."},
    ],
    "history": [{"content": "We like penguins."}],
    "constraints": ["No cloud."],
}


async def test_the_telling_sentences_answer() -> None:
    reply = await OfflineModel().answer(ask(schema=SCHEMA, material=MATERIAL))
    assert reply.parsed is not None
    assert reply.parsed["thought"] == (
        "The billing service uses Postgres 16. The database is backed up nightly."
    )
    assert reply.parsed["confidence"] == 0.1
    assert json.loads(reply.text) == reply.parsed
    assert (reply.model, reply.usage.cost_usd, reply.usage.estimated) == ("offline", 0.0, True)
    assert reply.usage.tokens_in > 0
    assert reply.usage.tokens_out > 0


async def test_without_a_schema_the_text_is_the_extract() -> None:
    reply = await OfflineModel().answer(ask(material=MATERIAL))
    assert reply.text.startswith("The billing service uses Postgres 16.")
    assert reply.parsed is None


@pytest.mark.parametrize(
    "material",
    [
        {},
        {"content": "Which database does it use?"},
        {"content": "", "memories": []},
        {"content": "Which database?", "memories": [{"content": "Penguins swim."}]},
        {"content": "???", "history": None, "k": 3},
    ],
)
async def test_where_nothing_is_known_it_says_so(material: dict[str, object]) -> None:
    reply = await OfflineModel().answer(ask(schema=SCHEMA, material=material))
    assert reply.parsed == {"thought": NOTHING_KNOWN, "confidence": 0.0}


def test_support_is_the_share_of_words_that_are_covered() -> None:
    findings = Findings.of(
        {"content": "ferry island timetable price", "memories": ["The ferry to the island."]}
    )
    assert findings.support == 0.5


def test_a_text_given_for_judging_is_extracted_but_supports_nothing() -> None:
    findings = Findings.of({"content": "Snow falls. Snow melts in spring. Why is snow white?"})
    assert set(findings.ranked) == {"Snow falls.", "Snow melts in spring."}
    assert findings.support == 0.0


@pytest.mark.parametrize(
    ("content", "memory", "other"),
    [
        ("データベースは何ですか", "データベースはPostgresです。", "猫が好きです。"),
        ("Какая база данных?", "Наша база данных надёжна.", "Кошка спит."),
        ("ما هي قاعدة البيانات", "قاعدة البيانات سريعة.", "القط نائم."),
        ("ฐานข้อมูลอะไร", "ฐานข้อมูลคือ Postgres", "แมวนอน"),
    ],
)
def test_any_language(content: str, memory: str, other: str) -> None:
    findings = Findings.of({"content": content, "memories": [other, memory]})
    assert findings.ranked[:1] == (memory,)


def test_records_give_their_text_and_not_their_ids() -> None:
    record = {"id": "billing", "tags": ["billing"], "content": "Nothing here."}
    assert Findings.of({"content": "billing", "memories": [record]}).known == ("Nothing here.",)


def test_long_text_without_stops_is_cut_into_sentences() -> None:
    assert max(map(len, sentences_in("word " * 500))) <= 400
    assert "".join(sentences_in("x" * 1000)) == "x" * 1000
    assert sentences_in("One. Two? 三。四\uff01Five\nsix") == [
        "One.",
        "Two?",
        "三。",
        "四\uff01",
        "Five",
        "six",
    ]


def test_common_words_tell_nothing_unless_there_is_nothing_else() -> None:
    assert words_in("What does the ferry cost?") == ["ferry", "cost"]
    assert words_in("what is it") == ["what", "is", "it"]


async def test_lists_take_one_sentence_an_item() -> None:
    items = {"type": "object", "properties": {"idea": {"type": "string"}}, "required": ["idea"]}
    schema = {
        "type": "object",
        "properties": {"ideas": {"type": "array", "minItems": 4, "items": items}},
    }
    reply = await OfflineModel().answer(ask(schema=schema, material=MATERIAL))
    assert reply.parsed is not None
    ideas = [item["idea"] for item in reply.parsed["ideas"]]
    assert len(ideas) == 4
    assert ideas[0] == "The billing service uses Postgres 16."
    assert ideas[1] == "The database is backed up nightly."


def test_a_choice_is_the_option_the_question_speaks_of() -> None:
    schema = {"type": "object", "properties": {"mode": {"enum": ["linear", "got", "tree_of"]}}}
    assert fill(schema, Findings.of({"content": "grow a tree"}))["mode"] == "tree_of"
    assert fill(schema, Findings.of({"content": "whatever"}))["mode"] == "linear"


@pytest.mark.parametrize(
    ("bounds", "value"),
    [
        ({"type": "number", "minimum": 0.6, "maximum": 1}, 0.6),
        ({"type": "number", "minimum": 0, "maximum": 0.05}, 0.05),
        ({"type": "number", "minimum": 0, "maximum": 100}, 10.0),
        ({"type": "integer", "minimum": 1, "maximum": 9}, 2),
        ({"type": "integer", "minimum": 3}, 3),
        ({"type": "number"}, 0.1),
        ({"type": "boolean"}, False),
        ({"type": "boolean", "default": True}, True),
        ({"type": ["null", "integer"], "const": 7}, 7),
    ],
)
def test_numbers_are_low(bounds: dict[str, Any], value: object) -> None:
    findings = Findings.of({"content": "ferry price", "memories": ["The ferry."]})
    assert fill({"type": "object", "properties": {"n": bounds}}, findings)["n"] == value


async def test_a_schema_that_no_rule_fills_is_refused() -> None:
    parts: list[dict[str, Any]] = [
        {"type": "string", "pattern": "^x{3}y$"},
        {"not": {}},
        {"enum": []},
    ]
    for part in parts:
        schema = {"type": "object", "properties": {"p": part}, "required": ["p"]}
        with pytest.raises(LlmRefused, match="offline"):
            await OfflineModel().answer(ask(schema=schema, material=MATERIAL))


def test_a_circular_schema_ends() -> None:
    node: dict[str, Any] = {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
        },
        "required": ["text", "children"],
    }
    schema = {"$ref": "#/$defs/node", "$defs": {"node": node}}
    few = Findings.of({"content": "ferry", "memories": ["The ferry."]})
    assert conforms(fill(schema, few), schema)


def strings() -> st.SearchStrategy[dict[str, Any]]:
    sized = st.tuples(st.integers(0, 30), st.integers(0, 60)).map(
        lambda t: {"type": "string", "minLength": t[0], "maxLength": t[0] + t[1]}
    )
    formats = st.sampled_from(["date-time", "uuid", "email"])
    return st.one_of(
        st.just({"type": "string"}),
        sized,
        formats.map(lambda f: {"type": "string", "format": f}),
        st.just({"type": "string", "pattern": "^[a-z]+$"}),
    )


def numbers() -> st.SearchStrategy[dict[str, Any]]:
    def bounded(kind: str, low: int, width: int, keys: tuple[str, str]) -> dict[str, Any]:
        return {"type": kind, keys[0]: low, keys[1]: low + width}

    keys = st.sampled_from([("minimum", "maximum"), ("exclusiveMinimum", "exclusiveMaximum")])
    kinds = st.sampled_from(["number", "integer"])
    both = st.builds(bounded, kinds, st.integers(-50, 50), st.integers(2, 40), keys)
    step = st.sampled_from([0.1, 0.25, 3, 7]).map(lambda m: {"type": "number", "multipleOf": m})
    return st.one_of(kinds.map(lambda k: {"type": k}), both, step)


def plain() -> st.SearchStrategy[dict[str, Any]]:
    options = st.lists(st.text("abc", min_size=1), min_size=1, unique=True)
    return st.one_of(
        strings(),
        numbers(),
        options.map(lambda o: {"type": "string", "enum": o}),
        st.sampled_from([{"type": "boolean"}, {"type": "null"}, {"const": 5}, {}]),
    )


def objects(part: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    names = st.dictionaries(st.text("abcdef", min_size=1, max_size=3), part, max_size=4)

    def build(properties: dict[str, Any], every: bool, closed: bool) -> dict[str, Any]:
        required = sorted(properties) if every else []
        return {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": not closed,
        }

    return st.builds(build, names, st.booleans(), st.booleans())


def nested(part: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    lists = st.builds(
        lambda items, least, more: {
            "type": "array",
            "items": items,
            "minItems": least,
            "maxItems": least + more,
        },
        part,
        st.integers(0, 5),
        st.integers(0, 3),
    )
    choices = st.lists(part, min_size=1, max_size=3).map(lambda options: {"anyOf": options})
    distinct = st.integers(0, 6).map(
        lambda n: {"type": "array", "items": {"type": "string"}, "minItems": n, "uniqueItems": True}
    )
    return st.one_of(lists, objects(part), choices, distinct)


schemas = objects(st.recursive(plain(), nested, max_leaves=6))
materials = st.fixed_dictionaries(
    {
        "content": st.sampled_from(["", "Which ferry?", "フェリーはどこ", "a b c. Snow falls."]),
        "memories": st.lists(
            st.sampled_from(["The ferry.", "フェリーは港。", "Snow. Ferry! 🎉"]), max_size=3
        ).map(lambda texts: [{"content": text} for text in texts]),
    }
)


@settings(max_examples=150, deadline=None)
@given(schemas, materials)
def test_any_answer_follows_its_schema_and_is_the_same_again(
    schema: dict[str, Any], material: dict[str, Any]
) -> None:
    answer = fill(schema, Findings.of(material))
    assert conforms(answer, schema)
    assert fill(schema, Findings.of(material)) == answer
    assert json.loads(json.dumps(answer)) == answer


def test_a_text_after_a_list_has_the_whole_extract_again() -> None:
    text = {"type": "string"}
    schema = {
        "type": "object",
        "properties": {"list": {"type": "array", "items": text}, "text": text},
    }
    answer = fill(schema, Findings.of(MATERIAL))
    assert answer["text"] == " ".join(answer["list"])


@pytest.mark.parametrize("step", [0.1, 0.3, 0.7])
def test_a_step_that_is_no_binary_fraction_is_met(step: float) -> None:
    schema = {
        "type": "object",
        "properties": {"n": {"type": "number", "multipleOf": step, "minimum": step * 2.5}},
    }
    assert conforms(fill(schema, Findings.of({})), schema)
