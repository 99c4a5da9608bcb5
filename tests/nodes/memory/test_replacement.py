"""What a new memory may replace, how it is settled, and what recall then shows."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasonloom.errors import InvalidArgument, MemoryNotFound
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.memory.replacement import (
    LIKELY,
    calibrated,
    common_words,
    least_product,
    same_matter,
)
from tests.support.calls import call, recalled, remember
from tests.support.memory.housekeeping import as_file, rows, take_in

OLD = "Petra's phone number is 0664 1234567."
NEW = "Petra no longer uses that phone; her new number is 0699 7654321."
PET = "Oskar the cat sleeps on the radiator."
EDGES = "SELECT source_id, target_id, type, origin FROM edges WHERE origin <> 'waypoint' ORDER BY 1"


async def store(engine: Engine, content: str, **more: Any) -> dict[str, Any]:
    outcome = await call(engine, "remember", {"content": content, **more})
    return dict(outcome.answer)


def set_supersede(engine: Engine, value: str) -> None:
    settings = engine.loom.settings.model_copy(update={"supersede": value})
    engine.loom = replace(engine.loom, settings=settings)


async def explained(engine: Engine, text: str, **more: Any) -> list[dict[str, Any]]:
    outcome = await call(engine, "recall", {"text": text, **more})
    return list(outcome.answer["memories"])


async def test_an_older_value_is_named_and_settled_in_one_call(engine: Engine) -> None:
    old = await store(engine, OLD)
    await store(engine, PET)
    new = await store(engine, NEW)
    (named,) = new["mayReplace"]
    assert (named["id"], named["content"]) == (old["memoryId"], OLD)
    assert LIKELY <= named["confidence"] <= 1
    assert named["why"]
    settled = await store(engine, NEW, supersede=[named["id"]])
    assert settled["memoryId"] == new["memoryId"], "the same content is the same memory"
    assert settled["superseded"] == [old["memoryId"]]
    first, second, *_ = await explained(engine, "What is Petra's phone number?")
    assert [first["content"], second["content"]] == [NEW, OLD]
    assert "supersededBy" not in first
    assert second["supersededBy"] == new["memoryId"]


async def test_what_is_not_settled_stays_and_is_linked(engine: Engine) -> None:
    await store(engine, OLD)
    await store(engine, NEW)
    (edge,) = await rows(engine, EDGES)
    assert tuple(edge) == (2, 1, "contradicts", "may_replace")
    assert [row.superseded_by for row in await rows(engine, "SELECT superseded_by FROM memories")]


@pytest.mark.parametrize("other", [PET, "Bernd's phone number is 0650 5555555.", OLD])
async def test_what_is_not_replaced_is_not_named(engine: Engine, other: str) -> None:
    await store(engine, OLD)
    assert "mayReplace" not in await store(engine, other)


async def test_all_that_clash_are_named(engine: Engine) -> None:
    number = "Petra's phone number is 0664 {}."
    older = [number.format(each) for each in ("1234567", "2222222", "3333333", "4444444")]
    for content in (PET, *older):
        await store(engine, content)
    new = await store(engine, NEW)
    named = {each["content"]: each["confidence"] for each in new["mayReplace"]}
    assert sorted(named) == sorted(older)
    assert min(named.values()) >= LIKELY


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_calibrated_probability_keeps_the_order(one: float, other: float) -> None:
    low, high = calibrated(min(one, other)), calibrated(max(one, other))
    assert 0 <= low <= high <= 1


@given(st.floats(0.01, 0.99))
def test_only_pairs_that_could_be_likely_are_read(probability: float) -> None:
    assert calibrated(least_product(probability)) == pytest.approx(probability)


def test_a_neighbour_is_of_another_matter() -> None:
    rent, price = "The rent of the flat in Graz is 800.", "The flat in Linz has been sold."
    assert common_words(rent, "Rent for the flat in Graz: 900.") > 2 * common_words(rent, price)
    assert same_matter(0.8, rent, "Rent for the flat in Graz: 900.") > 0.95
    assert same_matter(0.3, rent, PET) < 0.5
    assert common_words("", PET) == 0


async def test_what_was_said_later_is_not_replaced(engine: Engine) -> None:
    await store(engine, NEW, metadata={"context": "8 March 2026"})
    later = await store(engine, OLD, metadata={"context": "8 March 2025"})
    assert "mayReplace" not in later


async def test_sure_ones_are_marked_where_the_owner_wants_it(engine: Engine) -> None:
    set_supersede(engine, "auto")
    old = await store(engine, "We use MySQL for the orders service.")
    new = await store(engine, "We use PostgreSQL instead of MySQL for the orders service now.")
    assert new["superseded"] == [old["memoryId"]]
    await call(engine, "forget", {"userId": "local", "memoryId": new["memoryId"]})
    (back,) = await explained(engine, "Which database does the orders service use?")
    assert "supersededBy" not in back, "without its successor the old one is current again"


async def test_off_reads_nothing(engine: Engine) -> None:
    set_supersede(engine, "off")
    await store(engine, OLD)
    assert "mayReplace" not in await store(engine, NEW)


@pytest.mark.parametrize("wanted", ["mem-99", "mem-x", "the old one"])
async def test_an_unknown_memory_cannot_be_superseded(engine: Engine, wanted: str) -> None:
    with pytest.raises(MemoryNotFound) as refused:
        await store(engine, NEW, supersede=[wanted])
    assert refused.value.field == "supersede"
    assert await recalled(engine, "phone") == [], "nothing is stored"


async def test_only_ones_own_memories_can_be_superseded(engine: Engine) -> None:
    for content in (PET, OLD, "Anna's own."):
        foreign = await remember(engine, content, owner="anna")
    with pytest.raises(MemoryNotFound):
        await store(engine, NEW, supersede=[foreign])
    hidden = (await store(engine, OLD))["memoryId"]
    await call(engine, "forget", {"userId": "local", "memoryId": hidden, "soft": True})
    with pytest.raises(MemoryNotFound):
        await store(engine, NEW, supersede=[hidden])


async def test_what_is_newer_or_the_same_cannot_be_superseded(engine: Engine) -> None:
    old = (await store(engine, OLD))["memoryId"]
    new = (await store(engine, NEW))["memoryId"]
    for wanted in (old, new):
        with pytest.raises(InvalidArgument, match="name older memories"):
            await store(engine, OLD, supersede=[wanted])


async def test_as_of_shows_what_was_current_then(engine: Engine) -> None:
    old = await store(engine, OLD, metadata={"context": "8 March 2024"})
    await store(engine, NEW, metadata={"context": "8 March 2025"}, supersede=[old["memoryId"]])
    question = "What is Petra's phone number?"
    assert await recalled(engine, question, asOf="2024-03-07") == []
    assert await recalled(engine, question, asOf="2024-03-08") == [OLD]
    assert await recalled(engine, question, asOf="2024-12-31T00:00:00Z") == [OLD]
    assert await recalled(engine, question, asOf="2025-03-08") == [NEW]
    found = await call(engine, "search", {"text": "phone", "asOf": "2024-12-31"})
    assert [each["content"] for each in found.answer["memories"]] == [OLD]
    now = await call(engine, "search", {"text": "Petra"})
    assert [each["content"] for each in now.answer["memories"]] == [NEW]


async def test_as_of_must_not_be_in_the_future(engine: Engine) -> None:
    tomorrow = (engine.loom.clock() + timedelta(days=1)).isoformat()
    for wrong in (tomorrow, "2099-01-01"):
        for tool in ("recall", "search"):
            with pytest.raises(InvalidArgument, match=r"asOf: must not be in the future"):
                await call(engine, tool, {"text": "phone", "asOf": wrong})
    with pytest.raises(InvalidArgument, match="asOf"):
        await call(engine, "recall", {"text": "phone", "asOf": "last spring"})
    assert await recalled(engine, "phone", asOf=engine.loom.clock().date().isoformat()) == []


async def test_a_question_about_the_past_puts_the_older_first(engine: Engine) -> None:
    old = await store(engine, OLD, metadata={"context": "8 March 2024"})
    await store(engine, NEW, metadata={"context": "8 March 2025"}, supersede=[old["memoryId"]])
    assert (await recalled(engine, "What was Petra's phone number originally?"))[0] == OLD
    assert (await recalled(engine, "What was Petra's phone number?"))[0] == NEW


async def test_recency_counts_from_when_it_was_said(engine: Engine) -> None:
    await store(engine, "The rent is 800.", metadata={"context": "1 May 2024"})
    await store(engine, "The rent was paid.")
    parts = {}
    for _ in range(2):  # reading does not make a memory newer
        found = await explained(engine, "rent", explain=True)
        parts = {each["content"]: each["explanation"]["recency"] for each in found}
        assert parts["The rent is 800."] < 0.7
        assert parts["The rent was paid."] > 0.99


async def test_an_unlikely_date_does_not_break_anything(engine: Engine) -> None:
    lines = [
        {"content": "The rent is 700.", "valid_from": "1970-01-01T00:00:00Z"},
        {"content": "The rent is 900.", "valid_from": "2099-01-01T00:00:00Z"},
    ]
    await take_in(engine, as_file(lines))
    found = await explained(engine, "What is the rent?", explain=True)
    recency = {each["content"]: each["explanation"]["recency"] for each in found}
    assert recency["The rent is 700."] < 0.01
    assert recency["The rent is 900."] == 1


async def test_content_alone_is_enough(engine: Engine) -> None:
    fact = await store(engine, "The spare key is under the flower pot.")
    event = await store(engine, "The boiler was repaired on 8 March 2025.")
    query = """SELECT m.sector, s.external_name FROM memories m
        JOIN sessions s ON s.id = m.session_id ORDER BY m.id"""
    today = engine.loom.clock().date().isoformat()
    assert [tuple(row) for row in await rows(engine, query)] == [
        ("semantic", today), ("episodic", today)
    ]  # fmt: skip
    assert "superseded" not in fact
    assert "superseded" not in event
    assert (await recalled(engine, "spare key"))[0] == "The spare key is under the flower pot."


async def test_an_empty_space_names_those_that_hold_memories(engine: Engine) -> None:
    stored = await call(engine, "remember", {"content": OLD, "userId": "anna"})
    assert "'anna' is a new space" in stored.notes[0]
    assert (await call(engine, "remember", {"content": PET, "userId": "anna"})).notes == []
    await store(engine, PET)
    for tool in ("recall", "search"):
        found = await call(engine, tool, {"userId": "user", "text": "phone"})
        assert found.answer["memories"] == []
        assert found.notes == [
            "the space of userId 'user' has no memories; these do: 'local' (the default), 'anna'"
        ]
    assert (await call(engine, "recall", {"text": "qwertz"})).notes == []


async def test_an_event_keeps_its_place_until_it_is_settled(engine: Engine) -> None:
    places = []
    for sector in ("semantic", "episodic"):
        user = {"userId": sector, "primarySector": sector}
        await call(engine, "remember", {"content": OLD, **user})
        await call(engine, "remember", {"content": NEW, **user})
        question = {"userId": sector, "text": "What is Petra's phone number?"}
        found = (await call(engine, "recall", question)).answer["memories"]
        places.append(found[0]["content"])
    assert places == [NEW, OLD]


async def test_between_shows_what_was_current_at_some_time_of_it(engine: Engine) -> None:
    old = await store(engine, OLD, metadata={"context": "8 March 2024"})
    await store(engine, NEW, metadata={"context": "8 March 2025"}, supersede=[old["memoryId"]])
    question = "What is Petra's phone number?"
    assert await recalled(engine, question, between=["2024-01-01", "2024-03-07"]) == []
    assert await recalled(engine, question, between=["2024-01-01", "2024-03-08"]) == [OLD]
    assert await recalled(engine, question, between=["2025-04-01", "2025-12-31"]) == [NEW]
    both = await recalled(engine, question, between=["2024-06-01", "2025-06-01"])
    assert sorted(both) == sorted([OLD, NEW])
    future = await recalled(engine, question, between=["2025-04-01", "2099-12-31"])
    assert future == [NEW], "what is to come is not known yet"
    found = await call(engine, "search", {"text": "phone", "between": ["2024-06-01", "2024-07-01"]})
    assert [each["content"] for each in found.answer["memories"]] == [OLD]


async def test_nodes_and_claims_are_read_as_of_a_time(engine: Engine) -> None:
    old = await store(engine, OLD, metadata={"context": "8 March 2024"})
    await store(engine, NEW, metadata={"context": "8 March 2025"}, supersede=[old["memoryId"]])
    then = {"as_of": "2024-12-31"}
    for time in (then, {"between": ["2024-06-01", "2024-07-01"]}):
        listed = await call(engine, "memory_query", time)
        assert [each["content"] for each in listed.answer["results"]] == [OLD]
    claim = {"claim": OLD}
    assert (await call(engine, "memory_ground", claim)).answer["status"] != "verified"
    assert (await call(engine, "memory_ground", {**claim, **then})).answer["status"] == "verified"
    before = await call(engine, "memory_ground", {**claim, "as_of": "2024-01-01"})
    assert before.answer["status"] == "ungrounded"


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        (
            {"between": ["2025-05-31", "2025-03-01"]},
            r"between: must be two dates.*the earlier first, such as",
        ),
        ({"between": ["2025-05-31"]}, r"between: must be two dates"),
        ({"between": ["last spring", "2025-03-01"]}, r"between.0: must be a date of ISO 8601"),
        ({"between": ["2099-01-01", "2099-12-31"]}, r"between: must not be in the future"),
        ({"between": ["2025-03-01", "2025-05-31"], "as_of": "2025-03-01"}, r"not both"),
        ({"as_of": "2099-01-01"}, r"as_of: must not be in the future"),
    ],
)
async def test_a_time_that_cannot_be_read_is_refused(
    engine: Engine, given: dict[str, Any], fault: str
) -> None:
    for tool, arguments in (("memory_query", {}), ("history_search", {"query": "phone"})):
        with pytest.raises(InvalidArgument, match=fault):
            await call(engine, tool, {**arguments, **given})


async def test_claims_and_thoughts_may_be_of_another_space(engine: Engine) -> None:
    stored = await call(engine, "remember", {"content": OLD, "userId": "anna"})
    ground = {"claim": OLD}
    assert (await call(engine, "memory_ground", ground)).answer["status"] == "ungrounded"
    of_anna = await call(engine, "memory_ground", {**ground, "userId": "anna"})
    assert of_anna.answer["status"] == "verified"
    thought = {"content": "Which phone number does Petra have?"}
    assert (await call(engine, "reasoning_linear", thought)).answer["memories_used"] == []
    of_anna = await call(engine, "reasoning_linear", {**thought, "userId": "anna"})
    assert of_anna.answer["memories_used"] == [stored.answer["memoryId"]]


@pytest.mark.parametrize(
    ("tool", "more"),
    [("think", {"mode": "analytical"}), ("ponder", {}), ("analyze", {}), ("breakdown", {})],
)
async def test_thinking_may_be_of_another_space(
    engine: Engine, tool: str, more: dict[str, Any]
) -> None:
    stored = await call(engine, "remember", {"content": OLD, "userId": "anna"})
    problem = {"problem": "Which phone number does Petra have?", **more}
    assert (await call(engine, tool, problem)).answer["memoriesUsed"] == []
    of_anna = await call(engine, tool, {**problem, "userId": "anna"})
    assert of_anna.answer["memoriesUsed"] == [stored.answer["memoryId"]]
