"""The simulated language model for the Game of 24, as a provider of the port."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reasonloom.evals.simulated.billing import GPT_4
from reasonloom.evals.simulated.conversation import in_json, puzzled, words
from reasonloom.evals.simulated.game24.constants import PUBLISHED, Constants
from reasonloom.evals.simulated.game24.proposing import judgements, proposals
from reasonloom.evals.simulated.game24.request import Question, read
from reasonloom.evals.simulated.game24.solving import chain, direct, final
from reasonloom.evals.simulated.passages import Unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from reasonloom.llm.port import Ask, Reply


@dataclass(frozen=True, slots=True)
class Game24Model:
    """Answers the five questions of `prompts/templates/game24/`, scripted and noisy.

    It reads the words of a question and the schema of its answer. It is not told which mode
    asks, and `pipe`, `material`, `thread`, `temperature` and `Ask.seed` change nothing. The
    same question with the same `sample` always gets the same answer.

    Tokens are those of the published runs (see `constants.py`), at their price. `offline` is
    False, because modes are to treat it as they treat any language model.

    Attributes:
        seed: of all chance; a run with another is another repetition.
        constants: what the model is like.
    """

    seed: int = 0
    constants: Constants = PUBLISHED
    name: str = "simulated:game24"
    offline: bool = False

    async def answer(self, ask: Ask) -> Reply:
        """Answer a question, or say in plain words that it cannot be understood."""
        said = words(ask.messages)
        try:
            question = read(said[1], ask.schema)
        except Unreadable as error:
            return puzzled(said, str(error), model=self.name, price=GPT_4)
        parsed, pieces = _ANSWERING[question.kind](self.constants, self.seed, question, ask.sample)
        asked, each = self.constants.tokens[question.kind]
        usage = GPT_4.usage(asked, each * pieces)
        return in_json(parsed, model=self.name, usage=usage)

    async def close(self) -> None:
        """Hold nothing open."""


Answered = tuple[dict[str, Any], int]
"""An answer, and how many pieces of it are paid."""


def _propose(constants: Constants, seed: int, question: Question, sample: int) -> Answered:
    found = proposals(constants, seed, question, sample)
    return {"proposals": found}, max(1, len(found))


def _value(constants: Constants, seed: int, question: Question, sample: int) -> Answered:
    return {"judgements": judgements(constants, seed, question, sample)}, question.attempts


def _answer(constants: Constants, seed: int, question: Question, sample: int) -> Answered:
    return {"answer": final(constants, seed, question, sample)}, 1


def _chain(constants: Constants, seed: int, question: Question, sample: int) -> Answered:
    wanted = range(sample, sample + question.attempts)
    found = [chain(constants, seed, question, number) for number in wanted]
    return {"solutions": found}, question.attempts


def _direct(constants: Constants, seed: int, question: Question, sample: int) -> Answered:
    wanted = range(sample, sample + question.attempts)
    return {"answers": [direct(constants, seed, question, number) for number in wanted]}, (
        question.attempts
    )


_ANSWERING: Mapping[str, Callable[[Constants, int, Question, int], Answered]] = {
    "propose": _propose,
    "value": _value,
    "answer": _answer,
    "chain": _chain,
    "direct": _direct,
}
