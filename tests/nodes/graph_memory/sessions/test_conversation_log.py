"""Conversations are kept as what was said, by whom, in the session's chain."""

from __future__ import annotations

import pytest

from reasonloom.contracts.caller import Caller
from reasonloom.errors import InvalidArgument
from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.access import Access
from tests.support.calls import call, recalled
from tests.support.memory.graph import query
from tests.support.memory.graph_sessions import ME, answer, call_as, fact, is_one_chain, nodes

ASKED = "Où est le sel ? «Соль» 塩 🧂"
ANSWERED = "It stands in the upper cupboard, sagte ich."
ROWS = (
    """SELECT content, event_type, source_kind, category, tags, context FROM memories ORDER BY id"""
)
OTHER = Caller("other", client="desk")


async def test_what_was_said_is_kept_as_it_was_said(engine: Engine, access: Access) -> None:
    logged = await answer(
        engine, "conversation_log", user_message=ASKED, agent_response=ANSWERED, topic="cuisine-é"
    )
    assert logged == {"node_id": 2, "session_id": 1, "node_ids": [1, 2]}
    assert query(access, ROWS) == [
        (ASKED, "episode", "user", "user_message", ["cuisine-é"], "cuisine-é"),
        (ANSWERED, "episode", "tool", "agent_response", ["cuisine-é"], "cuisine-é"),
    ]


@pytest.mark.parametrize(
    ("given", "kind", "category"),
    [
        ({"user_message": ASKED}, "user", "user_message"),
        ({"agent_response": ASKED}, "tool", "agent_response"),
    ],
)
async def test_one_side_alone_is_one_node(
    engine: Engine, access: Access, given: dict[str, str], kind: str, category: str
) -> None:
    logged = await answer(engine, "conversation_log", ME, **given)
    assert logged == {"node_id": 1, "session_id": 1, "node_ids": [1]}
    assert query(access, ROWS) == [(ASKED, "episode", kind, category, [], None)]


@pytest.mark.parametrize("given", [{}, {"topic": "debugging"}, {"user_message": None}])
async def test_neither_side_is_an_error_that_names_both(
    engine: Engine, access: Access, given: dict[str, str]
) -> None:
    with pytest.raises(InvalidArgument, match="user_message or agent_response"):
        await answer(engine, "conversation_log", ME, **given)
    assert query(access, "SELECT count(*) FROM sessions") == [(0,)]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"user_message": "  "}, "user_message"),
        ({"user_message": "hello", "agent_response": "\u202e"}, "agent_response"),
        ({"user_message": "hello", "topic": "\u202e"}, "topic"),
    ],
)
async def test_what_nobody_can_see_is_refused_and_nothing_is_stored(
    engine: Engine, access: Access, given: dict[str, str], field: str
) -> None:
    with pytest.raises(InvalidArgument) as refused:
        await answer(engine, "conversation_log", ME, **given)
    assert refused.value.field == field
    assert query(access, "SELECT count(*) FROM memories") == [(0,)]


async def test_the_same_words_again_are_said_again(engine: Engine, access: Access) -> None:
    for _ in range(3):
        await answer(engine, "conversation_log", user_message="ja", agent_response="ja")
    assert nodes(access, 1) == [1, 2, 3, 4, 5, 6]
    assert is_one_chain(access, 1)


async def test_turns_and_facts_follow_one_another_in_one_chain(
    engine: Engine, access: Access
) -> None:
    await fact(engine, "Vorher.")
    await answer(engine, "conversation_log", user_message="Q", agent_response="A")
    await fact(engine, "Nachher.")
    assert nodes(access, 1) == [1, 2, 3, 4]
    assert is_one_chain(access, 1)


async def test_what_was_said_is_found_by_recall_and_by_likeness(engine: Engine) -> None:
    await answer(engine, "conversation_log", user_message="The печь of hall nine is broken.")
    await fact(engine, "Anna likes tea.")
    assert (await recalled(engine, "What about the печь?"))[0].startswith("The печь")
    found = await answer(engine, "memory_similar", query_text="печь", min_similarity=0.0)
    assert found["results"][0]["node_id"] == 1


async def test_words_of_the_wiring_are_not_found(engine: Engine) -> None:
    await answer(
        engine, "conversation_log", user_message="Blue.", agent_response="Noted.", topic="walls"
    )
    for wiring in ("user", "agent", "message", "response", "topic", "user_message"):
        asked = {"userId": "local", "text": wiring}
        assert (await call(engine, "search", asked)).answer["memories"] == []


async def test_one_sides_words_can_be_asked_for(engine: Engine) -> None:
    await answer(engine, "conversation_log", user_message="Rote Rosen?", agent_response="Rosen!")
    for category, content in (("user_message", "Rote Rosen?"), ("agent_response", "Rosen!")):
        only = {"category": category}
        assert await recalled(engine, "Rosen", metadata=only) == [content]


async def test_hidden_characters_are_taken_out_and_said(engine: Engine, access: Access) -> None:
    outcome = await call_as(engine, "conversation_log", user_message="a\u202eb")
    assert query(access, "SELECT content FROM memories") == [("ab",)]
    assert any("removed" in note for note in outcome.notes)


async def test_nobody_else_sees_it(engine: Engine) -> None:
    await answer(engine, "conversation_log", user_message="Geheimnis 42")
    assert await recalled(engine, "Geheimnis 42", owner="other") == []
    logged = await answer(engine, "conversation_log", OTHER, user_message="Hallo")
    assert logged == {"node_id": 1, "session_id": 1, "node_ids": [1]}
