"""The answer of `analyze`."""

import json
import time
from statistics import fmean
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.thinking.analyze import (
    Alternative,
    AnalysisResult,
    Analyze,
    Analyzed,
    FailedStep,
    FrameworkTaken,
    FrameworkVote,
    Selection,
    StepOutput,
)
from reasonloom.contracts.thinking.think import GoalCovered, returned_context
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.reasoning.attempts import caveats
from reasonloom.nodes.reasoning.persist import StoredStep
from reasonloom.nodes.thinking.analyze.frameworks.catalog import FRAMEWORKS
from reasonloom.nodes.thinking.analyze.selection import alternatives_of, reason_of
from reasonloom.nodes.thinking.analyze.state import (
    AnalysisState,
    missing_steps,
    steps_of,
    successful_results,
)
from reasonloom.nodes.thinking.answer import persist_conclusion, verdict_fields, verdicts_of
from reasonloom.nodes.thinking.quality import JOINT, confidence_of
from reasonloom.text.sentences import sentences_in
from reasonloom.text.shortening import shortened

LONGEST_GIST = 160
MOST_CHARS, SHORT_REASON = 1_190, 40
"""Maximum characters of an offline answer (1,500 with its envelope); minimum of its reason."""

NO_RESULT = "no result"


def confidence(state: AnalysisState) -> float:
    """Return the conclusion's confidence, 0..1.

    It is the lower of its claimed confidence and its steps' mean, times the share of successful
    steps, reduced by violated constraints.
    """
    plan, outcome = state["plan"], state["outcome"]
    done = successful_results(plan, state["done"])
    claim = fmean(float(each["confidence"]) for each in done)
    if outcome["claim"] is not None:
        claim = min(claim, outcome["claim"])
    share = len(done) / len(steps_of(plan))
    return confidence_of([claim * share], _verdicts(state))


def _verdicts(state: AnalysisState) -> list[dict[str, Any]]:
    """Return the verdicts on the constraints."""
    return verdicts_of(state.get("checks", []), JOINT)


def answer_of(execution: Execution, state: AnalysisState, step: StoredStep) -> Analyzed:
    """Return the answer of analyze."""
    plan, outcome, brief = state["plan"], state["outcome"], state["brief"]
    first, *more = plan["frameworks"]
    offline = execution.loom.llm.offline
    alternatives = [] if offline else alternatives_of(brief["problem"], plan)
    answer = Analyzed(
        framework=_framework_summary(first),
        selection=Selection(
            confidence=round(plan["shares"][first], 4),
            reason=reason_of(brief["problem"], plan),
            is_hybrid=bool(more),
            by=plan["by"],
        ),
        result=AnalysisResult(
            conclusion=outcome["conclusion"],
            steps=[each["output"] for each in state["done"]] if offline else _gists(state),
            insights=outcome["insights"],
            confidence=confidence(state),
            processing_time=round((time.perf_counter() - execution.run.started) * 1000, 3),
        ),
        alternatives=[Alternative.model_validate(each) for each in alternatives],
        votes=[] if offline else [FrameworkVote(**each) for each in plan["votes"]],
        outputs=[]
        if offline
        else [
            StepOutput(**{name: each[name] for name in StepOutput.model_fields})
            for each in successful_results(plan, state["done"])
        ],
        rests_on=outcome["rests_on"],
        **verdict_fields(_verdicts(state)),
        goals=[GoalCovered(**each) for each in outcome["goals"]],
        memories_used=step.memories,
        session_id=str(step.thought.session_id),
        thought_id=str(step.thought.id),
        **_remarks(execution, state),
    )
    return _fitted(answer) if offline else answer


def _fitted(answer: Analyzed) -> Analyzed:
    """Shorten an answer's reason so that the whole has at most `MOST_CHARS`, if possible."""
    excess = len(json.dumps(answer.wire(), ensure_ascii=False)) - MOST_CHARS
    if excess <= 0:
        return answer
    selection = answer.selection
    reason = shortened(selection.reason, max(SHORT_REASON, len(selection.reason) - excess))
    return answer.model_copy(update={"selection": selection.model_copy(update={"reason": reason})})


def _framework_summary(name: str) -> FrameworkTaken:
    framework = FRAMEWORKS[name]
    return FrameworkTaken(id=name, name=framework.name, description=framework.description)


def _gists(state: AnalysisState) -> list[str]:
    """Return each step's name with the first sentence of its result."""
    plan = state["plan"]
    done = {each["label"]: each for each in successful_results(plan, state["done"])}
    several = len(plan["frameworks"]) > 1
    return [
        (f"{FRAMEWORKS[name].name}, " if several else "")
        + f"{step.name}: {_gist(done[label]) if label in done else NO_RESULT}"
        for name, step, label in steps_of(plan)
    ]


def _gist(done: dict[str, Any]) -> str:
    return shortened(next(iter(sentences_in(done["output"])), ""), LONGEST_GIST)


def _remarks(execution: Execution, state: AnalysisState) -> dict[str, Any]:
    """Return the status, caveats and failures of the answer."""
    plan, offline = state["plan"], execution.loom.llm.offline
    failed = missing_steps(plan, state["done"])
    voteless = plan["by"] == "features" and not offline
    partial = bool(failed) or voteless or not state["outcome"]["made"]
    marks: dict[str, Any] = {
        "status": "partial" if partial else "completed",
        **returned_context(execution.request(Analyze).context),
        **caveats(execution),
    }
    if len(plan["frameworks"]) > 1:
        marks["second_framework"] = _framework_summary(plan["frameworks"][1])
    if failed:
        marks["failed_steps"] = [FailedStep(**each) for each in failed]
    return marks


async def persist_analysis(state: AnalysisState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Persist the conclusion and complete the run."""
    return await persist_conclusion(
        runtime.context,
        state,
        answer_of,
        content=state["outcome"]["conclusion"],
        confidence=confidence(state),
        metadata={"frameworks": state["plan"]["frameworks"]},
    )
