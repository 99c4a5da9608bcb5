"""Implements `resolve_prediction`: judges the outcome, then counts it once.

Vector similarity is not used to judge: `the boss kept the deadline` is as similar to `the boss
moves the deadline` as a sentence that agrees with it (see docs/mental-models.md for measurements).
"""

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

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
from reasonloom.stores.database import Transaction
from reasonloom.stores.mental_models import models, predictions
from reasonloom.stores.mental_models.models import ModelRow, TrackRecord
from reasonloom.stores.mental_models.predictions import PredictionRow

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


async def judge(execution: Execution, prediction: PredictionRow, observation: str) -> Outcome:
    """Return the outcome of a prediction by what was observed."""
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


async def resolve_prediction(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Judge the prediction; unless undecided, store the outcome and count it for the model.

    No lock is held while a language model judges; a resumed run reads its recorded reply.
    """
    execution = runtime.context
    request = execution.request(ResolvePrediction)
    if request.observation is None and request.was_accurate is None:
        raise InvalidArgument(NEITHER, field="observation", kind="missing")
    text, notes = _text(request)
    outcome = Outcome(request.was_accurate, CALLER, CALLER_SAYS)
    if text is not None and outcome.correct is None:
        async with execution.loom.database.begin(execution.caller, once=True) as tx:
            row = await _open_prediction(tx, execution, request)
        outcome = await judge(execution, row, text)
    async with execution.loom.database.begin(execution.caller) as tx:
        record = await _stored(tx, execution, request, text, outcome)
        answer = Resolved(
            success=True,
            message=OUTCOME_TEXTS[outcome.correct],
            correct=outcome.correct,
            judged_by=outcome.by,
            why=outcome.why,
            model_id=str(record.id),
            prediction_id=str(UUID(request.prediction_id)),
            **figures_of(record),
        )
        return await complete_run(tx, execution, answer, notes=[*notes, *outcome.notes])


async def _stored(
    tx: Transaction,
    execution: Execution,
    request: ResolvePrediction,
    text: str | None,
    outcome: Outcome,
) -> TrackRecord | ModelRow:
    """Store an outcome, unless undecided; return the record of the prediction's model."""
    record = await predictions.resolve(
        tx,
        request.prediction_id,
        observation=text,
        correct=outcome.correct,
        judged_by=outcome.by,
        now=execution.loom.clock(),
    )
    if record is not None:
        return record
    row = await _open_prediction(tx, execution, request)
    return await models.require(tx, str(row.model))


async def _open_prediction(
    tx: Transaction, execution: Execution, request: ResolvePrediction
) -> PredictionRow:
    """Return the prediction.

    Raises:
        PredictionNotFound: there is none.
        Settled: it is resolved, or has expired.
    """
    row = await predictions.require(tx, request.prediction_id)
    if closed := CLOSED_TEXTS.get(row.state(execution.loom.clock())):
        raise Settled(closed, field="prediction_id")
    return row


def _text(request: ResolvePrediction) -> tuple[str | None, list[str]]:
    if request.observation is None:
        return None, []
    return clean_name(request.observation, field="observation")
