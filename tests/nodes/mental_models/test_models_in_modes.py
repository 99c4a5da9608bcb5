"""Modes hear the mental models that fit their problem, and what those predict is kept."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from reasonloom.compose import open_engine
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from tests.support.calls import call
from tests.support.llms.answering import AnsweringLlm, words_of
from tests.support.reasoning.mental_models import a_basin

FIRES = "My boss keeps moving the deadline, I can't sleep. What should I do?"
SILENT = "I stressed the work piece until it broke. What should I do?"
EXPECTED = "likely experiencing anxiety about performance"
TEMPLATE = {
    "trigger": "user mentions work stress",
    "predict": EXPECTED,
    "suggest": "acknowledge feelings before problem-solving",
}


async def a_model(engine: Engine, access: Access, name: str = "Муки 😰", **more: Any) -> str:
    given = {"name": name, "domain": "user", "prediction_templates": [TEMPLATE], **more}
    given["basin_ids"] = [a_basin(access.admin, owner=more.pop("owner", "local"))]
    return str((await call(engine, "create_model", given)).answer["model_id"])


def kept(access: Access) -> list[tuple[Any, ...]]:
    with psycopg.connect(access.admin) as connection:
        return connection.execute(
            "SELECT tool, content, context, owner FROM reasonloom.predictions ORDER BY made_at"
        ).fetchall()


@pytest.mark.parametrize(
    ("tool", "field", "more"),
    [
        ("think", "problem", {"mode": "analytical"}),
        ("ponder", "problem", {}),
        ("reasoning_auto", "content", {}),
    ],
)
async def test_a_model_that_fits_is_heard_and_its_prediction_kept(
    engine: Engine, access: Access, tool: str, field: str, more: dict[str, Any]
) -> None:
    await a_model(engine, access)
    silent = await call(engine, tool, {field: SILENT, **more})
    assert not any("mental model" in note for note in silent.notes)
    assert kept(access) == []
    told = await call(engine, tool, {field: FIRES, **more})
    (note,) = [note for note in told.notes if "mental model 'Муки 😰' fits" in note]
    assert kept(access) == [(tool, EXPECTED, FIRES, "local")]
    (row,) = (await call(engine, "list_models", {})).answer["models"]
    got = await call(engine, "get_model", {"model_id": row["id"], "include_predictions": True})
    assert got.answer["predictions"][0]["id"] in note
    again = await call(engine, tool, {field: FIRES, **more})
    assert note in again.notes  # the prediction that is open is the same one
    assert len(kept(access)) == 1


async def test_the_language_model_is_told_what_the_model_expects(
    settings: Settings, access: Access, embedder: Embedder
) -> None:
    vote = {"mode": "linear", "confidence": 0.5, "rationale": "short"}
    llm = AnsweringLlm(mode=vote, reasoning=ValueError("unused"))
    async with open_engine(settings, access=access, embedder=embedder, llm=llm) as engine:
        await a_model(engine, access)
        await call(engine, "reasoning_auto", {"content": FIRES})
        asked = words_of(llm.asked["mode"][0])
    assert f"Mental model 'Муки 😰' (nothing of it is resolved yet) expects: {EXPECTED}" in asked
    assert "It suggests: acknowledge feelings" in asked


async def test_models_of_others_and_deprecated_ones_are_not_heard(
    engine: Engine, access: Access
) -> None:
    model = await a_model(engine, access)
    foreign = await call(engine, "think", {"problem": FIRES, "mode": "critical"}, owner="ben")
    assert not any("mental model" in note for note in foreign.notes)
    await call(engine, "activate_model", {"model_id": model, "status": "deprecated"})
    late = await call(engine, "think", {"problem": FIRES, "mode": "critical"})
    assert not any("mental model" in note for note in late.notes)
    assert kept(access) == []


async def test_a_server_that_only_reads_keeps_no_prediction(
    settings: Settings, access: Access, embedder: Embedder, engine: Engine
) -> None:
    await a_model(engine, access)
    reading = settings.model_copy(update={"read_only": True})
    async with open_engine(reading, access=access, embedder=embedder) as other:
        told = await call(other, "reasoning_auto", {"content": FIRES})
    assert any("not kept: read-only" in note for note in told.notes)
    assert kept(access) == []
