"""Steps of automatic mode selection: compute features, get the model's vote, recommend.

The vote is blind: the language model does not see the features.
"""

from typing import Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.reasoning.auto import ExecutingAuto, ModeOption, Recommendation, Vote
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.mental_models.offers import Offer, offer_models
from reasonloom.nodes.offline import remark
from reasonloom.nodes.reasoning.direct_answers import (
    DirectState,
    agreed,
    agreed_thought,
    answers_of,
    differ,
)
from reasonloom.nodes.reasoning.linear import thought_answer
from reasonloom.nodes.reasoning.persist import StoredStep, persist_step
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
from reasonloom.stores.sessions import full_sessions
from reasonloom.text.sentences import join_sentences

ON_EARLIER_WORK = ("reflection", "backtracking")
"""Modes that continue earlier work, for which a direct answer to the problem is no help."""

SEVERAL_SIDED = ("tree", "divergent", "ponder")
"""Modes that weigh several answers; the choice is limited to them if the direct answers differ."""

AGREED = "linear: two answers, given independently, come to the same: no more was spent."

LAST_STEPS = 3
"""Latest steps of the session that the language model sees."""


class AutoState(DirectState, total=False):
    """The state of mode selection.

    `session` holds the id, checkpoint, latest steps and matching mental models. `unread` holds the
    language model's reply if it is not a valid vote.
    """

    session: dict[str, Any]
    features: dict[str, float]
    vote: dict[str, Any]
    unread: list[str]


async def measure_problem(state: AutoState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Compute the features of the problem, and of its session if one is given."""
    execution = runtime.context
    request = execution.request(ExecutingAuto)
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


def begin_answering(state: AutoState, runtime: Runtime[Execution]) -> str:
    """Return the next step: direct answers first, or straight to the vote.

    Direct answers need execute mode and a language model. They are skipped if the caller gives
    hints or the features favour a mode that continues earlier work.
    """
    request = runtime.context.request(ExecutingAuto)
    loom = runtime.context.loom
    if not request.execute or request.hints or loom.llm.offline or not loom.offers(TOOLS["linear"]):
        return "hear_vote"
    first = best_mode(shares_of(evidence_of(state["features"], [])))
    return "hear_vote" if first in ON_EARLIER_WORK else "recall_context"


def after_comparing(state: AutoState) -> str:
    """Accept the direct answer if both agree; otherwise choose a mode."""
    return "keep_answer" if agreed(state) else "hear_vote"


async def hear_vote(state: AutoState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Get the language model's vote on the mode."""
    execution = runtime.context
    if execution.loom.llm.offline:
        return {"vote": {}}
    request, session = execution.request(ExecutingAuto), state["session"]
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
    unread = [heard.text] if heard.parsed is None and heard.text else []
    return {"vote": heard.parsed or {}, "unread": unread, "notes": heard.notes}


async def recommend_mode(state: AutoState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Combine the votes and answer; only the run is stored."""
    execution = runtime.context
    answer = _answer(execution, state, execution.request(ExecutingAuto))
    session = state["session"]["id"]
    notes = state.get("notes", [])
    async with execution.loom.database.begin(execution.caller) as tx:
        added = await complete_run(
            tx,
            execution,
            answer,
            notes=notes,
            session_id=UUID(session) if session else None,
            memories=state.get("memories", []),
        )
    return {**added, "notes": []}


async def keep_answer(state: AutoState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Store the answer that both direct answers agree on, and return it."""
    execution = runtime.context

    def answer(step: StoredStep) -> Recommendation:
        return _answer(execution, state, execution.request(ExecutingAuto)).model_copy(
            update={
                "confidence": step.thought.confidence,
                "rationale": AGREED,
                "executed": TOOLS["linear"],
                "result": thought_answer(execution, step).wire(),
            }
        )

    return await persist_step(execution, state, agreed_thought(execution, state), answer)


def _answer(execution: Execution, state: AutoState, request: ExecutingAuto) -> Recommendation:
    features, vote, hints = state["features"], state.get("vote", {}), request.hints or []
    computed = shares_of(evidence_of(features, hints))
    wanted = shares_with_vote(computed, vote)
    offered = [mode for mode, tool in TOOLS.items() if execution.loom.offers(tool)]
    left = [mode for mode in offered if mode in SEVERAL_SIDED] if differ(state) else offered
    shares = offered_shares(wanted, left or offered)
    first = best_mode(computed)
    chosen = "linear" if agreed(state) else best_mode(shares)
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
        rationale=_rationale(chosen, features, hints, vote)
        + _unread(state)
        + _not_offered(wanted, offered),
        complexity=complexity_of(features),
        alternative_modes=[
            ModeOption(**each) for each in alternatives_to(chosen, shares, features, hints)
        ],
        features={name: value for name, value in features.items() if value},
        votes=votes,
        llm=execution.loom.llm.name,
        run_id=str(execution.run.id),
        **_extras(execution, state),
    )


def _rationale(
    chosen: str, features: dict[str, float], hints: list[str], vote: dict[str, Any]
) -> str:
    """Return why a mode was chosen: the vote's rationale, or the computed reasons if it differs."""
    if vote and vote["mode"] == chosen:
        return f"{chosen}: {vote['rationale']}"
    rationale = f"{chosen}: {reasons_for(chosen, features, hints)}."
    if vote:
        rationale += (
            f" The language model votes for {vote['mode']} "
            f"({vote['confidence']:.2f}): {vote['rationale']}"
        )
    return rationale


def _unread(state: AutoState) -> str:
    """Return the language model's reply as a remark if it does not name a mode."""
    unread = join_sentences(state.get("unread", []))
    return f" The language model names no mode; it says: {unread}" if unread else ""


def _not_offered(wanted: dict[str, float], offered: list[str]) -> str:
    """Return a remark if the best mode, or every mode, is unavailable on this server."""
    if not offered:
        return NONE_OFFERED
    best = best_mode(wanted)
    return "" if best in offered else NOT_OFFERED.format(mode=best)


def _extras(execution: Execution, state: AutoState) -> dict[str, Any]:
    """Return the optional answer keys."""
    extras = remark(execution)
    if (checkpoint := state["session"].get("checkpoint")) is not None:
        extras["checkpoint_id"] = checkpoint
    if not (execution.loom.llm.offline or state.get("vote") or agreed(state)):
        extras["partial"] = True
    if differ(state):
        extras["direct_answers"] = answers_of(state)
    return extras
