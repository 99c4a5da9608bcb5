"""Forks of tree, divergent, reflection and auto: asked anew from the node on, all else kept."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest

from reasonloom.contracts.caller import Caller
from reasonloom.errors import Conflict, LlmUnavailable, UnknownName
from reasonloom.graphs.runs.engine import Engine
from reasonloom.graphs.runs.resume import resume_run
from reasonloom.llm.interfaces import Ask, Embedder
from reasonloom.stores.access import Access
from reasonloom.stores.runs import runs
from tests.support.calls import call
from tests.support.llms.answering import AnsweringLlm, words_of
from tests.support.reasoning.sessions import lines, whole
from tests.support.runs.forks import MARK, engine_on, fork, kept, next_versions, row_of

QUESTION = "Where shall the footbridge go?"
WAYS = ("harbour", "violin", "granite")
PROMPTS = (
    "tree/explore", "tree/judge", "divergent/view", "divergent/synthesise", "reflection/revise",
    "reflection/compare", "auto/route",
)  # fmt: skip
BETTER = {"first_score": 0.6, "second_score": 0.6, "reason": "It says more."}


class Voiced(AnsweringLlm):
    """Answers every mode's prompts, each thought in a voice of its own."""

    def __init__(self, voice: str, name: str = "answering", **more: Any) -> None:
        self.name = name
        self.voice = voice
        said: dict[str, Any] = {
            "approaches": {"approaches": [{"name": w, "approach": f"Use {w}"} for w in WAYS]},
            "thought": self._thought,
            "scores": self._ballot,
            "viewpoint": lambda ask: {"viewpoint": self._of(ask, "lens"), "confidence": 0.8},
            "synthesis": {
                "synthesis": f"{voice}: together (P1).", "sources": ["P1"], "confidence": 0.8,
            },
            "strengths": {
                "strengths": ["short"], "weaknesses": ["vague"], "recommendations": ["say more"],
                "confidence": 0.4, "findings": [],
            },
            "revision": {"revision": f"{voice}: by the mill, for three reasons."},
            "reason": self._better,
            "mode": {"mode": "tree", "confidence": 0.9, "rationale": f"{voice} says so."},
        }  # fmt: skip
        super().__init__(**{**said, **more})

    def _of(self, ask: Ask, name: str) -> str:
        value: Any = ask.material[name]
        return f"{self.voice}: {value['name'] if isinstance(value, dict) else 'plainly'}."

    def _thought(self, ask: Ask) -> dict[str, Any]:
        return {"thought": f"{self.voice} {ask.material.get('approach', '')}", "confidence": 0.5}

    def _ballot(self, ask: Ask) -> dict[str, Any]:
        candidates: Any = ask.material["candidates"]
        best = min(candidates, key=lambda each: WAYS.index(each["text"].split()[-1]))
        scores = [{"label": each["label"], "score": 0.9} for each in candidates]
        return {"scores": scores, "reason": f"{self.voice} prefers it.", "best": best["label"]}

    def _better(self, ask: Ask) -> dict[str, Any]:
        first = "reasons" in str(ask.material["first"])
        return {**BETTER, "better": "first" if first else "second"}

    def marked(self) -> Counter[str]:
        """Count by kind the questions that were put in the next version of their prompt."""
        return Counter(
            {
                kind: count
                for kind, asks in self.asked.items()
                if (count := sum(MARK in words_of(ask) for ask in asks))
            }
        )


MODES: dict[str, tuple[str, dict[str, Any]]] = {
    "tree": ("reasoning_tree", {"content": QUESTION, "max_branches": 3}),
    "divergent": ("reasoning_divergent", {"content": QUESTION, "num_perspectives": 2}),
    "reflection": ("reasoning_reflection", {"content": "By the mill."}),
    "auto": ("reasoning_auto", {"content": QUESTION, "hints": ["a choice"], "execute": True}),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the next version of the prompts that are forked to it."""
    return next_versions(tmp_path / "prompts", *PROMPTS)


async def origin(engine: Engine, mode: str) -> dict[str, Any]:
    tool, request = MODES[mode]
    answer: dict[str, Any] = (await call(engine, tool, request)).answer
    return answer


@pytest.mark.parametrize(
    ("mode", "at", "asked"),
    [
        ("tree", "propose_approaches", {"approaches": 1, "thought": 3, "scores": 3}),
        ("tree", "explore_branch", {"thought": 3, "scores": 3}),
        ("tree", "judge_branches", {"scores": 3}),
        ("tree", "recommend", {}),
        ("tree", "keep_tree", {}),
        ("divergent", "recall_context", {"viewpoint": 3, "synthesis": 1}),
        ("divergent", "take_perspective", {"viewpoint": 3, "synthesis": 1}),
        ("divergent", "synthesise", {"synthesis": 1}),
        ("divergent", "keep_perspectives", {}),
        ("reflection", "criticise", {"strengths": 1, "revision": 1, "reason": 1}),
        ("reflection", "revise", {"revision": 1, "reason": 1}),
        ("reflection", "compare", {"reason": 1}),
        ("reflection", "keep_reflection", {}),
        ("auto", "measure_problem", {"mode": 1}),
        ("auto", "hear_vote", {"mode": 1}),
        ("auto", "recommend_mode", {}),
    ],
)
async def test_a_fork_asks_what_comes_from_its_node_on_and_nothing_before(
    access: Access, embedder: Embedder, mode: str, at: str, asked: dict[str, int]
) -> None:
    first, second = Voiced("old"), Voiced("new", "another")
    async with engine_on(access, embedder, first) as engine:
        before = await origin(engine, mode)
        stored = kept(access, before["run_id"])
    async with engine_on(access, embedder, second) as engine:
        after = (await fork(engine, before["run_id"], at)).answer
        row = await row_of(engine, after["run_id"])
    assert second.counts == asked
    assert kept(access, before["run_id"]) == stored
    assert (row.status, row.llm) == (runs.DONE, "another")
    assert row.fork == {"origin": before["run_id"], "at": at, "prompts": {}}
    assert set(after) - {"executed", "result"} == set(before) - {"executed", "result"}
    assert not {"executed", "result", "not_executed"} & set(after)


@pytest.mark.parametrize(
    ("mode", "at", "pinned", "marked"),
    [
        ("tree", "explore_branch", {"tree__judge": 4, "tree__explore": 2}, {"scores": 3}),
        ("tree", "explore_branch", {"tree__judge": 3, "tree__explore": 4}, {"thought": 3}),
        ("divergent", "synthesise", {"divergent__synthesise": 3}, {"synthesis": 1}),
        ("divergent", "take_perspective", {"divergent__synthesise": 1}, {"viewpoint": 3}),
        ("reflection", "revise", {"reflection__revise": 1}, {"reason": 1}),
        ("auto", "hear_vote", {"auto__route": 3}, {"mode": 1}),
        ("auto", "hear_vote", {"auto__route": 1}, {}),
    ],
)
async def test_prompts_are_pinned_and_the_newest_counts_else(
    access: Access, embedder: Embedder, folder: Path, mode: str, at: str,
    pinned: dict[str, Any], marked: dict[str, int],
) -> None:  # fmt: skip
    async with engine_on(access, embedder, Voiced("old")) as engine:
        run = (await origin(engine, mode))["run_id"]
    llm = Voiced("new")
    async with engine_on(access, embedder, llm, prompts=folder) as engine:
        row = await row_of(engine, str((await fork(engine, run, at, **pinned)).run_id))
    assert llm.marked() == marked
    assert row.fork is not None
    assert row.fork["prompts"] == {name.replace("__", "/"): n for name, n in pinned.items()}


async def test_a_forked_tree_stands_beside_its_origin(access: Access, embedder: Embedder) -> None:
    async with engine_on(access, embedder, Voiced("old")) as engine:
        before = await origin(engine, "tree")
    async with engine_on(access, embedder, Voiced("new")) as engine:
        after = (await fork(engine, before["run_id"], "explore_branch")).answer
        stored = await whole(engine, before["session_id"])
    ways = lines(stored)
    assert len(stored.branches) == 1 + 3 + 1 + 3
    assert len(stored.thoughts) == 8
    for answer, voice in ((before, "old"), (after, "new")):
        assert answer["session_id"] == before["session_id"]
        for branch in answer["branches"]:
            assert ways[branch["id"]] == [answer["content"], branch["content"]]
            assert branch["content"].startswith(voice)
    assert not {each["id"] for each in before["branches"]} & {
        each["id"] for each in after["branches"]
    }
    assert str(stored.session.active_branch_id) == before["branch_id"] != after["branch_id"]


async def test_a_fork_before_the_ballots_judges_the_thoughts_of_its_origin(
    access: Access, embedder: Embedder
) -> None:
    async with engine_on(access, embedder, Voiced("old")) as engine:
        before = await origin(engine, "tree")
    async with engine_on(access, embedder, Voiced("new")) as engine:
        after = (await fork(engine, before["run_id"], "judge_branches")).answer
    assert [each["content"] for each in after["branches"]] == [
        each["content"] for each in before["branches"]
    ]
    assert (before["reason"], after["reason"]) == ("old prefers it.", "new prefers it.")


async def test_a_forked_synthesis_keeps_the_perspectives_of_its_origin(
    access: Access, embedder: Embedder
) -> None:
    async with engine_on(access, embedder, Voiced("old")) as engine:
        before = await origin(engine, "divergent")
    async with engine_on(access, embedder, Voiced("new")) as engine:
        after = (await fork(engine, before["run_id"], "synthesise")).answer
        stored = await whole(engine, before["session_id"])
    views = [[each["viewpoint"] for each in answer["perspectives"]] for answer in (before, after)]
    assert views[0] == views[1] == ["old: inversion.", "old: analogy."]
    assert (before["synthesis"], after["synthesis"]) == (
        "old: together (P1).",
        "new: together (P1).",
    )
    assert set(after["sources"]) <= {each["id"] for each in after["perspectives"]}
    assert len(stored.thoughts) == 6


async def test_a_forked_reflection_compares_by_a_lot_of_its_own(
    access: Access, embedder: Embedder
) -> None:
    async with engine_on(access, embedder, Voiced("old")) as engine:
        before = await origin(engine, "reflection")
        for _ in range(6):
            again = (await fork(engine, before["run_id"], "compare")).answer
            assert again["improved_reasoning"] == before["improved_reasoning"]
            assert (again["accepted"], again["stopped_because"]) == (1, "max_iterations")


@pytest.mark.parametrize(
    ("mode", "told"),
    [("tree", "explore_branch, judge_branches"), ("divergent", "take_perspective, synthesise")],
)
async def test_the_nodes_of_a_run_are_told(
    access: Access, embedder: Embedder, mode: str, told: str
) -> None:
    async with engine_on(access, embedder, Voiced("old")) as engine:
        run = (await origin(engine, mode))["run_id"]
        with pytest.raises(UnknownName, match=told):
            await fork(engine, run, "nowhere")


@pytest.mark.parametrize(
    ("mode", "at", "broken", "asked"),
    [
        ("tree", "explore_branch", "thought", {"thought": 6, "scores": 3}),
        ("divergent", "take_perspective", "viewpoint", {"viewpoint": 6, "synthesis": 1}),
    ],
)
async def test_a_fork_that_failed_is_resumed_by_its_own_llm_alone(
    access: Access, embedder: Embedder, mode: str, at: str, broken: str, asked: dict[str, int]
) -> None:
    caller = Caller("local")
    async with engine_on(access, embedder, Voiced("old")) as engine:
        before = await origin(engine, mode)
    own = Voiced("new", "another", **{broken: LlmUnavailable("away")})
    async with engine_on(access, embedder, own) as engine:
        with pytest.raises(LlmUnavailable):
            await fork(engine, before["run_id"], at)
        async with engine.loom.database.begin(caller) as tx:
            left = (await runs.newest(tx, 1))[0]
    stored = kept(access, str(left.id), calls=False)
    other = Voiced("other", "a third")
    async with engine_on(access, embedder, other) as engine:
        with pytest.raises(Conflict, match="asks another; set REASONLOOM_LLM=another to resume"):
            await resume_run(engine, caller, str(left.id))
    assert (other.counts, kept(access, str(left.id), calls=False)) == ({}, stored)
    own.answers = Voiced("new").answers
    async with engine_on(access, embedder, own) as engine:
        after = (await resume_run(engine, caller, str(left.id))).answer
        row = await row_of(engine, str(left.id))
    assert own.counts == asked
    assert (row.status, row.llm, after["run_id"]) == (runs.DONE, "another", str(left.id))
    assert after["session_id"] == before["session_id"]


async def test_a_killed_fork_is_left_alone_by_a_server_with_another_llm(
    access: Access, embedder: Embedder
) -> None:
    async with engine_on(access, embedder, Voiced("old")) as engine:
        before = await origin(engine, "tree")
    own = Voiced("new", "another", thought=60.0)
    async with engine_on(access, embedder, own) as engine:
        job = asyncio.create_task(fork(engine, before["run_id"], "explore_branch"))
        while not own.counts["thought"]:
            await asyncio.sleep(0.02)
        job.cancel()
        with suppress(asyncio.CancelledError):
            await job
    left = abandoned(access)
    other = Voiced("other", "a third")
    async with engine_on(access, embedder, other) as engine:
        row = await row_of(engine, left)
        while row.status == runs.RUNNING:
            await asyncio.sleep(0.05)
            row = await row_of(engine, left)
    assert (row.status, row.llm, other.counts) == (runs.INTERRUPTED, "another", {})


def abandoned(access: Access) -> str:
    """Make the cancelled run look as one whose process was killed; return its id."""
    with psycopg.connect(access.admin) as connection:
        (row,) = connection.execute(
            "UPDATE runs SET status = 'running', finished_at = NULL WHERE status = 'cancelled' "
            "RETURNING id, owner"
        ).fetchall()
        connection.execute(
            "INSERT INTO leases (owner, run_id, holder, until) "
            "VALUES (%s, %s, gen_random_uuid(), clock_timestamp() - interval '1 second')",
            [row[1], row[0]],
        )
    return str(row[0])
