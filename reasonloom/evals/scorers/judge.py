"""A language model as a blind judge: several votes, each in both orders, with their agreement."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from reasonloom.errors import InvalidArgument, LlmUnavailable
from reasonloom.evals.core.item import Item, Mark, ScoringContext
from reasonloom.evals.core.way import text_of
from reasonloom.evals.scorers.function import AcceptingScorer
from reasonloom.llm.interfaces import Ask, LanguageModel
from reasonloom.prompts.template import PromptTemplate

PROMPT = "evals/judge"
MOST_VOTES = 50
WORTH = {"first": 1.0, "neither": 0.5, "second": 0.0}


@dataclass(frozen=True)
class Judge(AcceptingScorer):
    """Compares an answer with the item's target without revealing which is which.

    Each vote is taken in both orders and counts as a tie if they disagree. The score is the mean
    of the votes: 1 if the answer is better, 0.5 for a tie, 0 if the target is. `agreement` is the
    share of pairs of votes that are equal (omitted for a single vote), `swapped` the share of votes
    whose two orders agree.

    Attributes:
        votes: number of votes.
        question: the criterion given to the judge.
        version: the prompt version, None for the newest.
    """

    votes: int = 3
    question: str = "Which answer is right, or nearer to being right?"
    version: int | None = None
    name: str = "judge"
    needs_target: bool = True

    def __post_init__(self) -> None:
        if not 1 <= self.votes <= MOST_VOTES:
            raise InvalidArgument(f"votes: must be 1 to {MOST_VOTES}", field="votes")

    def about(self) -> dict[str, Any]:
        """Return the prompt, the votes and the question."""
        return {
            "scorer": self.name,
            "prompt": PROMPT,
            "version": self.version,
            "votes": self.votes,
            "question": self.question,
        }

    async def mark(self, item: Item, output: Any, bench: ScoringContext) -> Mark:
        """Return the mean of the votes."""
        if bench.llm is None or bench.llm.offline:
            raise InvalidArgument(
                "judge: needs a language model; name one that judges", field="judge"
            )
        template = bench.prompts.get(PROMPT, self.version)
        task, answer, target = map(text_of, (item.input, output, item.target))
        votes, same = [], 0
        for vote in range(self.votes):
            one = await self._preference(bench.llm, template, task, (answer, target), vote)
            two = 1 - await self._preference(bench.llm, template, task, (target, answer), vote)
            same += one == two
            votes.append(one if one == two else 0.5)
        figures = {"swapped": same / self.votes}
        if self.votes > 1:
            figures["agreement"] = agreement(votes)
        return Mark(sum(votes) / self.votes, f"votes: {votes}", figures)

    async def _preference(
        self,
        llm: LanguageModel,
        template: PromptTemplate,
        task: str,
        pair: Sequence[str],
        vote: int,
    ) -> float:
        """Return the judge's rating of the first of a pair: 1 better, 0.5 equal, 0 worse."""
        first, second = pair
        prompt = template.render(task=task, question=self.question, first=first, second=second)
        ask = Ask(prompt.messages(), prompt.schema, sample=vote, material=prompt.variables)
        reply = await llm.answer(ask)
        better = (reply.parsed or {}).get("better")
        if better not in WORTH:
            raise LlmUnavailable(f"the judge answered: {reply.text[:120]}")
        return WORTH[better]


def agreement(votes: Sequence[float]) -> float:
    """Return the share of pairs of votes that are equal."""
    pairs = list(combinations(votes, 2))
    return sum(one == other for one, other in pairs) / len(pairs)
