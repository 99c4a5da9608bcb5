"""memory_suggest: the nearest of what is stored, misspelt or half remembered, on one scale."""

from __future__ import annotations

from typing import Any

import pytest

from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.graph_memory.spelling import likeness
from tests.support.calls import call
from tests.support.memory.graph_memory import add


async def suggest(engine: Engine, text: str, **more: Any) -> tuple[dict[str, Any], list[str]]:
    owner = more.pop("owner", "local")
    outcome = await call(engine, "memory_suggest", {"query": text, **more}, owner=owner)
    return outcome.answer, outcome.notes


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("The telescope stands on the roof", "telesocpe"),
        ("Die Straßenbahn fährt nach Köpenick", "Straßenban nach Kopenick"),
        ("Библиотека работает в субботу", "библеотека"),
        ("Le château d'Étampes est fermé 🏰", "chateua"),
    ],
)
async def test_a_misspelt_word_finds_what_is_meant(engine: Engine, stored: str, asked: str) -> None:
    node = await add(engine, stored)
    await add(engine, "Bananas are yellow")
    await add(engine, "東京の図書館は静かだ")
    answer, notes = await suggest(engine, asked)
    assert answer["results"][0]["node_id"] == node
    assert any("read as" in note for note in notes)


async def test_scores_are_of_one_scale_and_fall_with_the_spelling(engine: Engine) -> None:
    node = await add(engine, "The telescope stands on the roof")
    exact, notes = await suggest(engine, "telescope on the roof")
    wrong, _ = await suggest(engine, "telesocpe on the roof")
    assert exact["results"][0]["node_id"] == wrong["results"][0]["node_id"] == node
    assert 0 < wrong["results"][0]["score"] < exact["results"][0]["score"] <= 1
    assert notes == []


async def test_the_farther_the_spelling_the_lower_the_score(engine: Engine) -> None:
    node = await add(engine, "The telescope stands on the roof")
    scores = []
    for asked in ("telescoep", "telxscoqe"):
        answer, _ = await suggest(engine, asked)
        assert answer["results"][0]["node_id"] == node
        scores.append(answer["results"][0]["score"])
    assert scores[0] > scores[1] > 0


async def test_the_limit_and_owners(engine: Engine) -> None:
    for number in range(4):
        await add(engine, f"Kayak number {number}")
    await add(engine, "Kayak of another", owner="other")
    answer, _ = await suggest(engine, "kayak", limit=2)
    assert answer["count"] == len(answer["results"]) == 2
    every, _ = await suggest(engine, "kayak", limit=50)
    assert "Kayak of another" not in {each["content"] for each in every["results"]}
    nothing, _ = await suggest(engine, "kayka", owner="third")
    assert nothing == {"results": [], "count": 0}


async def test_what_is_superseded_is_not_suggested(engine: Engine) -> None:
    old = await add(engine, "The café closes at six")
    new = await add(engine, "The café closes at seven", (old, "supersedes"))
    answer, _ = await suggest(engine, "caffé closes")
    assert [each["node_id"] for each in answer["results"]] == [new]


@pytest.mark.parametrize(
    ("one", "other", "share"),
    [("kayak", "kayak", 1.0), ("kayka", "kayak", 0.8), ("a", "b", 0.0), ("東京都", "東京", 2 / 3)],
)
def test_likeness_counts_letters(one: str, other: str, share: float) -> None:
    assert likeness(one, other) == likeness(other, one) == pytest.approx(share)
