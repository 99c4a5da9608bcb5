"""Choosing a mode: by features, hints and a vote; and running what was chosen."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from reasonloom.contracts.caller import Caller
from reasonloom.errors import LlmUnavailable, SessionNotFound
from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.reasoning.auto import EXECUTED
from reasonloom.graphs.runs.call import Call, Step
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder, Reply, Usage
from reasonloom.llm.offline.model import OfflineModel
from reasonloom.nodes.reasoning.routing.choice import REASONS, best_mode
from reasonloom.nodes.reasoning.routing.weights import (
    COMPLEXITY,
    HINT,
    MODES,
    MOST_OF_HINTS,
    WEIGHTS,
    complexity_of,
    evidence_of,
    features_of,
    hint_evidence,
    shares_of,
)
from reasonloom.stores.access import Access
from tests.graphs.runs.test_engine import ScriptedLlm, rows, thought
from tests.support.calls import call
from tests.support.reasoning.sessions import answered, stored_rows, thinking

ROUTES = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "auto_routes.jsonl").read_text().splitlines()
]
LEAST_RIGHT = {"dev": 0.9, "held": 0.85, "unworded": 0.2}
"""The words of the first two parts are those that people use who ask for a mode, and their
author is the cues' author; the third part avoids such words on purpose: features alone fail it."""


def vote(mode: str, confidence: float = 0.9) -> Reply:
    parsed = {"mode": mode, "confidence": confidence, "rationale": "It fits."}
    return Reply(json.dumps(parsed), parsed, "scripted-1", Usage(10, 5, 0.0))


def chosen(content: str, *hints: str, **session: int) -> str:
    return best_mode(shares_of(evidence_of(features_of(content, **session), hints)))


@pytest.mark.parametrize("half", sorted(LEAST_RIGHT))
def test_features_alone_route_the_labelled_problems(half: str) -> None:
    asked = [route for route in ROUTES if route["half"] == half]
    wrong = [each for each in asked if chosen(each["content"]) != each["mode"]]
    assert 1 - len(wrong) / len(asked) >= LEAST_RIGHT[half], wrong


def test_the_labelled_problems_are_enough_of_each_mode_and_language() -> None:
    worded = [route for route in ROUTES if route["half"] != "unworded"]
    modes = Counter(route["mode"] for route in worded)
    assert len(worded) >= 60
    assert all(modes[mode] >= 10 for mode in ("linear", "tree", "divergent", "reflection"))
    assert all(modes[mode] >= 5 for mode in MODES)
    foreign = sum(route["language"] != "en" for route in worded)
    assert foreign >= len(worded) / 10


def test_every_feature_that_weighs_is_computed_and_can_be_told() -> None:
    features = features_of("x")
    assert set(WEIGHTS) <= set(features)
    assert set(COMPLEXITY) <= set(features)
    assert set(REASONS) == set(WEIGHTS)
    everything = features_of(" ".join(route["content"] for route in ROUTES) * 3, thoughts=99)
    assert all(0 <= value <= 1 for value in everything.values())
    assert complexity_of(everything) > complexity_of(features)


async def test_a_plain_question_gets_linear_and_the_answer_says_it_was_computed(
    engine: Engine, access: Access
) -> None:
    answer = await answered(engine, "auto", content="What is 17 percent of 2,340?")
    assert answer["recommended_mode"] == "linear"
    assert "linear is enough" in answer["rationale"]
    assert answer["complexity"] < 0.2
    assert [each["by"] for each in answer["votes"]] == ["features"]
    assert "No language model answered" in answer["suggestion"]
    assert answer["confidence"] == answer["votes"][0]["confidence"] == 0.3
    assert (answer["llm"], stored_rows(access)) == ("offline", [])
    (run,) = await rows(engine)
    assert (run.tool, run.status) == ("reasoning_auto", "done")


async def test_alternatives_come_with_reasons_and_shares_of_one(engine: Engine) -> None:
    content = "Compare these options, and check my reasoning for flaws: rent or buy?"
    answer = await answered(engine, "auto", content=content)
    others = answer["alternative_modes"]
    assert {answer["recommended_mode"], others[0]["mode"]} == {"tree", "reflection"}
    assert others[0]["rationale"]
    shares = [answer["confidence"], *(each["confidence"] for each in others)]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) <= 1.001


def test_a_hint_adds_and_never_forces() -> None:
    assert hint_evidence(["tree"]) == {"tree": HINT}
    assert hint_evidence(["tree", "tree of thoughts", "a tree"]) == {"tree": MOST_OF_HINTS}
    assert hint_evidence(["creative task"]) == {"divergent": HINT}
    assert hint_evidence(["I do not know"]) == {}
    plain = "What is the capital of Portugal?"
    assert (chosen(plain), chosen(plain, "tree", "tree")) == ("linear", "linear")
    unsure = "Is the van worth it, or the car?"
    assert chosen(unsure) == "tree"
    assert chosen("Brainstorm unusual names.", "tree", "tree") == "divergent"
    before = shares_of(evidence_of(features_of(plain), ()))["tree"]
    after = shares_of(evidence_of(features_of(plain), ("tree",)))["tree"]
    assert after > 2 * before


async def test_hints_reach_the_choice(engine: Engine) -> None:
    content = "What should happen with the old mill and its meadow by the river?"
    alone = await answered(engine, "auto", content=content)
    hinted_at = await answered(engine, "auto", content=content, hints=["brainstorm", "divergent"])
    assert alone["recommended_mode"] == "linear"
    assert hinted_at["recommended_mode"] == "divergent"
    assert "the hints favour it (+1.8)" in hinted_at["rationale"]


async def test_the_vote_is_blind_and_decides(access: Access, embedder: Embedder) -> None:
    llm = ScriptedLlm(vote("ponder", 0.95))
    async with thinking(access, embedder, llm) as engine:
        answer = await answered(engine, "auto", content="Should I forgive him?", hints=["friend"])
    assert answer["recommended_mode"] == "ponder"
    assert [(each["by"], each["mode"]) for each in answer["votes"]][1] == ("llm", "ponder")
    assert answer["votes"][0]["mode"] != "ponder"
    assert answer["confidence"] == pytest.approx(0.95)
    assert answer["rationale"] == "ponder: It fits."
    assert {"partial", "suggestion"} & set(answer) == set()
    (ask,) = llm.asked
    asked = str(ask.messages[-1].content)
    assert "<problem>\nShould I forgive him?\n</problem>" in asked
    assert "- friend" in asked
    assert not any(name in asked for name in ("features", "evidence", "lookup", "computed"))
    assert ask.pipe == "auto"


async def test_an_unsure_vote_does_not_overrule_plain_features(
    access: Access, embedder: Embedder
) -> None:
    async with thinking(access, embedder, ScriptedLlm(vote("got", 0.3))) as engine:
        answer = await answered(engine, "auto", content="Brainstorm unusual names for a cafe.")
    assert answer["recommended_mode"] == "divergent"


@pytest.mark.parametrize(
    "said",
    [Reply("No idea.", None, "scripted-1", Usage(1, 1)), LlmUnavailable("scripted: away")],
    ids=["nonsense", "nothing"],
)
async def test_without_a_usable_vote_the_features_choose_and_it_is_marked(
    access: Access, embedder: Embedder, said: Any
) -> None:
    async with thinking(access, embedder, ScriptedLlm(said)) as engine:
        outcome = await call(engine, "reasoning_auto", {"content": "Is 221 a prime number?"})
    assert outcome.answer["recommended_mode"] == "linear"
    assert outcome.answer["partial"] is True
    assert any("the vote on the mode" in note for note in outcome.notes)


async def test_a_session_informs_the_choice(access: Access, embedder: Embedder) -> None:
    llm = ScriptedLlm(thought("about a"), vote("backtracking"))
    stuck: dict[str, Any] = {"content": "We are stuck."}
    async with thinking(access, embedder, llm) as engine:
        stuck["session_id"] = (await answered(engine, "linear", content="a"))["session_id"]
        before = await answered(engine, "auto", **stuck)
        session = {"session_id": stuck["session_id"]}
        point = await answered(engine, "checkpoint_create", **session, name="p")
        after = await answered(engine, "auto", **stuck)
    assert "way_back" not in before["features"]
    assert before["features"]["session"] == 0.1
    assert after["features"]["way_back"] == 0.7
    assert (before.get("checkpoint_id"), after["checkpoint_id"]) == (None, point["id"])
    told = [str(ask.messages[-1].content) for ask in llm.asked[1:]]
    assert all("- about a" in each for each in told)
    assert ["It has a checkpoint." in each for each in told] == [False, True]


@pytest.mark.parametrize("owner", ["local", "somebody else"])
async def test_an_unknown_session_is_refused(engine: Engine, owner: str) -> None:
    session = (await answered(engine, "linear", content="a"))["session_id"]
    known = session if owner != "local" else "nonsense"
    with pytest.raises(SessionNotFound):
        await answered(engine, "auto", owner=owner, content="a", session_id=known)


async def test_execute_runs_the_mode_as_a_call_of_its_own(
    access: Access, embedder: Embedder
) -> None:
    llm = ScriptedLlm(vote("linear"), thought("It is 397.80."))
    given = {"content": "What is 17 percent of 2,340?", "hints": ["one step"], "execute": True}
    async with thinking(access, embedder, llm) as engine:
        outcome = await call(engine, "reasoning_auto", given, key="k")
        again = await call(engine, "reasoning_auto", given, key="k")
        kept = await rows(engine)
    assert outcome.answer["executed"] == "reasoning_linear"
    assert outcome.answer["result"]["content"] == "It is 397.80."
    assert outcome.answer["result"]["run_id"] != outcome.answer["run_id"]
    assert again.answer == outcome.answer
    assert sorted(run.tool for run in kept) == ["reasoning_auto", "reasoning_linear"]
    assert len(llm.asked) == 2


async def test_execute_counts_its_steps_on(access: Access, embedder: Embedder) -> None:
    told: list[tuple[int, str]] = []

    async def report(step: Step) -> None:
        assert step.total is None or step.ended <= step.total
        told.append((step.ended, step.name))

    llm = ScriptedLlm(vote("linear"), thought("x"))
    async with thinking(access, embedder, llm) as engine:
        request = {"content": "Is 221 a prime number?", "hints": ["one step"], "execute": True}
        caller = Caller("local")
        await engine.call(
            Call("reasoning_auto", load_graph("auto"), request, caller, report=report)
        )
    assert [name for _, name in told][-1] == "keep thought"
    assert [step for step, _ in told] == sorted({step for step, _ in told})


async def test_execute_goes_back_to_the_newest_checkpoint(
    access: Access, embedder: Embedder
) -> None:
    llm = ScriptedLlm(thought("a"), vote("backtracking"), thought("another way"))
    async with thinking(access, embedder, llm) as engine:
        session = (await answered(engine, "linear", content="a"))["session_id"]
        point = await answered(engine, "checkpoint_create", session_id=session, name="p")
        answer = await answered(
            engine,
            "auto",
            content="We are stuck.",
            session_id=session,
            execute=True,
            hints=["back"],
        )
    assert answer["checkpoint_id"] == point["id"]
    assert answer["executed"] == "reasoning_backtrack"
    assert answer["result"]["content"] == "another way"


async def test_execute_ponders(access: Access, embedder: Embedder) -> None:
    torn = "A dilemma: my father needs quiet and my sons need room, and each fears to lose out."
    async with thinking(access, embedder, OfflineModel()) as engine:
        answer = await answered(engine, "auto", content=torn, execute=True)
        kept = await rows(engine)
    assert (answer["recommended_mode"], answer["executed"]) == ("ponder", "ponder")
    assert answer["result"]["quarters"] == 1
    assert sorted(run.tool for run in kept) == ["ponder", "reasoning_auto"]


async def test_what_cannot_be_executed_is_still_recommended(
    access: Access, embedder: Embedder
) -> None:
    llm = ScriptedLlm(vote("backtracking"), vote("linear"), LlmUnavailable("away"))
    async with thinking(access, embedder, llm) as engine:
        given: dict[str, Any] = {"hints": ["a hint"], "execute": True}
        back = await answered(engine, "auto", content="We are stuck.", **given)
        failed = await answered(engine, "auto", content="Is 7 prime?", **given)
    assert "no checkpoint" in back["not_executed"]
    assert (failed["executed"], failed["not_executed"]) == ("reasoning_linear", "away")


def test_every_executed_mode_is_a_mode() -> None:
    assert set(EXECUTED) == set(MODES)
