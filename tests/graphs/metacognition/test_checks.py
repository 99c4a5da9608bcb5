"""The wiring of the four checks: blind lenses at once, some lost, saved or not, taken up again."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from typing import Any, get_args

import psycopg
import pytest

from reasonloom.contracts.caller import Caller
from reasonloom.contracts.metacognition import Bias
from reasonloom.errors import Conflict, LlmUnavailable
from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Ask, Embedder
from reasonloom.nodes.metacognition.judges import JUDGES
from reasonloom.nodes.metacognition.state import PartName
from reasonloom.stores.access import Access
from reasonloom.stores.runs import runs
from reasonloom.stores.runs.runs import RunRow
from tests.support.calls import call
from tests.support.llms.answering import ReplyFields, words_of
from tests.support.llms.checks import (
    NO_BIAS,
    PART_OF,
    QUIET,
    SOLID,
    asks_of,
    bias,
    felt,
    lens_of,
    looking,
)
from tests.support.reasoning.sessions import thinking
from tests.support.runs.forks import fork, row_of

TEXT = "We already spent two million dollars, so we cannot stop now."
QUOTE = "spent two million dollars"
PARTS: dict[str, list[PartName]] = {
    "assess_confidence": ["confidence"],
    "detect_bias": ["bias"],
    "detect_emotion": ["emotion"],
    "evaluate": ["quality", "confidence", "bias", "emotion"],
}
ASKED: dict[str, dict[str, Any]] = {
    "assess_confidence": {"reasoning": TEXT, "evidence": ["The ledger of March."]},
    "detect_bias": {"reasoning": TEXT},
    "detect_emotion": {"text": TEXT},
    "evaluate": {"reasoning": TEXT, "includeEmotion": True},
}
separately = partial(thinking, judges="separate")
STEPS = ("checkpoints", "checkpoint_writes")


async def rows(engine: Engine, owner: str = "local") -> list[RunRow]:
    await engine.journal.flush()
    async with engine.loom.database.begin(Caller(owner)) as tx:
        return await runs.newest(tx, 100)


def saved_steps(access: Access) -> int:
    with psycopg.connect(access.admin) as connection:
        found = [connection.execute(f"SELECT count(*) FROM {table}".encode()) for table in STEPS]
        return sum(cursor.fetchone()[0] for cursor in found)  # type: ignore[index]


@pytest.mark.parametrize("tool", PARTS)
async def test_all_lenses_look_at_the_same_time_and_each_is_blind(
    access: Access, embedder: Embedder, tool: str
) -> None:
    secrets: dict[str, ReplyFields] = {
        "quality": {**QUIET["quality"], "strengths": ["SECRET of the quality"]},
        "confidence": {**SOLID, "warnings": ["SECRET of the confidence"]},
        "bias": {"biases": [bias("sunk_cost", QUOTE) | {"correction": "SECRET of the bias"}]},
        "emotion": felt("fear", 0.7, QUOTE),
    }
    llm = looking(**secrets)
    llm.seconds = 0.2
    async with separately(access, embedder, llm) as mind:
        answer = (await call(mind, tool, {**ASKED[tool], "context": "A CONTEXT"})).answer
    wanted = sorted((part, lens) for part in PARTS[tool] for lens in JUDGES[part])
    asks = asks_of(llm)
    found = sorted((PART_OF[(ask.schema or {})["required"][0]], lens_of(ask)) for ask in asks)
    assert found == wanted
    assert llm.most_at_once == len(wanted)
    assert (answer["lensesAsked"], answer["lensesHeard"]) == (len(wanted), len(wanted))
    for ask in asks:
        given = "<background> A CONTEXT </background> "
        given += "<evidence> - The ledger of March. </evidence> " * bool(
            ask.material.get("evidence")
        )
        assert str(ask.messages[1].content).split() == f"{given}<text> {TEXT} </text>".split()
        others = (told for of in JUDGES.values() for told in of.values())
        assert [told for told in others if told in words_of(ask)] == [ask.material["lens"]]
        assert "SECRET" not in words_of(ask)


@pytest.mark.parametrize("lost", [LlmUnavailable("away"), "no JSON at all"], ids=str)
async def test_a_lens_that_fails_leaves_the_others_and_is_told_of(
    access: Access, embedder: Embedder, lost: ReplyFields
) -> None:
    seen = {"biases": [bias("framing", QUOTE)]}
    async with separately(access, embedder, looking(bias=seen, bias_opponent=lost)) as mind:
        outcome = await call(mind, "detect_bias", {"reasoning": TEXT})
    answer = outcome.answer
    assert answer["partial"] is True
    assert (answer["lensesAsked"], answer["lensesHeard"]) == (3, 2)
    (found,) = answer["biases"]
    assert found["lenses"] == ["auditor", "advocate"]
    assert any("the opponent's look at bias" in note for note in outcome.notes)


async def test_a_lens_that_takes_too_long_leaves_the_others(
    access: Access, embedder: Embedder
) -> None:
    llm = looking(bias={"biases": [bias("framing", QUOTE)]}, bias_advocate=60.0)
    async with separately(access, embedder, llm, tool_timeout=4.0) as mind:
        outcome = await asyncio.wait_for(call(mind, "detect_bias", {"reasoning": TEXT}), 4)
    assert (outcome.answer["partial"], outcome.answer["lensesHeard"]) == (True, 2)
    assert outcome.answer["biases"][0]["lenses"] == ["auditor", "opponent"]


@pytest.mark.parametrize("tool", PARTS)
async def test_where_all_lenses_fail_what_was_computed_is_told(
    access: Access, embedder: Embedder, engine: Engine, tool: str
) -> None:
    away = LlmUnavailable("away")
    llm = looking(bias=away, confidence=away, quality=away, emotion=away)
    async with separately(access, embedder, llm) as mind:
        told = await call(mind, tool, ASKED[tool])
    offline = (await call(engine, tool, ASKED[tool])).answer
    assert (told.answer.pop("partial"), told.answer.pop("lensesHeard")) == (True, 0)
    assert sum("away" in note for note in told.notes) == told.answer.pop("lensesAsked")
    for name in ("llm", "runId", "suggestion", "detectionTime"):
        told.answer.pop(name, None)
        offline.pop(name, None)
    assert told.answer == offline


@pytest.mark.parametrize("kind", get_args(Bias))
async def test_every_bias_can_be_told(access: Access, embedder: Embedder, kind: str) -> None:
    llm = looking(bias={"biases": [bias(kind, QUOTE)]})
    async with thinking(access, embedder, llm) as mind:
        answer = (await call(mind, "detect_bias", {"reasoning": TEXT})).answer
    (found,) = answer["biases"]
    assert (found["type"], found["evidence"]) == (kind, [QUOTE])
    assert all(TEXT[s["start"] : s["end"]] == s["text"] for s in found["spans"])
    assert answer["agreement"] == 1.0


async def test_a_quote_that_is_not_there_is_left_out_and_noted(
    access: Access, embedder: Embedder
) -> None:
    llm = looking(bias={"biases": [bias("framing", "we lost everything")]})
    async with thinking(access, embedder, llm) as mind:
        outcome = await call(mind, "detect_bias", {"reasoning": TEXT})
    assert outcome.answer["biases"] == []
    assert "partial" not in outcome.answer
    assert sum("not in the text" in note for note in outcome.notes) == 3


async def test_agreement_tells_how_near_the_lenses_come(access: Access, embedder: Embedder) -> None:
    one = {"biases": [bias("framing", QUOTE, 1.0)]}
    async with thinking(access, embedder, looking(bias=NO_BIAS, bias_opponent=one)) as mind:
        answer = (await call(mind, "detect_bias", {"reasoning": TEXT})).answer
    assert answer["agreement"] == pytest.approx(1 / 3, abs=1e-3)
    assert answer["biases"] == []


@pytest.mark.parametrize("tool", PARTS)
async def test_offline_nothing_is_written_before_the_answer_and_a_row_after_it(
    access: Access, engine: Engine, tool: str
) -> None:
    with psycopg.connect(access.admin) as connection:
        connection.execute("LOCK TABLE runs IN EXCLUSIVE MODE")
        outcome = await asyncio.wait_for(call(engine, tool, ASKED[tool]), 20)
    while not (found := await rows(engine)):
        await asyncio.sleep(0.05)
    (row,) = found
    assert (row.id, row.tool, row.status, row.key) == (outcome.run_id, tool, "done", None)
    assert row.output
    assert row.output["answer"] == outcome.answer
    assert saved_steps(access) == 0


async def test_offline_a_key_gives_the_same_run_at_once(engine: Engine) -> None:
    first = await call(engine, "detect_bias", ASKED["detect_bias"], key="k")
    again = await call(engine, "detect_bias", ASKED["detect_bias"], key="k")
    assert (again.run_id, again.answer) == (first.run_id, first.answer)
    with pytest.raises(Conflict):
        await call(engine, "detect_bias", {"reasoning": "Another text."}, key="k")
    assert len(await rows(engine)) == 1


async def test_with_a_language_model_the_run_is_saved_and_its_key_pays_once(
    access: Access, embedder: Embedder
) -> None:
    llm = looking()
    async with separately(access, embedder, llm) as mind:
        first = await call(mind, "evaluate", ASKED["evaluate"], key="k")
        (row,) = await rows(mind)
        assert (row.status, row.llm, row.key) == ("done", "answering", "k")
        again = await call(mind, "evaluate", ASKED["evaluate"], key="k")
    assert (again.run_id, again.answer) == (first.run_id, first.answer)
    assert len(asks_of(llm)) == 12
    assert saved_steps(access) > 0


async def test_what_was_heard_is_not_paid_again_when_a_run_is_taken_up(
    access: Access, embedder: Embedder
) -> None:
    hung = asyncio.Event()

    def slow(ask: Ask) -> ReplyFields:
        if lens_of(ask) == "advocate" and not hung.is_set():
            hung.set()
            return 60.0
        return {"biases": [bias("framing", QUOTE)]}

    llm = looking()
    llm.answers["biases"] = slow
    async with separately(access, embedder, llm) as mind:
        broken = asyncio.create_task(call(mind, "detect_bias", ASKED["detect_bias"], key="k"))
        await asyncio.wait_for(hung.wait(), 20)
        await asyncio.sleep(0.5)
        broken.cancel()
        with suppress(asyncio.CancelledError):
            await broken
    async with separately(access, embedder, llm) as mind:
        answer = (await call(mind, "detect_bias", ASKED["detect_bias"], key="k")).answer
        (row,) = await rows(mind)
    lenses = sorted(lens_of(ask) for ask in asks_of(llm))
    assert lenses == ["advocate", "advocate", "auditor", "opponent"]
    assert answer["lensesHeard"] == 3
    assert "partial" not in answer
    assert row.status == "done"


async def test_a_run_begun_with_a_language_model_ends_without_one(
    access: Access, embedder: Embedder, engine: Engine
) -> None:
    llm = looking(bias=60.0)
    async with separately(access, embedder, llm) as mind:
        broken = asyncio.create_task(call(mind, "detect_bias", ASKED["detect_bias"], key="k"))
        while len(asks_of(llm)) < 3:
            await asyncio.sleep(0.01)
        broken.cancel()
        with suppress(asyncio.CancelledError):
            await broken
    answer = (await call(engine, "detect_bias", ASKED["detect_bias"], key="k")).answer
    assert answer["llm"] == "offline"
    assert [row.status for row in await rows(engine)] == ["done"]


async def test_a_fork_is_saved_and_ends_whether_or_not_there_is_a_language_model(
    access: Access, embedder: Embedder, engine: Engine
) -> None:
    async with thinking(access, embedder, looking()) as mind:
        run = str((await call(mind, "detect_bias", ASKED["detect_bias"])).run_id)
        forked = await fork(mind, run, "tell")
        assert (await row_of(mind, str(forked.run_id))).status == "done"
    offline = await fork(engine, run, "measure")
    assert (await row_of(engine, str(offline.run_id))).status == "done"


def used(tool: str, *, offline: bool = True, **request: Any) -> tuple[str, ...]:
    return load_graph(tool).used({**ASKED[tool], **request}, offline=offline)


def test_the_parts_used_are_those_asked_for() -> None:
    assert used("assess_confidence") == ("confidenceAssessor",)
    assert used("detect_bias", offline=False) == ("biasDetector", "languageModel")
    assert used("detect_emotion") == ("emotionAnalyzer", "discreteEmotionClassifier")
    assert used("detect_emotion", includeDiscrete=False) == ("emotionAnalyzer",)
    whole = ("reasoningEvaluator", "confidenceAssessor", "biasDetector")
    assert used("evaluate", includeEmotion=False) == whole
    assert used("evaluate", includeEmotion=False, includeBias=False) == whole[:2]
    assert used("evaluate", includeEmotion=False, includeConfidence=False) == whole[::2]
    assert used("evaluate")[3:] == ("emotionAnalyzer", "discreteEmotionClassifier")


@pytest.mark.parametrize("tool", PARTS)
def test_the_number_of_steps_is_known_and_saving_hangs_on_the_language_model(tool: str) -> None:
    graph = load_graph(tool)
    assert graph.more_steps
    nodes = 3
    assert nodes + (graph.more_steps(ASKED[tool]) or 0) == 2 + len(PARTS[tool])
    assert (graph.saves({}, offline=True), graph.saves({}, offline=False)) == (False, True)
    assert {*graph.words} <= {*graph.build().nodes}
