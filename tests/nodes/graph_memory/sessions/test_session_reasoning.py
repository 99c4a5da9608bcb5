"""Ending sessions: what was reasoned in them goes into the episode, and what was forgotten not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.answers import Given, GivenReply, answer_run
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Ask
from reasonloom.llm.offline.model import OfflineModel
from reasonloom.nodes.graph_memory.session_end import EXTRACT_LIMIT
from reasonloom.stores.access import Access
from tests.support.calls import call
from tests.support.llms.answering import AnsweringLlm, words_of
from tests.support.llms.embedders import PausingEmbedder
from tests.support.llms.exploration import ExploringLlm
from tests.support.memory.graph import query
from tests.support.memory.graph_sessions import ME, answer, call_as, fact

PHONE = replace(ME, client="phone")
OTHER = replace(ME, owner="other")
ELSEWHERE = replace(ME, project="another")
SAID = {"summary": "Postgres was chosen; Redis loses writes.", "confidence": 0.8}


def thinker(engine: Engine, *thoughts: str, **answers: Any) -> AnsweringLlm:
    """Let a language model reason: each step is the next of `thoughts`."""
    left = iter(thoughts)

    def think(ask: Ask) -> dict[str, Any]:
        return {"thought": next(left), "confidence": 0.7}

    llm = AnsweringLlm(thought=think, summary=SAID, **answers)
    engine.loom = replace(engine.loom, llm=llm)
    return llm


def offline(engine: Engine) -> None:
    engine.loom = replace(engine.loom, llm=OfflineModel())


async def linear(engine: Engine, caller: Caller = ME, **more: Any) -> Any:
    arguments = {"content": "Which database do we take?", **more}
    return await answer(engine, "reasoning_linear", caller, **arguments)


async def test_the_episode_holds_what_was_concluded_and_what_was_left_and_why(
    engine: Engine,
) -> None:
    await fact(engine, "The team knows Postgres.")
    thinker(engine, "Start from the load.", "Redis is fastest.", "Postgres keeps every write.")
    first = await linear(engine)
    session = {"session_id": first["session_id"]}
    point = await answer(engine, "reasoning_checkpoint_create", **session, name="before Redis")
    await linear(engine, **session, content="And Redis?")
    await answer(
        engine,
        "reasoning_backtrack",
        checkpoint_id=point["id"],
        new_direction="No write may be lost.",
    )
    offline(engine)
    outcome = await call_as(engine, "session_end")
    assert outcome.answer["summary"].splitlines() == [
        "The team knows Postgres.",
        "Concluded on No write may be lost.: Postgres keeps every write.",
        "Rejected: Redis is fastest. (left for: No write may be lost.)",
    ]
    assert outcome.answer["node_count"] == 1


async def test_a_trees_other_branches_are_told_with_their_scores_and_the_reason(
    engine: Engine,
) -> None:
    await answer(engine, "session_start")
    engine.loom = replace(engine.loom, llm=ExploringLlm())
    await answer(engine, "reasoning_tree", content="What is it?")
    offline(engine)
    concluded, *rejected = (await answer(engine, "session_end"))["summary"].splitlines()
    assert concluded.startswith("Concluded on What is it?: It is the harbour")
    better = "By harbour was recommended: `By harbour` holds."
    assert rejected == [
        f"Rejected: By {word}: It is the {word}. (it scored 0.45; {better})"
        for word in ("violin", "granite", "pepper")
    ]


async def test_a_language_model_reads_the_reasoning_newest_first(engine: Engine) -> None:
    await fact(engine, "The team knows Postgres.")
    llm = thinker(engine, "Take Postgres.", "Use one replica.")
    await linear(engine)
    await linear(engine, content="How many replicas?")
    ended = await answer(engine, "session_end")
    assert (ended["summary"], ended["summarised_by"]) == (SAID["summary"], "llm")
    words = words_of(llm.asked["summary"][0])
    assert "- fact: The team knows Postgres." in words
    newest = words.index("- concluded on How many replicas?: Use one replica.")
    assert newest < words.index("- concluded on Which database do we take?: Take Postgres.")


async def test_a_caller_is_given_the_reasoning_to_sum_up(engine: Engine) -> None:
    await answer(engine, "session_start")
    thinker(engine, "Take Postgres.")
    await linear(engine)
    offline(engine)
    first = await call_as(engine, "session_end", asks_caller=True)
    assert first.round is not None
    (asked,) = first.round.questions
    assert "- concluded on Which database do we take?: Take Postgres." in asked.user_text
    given = Given([GivenReply(asked.id, SAID)])
    ended = (await answer_run(engine, ME, str(first.run_id), given)).outcome.answer
    assert (ended["summary"], ended["summarised_by"]) == (SAID["summary"], "llm")


async def test_reasoning_alone_makes_an_episode_and_only_new_reasoning_another(
    engine: Engine,
) -> None:
    await answer(engine, "session_start")
    thinker(engine, "Take Postgres.", "Use one replica.")
    await linear(engine)
    offline(engine)
    first = await answer(engine, "session_end")
    assert "Take Postgres." in first["summary"]
    await answer(engine, "session_start", session_id=first["session_id"])
    assert (await answer(engine, "session_end"))["episode_id"] == first["episode_id"]
    await answer(engine, "session_start", session_id=first["session_id"])
    thinker(engine, "Use one replica.")
    await linear(engine, content="How many replicas?")
    offline(engine)
    second = await answer(engine, "session_end")
    assert second["episode_id"] > first["episode_id"]
    assert second["summary"].splitlines() == [
        "Concluded on How many replicas?: Use one replica.",
        "Concluded on Which database do we take?: Take Postgres.",
    ]


async def test_what_another_reasoned_is_no_part_of_the_episode(engine: Engine) -> None:
    thinker(
        engine, "Earlier.", "Other owner.", "Other client.", "Other project.", "Mine.", "Later."
    )
    await linear(engine)
    await fact(engine, "We meet at noon.")
    for caller in (OTHER, PHONE, ELSEWHERE, ME):
        await linear(engine, caller)
    offline(engine)
    ended = await answer(engine, "session_end")
    assert ended["summary"].splitlines() == [
        "We meet at noon.",
        "Concluded on Which database do we take?: Mine.",
    ]


async def test_what_was_reasoned_in_a_later_session_stays_there(engine: Engine) -> None:
    first = await fact(engine, "We meet at noon.")
    await answer(engine, "session_end", create_episode=False)
    thinker(engine, "Between.", "In the second.")
    await linear(engine)
    later = await answer(engine, "memory_add", event_type="fact", content="We meet at one.")
    await linear(engine)
    offline(engine)
    ended = await answer(engine, "session_end", session_id=1)
    assert (first, ended["summary"]) == (1, "We meet at noon.")
    second = await answer(engine, "session_end", session_id=later["session_id"])
    assert second["summary"].splitlines()[1:] == [
        "Concluded on Which database do we take?: In the second."
    ]


async def test_without_a_language_model_nothing_was_concluded(engine: Engine) -> None:
    await fact(engine, "We meet at noon.")
    await linear(engine)
    assert (await answer(engine, "session_end"))["summary"] == "We meet at noon."


async def test_forgotten_content_does_not_come_back_through_the_reasoning(engine: Engine) -> None:
    secret = await fact(engine, "The vault of the database opens with 4711.")
    hidden = await fact(engine, "The database in the cellar is called Ida.")
    for soft, node in ((False, secret), (True, hidden)):
        thinker(engine, "The vault opens with 4711, and Ida is in the cellar.")
        await linear(engine)
        await call(engine, "forget", {"memoryId": f"mem-{node}", "userId": "local", "soft": soft})
    offline(engine)
    await fact(engine, "We meet at noon.")
    assert (await answer(engine, "session_end"))["summary"] == "We meet at noon."


async def test_a_conclusion_that_was_forgotten_itself_is_left_out(
    engine: Engine, access: Access
) -> None:
    await fact(engine, "We meet at noon.")
    thinker(engine, "The vault opens with 4711.")
    await linear(engine)
    ((kept,),) = query(access, "SELECT id FROM memories WHERE content LIKE '%%4711%%'")
    await call(engine, "forget", {"memoryId": f"mem-{kept}", "userId": "local", "soft": True})
    offline(engine)
    assert (await answer(engine, "session_end"))["summary"] == "We meet at noon."


async def test_an_end_that_told_of_what_is_forgotten_later_is_redacted(
    engine: Engine, access: Access
) -> None:
    secret = await fact(engine, "The vault of the database opens with 4711.")
    await answer(engine, "session_end", create_episode=False)
    await answer(engine, "session_start")
    thinker(engine, "The vault opens with 4711.")
    await linear(engine)
    offline(engine)
    assert "4711" in (await answer(engine, "session_end"))["summary"]
    await call(engine, "forget", {"memoryId": f"mem-{secret}", "userId": "local", "soft": False})
    kept = "SELECT tool FROM runs WHERE CAST(output AS text) LIKE '%%4711%%'"
    assert query(access, kept) == []


async def test_the_listing_is_bounded(engine: Engine) -> None:
    await fact(engine, "We meet at noon.")
    thinker(engine, *(f"Take number {n} of many, " + "and so on " * 40 for n in range(12)))
    for n in range(12):
        await linear(engine, content=f"Which of them, {n}?")
    offline(engine)
    told = (await answer(engine, "session_end"))["summary"]
    assert len(told) <= EXTRACT_LIMIT
    assert told.startswith("We meet at noon.\nConcluded on Which of them, 11?: Take number 11")


async def test_what_is_concluded_while_it_is_summed_up_is_told_to_be_left_out(
    engine: Engine,
) -> None:
    await fact(engine, "We meet at noon.")
    thinker(engine, "Take Postgres.")
    pausing = PausingEmbedder(engine.loom.embedder)
    engine.loom = replace(engine.loom, embedder=pausing)

    async def go_on() -> None:
        await linear(engine)

    pausing.meanwhile = go_on
    outcome = await call_as(engine, "session_end")
    assert outcome.answer["summary"] == SAID["summary"]
    assert any("some reasoning ended while" in note for note in outcome.notes)
