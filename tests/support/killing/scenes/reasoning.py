"""The scenes: every mode that reasons, and one of each kind of write."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.access import Access
from tests.support.databases.rows import Census
from tests.support.killing import victim
from tests.support.killing.scenes.graph_memory import MEMORY_SCENES
from tests.support.killing.scenes.mental_models import MODEL_SCENES, OF_RECORDS
from tests.support.killing.scenes.scene import Given, HalfStored, Scene
from tests.support.killing.scenes.thought_graph import GRAPH_SCENES, REFINE, RUN
from tests.support.memory.housekeeping import as_file, take_in
from tests.support.reasoning.sessions import answered

ASKED = {"content": "What must we tell the restaurant?"}
FACT = {
    "content": "Anna is allergic to peanuts.",
    "userId": "local",
    "sessionId": "kitchen",
    "primarySector": "semantic",
}
EVERY_SECTOR = 31
THOUGHT = {"runs": 1, "sessions": 1, "branches": 1, "thoughts": 1, "memories": 1,
           "views": EVERY_SECTOR}  # fmt: skip
LONG_AGO = (datetime.now(UTC) - timedelta(days=90)).isoformat()
EPISODES = [
    f"Anna ran {far} kilometres around the lake this morning and was tired." for far in (5, 6, 7)
] + [f"The build server was rebooted after a disk error, number {n}." for n in (1, 2, 3)]
HALF = """SELECT count(*) FROM memories s WHERE owner = %s AND tool = 'consolidate_memories'
    AND 3 <> (SELECT count(*) FROM edges e JOIN memories m ON m.owner = e.owner
        AND m.id = e.target_id WHERE e.owner = s.owner AND e.source_id = s.id
        AND m.strength BETWEEN 0.49 AND 0.51)"""


async def _session(engine: Engine, owner: str, *contents: str) -> str:
    session = None
    for content in contents:
        answer = await answered(engine, "linear", owner=owner, content=content, session_id=session)
        session = str(answer["session_id"])
    assert session
    return session


async def a_session(engine: Engine, owner: str) -> dict[str, Any]:
    """Think two steps; name their session."""
    return {"session_id": await _session(engine, owner, "a", "b")}


async def a_checkpoint_to_be(engine: Engine, owner: str) -> dict[str, Any]:
    """Think two steps; name their session, and a checkpoint."""
    return {**await a_session(engine, owner), "name": "p"}


async def a_branch(engine: Engine, owner: str) -> dict[str, Any]:
    """Grow a tree; name one of its branches, which is to be completed."""
    tree = await answered(engine, "tree", owner=owner, content="Where?", max_branches=2)
    session, branch = tree["session_id"], tree["branches"][0]["id"]
    await answered(engine, "tree_focus", owner=owner, session_id=session, branch_id=branch)
    return {"session_id": session, "branch_id": branch, "state": "completed"}


async def a_way_back(engine: Engine, owner: str) -> dict[str, Any]:
    """Think, set a checkpoint and think on; name the checkpoint, and a new direction."""
    session = await _session(engine, owner, "a")
    point = await answered(engine, "checkpoint_create", owner=owner, session_id=session, name="p")
    await answered(engine, "linear", owner=owner, content="b", session_id=session)
    return {"checkpoint_id": point["id"], "new_direction": "x"}


async def a_thought(engine: Engine, owner: str) -> dict[str, Any]:
    """Think a step; name it as what is to be reflected on, twice."""
    first = await answered(engine, "linear", owner=owner, **ASKED)
    return {"thought_id": first["thought_id"], "max_iterations": 2, "focus_areas": ["safety"]}


async def a_run(engine: Engine, owner: str) -> dict[str, Any]:
    """Think a step; name its run, and the node from which it is to be forked."""
    first = await answered(engine, "linear", owner=owner, **ASKED)
    return {"run": first["run_id"], "at": "continue_thought"}


async def old_episodes(engine: Engine, owner: str) -> dict[str, Any]:
    """Take in two groups of old episodes that are alike."""
    lines = [{"content": each, "sector": "episodic", "created_at": LONG_AGO} for each in EPISODES]
    await take_in(engine, as_file(lines), Caller(owner))
    return {"userId": owner, "minCluster": 3}


def whole_groups(access: Access, owner: str, prepared: Census, now: Census, whole: Census) -> None:
    """Hold that every summary has all of its originals, weakened."""
    with psycopg.connect(access.admin) as connection:
        halves = connection.execute(HALF.encode(), (owner,)).fetchall()
    new = now["memories"] - prepared["memories"]
    if halves != [(0,)] or now["edges"] - prepared["edges"] != 3 * new:
        raise HalfStored("half a group")


async def restored(engine: Engine, owner: str, answer: dict[str, Any]) -> None:
    """Hold that the new branch is active and ends in the new thought."""
    listed = await answered(engine, "tree_list", owner=owner, session_id=answer["session_id"])
    assert listed["active_branch_id"] == answer["branch_id"]
    assert [each["state"] for each in listed["branches"]] == ["active", "active"]
    assert listed["branches"][1]["head_thought_id"] == answer["thought_id"]


async def completed(engine: Engine, owner: str, answer: dict[str, Any]) -> None:
    """Hold that the branch is completed and its parent is active."""
    listed = await answered(engine, "tree_list", owner=owner, session_id=answer["session_id"])
    assert listed["active_branch_id"] == answer["active_branch_id"] != answer["id"]
    assert {each["state"] for each in listed["branches"] if each["id"] == answer["id"]} == {
        "completed"
    }


async def executed(engine: Engine, owner: str, answer: dict[str, Any]) -> None:
    """Hold that the mode that was chosen was also run."""
    assert (answer["executed"], "not_executed" in answer) == ("reasoning_linear", False)
    assert answer["result"]["content"]


REMEMBER = Scene(
    "remember", "remember", "remember", Given(FACT),
    {"runs": 1, "sessions": 1, "memories": 1, "views": EVERY_SECTOR}, least=10,
)  # fmt: skip
LINEAR = Scene(
    "linear", "reasoning_linear", "linear", Given(ASKED), THOUGHT, least=25, calls=1
)  # fmt: skip
TREE = Scene(
    "tree", "reasoning_tree", "tree",
    Given({"content": "Where shall we eat?", "max_branches": 2}),
    {**THOUGHT, "branches": 3, "thoughts": 3}, least=45, calls=1 + 2 + 2,
)  # fmt: skip
DIVERGENT = Scene(
    "divergent", "reasoning_divergent", "divergent",
    Given({
        "content": "How is Anna kept safe?", "num_perspectives": 3, "constraints": ["no peanuts"],
    }),
    {**THOUGHT, "branches": 4, "thoughts": 4}, least=50, calls=3 + 1 + 3 + 1,
)  # fmt: skip
REFLECTION = Scene(
    "reflection", "reasoning_reflection", "reflection", a_thought,
    {**THOUGHT, "sessions": 0, "branches": 0}, least=45, calls=2 * 3,
)  # fmt: skip
EVALUATE = Scene(
    "reflection_evaluate", "reasoning_reflection_evaluate", "reflection_evaluate", a_session,
    {"runs": 1, "thoughts": 0, "memories": 0}, least=20, calls=1,
)  # fmt: skip
AUTO = Scene(
    "auto", "reasoning_auto", "auto", Given({**ASKED, "execute": True, "hints": ["one step"]}),
    {**THOUGHT, "runs": 2}, least=40, calls=1 + 1, after=executed,
)  # fmt: skip
AGREED = Scene(
    "auto_agreed", "reasoning_auto", "auto", Given({**ASKED, "execute": True}), THOUGHT,
    least=35, calls=2, after=executed,
)  # fmt: skip
CHECKPOINT_CREATE = Scene(
    "checkpoint_create", "reasoning_checkpoint_create", "checkpoint_create", a_checkpoint_to_be,
    {"runs": 1, "session_checkpoints": 1, "thoughts": 0}, least=10,
)  # fmt: skip
TREE_COMPLETE = Scene(
    "tree_complete", "reasoning_tree_complete", "tree_complete", a_branch,
    {"runs": 1, "branches": 0}, least=10, after=completed,
)  # fmt: skip
BACKTRACK = Scene(
    "backtrack", "reasoning_backtrack", "backtrack", a_way_back,
    {"runs": 1, "thoughts": 1, "branches": 1, "state_snapshots": 1, "memories": 1}, least=25,
    calls=1, after=restored,
)  # fmt: skip
FORK = Scene(
    "fork", "reasoning_linear", "linear", a_run,
    {"runs": 1, "sessions": 0, "thoughts": 1, "branches": 1, "memories": 1}, least=25, calls=1,
    make=victim.fork,
)  # fmt: skip
CONSOLIDATE = Scene(
    "consolidate", "consolidate_memories", "consolidate_memories", old_episodes,
    {"runs": 1, "memories": 2, "edges": 6}, least=35, calls=2, midway=whole_groups,
)  # fmt: skip
BREAKDOWN = Scene(
    "breakdown", "breakdown", "breakdown", Given({"problem": "Cook for Anna.", "maxDepth": 3}),
    THOUGHT, least=40, calls=1 + 2 + 1,
)  # fmt: skip
PONDER = Scene(
    "ponder", "ponder", "ponder",
    Given({"problem": "How is Anna kept safe?", "timeout": 60_000,
           "context": {"constraints": ["no peanuts"]}}),
    THOUGHT, least=100, calls=4 * 4 + 1 + 5,
)  # fmt: skip
DELIBERATE = Scene(
    "deliberate", "ponder", "deliberate",
    Given({"problem": "How is Anna kept safe?", "timeout": 60_000,
           "context": {"constraints": ["no peanuts"]}}),
    THOUGHT, least=60, calls=2 * (4 + 1) + 5,
)  # fmt: skip
ANALYZE = Scene(
    "analyze", "analyze", "analyze",
    Given({"problem": "Why does the dinner go wrong?", "context": {"constraints": ["no peanuts"]}}),
    THOUGHT, least=55, calls=1 + 5 + 1 + 1,
)  # fmt: skip
OF_GRAPHS = (REFINE, RUN)
"""The scenes of graphs that a short test takes: ballots side by side, and a whole plan."""

SHORT = (
    REMEMBER, LINEAR, TREE, DIVERGENT, REFLECTION, EVALUATE, AUTO, CHECKPOINT_CREATE,
    TREE_COMPLETE, BACKTRACK, FORK, CONSOLIDATE, BREAKDOWN, PONDER, ANALYZE,
    *OF_GRAPHS, *MEMORY_SCENES, *OF_RECORDS, DELIBERATE,
)  # fmt: skip
SCENES = (*SHORT, AGREED, *(each for each in GRAPH_SCENES if each not in OF_GRAPHS), *MODEL_SCENES)
