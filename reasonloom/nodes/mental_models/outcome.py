"""Judges what an observation says of a prediction: held, did not hold, or nothing.

Likeness of vectors decides nothing here: `the boss kept the deadline` is as like to `the boss
moves the deadline` as the sentence that says so (figures in docs/mental-models.md).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reasonloom.nodes.graph_memory.grounding.pair import Pair, judge
from reasonloom.nodes.runs.ask_or_say import ask_or_say
from reasonloom.nodes.runs.llm_call import Question

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Execution
    from reasonloom.stores.mental_models.predictions import PredictionRow

MOST_READ = 2_000
"""Characters of each text that are compared by words."""

MOST_TOLD = 6
"""Words that are told of each kind where nothing is decided."""

CALLER, WORDS = "caller", "words"
TOLD = "was_accurate says so"
SAME = "the observation says the same"
OTHERWISE = "the observation says otherwise: {why}"
PART = "words do not show it: of the prediction the observation has {covered}, not {uncovered}"
DOUBTED = "words do not show it: {doubt}"
NONE = "words do not show it: the observation has none of the prediction's"
BY_WORDS = "without a language model the outcome is estimated by words alone"
UNHEARD = "no answer of the language model could be used: the outcome is estimated by words alone"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether a prediction held, None where nothing was decided; by whom, and why."""

    correct: bool | None
    by: str
    why: str
    notes: list[str] = field(default_factory=list)


async def judged(
    execution: Execution, prediction: PredictionRow, observation: str | None, given: bool | None
) -> Outcome:
    """Return what came of a prediction; what the caller says decides."""
    if given is not None or observation is None:
        return Outcome(given, CALLER, TOLD)
    if execution.loom.llm.offline:
        return by_words(prediction.content, observation, [BY_WORDS])
    return await _asked(execution, prediction, observation)


async def _asked(execution: Execution, prediction: PredictionRow, observation: str) -> Outcome:
    """Ask the language model; words tell where it gave no answer of the form asked for."""
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
    heard = await ask_or_say(execution, question, "the outcome of the prediction")
    if heard.parsed is None:
        return by_words(prediction.content, observation, [*heard.notes, UNHEARD])
    correct = {"held": True, "failed": False}.get(heard.parsed["outcome"])
    return Outcome(correct, execution.loom.llm.name, heard.parsed["why"], heard.notes)


def by_words(predicted: str, observation: str, notes: list[str] | None = None) -> Outcome:
    """Return what the words of an observation show: the same, the contrary, or nothing."""
    pair = judge(predicted[:MOST_READ], observation[:MOST_READ])
    if pair.relation == "same":
        return Outcome(True, WORDS, SAME, notes or [])
    if pair.relation == "contradicts":
        return Outcome(False, WORDS, OTHERWISE.format(why=pair.why), notes or [])
    return Outcome(None, WORDS, _open(pair), notes or [])


def _open(pair: Pair) -> str:
    """Return why the words decide nothing."""
    if not pair.covered:
        return NONE
    if pair.uncovered:
        return PART.format(covered=_listed(pair.covered), uncovered=_listed(pair.uncovered))
    doubts = (part.doubt.why for part in pair.parts if part.doubt)
    return DOUBTED.format(doubt=next(doubts, "not all of it is said together"))


def _listed(words: tuple[str, ...]) -> str:
    some = ", ".join(f"“{each}”" for each in words[:MOST_TOLD])
    return f"{some} and {len(words) - MOST_TOLD} more" if len(words) > MOST_TOLD else some
