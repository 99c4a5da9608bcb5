"""Judges what an observation says of a prediction: held, did not hold, or nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reasonloom.nodes.ask import Question
from reasonloom.nodes.ask_or_say import ask_or_say
from reasonloom.nodes.grounding.pair import judge
from reasonloom.nodes.likeness import likeness_of
from reasonloom.nodes.models.situations import read, word_list

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Execution
    from reasonloom.stores.predictions import PredictionRow

ALIKE = 0.45
"""The cosine from which an observation is taken to speak of what was predicted."""

MOST_READ = 2_000
"""Characters of each text that are compared by words."""

CALLER, WORDS, SIMILARITY = "caller", "words", "similarity"
TOLD = "was_accurate says so"
BY_WORDS = {"same": "the observation says the same", "contradicts": "it says otherwise: {why}"}
BY_LIKENESS = "cosine {cosine:.2f}, and {denied}"
UNLIKE = "cosine {cosine:.2f}: the observation may speak of something else"
ESTIMATED = "without a language model the outcome is estimated by words and likeness"


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
    if not execution.loom.llm.offline:
        asked = await _asked(execution, prediction, observation)
        if asked is not None:
            return asked
    return await _compared(execution, prediction.content, observation)


async def _asked(
    execution: Execution, prediction: PredictionRow, observation: str
) -> Outcome | None:
    """Ask the language model; None where it gave no answer of the form asked for."""
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
        return None
    correct = {"held": True, "failed": False}.get(heard.parsed["outcome"])
    return Outcome(correct, execution.loom.llm.name, heard.parsed["why"], heard.notes)


async def _compared(execution: Execution, predicted: str, observation: str) -> Outcome:
    pair = judge(predicted[:MOST_READ], observation[:MOST_READ])
    if pair.relation in BY_WORDS:
        why = BY_WORDS[pair.relation].format(why=pair.why)
        return Outcome(pair.relation == "same", WORDS, why, [ESTIMATED])
    likeness = await likeness_of(execution.loom.embedder, [predicted, observation])
    cosine = likeness.cosine(predicted, observation)
    notes = [ESTIMATED, *likeness.notes]
    if cosine < ALIKE:
        return Outcome(None, SIMILARITY, UNLIKE.format(cosine=cosine), notes)
    same = _denials(predicted) == _denials(observation)
    told = "both affirm or both deny" if same else "one affirms what the other denies"
    return Outcome(same, SIMILARITY, BY_LIKENESS.format(cosine=cosine, denied=told), notes)


def _denials(text: str) -> int:
    """Return 1 for a text with an odd number of denials, else 0."""
    denials = word_list("denials")
    return sum(word in denials for word in read(text).words) % 2
