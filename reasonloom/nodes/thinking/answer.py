"""Builds the answers of think and ponder, and persists conclusions."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from langgraph.runtime import Runtime

from reasonloom.contracts.base import Answer
from reasonloom.contracts.reasoning.divergent import CheckedConstraint
from reasonloom.contracts.thinking.think import (
    Advice,
    Considered,
    Deliberated,
    GoalCovered,
    HeldInsight,
    LongPonder,
    MissingPart,
    Ponder,
    Pondered,
    Quality,
    ResolvedConflict,
    Stopped,
    StreamResult,
    Think,
    Thinking,
    returned_context,
)
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.offline import OPEN_QUESTION
from reasonloom.nodes.reasoning.attempts import caveats
from reasonloom.nodes.reasoning.persist import StoredStep, persist_step
from reasonloom.nodes.sessions.context import new_place, next_thought
from reasonloom.nodes.thinking.begin import PONDER
from reasonloom.nodes.thinking.quality import JOINT, confidence_of, overall_quality
from reasonloom.nodes.thinking.state import ThinkingState, last_outputs, successful_outputs

AGREED = "agreed"


def verdicts_of(checks: Iterable[Mapping[str, Any]], name: str) -> list[dict[str, Any]]:
    """Return the verdicts of the constraint checks of one conclusion."""
    own = [each for each in checks if each["name"] == name]
    return [dict(each) for check in own for each in check["constraints"]]


def verdict_fields(verdicts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the fields of an answer that tell how it keeps the constraints."""
    checked = [CheckedConstraint(**each) for each in verdicts]
    return {"constraints": checked, "violates": any(each.kept is False for each in checked)}


def confidence(state: ThinkingState) -> float:
    """Return the conclusion's confidence, 0..1."""
    brief = state["brief"]
    if "confidence" in state["synthesis"]:
        return float(state["synthesis"]["confidence"])
    claims = [float(each["confidence"]) for each in last_outputs(brief, state["said"]).values()]
    return confidence_of(claims, verdicts_of(state.get("checks", []), JOINT))


def missing_of(state: ThinkingState) -> list[MissingPart]:
    """Return the quarters that are missing from each stream."""
    brief = state["brief"]
    there = {(each["stream"], each["quarter"]) for each in successful_outputs(brief, state["said"])}
    agreed = state["barrier"]["stopped"] == AGREED
    last = state["barrier"]["quarter"] if agreed else brief["quarters"]
    chosen = state["barrier"].get("streams", brief["streams"])
    found = {
        name: [
            quarter
            for quarter in range(1, last + 1)
            if (name, quarter) not in there and (quarter == 1 or name in chosen)
        ]
        for name in brief["streams"]
    }
    return [MissingPart(stream=name, quarters=lack) for name, lack in found.items() if lack]


def answer_of(execution: Execution, state: ThinkingState, step: StoredStep) -> Considered:
    """Return the answer of think or ponder."""
    shared = _shared_parts(execution, state, step)
    if state["brief"]["tool"] == PONDER:
        deliberated = state["brief"].get("retracts")
        return (Deliberated if deliberated else Pondered)(
            **shared,
            **_joint_parts(execution, state),
            quarters=max(
                each["quarter"] for each in successful_outputs(state["brief"], state["said"])
            ),
            stopped_because=cast("Stopped", state["barrier"]["stopped"]),
        )
    if len(state["brief"]["streams"]) > 1:
        return Thinking(**shared, **_joint_parts(execution, state))
    (only,) = last_outputs(state["brief"], state["said"]).values()
    insights = [each["content"] for each in state["synthesis"]["insights"]]
    return Thinking(**shared, insights=insights, reasoning=only["reasoning"])


def _shared_parts(execution: Execution, state: ThinkingState, step: StoredStep) -> dict[str, Any]:
    synthesis = state["synthesis"]
    missing = missing_of(state)
    partial = bool(missing) or not synthesis["made"]
    kind: type[Think | Ponder] = LongPonder if state["brief"]["tool"] == PONDER else Think
    extra = returned_context(execution.request(kind).context) | caveats(execution)
    if missing:
        extra["missing"] = missing
    return {
        "conclusion": synthesis["conclusion"],
        "confidence": confidence(state),
        "processing_time": round((time.perf_counter() - execution.run.started) * 1000, 3),
        "status": "partial" if partial else "completed",
        **verdict_fields(verdicts_of(state.get("checks", []), JOINT)),
        "goals": [GoalCovered(**each) for each in synthesis["goals"]],
        "memories_used": step.memories,
        "session_id": str(step.thought.session_id),
        "thought_id": str(step.thought.id),
        **extra,
    }


def _joint_parts(execution: Execution, state: ThinkingState) -> dict[str, Any]:
    """Return the fields that exist only for several streams."""
    synthesis = state["synthesis"]
    names = HeldInsight.model_fields
    return {
        "insights": [
            HeldInsight(**{name: each[name] for name in names if name in each})
            for each in synthesis["insights"]
        ],
        "recommendations": [Advice(**each) for each in synthesis["advice"]],
        "conflicts": [ResolvedConflict(**each) for each in synthesis["conflicts"]],
        "quality": overall_quality(synthesis["parts"]),
        "quality_parts": Quality(**synthesis["parts"]),
        "streams": _streams(execution, state),
    }


def _streams(execution: Execution, state: ThinkingState) -> list[StreamResult]:
    brief, checks = state["brief"], state.get("checks", [])
    counts = Counter(each["stream"] for each in successful_outputs(brief, state["said"]))
    return [
        StreamResult(
            stream=name,
            conclusion=end["conclusion"],
            confidence=float(end["confidence"]),
            quarters=counts[name],
            **verdict_fields(verdicts_of(checks, name)),
            **({"kind": OPEN_QUESTION} if execution.loom.llm.offline else {}),
        )
        for name, end in last_outputs(brief, state["said"]).items()
    ]


async def persist_thinking(state: ThinkingState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Persist the conclusion and complete the run."""
    return await persist_conclusion(
        runtime.context,
        state,
        answer_of,
        content=state["synthesis"]["conclusion"],
        confidence=confidence(state),
        metadata={"streams": state["brief"]["streams"]},
    )


async def persist_conclusion(
    execution: Execution,
    state: Mapping[str, Any],
    answer: Callable[..., Answer],
    *,
    content: str,
    confidence: float,
    metadata: dict[str, Any],
) -> dict[str, Any]:
    """Persist a conclusion as the first thought of a new session, in one transaction.

    `answer` is called with the execution, the state, and the stored thought.
    """
    brief = state["brief"]
    thought = next_thought(
        execution, new_place(execution), mode=brief["tool"], question=brief["problem"],
        content=content, confidence=confidence, metadata=metadata,
    )  # fmt: skip
    return await persist_step(
        execution, state, thought, lambda step: answer(execution, state, step)
    )
