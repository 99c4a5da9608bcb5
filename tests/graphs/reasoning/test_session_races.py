"""Two engines think in one session at once: no thought is lost, doubled, or out of its place."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg

from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.stores.access import Access
from reasonloom.stores.sessions.full_sessions import FullSession
from tests.support.calls import call
from tests.support.llms.numbered import TellingLlm
from tests.support.reasoning.sessions import answered, lines, thinking, whole


@asynccontextmanager
async def two(access: Access, embedder: Embedder, llm: TellingLlm) -> AsyncIterator[list[Engine]]:
    async with thinking(access, embedder, llm) as one, thinking(access, embedder, llm) as other:
        yield [one, other]


def check(session: FullSession, llm: TellingLlm) -> None:
    """Hold a session against what must be true of any."""
    positions = [each.position for each in session.thoughts]
    assert positions == list(range(1, len(positions) + 1))
    for made in (session.branches, session.checkpoints):
        numbers = [each.number for each in made]
        assert len(set(numbers)) == len(numbers)
    assert max(Counter(each.input for each in session.thoughts).values()) == 1
    ways = lines(session)
    reached = {content for way in ways.values() for content in way}
    assert reached == {each.content for each in session.thoughts}, "a thought on no branch's line"
    contents = {each.id: each.content for each in session.thoughts}
    parents = {each.id: each.parent_id for each in session.thoughts}
    for each in session.thoughts:
        way, at = [], each.parent_id
        while at is not None:
            way.append(contents[at])
            at = parents[at]
        assert llm.seen[each.input] == way[::-1], "a thought hangs where it was not reasoned from"


async def test_steps_at_once_keep_their_true_parents_on_branches_of_their_own(
    access: Access, embedder: Embedder
) -> None:
    llm = TellingLlm(seconds=0.3)
    async with two(access, embedder, llm) as engines:
        session = (await answered(engines[0], "linear", content="first"))["session_id"]
        jobs = [
            call(engines[n % 2], "reasoning_linear", {"content": f"s{n}", "session_id": session})
            for n in range(6)
        ]
        outcomes = await asyncio.gather(*jobs)
        found = await whole(engines[0], session)
        check(found, llm)
        assert len(found.thoughts) == 7
        assert {tuple(llm.seen[f"s{n}"]) for n in range(6)} == {("thought about first",)}
        on_main = [each for each in outcomes if each.answer["branch_id"] == session]
        assert len(on_main) == 1
        assert on_main[0].notes == []
        for each in outcomes:
            if each is not on_main[0]:
                assert each.answer["branch_id"] in each.notes[0]
        assert Counter(each.name for each in found.branches) == {"main": 1, "fork of main": 5}
        await answered(engines[1], "linear", content="next", session_id=session)
        assert llm.seen["next"] == ["thought about first", on_main[0].answer["content"]]
        check(await whole(engines[0], session), llm)


async def test_whatever_two_engines_do_in_one_session_at_once_it_stays_a_tree(
    access: Access, embedder: Embedder
) -> None:
    llm = TellingLlm(seconds=0.02)
    async with two(access, embedder, llm) as engines:
        session = (await answered(engines[0], "linear", content="first"))["session_id"]
        point = await answered(engines[0], "checkpoint_create", session_id=session, name="p")

        async def busy(engine: Engine, name: str) -> None:
            for turn in range(4):
                word = f"{name}{turn}"
                await answered(engine, "linear", content=f"l{word}", session_id=session)
                await answered(engine, "checkpoint_create", session_id=session, name=word)
                await answered(engine, "backtrack", checkpoint_id=point["id"],
                               new_direction=f"d{word}" if turn % 2 else None)  # fmt: skip
                listed = await answered(engine, "tree_list", session_id=session)
                some = listed["branches"][turn % len(listed["branches"])]["id"]
                await answered(engine, "tree_focus", session_id=session, branch_id=some)
                await answered(engine, "tree_complete", session_id=session, branch_id=some,
                               state="completed")  # fmt: skip

        workers = [busy(engines[n % 2], "abcd"[n]) for n in range(4)]
        await asyncio.gather(*workers)
        found = await whole(engines[0], session)
        check(found, llm)
        assert len(found.thoughts) == 1 + 4 * (4 + 2)
        assert len(found.checkpoints) == 1 + 16
        assert found.session.active_branch_id in {each.id for each in found.branches}
    with psycopg.connect(access.admin) as connection:
        rows = connection.execute("SELECT state FROM state_snapshots").fetchall()
        statuses = connection.execute("SELECT DISTINCT status FROM runs").fetchall()
    assert len(rows) == 16
    assert all(json.dumps(state) for (state,) in rows)
    assert statuses == [("done",)]


async def test_a_run_that_is_walked_again_moves_no_head_twice(
    access: Access, embedder: Embedder
) -> None:
    llm = TellingLlm()
    async with two(access, embedder, llm) as (one, _):
        first = await call(one, "reasoning_linear", {"content": "a"}, key="k")
        session = first.answer["session_id"]
        point = await answered(one, "checkpoint_create", session_id=session, name="p")
        back = {"checkpoint_id": point["id"], "new_direction": "x"}
        gone_back = await call(one, "reasoning_backtrack", back, key="b")
        await answered(one, "linear", content="b", session_id=session)
        await answered(one, "tree_focus", session_id=session, branch_id=session)
        before = await whole(one, session)
        with psycopg.connect(access.admin) as connection:
            connection.execute(
                "UPDATE runs SET status = 'interrupted', output = NULL WHERE key IS NOT NULL"
            )
        assert (
            await call(one, "reasoning_linear", {"content": "a"}, key="k")
        ).answer == first.answer
        again = await call(one, "reasoning_backtrack", back, key="b")
        assert again.answer == gone_back.answer
        after = await whole(one, session)
        assert after.thoughts == before.thoughts
        assert after.branches == before.branches
        assert after.session.active_branch_id == before.session.active_branch_id


async def test_no_connection_is_held_while_the_language_model_is_asked(
    access: Access, embedder: Embedder
) -> None:
    llm = TellingLlm(seconds=1.0)
    async with thinking(access, embedder, llm, database_connections=1) as engine:
        session = (await answered(engine, "linear", content="first"))["session_id"]
        point = await answered(engine, "checkpoint_create", session_id=session, name="p")
        back = {"checkpoint_id": point["id"], "new_direction": "x"}
        jobs = [
            asyncio.create_task(answered(engine, "linear", content="a", session_id=session)),
            asyncio.create_task(answered(engine, "backtrack", **back)),
        ]
        while not {"a", "x"} <= llm.seen.keys():
            await asyncio.sleep(0.01)
        async with asyncio.timeout(0.5):  # the one connection is free, and nobody holds the session
            await answered(engine, "tree_focus", session_id=session, branch_id=session)
        assert not any(job.done() for job in jobs)
        await asyncio.gather(*jobs)
