"""Progress as a client hears it: every mode, over MCP, growing, in words, with a true total."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import Any

import pytest
from mcp import Client

from reasonloom.errors import LlmUnavailable
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Ask, Embedder
from reasonloom.server.app import build_server
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from tests.support.llms.answering import AnsweringLlm, ReplyFields
from tests.support.reasoning.sessions import thinking

Heard = list[tuple[float, float | None, str | None]]
NAMES = ("harbour", "violin", "granite", "pepper")
APPROACHES: ReplyFields = {
    "approaches": [{"name": name, "approach": f"Use the {name}."} for name in NAMES]
}
TREE = [
    "gather context", "propose approaches", "explore branch", "explore branch, 1 of 4 done",
    "explore branch, 2 of 4 done", "explore branch, 3 of 4 done", "read the replies",
    "judge branches", "judge branches, 1 of 3 done", "judge branches, 2 of 3 done",
    "read the replies", "recommend", "keep tree",
]  # fmt: skip
REFLECTION = [
    "find answer", "criticise", "revise", "compare", "criticise", "revise", "compare",
    "keep reflection",
]  # fmt: skip
AUTO = ["measure problem", "hear vote", "recommend mode"]
DIRECT = [
    "measure problem", "recall context", "answer directly", "answer directly, 1 of 2 done",
    "compare answers",
]  # fmt: skip


class Opened(EngineLifespan):
    """The room of a server whose engine is open already."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(Settings(toolsets=("all",)))
        self._given = engine

    async def engine(self) -> Engine:
        """Return the engine that was given."""
        return self._given


def thought(ask: Ask) -> ReplyFields:
    """Think something of its own along each approach."""
    way = str(ask.material.get("approach", ""))
    name = next((name for name in NAMES if name in way), "plain")
    again = ", as before" if ask.sample else ""
    return {"thought": f"It is the {name}{again}", "confidence": 0.9}


def scores(ask: Ask) -> ReplyFields:
    """Choose the thought that is first by its letters, wherever it stands."""
    candidates: Any = ask.material["candidates"]
    best = min(candidates, key=lambda each: str(each["text"]))
    given = [{"label": each["label"], "score": 0.5} for each in candidates]
    return {"scores": given, "reason": "It holds.", "best": best["label"]}


def comparison(ask: Ask) -> ReplyFields:
    """Find two answers different, and a revision better than what it revises."""
    if "same" in (ask.schema or {})["required"]:
        return {"reason": "They differ.", "same": False}
    better = "first" if "Better" in str(ask.material["first"]) else "second"
    return {"reason": "safer", "first_score": 0.5, "second_score": 0.5, "better": better}


def llm_of(**more: Any) -> AnsweringLlm:
    revisions = [{"revision": f"Better {number}"} for number in range(9)]
    said: dict[str, Any] = {
        "approaches": APPROACHES, "thought": thought, "scores": scores,
        "viewpoint": lambda ask: {"viewpoint": f"Seen {ask.material['lens']}", "confidence": 0.8},
        "synthesis": {"synthesis": "All of it.", "sources": ["P1"], "confidence": 0.8},
        "strengths": {"strengths": [], "weaknesses": ["short"], "recommendations": [],
                      "findings": [], "confidence": 0.4},
        "revision": revisions,
        "reason": comparison,
        "mode": {"mode": "tree", "confidence": 1.0, "rationale": "It fits."},
        "opinion": {"opinion": "Fine.", "strengths": [], "weaknesses": [], "recommendations": []},
    }  # fmt: skip
    return AnsweringLlm(**{**said, **more})


class Listener:
    """A client that calls tools and writes down what it hears of their progress."""

    def __init__(self, client: Client, llm: AnsweringLlm) -> None:
        self.client = client
        self.llm = llm

    async def heard(self, mode: str, **arguments: Any) -> tuple[dict[str, Any], Heard]:
        """Call `reasoning_<mode>`; return its answer and its progress."""
        reports: Heard = []

        async def note(progress: float, total: float | None, message: str | None) -> None:
            reports.append((progress, total, message))

        result = await self.client.call_tool(f"reasoning_{mode}", arguments, progress_callback=note)
        assert not result.is_error, result.content
        assert result.structured_content is not None
        return result.structured_content, reports


@asynccontextmanager
async def listening(access: Access, embedder: Embedder) -> AsyncIterator[Listener]:
    """Yield a client of a server that thinks with a language model.

    No fixture: a client must be closed by the task that has opened it.
    """
    llm = llm_of()
    async with (
        thinking(access, embedder, llm) as engine,
        Opened(engine) as room,
        Client(build_server(room)) as client,
    ):
        yield Listener(client, llm)


def steps(heard: Heard) -> list[str | None]:
    """Return the messages, once the numbers are found to be in order."""
    assert all(one[0] < other[0] for one, other in pairwise(heard)), heard
    assert all(total is None or progress < total for progress, total, _ in heard), heard
    assert not any("_" in (message or "_") for *_, message in heard), heard
    return [message for *_, message in heard]


def counted(total: int | None, messages: list[str]) -> Heard:
    """Return the progress of a run all of whose steps are as expected."""
    return [(number, total, message) for number, message in enumerate(messages)]


@pytest.mark.parametrize(
    ("mode", "arguments", "messages"),
    [
        ("linear", {}, ["recall context", "continue thought", "keep thought"]),
        ("tree", {}, TREE),
        ("divergent", {"num_perspectives": 2},
         ["recall context", "take perspective", "take perspective, 1 of 3 done",
          "take perspective, 2 of 3 done", "synthesise", "keep perspectives"]),
        ("reflection", {"max_iterations": 2}, REFLECTION),
        ("auto", {}, AUTO),
    ],
)  # fmt: skip
async def test_a_mode_tells_each_step_once_and_its_total_is_true(
    access: Access, embedder: Embedder, mode: str, arguments: dict[str, Any], messages: list[str]
) -> None:
    async with listening(access, embedder) as listener:
        _, heard = await listener.heard(mode, content="What is it?", **arguments)
        assert steps(heard) == messages
        assert heard == counted(len(messages), messages)


async def test_a_mode_that_follows_counts_on_and_the_total_is_known_once_it_is_chosen(
    access: Access, embedder: Embedder
) -> None:
    async with listening(access, embedder) as listener:
        answer, heard = await listener.heard("auto", content="Which of these?", execute=True)
        assert answer["executed"] == "reasoning_tree"
        choosing = [*DIRECT, *AUTO[1:]]
        assert steps(heard) == [*choosing, *TREE]
        assert heard[: len(choosing)] == counted(None, choosing)
        total = len(choosing) + len(TREE)
        assert {each for _, each, _ in heard[len(choosing) :]} == {total}
        assert [progress for progress, *_ in heard] == list(range(len(heard)))


async def test_going_back_and_evaluating_tell_their_steps(
    access: Access, embedder: Embedder
) -> None:
    async with listening(access, embedder) as listener:
        answer, _ = await listener.heard("linear", content="What is it?")
        session = {"session_id": answer["session_id"]}
        point, none = await listener.heard("checkpoint_create", name="here", **session)
        assert none == []
        _, plain = await listener.heard("backtrack", checkpoint_id=point["id"])
        assert plain == counted(2, ["find checkpoint", "restore state"])
        _, anew = await listener.heard(
            "backtrack", checkpoint_id=point["id"], new_direction="Look at it otherwise."
        )
        assert anew == counted(3, ["find checkpoint", "explore direction", "restore state"])
        _, evaluated = await listener.heard("reflection_evaluate", **session)
        assert evaluated == counted(3, ["measure session", "hear opinion", "tell evaluation"])


async def test_another_attempt_goes_on_beyond_the_usual_number_of_steps(
    access: Access, embedder: Embedder
) -> None:
    async with listening(access, embedder) as listener:
        listener.llm.answers["thought"] = {"thought": "Perhaps.", "confidence": 0.2}
        _, heard = await listener.heard("linear", content="What is it?", confidence=0.9)
        assert steps(heard) == ["recall context", *2 * ["continue thought"], "keep thought"]
        assert [total for _, total, _ in heard] == [3, 3, 3, 4]


async def test_branches_that_fail_are_counted_as_ended_too(
    access: Access, embedder: Embedder
) -> None:
    async with listening(access, embedder) as listener:

        def failing(ask: Ask) -> ReplyFields:
            way = str(ask.material.get("approach", ""))
            return LlmUnavailable("away") if "violin" in way else thought(ask)

        listener.llm.answers["thought"] = failing
        answer, heard = await listener.heard("tree", content="What is it?")
        assert answer["branches_explored"] == 3
        assert steps(heard) == TREE


async def test_the_fastest_of_many_branches_is_told_before_the_slowest_ends(
    access: Access, embedder: Embedder
) -> None:
    """What is told while branches are at work comes then, and not when all have ended."""
    async with listening(access, embedder) as listener:
        moments: list[int] = []

        def slow(ask: Ask) -> ReplyFields:
            way = str(ask.material.get("approach", ""))
            return 0.6 if "violin" in way else thought(ask)

        async def note(progress: float, total: float | None, message: str | None) -> None:
            if message == "explore branch, 3 of 4 done":
                moments.append(listener.llm.at_once)

        listener.llm.answers["thought"] = slow
        await listener.client.call_tool(
            "reasoning_tree", {"content": "What is it?"}, progress_callback=note
        )
        assert moments == [1]
