"""Waypoints lead to the most alike of the owner's memories, few out of and few into each."""

from __future__ import annotations

import asyncio
import unicodedata
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.memory.new_memory import emotion_of, salience_of, specificity_of
from reasonloom.stores.memory import memory_links
from tests.support.calls import call, remember


@pytest.mark.parametrize(
    ("content", "importance", "expected"),
    [
        ("Green tea is kept in the tin.", 0.5, 0.5),
        ("Green tea is kept in the tin.", 0.9, 0.7),
        ("Green tea is kept in the tin.", 0.0, 0.25),
        ("Never serve coffee.", 0.5, 0.55),
        ("Never say never, never", 0.5, 0.55),  # distinct words
        ("Important, urgent, critical: always remember the key.", 1.0, 0.9),  # at most three
        ("She was happy.", 0.5, 0.525),
        ("She was not happy.", 0.5, 0.525),  # a negated feeling counts alike
        ("She was furious and happy.", 0.5, 0.55),  # the strongest
        ("Look!", 0.5, 0.525),
        ("The train leaves at 22:40.", 0.5, 0.51),  # one number
        ("It met Anna, and Anna met Ben.", 0.5, 0.52),  # two names
        ("Es ist wichtig, niemals zu spät zu sein.", 0.5, 0.6),
        ("Siempre es urgente.", 0.5, 0.6),
        ("Il ne faut jamais oublier ce délai.", 0.5, 0.6),
        ("必ず覚えてください", 0.5, 0.5),  # not a language that is read
        ("", 0.5, 0.5),
    ],
)
def test_the_figure_is_the_formulas(content: str, importance: float, expected: float) -> None:
    assert salience_of(content, importance) == pytest.approx(expected)


def test_all_parts_together_reach_one() -> None:
    text = "Always remember this deadline: hate it in Oslo with Ben at 22:40 on 3/4/2026 for 7!"
    assert (emotion_of(text), specificity_of(text)) == (1.0, 1.0)
    assert salience_of(text, 1.0) == 1.0


def test_a_beginning_of_a_sentence_is_no_name() -> None:
    assert specificity_of("Then they left. Nobody stayed. It rained") == 0.0
    assert specificity_of("I think I know") == 0.0


@given(st.text(), st.floats(0, 1), st.floats(0, 1))
def test_it_is_bounded_and_rises_with_importance(content: str, one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert 0.25 <= salience_of(content, low) <= salience_of(content, high) <= 1


@given(st.text(st.characters(categories=["Ll", "Lu", "Zs"])))
def test_it_does_not_depend_on_how_letters_are_composed(content: str) -> None:
    composed, apart = (unicodedata.normalize(form, content) for form in ("NFC", "NFD"))
    assert salience_of(composed, 0.5) == salience_of(apart, 0.5)


EDGES = text(
    "SELECT source_id, target_id, type, weight, origin FROM edges "
    "WHERE origin <> 'may_replace' ORDER BY 1, 2"
)
PLACES = """bridge market harbour castle museum stadium library bakery prison garden airport
    church school forest island factory theatre hospital tunnel tower""".split()  # noqa: SIM905


async def edges(engine: Engine, caller: Caller | None = None) -> list[Any]:
    async with engine.loom.database.begin(caller or Caller("local")) as tx:
        return list(await tx.all(EDGES))


async def lead(engine: Engine, source: int, weight: float, target: int = 1) -> int:
    async with engine.loom.database.begin(Caller("local")) as tx:
        origins = {target: memory_links.WAYPOINT}
        return await memory_links.link_waypoints(tx, source, {target: weight}, origins=origins)


async def unlike(engine: Engine, count: int) -> None:
    """Store memories without any link."""
    for number in range(count):
        await remember(engine, f"{number}{number}")
    async with engine.loom.database.begin(Caller("local")) as tx:
        await tx.run(text("DELETE FROM edges"))


async def test_at_most_three_lead_out_and_as_many_are_told(engine: Engine) -> None:
    for place in PLACES:
        arguments = {
            "content": f"Anna likes to walk to the old {place} in the evening.",
            "userId": "local", "sessionId": "s", "primarySector": "episodic",
        }  # fmt: skip
        told = (await call(engine, "remember", arguments)).answer["linksCreated"]
    found = await edges(engine)
    outward = Counter(edge.source_id for edge in found)
    assert max(outward.values()) == 3
    assert told == outward[len(PLACES)] > 0
    assert {edge.type for edge in found} == {"related_to"}
    assert all(0.45 <= edge.weight <= 1 for edge in found)


async def test_many_that_are_like_one_do_not_all_lead_to_it(engine: Engine) -> None:
    await remember(engine, "Anna likes to walk to the old town in the evening.")
    for place in PLACES * 2:
        await remember(engine, f"Anna likes to walk to the {place} in the evening.")
    for origin in memory_links.ORIGINS:
        inward = Counter(edge.target_id for edge in await edges(engine) if edge.origin == origin)
        assert all(count <= memory_links.MOST_INWARD for count in inward.values())


async def test_a_stronger_link_takes_the_weakest_ones_place(engine: Engine) -> None:
    await unlike(engine, 17)
    made = [await lead(engine, source, 0.5 + source / 100) for source in range(2, 14)]
    assert made == [1] * 12
    assert await lead(engine, 14, 0.515) == 0  # weaker than all twelve
    assert await lead(engine, 14, 0.52) == 0  # as strong as the weakest
    assert await lead(engine, 14, 0.9) == 1
    sources = {edge.source_id for edge in await edges(engine)}
    assert sources == set(range(3, 15))
    assert await lead(engine, 14, 0.9) == 0  # is there
    assert len(await edges(engine)) == 12


async def test_links_of_another_kind_are_neither_counted_nor_removed(engine: Engine) -> None:
    await unlike(engine, 30)
    async with engine.loom.database.begin(Caller("local")) as tx:
        await tx.run(
            text(
                "INSERT INTO edges (owner, source_id, target_id, type, weight, origin) "
                "SELECT 'local', n, 1, 'supports', 0.1, 'user' FROM generate_series(2, 20) AS n"
            )
        )
    assert [await lead(engine, source, 0.5) for source in range(2, 15)] == [1] * 12 + [0]
    assert await lead(engine, 21, 0.9) == 1
    kinds = Counter(edge.type for edge in await edges(engine))
    assert kinds == {"supports": 19, "related_to": 12}


async def test_what_replaces_at_once_neither_fails_nor_overflows(engine: Engine) -> None:
    await unlike(engine, 60)
    for source in range(2, 14):
        await lead(engine, source, 0.5)
    await asyncio.gather(*(lead(engine, source, 0.6 + source / 1000) for source in range(14, 60)))
    await lead(engine, 60, 0.99)  # brings what two at once made too many back within the bound
    inward = Counter(edge.target_id for edge in await edges(engine))
    assert inward == {1: memory_links.MOST_INWARD}


async def test_no_link_crosses_spaces_or_owners_or_leads_to_a_thought(engine: Engine) -> None:
    await remember(engine, "Anna likes green tea in the morning.", userId="guest")
    await remember(engine, "Anna likes green tea in the morning.", owner="ben")
    await call(engine, "reasoning_linear", {"content": "Does Anna like green tea in the morning?"})
    arguments = {
        "content": "Does Anna like green tea in the morning?",
        "userId": "local", "sessionId": "s", "primarySector": "semantic",
    }  # fmt: skip
    outcome = await call(engine, "remember", arguments)
    assert (outcome.answer["linksCreated"], outcome.notes) == (0, [])
    assert await edges(engine) == []
