"""`memory_similar`: a scale that holds, a floor that filters, every node found once stored."""

from __future__ import annotations

import math
from typing import Any

import pytest

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.errors import InvalidArgument
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.graph_memory.evidence import letter_similarity, similarity_score
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from reasonloom.stores.memory import memories
from tests.support.calls import call, remember
from tests.support.llms.embedders import LeavingEmbedder
from tests.support.memory.graph import add, change

FACTS = (
    "The rehearsal room in Graz costs 90 euros a month.", "Žofia plays the trumpet in the band.",
    "Собака Рекс боится грозы.", "会议室在三楼,靠近电梯。", "🎺🎺 Der Verstärker steht im Café.",
    "The invoice service uses Postgres.",
)  # fmt: skip


async def found(engine: Engine, owner: str = "local", **arguments: Any) -> list[dict[str, Any]]:
    outcome = await call(engine, "memory_similar", arguments, owner=owner)
    results: list[dict[str, Any]] = outcome.answer["results"]
    assert outcome.answer["count"] == len(results)
    assert [each["score"] for each in results] == sorted(
        (each["score"] for each in results), reverse=True
    )
    return results


async def filled(engine: Engine) -> list[int]:
    return [await add(engine, fact) for fact in FACTS]


@pytest.mark.parametrize("place", range(len(FACTS)))
async def test_the_same_text_is_wholly_alike_in_any_script(engine: Engine, place: int) -> None:
    ids = await filled(engine)
    [best, *others] = await found(engine, query_text=FACTS[place], min_similarity=0)
    assert (best["node_id"], best["content"]) == (ids[place], FACTS[place])
    assert best["score"] > 0.99
    assert all(each["score"] < 0.5 for each in others)


@pytest.mark.parametrize(
    ("asked", "place"),
    [
        ("Чего боится Рекс?", 2), ("电梯在哪里", 3), ("what does the rehearsal room cost", 0),
        ("Wo steht der Verstärker?", 4), ("Who plays the trumpet?", 1),
    ],
)  # fmt: skip
async def test_a_question_finds_its_memory_above_the_default(
    engine: Engine, asked: str, place: int
) -> None:
    ids = await filled(engine)
    assert [each["node_id"] for each in await found(engine, query_text=asked)][:1] == [ids[place]]


async def test_min_similarity_filters_and_the_best_below_it_is_told(engine: Engine) -> None:
    await filled(engine)
    question = "Which room is cheap?"
    every = await found(engine, query_text=question, min_similarity=0)
    best = every[0]["score"]
    assert all(0 < each["score"] <= 1 for each in every)
    kept = await found(engine, query_text=question, min_similarity=best)
    assert [each["score"] for each in kept] == [best]
    above = math.nextafter(best, 1)
    outcome = await call(
        engine, "memory_similar", {"query_text": question, "min_similarity": above}
    )
    assert outcome.answer == {"results": [], "count": 0}
    assert outcome.notes == [f"nothing reaches min_similarity {above:g}; the best has {best:g}"]


async def test_what_else_is_stored_does_not_move_the_meaning(
    engine: Engine, embedder: Embedder
) -> None:
    await add(engine, FACTS[1])
    alone = (await found(engine, query_text="a brass musician", min_similarity=0))[0]["score"]
    for place in range(30):
        await add(engine, f"A brass thing, number {place}, for a musician.")
    beside = await found(engine, query_text="a brass musician", min_similarity=0, top_k=50)
    [again] = [each["score"] for each in beside if each["content"] == FACTS[1]]
    assert again == pytest.approx(alone, abs=1e-3)
    assert alone == pytest.approx(
        similarity_score(
            cosine(await embedder.embed(["a brass musician", FACTS[1]])), 0, embedder.floor
        ),
        abs=2e-3,
    )


def cosine(pair: list[list[float]]) -> float:
    first, second = pair
    return sum(one * other for one, other in zip(first, second, strict=True))


async def test_a_vector_is_compared_exactly(engine: Engine, embedder: Embedder) -> None:
    await filled(engine)
    asked = "Who makes music?"
    vector, *stored = await embedder.embed([asked, *FACTS])
    every = await found(engine, query_vec=vector, min_similarity=0)
    wanted = {
        fact: max(0.0, cosine([vector, each])) for fact, each in zip(FACTS, stored, strict=True)
    }
    assert {each["content"]: each["score"] for each in every} == pytest.approx(wanted, abs=2e-3)
    for scale in (1e-300, 3e300):
        again = await found(engine, query_vec=[each * scale for each in vector], min_similarity=0)
        assert [each["score"] for each in again] == [each["score"] for each in every]


@pytest.mark.parametrize(
    ("vector", "told"),
    [
        ([0.5, 0.5, 0.5], "query_vec: has 3 numbers; .* makes vectors of 384"),
        ([], "query_vec: has 0 numbers; .* makes vectors of 384"),
        ([0.0] * 384, "query_vec: must not be all zeros"),
        ([math.nan] * 384, "query_vec.0: must be a finite number"),
        ([1.0, -math.inf], "query_vec.1: must be a finite number"),
        (["1"], "query_vec.0: must be a number"),
        ([10**400], "query_vec.0: must be a number"),
    ],
)
async def test_a_vector_that_none_could_be_is_refused(
    engine: Engine, vector: list[Any], told: str
) -> None:
    with pytest.raises(InvalidArgument, match=told):
        await found(engine, query_vec=vector)


@pytest.mark.parametrize("given", [{}, {"query_text": "a", "query_vec": [1.0]}])
async def test_one_of_text_and_vector_is_given(engine: Engine, given: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument, match="give either query_text or query_vec"):
        await found(engine, **given)


async def test_types_narrow_and_unknown_ones_are_refused(engine: Engine) -> None:
    await add(engine, "The band practises on Monday.")
    skill = await add(engine, "How the band practises scales.", event_type="skill")
    asked: dict[str, Any] = {"query_text": "the band practises", "min_similarity": 0.0}
    assert [each["node_id"] for each in await found(engine, **asked, event_types=["skill"])] == [
        skill
    ]
    with pytest.raises(InvalidArgument, match=r"event_types\.0: must be one of"):
        await found(engine, **asked, event_types=["skil"])


@pytest.mark.parametrize("by", ["text", "vector"])
async def test_superseded_hidden_derived_and_foreign_nodes_are_not_found(
    engine: Engine, access: Access, caller: Caller, embedder: Embedder, by: str
) -> None:
    old = await add(engine, "The office is in Graz.")
    new = await add(engine, "The office is in Linz.", (old, "supersedes"))
    hidden = await add(engine, "The office is in Wien.")
    derived = await add(engine, "The office is in Rom.")
    await add(engine, "The office is in Köln.", owner="other")
    async with engine.loom.database.begin(caller) as tx:
        await memories.hide(tx, hidden, engine.loom.clock())
    change(access, "UPDATE memories SET source_kind = 'derived' WHERE owner = 'local' AND id = %s",
           derived)  # fmt: skip
    asked: dict[str, Any] = {"query_text": "Where is the office?"}
    if by == "vector":
        asked = {"query_vec": (await embedder.embed(["Where is the office?"]))[0]}
    assert [each["node_id"] for each in await found(engine, **asked, min_similarity=0)] == [new]
    theirs = await found(engine, owner="other", **asked, min_similarity=0)
    assert [each["content"] for each in theirs] == ["The office is in Köln."]


async def test_what_was_stored_is_found_at_once_and_after_a_restart(
    engine: Engine, settings: Settings, access: Access, embedder: Embedder
) -> None:
    first = await add(engine, "Der Schlüssel liegt unter der Fußmatte.")
    assert (await found(engine, query_text="Wo liegt der Schlüssel?"))[0]["node_id"] == first
    async with open_engine(settings, access=access, embedder=embedder) as restarted:
        second = await add(restarted, "Der Schlüssel vom Keller hängt am Haken.")
        hits = await found(restarted, query_text="Schlüssel vom Keller", min_similarity=0)
        assert {each["node_id"] for each in hits} == {first, second}
        assert hits[0]["node_id"] == second
        stored = await remember(restarted, "Ключ от гаража у соседа.")
        [hit] = await found(restarted, query_text="Где ключ от гаража?")
        assert f"mem-{hit['node_id']}" == stored


async def test_without_an_embedder_words_alone_are_compared_and_it_says_so(
    settings: Settings, access: Access, embedder: Embedder
) -> None:
    leaving = LeavingEmbedder(embedder)
    async with open_engine(settings, access=access, embedder=leaving) as engine:
        node = await add(engine, FACTS[0])
        leaving.gone = True
        outcome = await call(engine, "memory_similar", {"query_text": "a rehearsal room in Graz"})
    assert [(each["node_id"], each["score"]) for each in outcome.answer["results"]] == [(node, 1.0)]
    assert any(note.startswith("dense search is off") for note in outcome.notes)


async def test_nothing_alike_is_said(engine: Engine) -> None:
    outcome = await call(engine, "memory_similar", {"query_text": "anything"})
    assert outcome.notes == ["nothing stored shares a word or a meaning with it"]


@pytest.mark.parametrize(
    ("cosine_", "words", "floor", "told"),
    [
        (1.0, 1.0, 0.16, 1.0), (0.58, 0.0, 0.16, 0.5), (0.16, 0.0, 0.16, 0.0),
        (None, 0.5, 0.2, 0.5), (-0.3, 0.0, 0.16, 0.0), (None, 0.25, None, 0.5),
        (0.6, 0.5, 0.2, math.sqrt(0.5)),
    ],
)  # fmt: skip
def test_the_scale_is_as_documented(
    cosine_: float | None, words: float, floor: float | None, told: float
) -> None:
    assert similarity_score(cosine_, words, floor) == pytest.approx(told)


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
    assert letter_similarity(one, other) == letter_similarity(other, one) == pytest.approx(share)
