"""Runs that ask their caller: rounds, replies, and what becomes of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from langchain_core.messages import HumanMessage, SystemMessage

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.errors import BudgetExceeded, Conflict, InvalidArgument, LlmRefused, RunNotFound
from reasonloom.evals.simulated.datasets import generate_sorting
from reasonloom.evals.simulated.sorting import SimulatedSorter
from reasonloom.graphs.runs.answers import Given, GivenReply, answer_run
from reasonloom.graphs.runs.call import Outcome, Round
from reasonloom.graphs.runs.engine import Engine
from reasonloom.graphs.runs.resume import resume_run
from reasonloom.llm.interfaces import REPLY_LIMIT, Ask, Embedder
from reasonloom.llm.offline.model import OfflineModel
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from reasonloom.stores.runs import questions
from tests.support.calls import call, remember
from tests.support.llms.drawn_replies import answered_through, drawn_reply, replies_to
from tests.support.reasoning.sessions import thinking

PROBLEM = "Shall the town rebuild its old mill?"
THOUGHT = {"thought": "Ask the miller first.", "confidence": 0.9}
ME = Caller("local")
ASKING: dict[str, tuple[dict[str, Any], set[int]]] = {
    "reasoning_linear": ({"content": PROBLEM}, {1}),
    "reasoning_tree": ({"content": PROBLEM, "max_branches": 4}, {3, 4}),
    "reasoning_divergent": ({"content": PROBLEM, "num_perspectives": 3}, {2}),
    "ponder": ({"problem": PROBLEM}, {2, 4}),
    "think": ({"problem": PROBLEM, "mode": "parallel"}, {2}),
}
"""Tools that ask, with the rounds that they may need: it depends on whether replies agree."""


@pytest.fixture
async def engine(access: Access, embedder: Embedder) -> AsyncIterator[Engine]:
    async with thinking(access, embedder, OfflineModel()) as engine:
        yield engine


async def linear(engine: Engine, **more: Any) -> Outcome:
    return await call(engine, "reasoning_linear", {"content": PROBLEM}, asks_caller=True, **more)


async def tree(engine: Engine, **more: Any) -> tuple[str, Round]:
    """Return a tree's run with the three questions of its second round."""
    given = {"content": PROBLEM, "max_branches": 3}
    outcome = await call(engine, "reasoning_tree", given, asks_caller=True, **more)
    approaches = [{"name": name, "approach": f"Look at {name}."} for name in ("a", "b", "c")]
    assert outcome.round
    reply = GivenReply(outcome.round.questions[0].id, {"approaches": approaches})
    round_ = await open_round(engine, str(outcome.run_id), reply)
    assert [each.id for each in round_.questions] == ["r2q1", "r2q2", "r2q3"]
    return str(outcome.run_id), round_


async def answer(engine: Engine, run: str, *replies: GivenReply, **more: Any) -> Outcome:
    return (await answer_run(engine, ME, run, Given(list(replies), **more))).outcome


async def open_round(engine: Engine, run: str, *replies: GivenReply) -> Round:
    outcome = await answer(engine, run, *replies)
    assert outcome.round is not None
    return outcome.round


def rows(access: Access, query: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(access.admin) as connection:
        return connection.execute(query.encode()).fetchall()


@pytest.mark.parametrize("tool", ASKING)
async def test_a_mode_ends_after_the_rounds_that_it_needs(engine: Engine, tool: str) -> None:
    arguments, rounds = ASKING[tool]
    first = await call(engine, tool, arguments, asks_caller=True)
    outcome, taken = await answered_through(engine, first, seed=1)
    assert outcome.answer
    assert len(taken) in rounds
    assert all(each.at_most is None or each.number <= each.at_most for each in taken)


async def test_a_waiting_run_holds_nothing(engine: Engine, access: Access) -> None:
    await linear(engine)
    tasks = len(asyncio.all_tasks())
    await linear(engine)
    assert rows(access, "SELECT status FROM runs") == [("waiting",), ("waiting",)]
    assert rows(access, "SELECT count(*) FROM leases") == [(0,)]
    assert len(asyncio.all_tasks()) == tasks
    assert not engine.active


@pytest.mark.slow
async def test_a_thousand_waiting_runs_hold_nothing(engine: Engine, access: Access) -> None:
    await linear(engine)
    tasks = len(asyncio.all_tasks())
    for _ in range(100):
        await asyncio.gather(*(linear(engine, owner=f"owner-{n}") for n in range(10)))
    assert rows(access, "SELECT status, count(*) FROM runs GROUP BY status") == [("waiting", 1_001)]
    assert rows(access, "SELECT count(*) FROM leases") == [(0,)]
    in_use = "SELECT count(*) FROM pg_stat_activity WHERE state LIKE '%in transaction%'"
    seen: list[int] = []  # background jobs have short transactions of their own
    while not seen or (seen[-1] and len(seen) < 20):
        await asyncio.sleep(0.05)
        seen.append(rows(access, in_use)[0][0])
    assert seen[-1] == 0, seen
    assert len(asyncio.all_tasks()) == tasks
    assert not engine.active


async def test_a_cancelled_answer_cancels_its_run_or_leaves_it_as_it_was(
    engine: Engine, access: Access
) -> None:
    for milliseconds in (0, 1, 2, 5, 10, 20, 50, 100):
        run, round_ = await tree(engine)
        given = replies_to(round_).replies
        going = asyncio.create_task(answer(engine, run, *given))
        await asyncio.sleep(milliseconds / 1000)
        going.cancel()
        with suppress(asyncio.CancelledError):
            await going
        recorded = f"SELECT count(*) FROM llm_calls WHERE run_id = '{run}'"
        assert rows(access, recorded) in ([(1,)], [(4,)]), "all replies of the round or none"
        try:
            outcome = await answer(engine, run, *given)
        except Conflict as refusal:
            assert "cancelled" in refusal.message
            assert rows(access, f"SELECT status FROM runs WHERE id = '{run}'") == [("cancelled",)]
        else:
            assert outcome.round is not None
            assert {each.role for each in outcome.round.questions} == {"judge"}
        assert rows(access, "SELECT count(*) FROM leases") == [(0,)]
        assert not engine.active


async def test_some_replies_leave_the_other_questions_open(engine: Engine) -> None:
    run, round_ = await tree(engine)
    left = await open_round(engine, run, GivenReply("r2q2", THOUGHT))
    assert [each.id for each in left.questions] == ["r2q1", "r2q3"]
    last = await open_round(engine, run, *replies_to(round_).replies[::-2])
    assert {each.role for each in last.questions} == {"judge"}
    assert all(each.blind for each in last.questions)


async def test_a_reply_that_does_not_fit_is_named_and_the_others_are_kept(engine: Engine) -> None:
    run, _ = await tree(engine)
    left = await open_round(
        engine,
        run,
        GivenReply("r2q1", "Sure!\n```json\n" + '{"thought": "It pays.", "confidence": 1}\n```'),
        GivenReply("r2q2", {"thought": "It pays."}),
        GivenReply("r2q3", "x" * (REPLY_LIMIT + 1)),
    )
    assert [each.id for each in left.questions] == ["r2q2", "r2q3"]
    assert left.misfits["r2q2"].startswith("confidence: is required")
    assert left.misfits["r2q3"].startswith("reply: has 100,001 characters")


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        ("", "reply: must not be empty"),
        ("I think so.", "reply: must be a JSON object with thought, confidence"),
        ({"thought": "x", "confidence": 3}, "confidence: 3 is greater than the maximum of 1"),
        ({"thought": " ", "confidence": 0.5}, "thought: ' ' does not match"),
        ({"thought": {"a": 1}, "confidence": 0.5}, "thought: {'a': 1} is not of type 'string'"),
    ],
)
async def test_a_misfit_says_which_field(engine: Engine, reply: Any, says: str) -> None:
    outcome = await linear(engine)
    left = await open_round(engine, str(outcome.run_id), GivenReply("r1q1", reply))
    assert left.misfits["r1q1"].startswith(says)


async def test_declined_questions_are_lost_calls(engine: Engine) -> None:
    run, round_ = await tree(engine)
    replies = [GivenReply("r2q1", None), *replies_to(round_).replies[1:]]
    last = await open_round(engine, run, *replies)
    outcome, _ = await answered_through(engine, await answer(engine, run))
    assert len(last.questions) == 2
    assert outcome.answer["branches_explored"] == 2
    with pytest.raises(LlmRefused, match="declined"):
        await answer(engine, str((await linear(engine)).run_id), GivenReply("r1q1", None))


async def test_answering_twice_is_harmless(engine: Engine, access: Access) -> None:
    run, round_ = await tree(engine)
    replies = replies_to(round_).replies
    first, second = await asyncio.gather(
        answer(engine, run, *replies), answer(engine, run, *replies)
    )
    again = await answer(engine, run, *replies)
    ids = [each.id for each in first.round.questions] if first.round else []
    assert ids == ["r3q1", "r3q2", "r3q3"]
    assert first.round
    assert second.round
    assert again.round
    assert first.round.questions == second.round.questions == again.round.questions
    assert rows(access, "SELECT count(*) FROM llm_calls") == [(4,)]
    outcome, _ = await answered_through(engine, again)
    assert (await answer(engine, run, *replies)).answer == outcome.answer
    assert (await answer(engine, run)).answer == outcome.answer


async def test_the_first_reply_stays(engine: Engine) -> None:
    run, round_ = await tree(engine)
    await answer(engine, run, GivenReply("r2q1", THOUGHT))
    other = GivenReply("r2q1", {**THOUGHT, "thought": "Another."})
    left = await open_round(engine, run, other)
    assert left.notes == ["r2q1: the first reply to it was kept"]
    await answer(engine, run, *replies_to(round_).replies[1:])
    with pytest.raises(InvalidArgument, match="r2q1 is of round 2 and was answered"):
        await answer(engine, run, other)


@pytest.mark.parametrize("unknown", ["r2q4", "r3q1", "r9q9", "q1", "", "r2q1 ", "é" * 300])
async def test_an_unknown_question_is_named_and_nothing_is_recorded(
    engine: Engine, access: Access, unknown: str
) -> None:
    run, _ = await tree(engine)
    with pytest.raises(InvalidArgument, match=r"answers\.1\.id: .* waits for r2q1, r2q2, r2q3"):
        await answer(engine, run, GivenReply("r2q1", THOUGHT), GivenReply(unknown, THOUGHT))
    assert rows(access, "SELECT count(*) FROM llm_calls") == [(1,)]


async def test_whose_run_it_is(engine: Engine) -> None:
    run = str((await linear(engine)).run_id)
    for caller, named in ((Caller("other"), run), (ME, "nonsense"), (ME, str(uuid4()))):
        with pytest.raises(RunNotFound):
            await answer_run(engine, caller, named, Given([GivenReply("r1q1", THOUGHT)]))
    offline = await call(engine, "reasoning_linear", {"content": PROBLEM})
    with pytest.raises(Conflict, match="has no questions; it is done"):
        await answer(engine, str(offline.run_id), GivenReply("r1q1", THOUGHT))


async def test_a_finished_run_takes_no_other_reply(engine: Engine) -> None:
    run = str((await linear(engine)).run_id)
    done = await answer(engine, run, GivenReply("r1q1", THOUGHT))
    left = await answer(engine, run, GivenReply("r1q1", {**THOUGHT, "thought": "Another."}))
    assert left.answer == done.answer
    assert done.answer["content"] == THOUGHT["thought"]


async def test_a_run_that_waits_too_long_is_abandoned(access: Access, embedder: Embedder) -> None:
    now = [datetime.now(UTC)]
    async with open_engine(
        Settings(wait_days=2.0), access=access, embedder=embedder, llm=OfflineModel(),
        clock=lambda: now[0],
    ) as engine:  # fmt: skip
        run = str((await linear(engine)).run_id)
        now[0] += timedelta(days=2, minutes=1)
        with pytest.raises(Conflict, match="abandoned: its questions were not answered in time"):
            await answer(engine, run, GivenReply("r1q1", THOUGHT))
    assert rows(access, "SELECT status FROM runs") == [("abandoned",)]


async def test_a_hundred_runs_may_wait(engine: Engine, access: Access) -> None:
    run = str((await linear(engine)).run_id)
    columns = "tool, graph, graph_version, input, created_at, llm"
    with psycopg.connect(access.admin) as connection:
        connection.execute(
            f"""WITH copies AS (INSERT INTO runs (owner, id, status, {columns})
                SELECT owner, gen_random_uuid(), status, {columns}
                FROM runs, generate_series(1, 99) RETURNING owner, id)
            INSERT INTO questions (owner, run_id, node, task, n, round, number, role, blind, prompt,
                prompt_version, prompt_hash, system_text, user_text, most_tokens, status)
            SELECT owner, id, 'n', '0', 0, 1, 1, 'r', false, 'p', 1, 'h', '', '', 1, 'open'
            FROM copies""".encode()
        )
    with pytest.raises(Conflict, match="100 runs wait for your replies already"):
        await linear(engine)
    assert (await linear(engine, owner="another")).round
    assert (await answer(engine, run, GivenReply("r1q1", THOUGHT))).answer
    assert (await linear(engine)).round


async def test_a_forgotten_memory_leaves_the_questions(access: Access, embedder: Embedder) -> None:
    async with thinking(access, embedder, OfflineModel(), auto_memory=True) as engine:
        memory = await remember(engine, "The old mill of the town burned in 1987.")
        run, round_ = await tree(engine)
        assert "1987" in round_.questions[0].user_text
        await call(engine, "forget", {"memoryId": memory, "userId": "local", "soft": False})
        for table in ("questions", "llm_calls", "checkpoint_writes", "checkpoint_blobs"):
            assert rows(access, f"SELECT 1 FROM {table} t WHERE t::text LIKE '%1987%'") == []
        again = await open_round(engine, run, *replies_to(round_).replies)
        assert "withdrawn" in again.notes[0]
        assert [each.id for each in again.questions] == ["r3q1"], "its reply knew the memory"
        assert "1987" not in again.questions[0].user_text
        approaches = [{"name": name, "approach": f"Look at {name}."} for name in ("d", "e", "f")]
        last = await open_round(engine, run, GivenReply("r3q1", {"approaches": approaches}))
        assert [each.id for each in last.questions] == ["r4q1", "r4q2", "r4q3"]
        outcome, _ = await answered_through(engine, await answer(engine, run))
        assert outcome.answer["branches_explored"] == 3


async def test_a_memory_of_somebody_else_names_its_writer(
    access: Access, embedder: Embedder
) -> None:
    async with thinking(access, embedder, OfflineModel(), auto_memory=True) as engine:
        await remember(engine, "The old mill of the town burned in 1987.")
        await remember(engine, "The town may sell the mill since 1990.")
        with psycopg.connect(access.admin) as connection:
            connection.execute("UPDATE memories SET principal = 'ann' WHERE content LIKE '%1987%'")
        round_ = (await linear(engine)).round
    assert round_ is not None
    assert "[Stored by ann.]\nThe old mill" in round_.questions[0].user_text
    assert round_.questions[0].user_text.count("[Stored by") == 1


async def test_budgets_hold_over_rounds(access: Access, embedder: Embedder) -> None:
    async with thinking(access, embedder, OfflineModel(), budget_calls=3) as engine:
        given = {"content": PROBLEM, "max_branches": 4}
        await answered_through(
            engine, await call(engine, "reasoning_tree", given, asks_caller=True)
        )
        assert rows(access, "SELECT count(*) FROM llm_calls") <= [(3,)]
    async with thinking(access, embedder, OfflineModel(), budget_tokens=10) as engine:
        with pytest.raises(BudgetExceeded, match="tokens"):
            await linear(engine)


async def test_who_judged_is_kept_and_bounds_the_confidence(engine: Engine) -> None:
    found = {}
    for check in (questions.SELF_JUDGED, questions.INDEPENDENT):
        run, round_ = await tree(engine)
        while True:
            replies = [
                GivenReply(each.id, {**drawn_reply(each.user_text, each.schema), **sure(each.role)})
                for each in round_.questions
            ]
            outcome = await answer(engine, run, *replies, checked=check)
            if outcome.round is None:
                break
            round_ = outcome.round
        found[check] = outcome
    assert found[questions.SELF_JUDGED].self_judged is True
    assert found[questions.INDEPENDENT].self_judged is False
    branches = {check: outcome.answer["branches"] for check, outcome in found.items()}
    assert {each["confidence"] for each in branches[questions.SELF_JUDGED]} == {0.7}
    assert {each["confidence"] for each in branches[questions.INDEPENDENT]} == {0.95}


def sure(role: str) -> dict[str, Any]:
    return {"confidence": 0.95} if role == "explore" else {}


async def test_a_key_names_a_waiting_run_too(engine: Engine) -> None:
    first = await linear(engine, key="k")
    again = await linear(engine, key="k")
    assert (first.run_id, first.round) == (again.run_id, again.round)
    done = await answer(engine, str(first.run_id), GivenReply("r1q1", THOUGHT))
    assert (await linear(engine, key="k")).answer == done.answer


async def test_to_resume_a_waiting_run_leaves_it_as_it_is(engine: Engine) -> None:
    first = await linear(engine)
    again = await resume_run(engine, ME, str(first.run_id))
    assert again.round == first.round


async def test_a_plan_asks_a_level_at_a_time(engine: Engine) -> None:
    numbers = list(generate_sorting(1, 64, seed=2)[0].numbers)
    sorter = SimulatedSorter(seed=5)
    given = {"problem": json.dumps(numbers), "plan": "sort"}
    outcome = await call(engine, "reasoning_got_run", given, asks_caller=True)
    sizes = []
    while outcome.round is not None:
        replies = []
        for each in outcome.round.questions:
            messages = [SystemMessage(each.system_text), HumanMessage(each.user_text)]
            reply = await sorter.answer(Ask(messages, each.schema, sample=each.key.n))
            replies.append(GivenReply(each.id, reply.parsed))
        sizes.append(len(replies))
        outcome = await answer(engine, str(outcome.run_id), *replies)
    assert sizes[:3] == [1, 4, 2], "split, sort the parts, merge them by twos"
    assert len(sizes) <= 6, "and one repair after each merge at most"
