"""What recall finds beside words and likeness, what it tells of it, and how its pages fit."""

from __future__ import annotations

import math
from typing import Any

import pytest

from reasonloom.contracts.caller import Caller
from reasonloom.errors import InvalidArgument
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.memory.retrieval.scoring import SCALE
from reasonloom.stores.memory import memories
from tests.support.calls import call, recalled, remember
from tests.support.memory.housekeeping import as_file, take_in


async def explained(engine: Engine, text: str | None, **more: Any) -> list[dict[str, Any]]:
    arguments = {"userId": "local", "explain": True, **({"text": text} if text else {}), **more}
    outcome = await call(engine, "recall", arguments)
    found: list[dict[str, Any]] = outcome.answer["memories"]
    return found


async def dated(engine: Engine, text: str) -> list[str]:
    """Return what is found by its date."""
    found = await explained(engine, text)
    return [each["content"] for each in found if each["explanation"]["signals"]["date"]]


async def test_a_date_finds_what_shares_no_word(engine: Engine) -> None:
    await remember(engine, "Dentist, then the cello shop.", metadata={"context": "8 March 2024"})
    await remember(engine, "Dentist, then the violin shop.", metadata={"context": "8 March 2025"})
    assert (await recalled(engine, "2025-03-08?"))[0] == "Dentist, then the violin shop."
    assert await dated(engine, "2025-03-08?") == ["Dentist, then the violin shop."]
    assert await dated(engine, "the second week of March 2024") == ["Dentist, then the cello shop."]


async def test_a_changed_context_changes_the_dates(engine: Engine) -> None:
    memory = await remember(engine, "Dentist.......", metadata={"context": "8 March 2025"})
    change = {"userId": "local", "memoryId": memory, "metadata": {"context": "9 March 2025"}}
    await call(engine, "update_memory", change)
    assert await dated(engine, "2025-03-08?") == []
    assert await dated(engine, "2025-03-09?") == ["Dentist......."]


async def test_the_day_it_was_stored_is_a_date(engine: Engine) -> None:
    await remember(engine, "The boiler was repaired.")
    assert await dated(engine, "what about today") == ["The boiler was repaired."]
    assert await dated(engine, "what about yesterday") == []


async def test_every_way_of_storing_keeps_the_dates(engine: Engine) -> None:
    context = {"context": "8 March 2025"}
    item = {"content": "Dentist by batch.", "primarySector": "episodic", "metadata": context}
    batch = {"userId": "local", "sessionId": "s", "memories": [item]}
    await call(engine, "batch_remember", batch)
    await take_in(engine, as_file([{"content": "Dentist by import.", **context}]), Caller("local"))
    found = await dated(engine, "2025-03-08?")
    assert sorted(found) == ["Dentist by batch.", "Dentist by import."]


async def test_every_score_is_the_sum_of_what_is_explained(engine: Engine) -> None:
    await remember(engine, "Does Anna play the cello?", metadata={"tags": ["Anna"]})
    await remember(engine, "Anna plays the cello on Fridays.", metadata={"tags": ["Anna"]})
    for memory in await explained(engine, "When does Anna play the cello?"):
        parts = memory["explanation"]
        signals = parts["signals"]
        assert parts["similarity"] == pytest.approx(
            math.tanh(sum(signals.values()) / SCALE), abs=1e-5
        )
        whole = 0.6 * parts["similarity"] + 0.2 * parts["salience"]
        whole += 0.1 * parts["recency"] + 0.1 * parts["linkWeight"]
        assert memory["score"] == pytest.approx(whole, abs=1e-5)
    for memory in await explained(engine, None):
        parts = memory["explanation"]
        assert "similarity" not in parts
        whole = 0.4 * parts["salience"] + 0.3 * parts["recency"] + 0.3 * parts["linkWeight"]
        assert memory["score"] == pytest.approx(whole, abs=1e-5)


async def test_without_explain_nothing_is_explained(engine: Engine) -> None:
    await remember(engine, "Anna plays the cello on Fridays.")
    outcome = await call(engine, "recall", {"userId": "local", "text": "cello"})
    assert "explanation" not in outcome.answer["memories"][0]
    with pytest.raises(InvalidArgument, match="explain"):
        await call(engine, "recall", {"userId": "local", "explain": "yes"})


async def test_an_answer_is_found_by_the_question_before_it(engine: Engine) -> None:
    await remember(engine, "Where is the spare key?", sessionId="hall")
    await remember(engine, "Under the blue flower pot, as ever.", sessionId="hall")
    for number in range(12):
        await remember(engine, f"Note {number}: the weather stays mild.", sessionId="weather")
    found = await explained(engine, "Where is the spare key?")
    assert [memory["content"] for memory in found[:2]] == [
        "Where is the spare key?",
        "Under the blue flower pot, as ever.",
    ]
    answered = found[1]["explanation"]["signals"]
    assert answered["words"] == 0 < answered["context"]
    assert answered["session"] > 0


async def test_an_edge_that_was_drawn_brings_its_partner_up(engine: Engine) -> None:
    first = await remember(engine, "The cellar pump failed on the night of the storm.")
    await remember(engine, "Insurance paid for new shelves.", sessionId="b")
    other = await remember(engine, "Insurance paid for new chairs.", sessionId="c")
    before = {each["id"]: each for each in await explained(engine, "cellar pump insurance")}
    assert {each["explanation"]["linkWeight"] for each in before.values()} == {0}
    async with engine.loom.database.begin(Caller("local")) as tx:
        await memories.link(
            tx, int(other[4:]), {int(first[4:]): 0.9}, kind="caused_by", origin="memory_add"
        )
    after = {each["id"]: each for each in await explained(engine, "cellar pump insurance")}
    assert after[other]["explanation"]["linkWeight"] == pytest.approx(
        0.9 * after[first]["explanation"]["similarity"], abs=1e-5
    )
    assert after[other]["score"] > before[other]["score"]


async def test_pages_fit_together_and_the_total_does_not_move(engine: Engine) -> None:
    for number in range(30):
        await remember(engine, f"Cello lesson {number} was about bowing.", sessionId=str(number))
    pages: list[str] = []
    totals = set()
    for offset in range(0, 35, 7):
        arguments = {"userId": "local", "text": "cello bowing", "limit": 7, "offset": offset}
        answer = (await call(engine, "recall", arguments)).answer
        await engine.loom.journal.flush()
        pages += [memory["id"] for memory in answer["memories"]]
        totals.add(answer["totalCount"])
    assert len(pages) == len(set(pages)) == 30
    assert totals == {30}


async def test_provenance_comes_with_the_memory(engine: Engine) -> None:
    await remember(engine, "Anna plays the cello on Fridays.", sessionId="music")
    outcome = await call(engine, "recall", {"userId": "local", "text": "cello"})
    told = outcome.answer["memories"][0]["provenance"]
    assert told.pop("runId")
    assert told == {
        "principal": "local",
        "tool": "remember",
        "sourceKind": "user",
        "trust": 1.0,
        "sessionId": "music",
    }
