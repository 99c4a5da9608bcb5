"""Steps of evaluating a session: compute its metrics, get an opinion, answer."""

from dataclasses import asdict
from typing import Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.reasoning.reflection import Evaluation, Opinion, ReflectionEvaluate
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.offline import remark
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.runs.llm_call import Question, ask_or_note
from reasonloom.nodes.sessions.context import branch_history
from reasonloom.nodes.sessions.figures import SessionFigures, findings_of, measure_figures
from reasonloom.nodes.state import ToolState
from reasonloom.stores.sessions import branches, full_sessions


class EvaluationState(ToolState, total=False):
    """The state of an evaluation: the computed metrics, the opinion and its input.

    `findings_with_opinion` are the findings to return if there is an opinion.
    """

    session: dict[str, Any]
    figures: dict[str, Any]
    findings: dict[str, list[str]]
    findings_with_opinion: dict[str, list[str]]
    history: list[dict[str, str]]
    question: list[str]
    opinion: dict[str, Any]


async def measure_session(state: EvaluationState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Read the whole session, and compute its metrics and findings."""
    execution = runtime.context
    request = execution.request(ReflectionEvaluate)
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        whole = await full_sessions.read_full(tx, request.session_id)
        question = whole.thoughts[0].input if whole.thoughts else ""
        branch = await branches.active(tx, whole.session)
        history = await branch_history(tx, execution, branch.head_id, question)
    figures = await measure_figures(execution.loom.embedder, whole)
    return {
        "session": {"id": str(whole.session.id)},
        "figures": _wire(figures),
        "findings": asdict(findings_of(figures)),
        "findings_with_opinion": asdict(findings_of(figures, read=True)),
        "history": history.steps,
        "question": [question],
        "notes": list(figures.notes),
    }


def _wire(figures: SessionFigures) -> dict[str, Any]:
    return {
        "thought_count": len(figures.thoughts),
        "coherence": round(figures.coherence, 4),
        "confidence": round(figures.confidence, 4),
        "coverage": round(figures.coverage, 4),
        "open_branches": len(figures.open_branches),
    }


async def hear_opinion(state: EvaluationState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Get the language model's opinion on what the metrics cannot show."""
    execution = runtime.context
    if execution.loom.llm.offline or not state["figures"]["thought_count"]:
        return {"opinion": {}}
    found = state["findings"]
    question = Question(
        node="hear_opinion",
        prompt="reflection_evaluate/opine",
        blind=True,
        variables={
            "question": state["question"][0],
            "history": state["history"],
            "figures": state["figures"],
            "findings": [*found["strengths"], *found["weaknesses"]],
        },
        pipe="reflection",
        thread=state["session"]["id"],
    )
    heard = await ask_or_note(execution, question, "the opinion")
    opinion = heard.parsed or ({"opinion": heard.text} if heard.text else {"fault": True})
    return {"opinion": opinion, "notes": heard.notes}


async def render_evaluation(state: EvaluationState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Answer with the metrics, and the opinion if there is one."""
    execution = runtime.context
    opinion = state["opinion"]
    extra, findings = remark(execution), state["findings"]
    if "opinion" in opinion:
        findings = state.get("findings_with_opinion", findings)
        extra["opinion"] = Opinion(
            llm=execution.loom.llm.name,
            **{"strengths": [], "weaknesses": [], "recommendations": [], **opinion},
        )
    if "fault" in opinion:
        extra["partial"] = True
    session = state["session"]["id"]
    answer = Evaluation(
        session_id=session, **state["figures"], **findings, run_id=str(execution.run.id), **extra
    )
    notes = state.get("notes", [])
    async with execution.loom.database.begin(execution.caller) as tx:
        added = await complete_run(tx, execution, answer, notes=notes, session_id=UUID(session))
    return {**added, "notes": []}
