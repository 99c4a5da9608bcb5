"""Times that are odd: before anything was said, far away, or in the wrong order."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from reasonloom.compose import open_engine
from reasonloom.contracts.memory.export_format import PortableEmbedder
from reasonloom.errors import MemoryNotFound
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.memory.portable.validation import check_file
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from tests.support.calls import call, recalled
from tests.support.memory.graph import query
from tests.support.memory.housekeeping import as_file, rows, take_in

OLD = "Petra's phone number is 0664 1234567."
NEW = "Petra no longer uses that phone; her new number is 0699 7654321."
QUESTION = "What is Petra's phone number?"
SPRING = {"metadata": {"context": "8 March 2024"}}
MARKS = "SELECT id, superseded_by FROM memories WHERE owner = 'local' ORDER BY id"


async def store(engine: Engine, content: str, **more: Any) -> dict[str, Any]:
    outcome = await call(engine, "remember", {"content": content, **more})
    return {**outcome.answer, "notes": outcome.notes}


@pytest.mark.parametrize(
    "time", [{"as_of": "2024-03-01"}, {"between": ["2020-01-01", "2024-03-01"]}]
)
async def test_a_time_before_the_oldest_memory_finds_nothing_and_says_so(
    engine: Engine, time: dict[str, Any]
) -> None:
    camel = {"asOf" if name == "as_of" else name: value for name, value in time.items()}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("recall", {"text": QUESTION, **camel}), ("recall", camel),
        ("search", {"text": "phone", **camel}), ("search", {"primarySector": "semantic", **camel}),
        ("memory_query", time), ("memory_ground", {"claim": OLD, **time}),
    ]  # fmt: skip
    for tool, arguments in calls:
        assert not any("oldest" in note for note in (await call(engine, tool, arguments)).notes)
    await store(engine, OLD, **SPRING)
    for tool, arguments in calls:
        outcome = await call(engine, tool, arguments)
        (note,) = [each for each in outcome.notes if "oldest" in each]
        assert note.endswith("; the oldest is of 2024-03-08"), tool
        assert OLD not in str(outcome.answer.get("memories", outcome.answer.get("results")))


async def test_a_memory_of_the_future_is_not_known_at_any_time_yet(engine: Engine) -> None:
    lines = [
        {"content": "The rent is 700 euros.", "valid_from": "1970-01-01T00:00:00Z"},
        {"content": "The rent is 900 euros.", "valid_from": "2099-01-01T00:00:00Z"},
    ]
    await take_in(engine, as_file(lines))
    today = engine.loom.clock().date().isoformat()
    assert await recalled(engine, "What is the rent?", asOf=today) == ["The rent is 700 euros."]
    assert await recalled(engine, "What was the rent?", asOf="1980-01-01") == [
        "The rent is 700 euros."
    ]


async def test_what_a_clock_ahead_has_stored_can_be_superseded(engine: Engine) -> None:
    right = engine.loom.clock
    engine.loom = replace(engine.loom, clock=lambda: right() + timedelta(days=400))
    old = await store(engine, OLD)
    engine.loom = replace(engine.loom, clock=right)
    new = await store(engine, NEW, supersede=[old["memoryId"]])
    assert new["superseded"] == [old["memoryId"]]
    assert (await recalled(engine, QUESTION))[0] == NEW


async def test_superseding_what_was_said_later_is_noted(engine: Engine) -> None:
    old = await store(engine, OLD, **SPRING)
    earlier = {"metadata": {"context": "1 February 2024"}}
    new = await store(engine, NEW, **earlier, supersede=[old["memoryId"]])
    assert new["superseded"] == [old["memoryId"]]
    assert [note for note in new["notes"] if "stated after 2024-02-01" in note]
    for day in ("2024-02-15", "2024-12-31"):
        assert await recalled(engine, QUESTION, asOf=day) == [NEW]


@pytest.mark.parametrize("name", ["valid_to", "valid_until"])
def test_an_end_of_validity_is_no_field_of_a_line(name: str) -> None:
    """A memory holds until the one that superseded it was said: there is no end to give."""
    line = {"content": "x", "valid_from": "2024-01-01T00:00:00Z", name: "2023-01-01T00:00:00Z"}
    found = check_file(as_file([line, {"content": "y"}]), PortableEmbedder(model="m", dimension=2))
    assert (found.bad, found.memories) == (1, 1)
    assert found.faults[0].fault.startswith(name)


async def test_lines_that_supersede_each_other_leave_the_later_one_current(engine: Engine) -> None:
    lines = [
        {"id": "mem-1", "content": OLD, "superseded_by": "mem-2"},
        {"id": "mem-2", "content": NEW, "superseded_by": "mem-1"},
        {"id": "mem-3", "content": "Tea is green.", "superseded_by": "mem-3"},
    ]
    await take_in(engine, as_file(lines))
    assert [tuple(row) for row in await rows(engine, MARKS)] == [(1, 2), (2, None), (3, None)]
    assert await recalled(engine, QUESTION) == [NEW, OLD]
    assert await recalled(engine, "What was Petra's phone number before?") == [OLD, NEW]


async def test_writers_that_supersede_the_same_memory_at_once(
    settings: Settings, access: Access, embedder: Embedder
) -> None:
    """Two processes, so to speak: all are stored, and the newest is the mark of the old one."""
    async with (
        open_engine(settings, access=access, embedder=embedder) as one,
        open_engine(settings, access=access, embedder=embedder) as other,
    ):
        old = (await store(one, OLD))["memoryId"]
        jobs = [
            store((one, other)[n % 2], f"Petra's number is 0699 {n}.", supersede=[old])
            for n in range(8)
        ]
        stored = await asyncio.gather(*jobs)
        assert all(each["superseded"] == [old] for each in stored)
        new = {int(each["memoryId"].removeprefix("mem-")) for each in stored}
        assert len(new) == 8
        assert dict(query(access, MARKS))[int(old.removeprefix("mem-"))] == max(new)
        assert old not in await recalled(one, QUESTION)


async def test_a_memory_that_goes_meanwhile_is_superseded_whole_or_not_at_all(
    settings: Settings, access: Access, embedder: Embedder
) -> None:
    async with open_engine(settings, access=access, embedder=embedder) as engine:
        old = [(await store(engine, f"Fact number {n} of mine."))["memoryId"] for n in range(6)]
        forgetting = [
            call(engine, "forget", {"userId": "local", "memoryId": key, "soft": False})
            for key in old
        ]
        superseding = [store(engine, f"Better than {key}.", supersede=[key]) for key in old]
        outcomes = await asyncio.gather(*forgetting, *superseding, return_exceptions=True)
    done = [each for each in outcomes[6:] if isinstance(each, dict)]
    assert all(isinstance(each, dict | MemoryNotFound) for each in outcomes[6:]), outcomes
    stored = query(access, "SELECT count(*) FROM memories WHERE content LIKE 'Better than%%'")
    assert stored == [(len(done),)]


async def test_of_similar_memories_the_replaced_one_is_named_first(engine: Engine) -> None:
    for place in ("kitchen", "cellar", "garden", "attic", "garage", "hall"):
        await store(engine, f"The key of the {place} is in the blue drawer.")
    answer = await store(engine, "The key of the cellar is on a hook now.")
    assert answer["mayReplace"][0]["content"] == "The key of the cellar is in the blue drawer."
