"""Runs the steps of the frameworks in waves; independent steps run in parallel."""

from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Send

from reasonloom.llm.off_schema import DEFAULT_CONFIDENCE
from reasonloom.nodes.execution import Cost, Execution
from reasonloom.nodes.reasoning.lookup import ask_informed_or_note
from reasonloom.nodes.runs.budget import ReservePolicy, cost_of
from reasonloom.nodes.runs.llm_call import OptionalReply, Question, saved_fault
from reasonloom.nodes.thinking.analyze.conclusion import PROMPT as CONCLUSION
from reasonloom.nodes.thinking.analyze.conclusion import conclusion_variables
from reasonloom.nodes.thinking.analyze.frameworks.catalog import FRAMEWORKS
from reasonloom.nodes.thinking.analyze.selection import ANALYZE
from reasonloom.nodes.thinking.analyze.state import (
    AnalysisState,
    StepTask,
    latest_results,
    steps_of,
    steps_of_wave,
    successful_results,
)
from reasonloom.nodes.thinking.exchange import fault_of
from reasonloom.nodes.thinking.state import prompt_context

PROMPT = "analysis/step"
MOST_FAILED_WAVES = 2
"""Consecutive failed waves after which no other starts."""


def dispatch_wave(state: AnalysisState) -> list[Send]:
    """Return one task for each step of the current wave."""
    plan, brief = state["plan"], state["brief"]
    done = successful_results(plan, state.get("done", []))
    wave = steps_of_wave(plan, state["wave"]["at"])
    return [
        Send(
            "take_step",
            StepTask(
                brief=brief,
                memories=state["memories"],
                framework=name,
                step=step.name,
                label=label,
                before=[each for each in done if each["framework"] == name],
                alone=label == "S1",
            ),
        )
        for name, step, label in wave
    ]


async def run_step(state: StepTask, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Run one step; if its call fails, the fault is its result."""
    execution, label = runtime.context, state["label"]
    what = f"the step {state['step']} of {FRAMEWORKS[state['framework']].name}"
    question = _question(execution, state)
    informed = await ask_informed_or_note(execution, question, what, searches="open")
    entry = {"framework": state["framework"], "step": state["step"], "label": label}
    return {
        "done": [{**entry, **_parse_result(informed.reply)}],
        "notes": [*informed.reply.notes, *informed.notes],
        **informed.added,
    }


def _question(execution: Execution, task: StepTask) -> Question:
    return Question(
        node="take_step",
        prompt=PROMPT,
        variables=step_variables(task),
        pipe=ANALYZE,
        task=task["label"],
        aside=ReservePolicy(
            leave=None if task["alone"] else _conclusion(execution, task), read=True
        ),
    )


def _conclusion(execution: Execution, task: StepTask) -> Cost:
    """Estimate the cost of the conclusion without the results that it reads."""
    variables = conclusion_variables(task["brief"], [task["framework"]], [], [])
    return cost_of(execution, execution.loom.prompts.get(CONCLUSION).render(**variables))


def step_variables(task: StepTask) -> dict[str, Any]:
    """Return the prompt variables of a step."""
    brief, framework = task["brief"], FRAMEWORKS[task["framework"]]
    step = next(each for each in framework.steps if each.name == task["step"])
    there = {each["step"] for each in task["before"]}
    return {
        **prompt_context(brief),
        "memories": task["memories"],
        "framework": {"name": framework.name, "description": framework.description},
        "step": {
            "name": step.name,
            "told": step.instruction,
            "questions": list(step.questions),
            "expects": step.expects,
        },
        "before": [
            {name: each[name] for name in ("label", "step", "output")} for each in task["before"]
        ],
        "lacking": [name for name in step.after if name not in there],
    }


def _parse_result(heard: OptionalReply) -> dict[str, Any]:
    """Return the result of a step; a reply that is not JSON becomes its output."""
    if heard.fault:
        return saved_fault(heard.fault)
    if heard.parsed is None:
        return {"output": heard.text, "insights": [], "open": [], "confidence": DEFAULT_CONFIDENCE}
    return heard.parsed


async def finish_wave(state: AnalysisState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Complete a wave: continue with the next one, or with the conclusion after the last.

    If every step failed, all start over, once per resumption of the run.

    Raises:
        ServiceFault: every step failed; this is the first step's fault.
    """
    plan, run, at = state["plan"], runtime.context.run, state["wave"]["at"]
    if steps_of_wave(plan, at + 1) and not _is_hopeless(state):
        return {"wave": {"at": at + 1, "over": False}}
    if successful_results(plan, state["done"]):
        return {"wave": {"at": at, "over": True}}
    if run.retries and state.get("redone") != run.started:
        return {"redone": run.started, "wave": {"at": 0, "over": False}}
    raise fault_of(latest_results(plan, state["done"])[0], "step")


def _is_hopeless(state: AnalysisState) -> bool:
    """Return whether the last `MOST_FAILED_WAVES` waves all failed."""
    plan, at = state["plan"], state["wave"]["at"]
    there = {each["label"] for each in successful_results(plan, state["done"])}
    last = range(at - MOST_FAILED_WAVES + 1, at + 1)
    return last[0] >= 0 and not any(
        label in there for number in last for _, _, label in steps_of_wave(plan, number)
    )


def after_wave(state: AnalysisState) -> list[Send] | str:
    """Route to the next wave or the conclusion."""
    return "conclude" if state["wave"]["over"] else dispatch_wave(state)


async def run_offline(state: AnalysisState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Use the first question of each step, unanswered, as its result."""
    return {
        "done": [
            {
                "framework": name, "step": step.name, "label": label, "insights": [],
                "output": step.questions[0], "open": [], "confidence": 0.0,
            }
            for name, step, label in steps_of(state["plan"])
        ]
    }  # fmt: skip
