"""The steps of choosing a mode: compute features, hear the llm's vote, recommend.

The llm's vote is blind: it is asked without the features and what they say.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.reasoning.auto import ExecutingAuto, ModeOption, Recommendation, Vote
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.mental_models.offers import Offer, offer_models
from reasonloom.nodes.reasoning.routing.choice import (
    NONE_OFFERED,
    NOT_OFFERED,
    TOOLS,
    alternatives_to,
    best_mode,
    offered_shares,
    reasons_for,
    shares_with_vote,
)
from reasonloom.nodes.reasoning.routing.weights import (
    complexity_of,
    evidence_of,
    features_of,
    shares_of,
)
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.runs.llm_call import Question, ask_or_note
from reasonloom.nodes.state import ToolState
from reasonloom.stores.sessions import full_sessions

OFFLINE = (
    "No language model is configured: the mode is chosen by computed features alone. "
    "Set REASONLOOM_LLM; `reasonloom doctor` shows how."
)
LAST_STEPS = 3
"""Steps of the session that the llm is told of."""


class AutoState(ToolState, total=False):
    """What the choice carries; `session` holds id, checkpoint, last steps, and models that fit."""

    session: dict[str, Any]
    features: dict[str, float]
    vote: dict[str, Any]


async def measure_problem(state: AutoState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Look at the session, where one is named, and compute the features."""
    execution = runtime.context
    request = ExecutingAuto.model_validate(state["request"])
    session: dict[str, Any] = {"id": None, "steps": []}
    thoughts = checkpoints = 0
    if request.session_id is not None:
        async with execution.loom.database.begin(execution.caller) as tx:
            whole = await full_sessions.read_full(tx, request.session_id)
        thoughts, checkpoints = len(whole.thoughts), len(whole.checkpoints)
        steps = [each.content for each in whole.thoughts[-LAST_STEPS:]]
        session = {"id": str(whole.session.id), "steps": steps}
        if whole.checkpoints:
            session["checkpoint"] = str(whole.checkpoints[-1].id)
    features = features_of(request.content, thoughts=thoughts, checkpoints=checkpoints)
    models = await offer_models(execution, request.content)
    session["models"] = models.context
    return {"session": session, "features": features, "notes": models.notes}


async def hear_vote(state: AutoState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Ask the language model which mode it would take."""
    execution = runtime.context
    if execution.loom.llm.offline:
        return {"vote": {}}
    request, session = ExecutingAuto.model_validate(state["request"]), state["session"]
    question = Question(
        node="hear_vote",
        prompt="auto/route",
        variables={
            "content": Offer(session.get("models", [])).append_to(request.content),
            "hints": request.hints or [],
            "steps": session["steps"],
            "checkpoint": "checkpoint" in session,
        },
        pipe="auto",
        thread=session["id"],
    )
    heard = await ask_or_note(execution, question, "the vote on the mode")
    return {"vote": heard.parsed or {}, "notes": heard.notes}


async def recommend_mode(state: AutoState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Put the votes together and answer; nothing is stored but the run."""
    execution = runtime.context
    answer = _answer(execution, state, ExecutingAuto.model_validate(state["request"]))
    session = state["session"]["id"]
    notes = state.get("notes", [])
    async with execution.loom.database.begin(execution.caller) as tx:
        added = await complete_run(
            tx, execution, answer, notes=notes, session_id=UUID(session) if session else None
        )
    return {**added, "notes": []}


def _answer(execution: Execution, state: AutoState, request: ExecutingAuto) -> Recommendation:
    features, vote, hints = state["features"], state["vote"], request.hints or []
    computed = shares_of(evidence_of(features, hints))
    wanted = shares_with_vote(computed, vote)
    offered = [mode for mode, tool in TOOLS.items() if execution.loom.offers(tool)]
    shares = offered_shares(wanted, offered)
    chosen, first = best_mode(shares), best_mode(computed)
    votes = [
        Vote(
            by="features",
            mode=first,
            confidence=round(computed[first], 3),
            rationale=reasons_for(first, features, hints),
        )
    ]
    if vote:
        votes.append(Vote(by="llm", **vote))
    return Recommendation(
        recommended_mode=chosen,
        confidence=round(shares[chosen], 3),
        rationale=_rationale(chosen, features, hints, vote) + _missed(wanted, offered),
        complexity=complexity_of(features),
        alternative_modes=[
            ModeOption(**each) for each in alternatives_to(chosen, shares, features, hints)
        ],
        features={name: value for name, value in features.items() if value},
        votes=votes,
        llm=execution.loom.llm.name,
        run_id=str(execution.run.id),
        **_marks(execution, state),
    )


def _rationale(
    chosen: str, features: dict[str, float], hints: list[str], vote: dict[str, Any]
) -> str:
    said = f"{chosen}: {reasons_for(chosen, features, hints)}."
    if vote:
        said += (
            f" The language model votes for {vote['mode']} "
            f"({vote['confidence']:.2f}): {vote['rationale']}"
        )
    return said


def _missed(wanted: dict[str, float], offered: list[str]) -> str:
    """Return what is to be said where the best mode, or any, is not offered here."""
    if not offered:
        return NONE_OFFERED
    best = best_mode(wanted)
    return "" if best in offered else NOT_OFFERED.format(mode=best)


def _marks(execution: Execution, state: AutoState) -> dict[str, Any]:
    """Return what must be said of a choice beside itself."""
    marks: dict[str, Any] = {}
    if (checkpoint := state["session"].get("checkpoint")) is not None:
        marks["checkpoint_id"] = checkpoint
    if execution.loom.llm.offline:
        marks["suggestion"] = OFFLINE
    elif not state["vote"]:
        marks["partial"] = True
    return marks
