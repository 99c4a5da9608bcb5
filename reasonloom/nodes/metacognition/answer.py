"""Completes a check: merges computed results and the lenses' votes into the tool's answer."""

import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.metacognition import (
    BiasesJudged,
    Checked,
    ConfidenceAssessed,
    DetectBias,
    DetectEmotion,
    EmotionDetected,
    Evaluate,
    Judged,
)
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.metacognition.bias import merge_bias
from reasonloom.nodes.metacognition.confidence import judge_agreement, merge_confidence
from reasonloom.nodes.metacognition.emotion import merge_emotion
from reasonloom.nodes.metacognition.judges import JUDGES
from reasonloom.nodes.metacognition.quality import merge_quality
from reasonloom.nodes.metacognition.state import CheckState, JudgeVote, PartName
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.stores.runs import run_lists

LOOKED_BACK = 20
"""Number of newest earlier calls to compare with."""

SHIFTED = 0.1
"""Minimum difference in a bias's confidence to report."""


async def compare_with_earlier(
    execution: Execution, biases: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Return the changes since the caller's last monitored call, and recurring biases."""
    async with execution.loom.database.begin(execution.caller) as tx:
        earlier = await run_lists.last_monitored(
            tx,
            tool=execution.run.tool,
            space=execution.caller.space,
            client=execution.caller.client,
            before=execution.run.created_at,
            limit=LOOKED_BACK,
        )
    now = {each["type"]: each["confidence"] for each in biases}
    calls = [{each["type"]: each["confidence"] for each in call.biases} for call in earlier]
    before = calls[0] if calls else now
    repeated = Counter(bias for call in calls for bias in call if bias in now)
    appeared = [bias for bias in now if bias not in before]
    gone = [bias for bias in before if bias not in now]
    shifted = [
        {"type": bias, "before": before[bias], "now": now[bias]}
        for bias in now
        if bias in before and abs(now[bias] - before[bias]) >= SHIFTED
    ]
    return {
        "calls": len(calls),
        **({"since": earlier[-1].at.isoformat()} if earlier else {}),
        "appeared": appeared,
        "gone": gone,
        "shifted": shifted,
        "repeated": dict(repeated),
        "told": _describe(len(calls), appeared, gone, shifted, repeated),
    }


def _describe(
    calls: int,
    appeared: Sequence[str],
    gone: Sequence[str],
    shifted: Sequence[dict[str, Any]],
    repeated: Counter[str],
) -> str:
    if not calls:
        return "This is your first monitored call; later ones are compared with it."
    parts = [f"new since your last call: {', '.join(appeared)}"] if appeared else []
    parts += [f"gone: {', '.join(gone)}"] if gone else []
    parts += [
        f"{each['type']} went from {each['before']:.2f} to {each['now']:.2f}" for each in shifted
    ]
    parts += [
        f"{bias} was in {times} of your last {calls} calls"
        for bias, times in repeated.most_common()
        if times > 1
    ]
    return "; ".join(parts).capitalize() + "." if parts else "Nothing changed since your last call."


OFFLINE = (
    "No language model is configured: this was computed from words and structure by a small "
    "classifier and rules, and nobody has judged it. Set REASONLOOM_LLM; `reasonloom doctor` "
    "shows how."
)
UNREAD = (
    "No language model is configured, and without one only English can be judged: nobody has "
    "judged this text. Set REASONLOOM_LLM; `reasonloom doctor` shows how."
)


async def answer_confidence(state: CheckState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Answer `assess_confidence`."""
    values = merge_confidence(*_of(state, "confidence"))
    answer = ConfidenceAssessed(**values, **_about(state, runtime))
    return await _ended(state, runtime.context, answer)


async def answer_bias(state: CheckState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Answer `detect_bias`; a monitored call is compared with the caller's earlier ones."""
    execution = runtime.context
    request = execution.request(DetectBias)
    biases, notes = merge_bias(*_of(state, "bias"), state["given"])
    changes = (
        await compare_with_earlier(execution, biases) if request.monitor_continuously else None
    )
    answer = BiasesJudged(
        biases=biases,
        detection_time=_milliseconds(state, execution),
        monitoring_active=request.monitor_continuously,
        **({"changes": changes} if changes else {}),
        **_about(state, runtime),
    )
    return await _ended(state, execution, answer, notes, keep=request.monitor_continuously)


async def answer_emotion(state: CheckState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Answer `detect_emotion`."""
    request = runtime.context.request(DetectEmotion)
    values = merge_emotion(
        *_of(state, "emotion"), state["given"], discrete=request.include_discrete
    )
    took = _milliseconds(state, runtime.context)
    answer = EmotionDetected(**values, detection_time=took, **_about(state, runtime))
    return await _ended(state, runtime.context, answer)


async def answer_evaluation(state: CheckState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Answer `evaluate`, including the requested additional parts."""
    request, given = runtime.context.request(Evaluate), state["given"]
    values = merge_quality(*_of(state, "quality"), given)
    values |= {"confidence": None, "biases": None}
    notes: list[str] = []
    if request.include_confidence:
        values["confidence"] = merge_confidence(*_of(state, "confidence"))
    if request.include_bias:
        values["biases"], notes = merge_bias(*_of(state, "bias"), given)
    if request.include_emotion:
        values["emotion"] = merge_emotion(*_of(state, "emotion"), given, discrete=True)
    answer = Judged(**values, **_about(state, runtime))
    return await _ended(state, runtime.context, answer, notes)


def _of(state: CheckState, part: PartName) -> tuple[dict[str, Any], list[JudgeVote]]:
    votes = [vote for vote in state.get("votes", []) if vote["part"] == part]
    return state["measured"][part], votes


def _about(state: CheckState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the metadata of the check."""
    execution = runtime.context
    facts = {
        **state["language"],
        "llm": execution.loom.llm.name,
        "run_id": str(execution.run.id),
    }
    if execution.loom.llm.offline:
        known = state["language"]["supported"]
        return {**facts, "suggestion": OFFLINE if known else UNREAD}
    expected = sum(len(JUDGES[part]) for part in state["given"]["parts"])
    votes = state.get("votes", [])
    heard = sum(vote["said"] is not None for vote in votes)
    more: dict[str, Any] = {"partial": True} if heard < expected else {}
    if (agree := judge_agreement(votes)) is not None:
        more["agreement"] = agree
    return {**facts, "lenses_asked": expected, "lenses_heard": heard, **more}


def _milliseconds(state: CheckState, execution: Execution) -> float:
    """Return the duration: of the whole check with lenses, else of the computation."""
    if execution.loom.llm.offline:
        return state["milliseconds"][0]
    return round((time.perf_counter() - execution.run.started) * 1000, 3)


async def _ended(
    state: CheckState,
    execution: Execution,
    answer: Checked,
    notes: Sequence[str] = (),
    *,
    keep: bool = False,
) -> dict[str, Any]:
    """Record the run if it is saved or later calls are compared with it; else the journal does."""
    if not execution.run.saved and not keep:
        return {"answer": answer.wire(), "notes": [*notes]}
    whole = [*state.get("notes", []), *notes]
    async with execution.loom.database.begin(execution.caller) as tx:
        added = await complete_run(tx, execution, answer, notes=whole)
    return {**added, "notes": [*notes]}
