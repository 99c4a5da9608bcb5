"""Implements `resolve_prediction`: judges the outcome, then counts it once.

Judging may call a language model, so it is a separate step: no lock is held during the call, and a
resumed run does not repeat it. Vector similarity is not used to judge: `the boss kept the deadline`
is as similar to `the boss moves the deadline` as a sentence that agrees with it (see
docs/mental-models.md for measurements).
"""

from collections.abc import Coroutine
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.mental_models.extras import Resolved, ResolvePrediction
from reasonloom.errors import InvalidArgument, Settled
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.graph_memory.grounding.pair import Pair, judge_texts
from reasonloom.nodes.memory.cleaning import clean_name
from reasonloom.nodes.mental_models.accuracy import figures_of
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.runs.llm_call import Question, ask_or_note
from reasonloom.nodes.state import ToolState
from reasonloom.stores.mental_models import models, predictions
from reasonloom.stores.mental_models.predictions import PredictionRow
from reasonloom.stores.pipelines import together

MOST_READ_CHARS = 2_000
MOST_LISTED_WORDS = 6

CALLER, WORDS = "caller", "words"
CALLER_SAYS = "was_accurate says so"
SAME = "the observation says the same"
OTHERWISE = "the observation says otherwise: {why}"
PART = "words do not show it: of the prediction the observation has {covered}, not {uncovered}"
DOUBTED = "words do not show it: {doubt}"
NONE = "words do not show it: the observation has none of the prediction's"
BY_WORDS = "without a language model the outcome is estimated by words alone"
NO_REPLY = "no answer of the language model could be used: the outcome is estimated by words alone"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether a prediction held (None: undecided), who decided it, and why."""

    correct: bool | None
    by: str
    why: str
    notes: list[str] = field(default_factory=list)


async def decide_outcome(
    execution: Execution, prediction: PredictionRow, observation: str | None, given: bool | None
) -> Outcome:
    """Return the outcome of a prediction; an explicit verdict of the caller takes precedence."""
    if given is not None or observation is None:
        return Outcome(given, CALLER, CALLER_SAYS)
    if execution.loom.llm.offline:
        return judge_by_words(prediction.content, observation, [BY_WORDS])
    return await _ask_llm(execution, prediction, observation)


async def _ask_llm(execution: Execution, prediction: PredictionRow, observation: str) -> Outcome:
    """Ask the language model; without a usable reply, fall back to words."""
    question = Question(
        node="resolve_prediction",
        prompt="models/outcome",
        variables={
            "situation": prediction.context,
            "prediction": prediction.content,
            "observation": observation,
        },
        pipe="models_outcome",
    )
    reply = await ask_or_note(execution, question, "the outcome of the prediction")
    if reply.parsed is None:
        return judge_by_words(prediction.content, observation, [*reply.notes, NO_REPLY])
    correct = {"held": True, "failed": False}.get(reply.parsed["outcome"])
    return Outcome(correct, execution.loom.llm.name, reply.parsed["why"], reply.notes)


def judge_by_words(predicted: str, observation: str, notes: list[str] | None = None) -> Outcome:
    """Judge the outcome by comparing the words of prediction and observation."""
    pair = judge_texts(predicted[:MOST_READ_CHARS], observation[:MOST_READ_CHARS])
    if pair.relation == "same":
        return Outcome(True, WORDS, SAME, notes or [])
    if pair.relation == "contradicts":
        return Outcome(False, WORDS, OTHERWISE.format(why=pair.why), notes or [])
    return Outcome(None, WORDS, _undecided_reason(pair), notes or [])


def _undecided_reason(pair: Pair) -> str:
    if not pair.covered:
        return NONE
    if pair.uncovered:
        return PART.format(covered=_list_words(pair.covered), uncovered=_list_words(pair.uncovered))
    doubts = (part.doubt.why for part in pair.parts if part.doubt)
    return DOUBTED.format(doubt=next(doubts, "not all of it is said together"))


def _list_words(words: tuple[str, ...]) -> str:
    some = ", ".join(f"“{each}”" for each in words[:MOST_LISTED_WORDS])
    return (
        f"{some} and {len(words) - MOST_LISTED_WORDS} more"
        if len(words) > MOST_LISTED_WORDS
        else some
    )


NEITHER = "observation: say what was observed, or was_accurate, or both"
CLOSED_TEXTS = {
    "resolved": "Prediction is resolved already",
    "expired": "Prediction has expired; it is not counted",
}
OUTCOME_TEXTS = {
    True: "Prediction held",
    False: "Prediction did not hold",
    None: "Nothing was decided, and the prediction stays open: say was_accurate",
}


class ResolvingState(ToolState, total=False):
    """The state of the tool; `outcome` has the keys correct, by, why."""

    outcome: dict[str, Any]


async def judge_outcome(state: ResolvingState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Judge the prediction by the observation or the caller's verdict."""
    execution = runtime.context
    request = execution.request(ResolvePrediction)
    if request.observation is None and request.was_accurate is None:
        raise InvalidArgument(NEITHER, field="observation", kind="missing")
    async with execution.loom.database.begin(execution.caller, once=True) as tx:
        row = await predictions.require(tx, request.prediction_id)
    _require_open(row, execution.loom.clock())
    text, notes = _text(request)
    found = await decide_outcome(execution, row, text, request.was_accurate)
    outcome = {"correct": found.correct, "by": found.by, "why": found.why}
    return {"outcome": outcome, "notes": [*notes, *found.notes]}


async def resolve_prediction(state: ResolvingState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Persist the outcome and count it in the model's record, unless undecided."""
    execution, outcome = runtime.context, state["outcome"]
    request = execution.request(ResolvePrediction)
    now, correct = execution.loom.clock(), outcome["correct"]
    text, _ = _text(request)
    async with execution.loom.database.begin(execution.caller) as tx:
        row = await predictions.require(tx, request.prediction_id, hold=True)
        _require_open(row, now)
        works: list[Coroutine[Any, Any, Any]] = []
        if correct is not None:
            error = (row.confidence - correct) ** 2
            works = [
                predictions.resolve(
                    tx, row, observation=text, correct=correct, judged_by=outcome["by"], now=now
                ),
                models.count(tx, row.model, correct=correct, error=error, now=now),
            ]
        *_, model = await together(*works, models.require(tx, str(row.model)))
        answer = Resolved(
            success=True,
            message=OUTCOME_TEXTS[correct],
            correct=correct,
            judged_by=outcome["by"],
            why=outcome["why"],
            model_id=str(model.id),
            prediction_id=str(row.id),
            **figures_of(model),
        )
        added = await complete_run(tx, execution, answer, notes=state.get("notes", []))
    return {**added, "notes": []}


def _text(request: ResolvePrediction) -> tuple[str | None, list[str]]:
    if request.observation is None:
        return None, []
    return clean_name(request.observation, field="observation")


def _require_open(row: PredictionRow, now: datetime) -> None:
    """Raise Settled if the prediction is resolved or expired."""
    if closed := CLOSED_TEXTS.get(row.state(now)):
        raise Settled(closed, field="prediction_id")
