"""Old episodes that are alike become one memory each group, whole or not at all."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from reasonloom.errors import InternalFault, InvalidArgument, LlmUnavailable
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Ask, Reply, Usage
from reasonloom.llm.providers.caller import CALLER
from reasonloom.nodes.memory.maintenance.consolidation import complete_link_clusters
from reasonloom.stores.access import Access
from reasonloom.stores.memory.consolidation import Pair
from tests.support.calls import call, recalled
from tests.support.llms.drawn_replies import answered_through
from tests.support.memory.housekeeping import as_file, rows, take_in, write

LONG_AGO = (datetime.now(UTC) - timedelta(days=90)).isoformat()
RUNS = [
    f"Anna ran {far} kilometres around the lake this morning and was tired." for far in (5, 6, 7)
]
REBOOTS = [
    f"The build server was rebooted after a disk error, number {number}." for number in (1, 2, 3)
]
LONELY = "Ben bought a red bicycle in Vienna."
EDGES = """SELECT source_id, target_id FROM edges
    WHERE type = 'derived_from' AND origin = 'consolidation' ORDER BY source_id, target_id"""
SUMMARIES = "SELECT * FROM memories WHERE tool = 'consolidate_memories' ORDER BY id"


async def seed(engine: Engine, *contents: str, created_at: str = LONG_AGO, **more: Any) -> None:
    lines = [
        {"content": each, "sector": "episodic", "created_at": created_at, **more}
        for each in contents
    ]
    await take_in(engine, as_file(lines))


async def consolidate(engine: Engine, **more: Any) -> dict[str, Any]:
    return (await call(engine, "consolidate_memories", {"userId": "local", **more})).answer


async def strengths(engine: Engine) -> dict[int, float]:
    found = await rows(engine, "SELECT id, strength FROM memories ORDER BY id")
    return {row.id: round(row.strength, 2) for row in found}


class Writer:
    """A language model that answers with what it was told to."""

    name, offline = "writer", False

    def __init__(self, *answers: dict[str, Any] | str | Exception) -> None:
        self.answers, self.asked = list(answers), list[Ask]()

    async def answer(self, ask: Ask) -> Reply:
        self.asked.append(ask)
        said = self.answers.pop(0)
        if isinstance(said, Exception):
            raise said
        parsed = said if isinstance(said, dict) else None
        text = json.dumps(said) if parsed else str(said)
        return Reply(text, parsed, "writer-1", Usage(10, 5, 0.01))

    async def close(self) -> None:
        """Hold nothing."""


async def test_a_caller_summarises_all_groups_in_one_round(engine: Engine) -> None:
    await seed(engine, *RUNS, LONELY, *REBOOTS)
    asked = await call(engine, "consolidate_memories", {"userId": "local"}, asks_caller=True)
    outcome, rounds = await answered_through(engine, asked)
    assert [len(each.questions) for each in rounds] == [2]
    assert {each["madeBy"] for each in outcome.answer["clusters"]} == {CALLER}
    assert (outcome.answer["consolidated"], outcome.answer["skipped"]) == (2, 0)


async def test_groups_become_summaries_and_the_originals_stay_weakened(engine: Engine) -> None:
    await seed(engine, *RUNS, LONELY, *REBOOTS)
    answer = await consolidate(engine)
    assert sorted(each["originals"] for each in answer["clusters"]) == [
        ["mem-1", "mem-2", "mem-3"], ["mem-5", "mem-6", "mem-7"],
    ]  # fmt: skip
    assert (answer["consolidated"], answer["examined"], answer["skipped"]) == (2, 7, 0)
    found = await rows(engine, EDGES)
    assert len(found) == 6
    assert await strengths(engine) == {
        1: 0.5, 2: 0.5, 3: 0.5, 4: 1.0, 5: 0.5, 6: 0.5, 7: 0.5, 8: 1.0, 9: 1.0,
    }  # fmt: skip


async def test_offline_a_summary_is_an_extract_and_says_so(engine: Engine) -> None:
    await seed(engine, *RUNS, tags=["Anna", "sport"])
    outcome = await call(engine, "consolidate_memories", {"userId": "local"})
    assert any("no language model" in note for note in outcome.notes)
    (cluster,) = outcome.answer["clusters"]
    assert cluster["madeBy"] == "extract"
    (row,) = await rows(engine, SUMMARIES)
    assert row.tags == ["Anna", "sport", "consolidated", "extractive-summary"]
    assert "no language model" in row.context
    assert (row.sector, row.source_kind) == ("semantic", "tool")
    for sentence in row.content.split(". "):
        assert any(sentence.rstrip(".") in each for each in RUNS), "nobody said this"


async def test_a_summary_is_recalled(engine: Engine) -> None:
    await seed(engine, *RUNS)
    told = "Anna often runs around the lake, five to seven kilometres."
    engine.loom = replace(engine.loom, llm=Writer({"summary": told, "confidence": 0.9}))
    await consolidate(engine)
    assert told in await recalled(engine, "Who runs around the lake?")


async def test_a_group_that_cannot_be_linked_is_not_stored_either(
    engine: Engine, access: Access
) -> None:
    await seed(engine, *RUNS)
    refuse = "ALTER TABLE edges ADD CONSTRAINT refuse CHECK (origin <> 'consolidation')"
    with psycopg.connect(access.admin) as connection:
        connection.execute(refuse)
    with pytest.raises(InternalFault):
        await consolidate(engine)
    assert await rows(engine, SUMMARIES) == []
    assert set((await strengths(engine)).values()) == {1.0}


async def test_what_is_consolidated_is_left_alone_the_next_time(engine: Engine) -> None:
    await seed(engine, *RUNS)
    assert (await consolidate(engine))["consolidated"] == 1
    again = await consolidate(engine)
    assert (again["clusters"], again["examined"]) == ([], 0)
    assert list((await strengths(engine)).values()) == [0.5, 0.5, 0.5, 1.0]
    await call(engine, "forget", {"userId": "local", "memoryId": "mem-4", "soft": True})
    assert (await consolidate(engine))["consolidated"] == 1, "its summary is hidden: free again"


async def test_what_is_fresh_apart_or_not_episodic_is_left_alone(engine: Engine) -> None:
    await seed(engine, *RUNS[:2], LONELY)
    await seed(engine, RUNS[2], project="elsewhere")
    await seed(engine, *REBOOTS, created_at=datetime.now(UTC).isoformat())
    await take_in(engine, as_file([
        {"content": each + " Indeed.", "created_at": LONG_AGO} for each in RUNS
    ]))  # fmt: skip
    assert (await consolidate(engine))["clusters"] == []
    assert (await consolidate(engine, minCluster=2))["consolidated"] == 1
    assert (await consolidate(engine, minSimilarity=1, minCluster=2))["consolidated"] == 0


async def test_a_dry_run_shows_groups_page_by_page_and_changes_nothing(engine: Engine) -> None:
    await seed(engine, *RUNS, LONELY, *REBOOTS)
    llm = Writer()
    engine.loom = replace(engine.loom, llm=llm)
    first = await consolidate(engine, dryRun=True, maxClusters=1)
    assert len(first["clusters"]) == 1
    assert (first["consolidated"], llm.asked) == (0, [])
    second = await consolidate(engine, dryRun=True, cursor=first["nextCursor"])
    assert "nextCursor" not in second
    shown = [each["originals"] for page in (first, second) for each in page["clusters"]]
    assert sorted(shown) == [["mem-1", "mem-2", "mem-3"], ["mem-5", "mem-6", "mem-7"]]
    assert await rows(engine, EDGES) == []
    assert set((await strengths(engine)).values()) == {1.0}


@pytest.mark.parametrize("cursor", ["x", "1", "-1.0", "1.x", "٣.0", "9" * 30 + ".0"])
async def test_a_cursor_that_is_none_is_refused(engine: Engine, cursor: str) -> None:
    with pytest.raises(InvalidArgument, match="cursor"):
        await consolidate(engine, cursor=cursor)


async def test_a_language_model_is_asked_once_a_group_and_its_words_are_kept(
    engine: Engine,
) -> None:
    await seed(engine, *RUNS, *REBOOTS)
    words = "Not JSON, but words."
    llm = Writer({"summary": "Anna ran\u202e.", "confidence": 0.7}, words, words)
    engine.loom = replace(engine.loom, llm=llm)
    answer = await consolidate(engine)
    assert [each["madeBy"] for each in answer["clusters"]] == ["writer-1", "writer-1"]
    found = await rows(engine, SUMMARIES)
    assert [row.content for row in found] == ["Anna ran.", "Not JSON, but words."]
    assert found[0].confidence == 0.7
    assert "extractive-summary" not in found[0].tags
    calls = await rows(engine, "SELECT prompt, task FROM llm_calls ORDER BY task")
    assert [tuple(row) for row in calls] == [
        ("consolidate/summarise", "0"), ("consolidate/summarise", "1"),
        ("consolidate/summarise", "1.again"),
    ]  # fmt: skip


async def test_where_the_language_model_fails_the_groups_before_are_whole(engine: Engine) -> None:
    await seed(engine, *RUNS, *REBOOTS)
    llm = Writer({"summary": "Anna ran.", "confidence": 0.7}, LlmUnavailable("away"))
    engine.loom = replace(engine.loom, llm=llm)
    with pytest.raises(LlmUnavailable):
        await consolidate(engine)
    assert len(await rows(engine, EDGES)) == 3
    assert sorted((await strengths(engine)).values()) == [0.5] * 3 + [1.0] * 4


async def test_a_group_that_changes_while_it_is_summed_up_stays_as_it_is(engine: Engine) -> None:
    await seed(engine, *RUNS)

    class Meddler(Writer):
        async def answer(self, ask: Ask) -> Reply:
            await write(engine, "UPDATE memories SET deleted_at = now() WHERE id = 2")
            return await super().answer(ask)

    engine.loom = replace(engine.loom, llm=Meddler({"summary": "x", "confidence": 1.0}))
    answer = await consolidate(engine)
    assert (answer["consolidated"], answer["skipped"]) == (0, 1)
    assert await rows(engine, EDGES) == []
    assert set((await strengths(engine)).values()) == {1.0}


def test_a_cluster_is_alike_throughout_and_bounded() -> None:
    chain = [Pair(1, 2, 0.9), Pair(2, 3, 0.8), Pair(3, 4, 0.7)]
    assert complete_link_clusters(chain, least=2, most=9) == [[1, 2], [3, 4]]
    whole = [Pair(a, b, 0.9) for a in range(1, 8) for b in range(a + 1, 8)]
    assert complete_link_clusters(whole, least=2, most=9) == [[1, 2, 3, 4, 5, 6, 7]]
    assert max(map(len, complete_link_clusters(whole, least=2, most=3))) == 3
    assert complete_link_clusters(whole[:1], least=3, most=9) == []
