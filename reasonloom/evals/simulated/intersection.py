"""The simulated intersecter: it splits, intersects and unites sets of numbers, with slips.

It sees the words of a question and the form of the answer, and nothing else. Whoever asks the same
question again and means another answer says so by `Ask.sample`; the answers of a call with
several attempts are numbered on from it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from reasonloom.evals.simulated import intersection_constants as known
from reasonloom.evals.simulated.billing import GPT_35
from reasonloom.evals.simulated.conversation import in_json, puzzled, words
from reasonloom.evals.simulated.curve import along
from reasonloom.evals.simulated.draw import stream
from reasonloom.evals.simulated.passages import Unreadable
from reasonloom.evals.simulated.request import Request, read

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from reasonloom.llm.port import Ask, Reply, Usage


class SimulatedIntersecter:
    """Answers questions about sets as GPT-3.5 was measured to, drawing by `seed`."""

    name = "simulated:intersection"
    offline = False

    def __init__(self, seed: int) -> None:
        self._seed = seed

    async def answer(self, ask: Ask) -> Reply:
        """Answer a question; one that cannot be read gets plain words that say why."""
        question = words(ask.messages)
        try:
            request = read(question[1], ask.schema)
        except Unreadable as why:
            return puzzled(question, str(why), model=self.name, price=GPT_35)
        if request.kind == "split":
            return self._split(request)
        return self._attempts(request, ask.sample)

    async def close(self) -> None:
        """Hold nothing open."""

    def _split(self, request: Request) -> Reply:
        """Cut a set, without slips."""
        (whole,) = request.sets
        parts = [whole[at : at + request.size] for at in range(0, len(whole), request.size)]
        prompt = max(0.0, along(known.SPLIT_TOKENS, len(whole)))
        usage = _usage(prompt, len(whole), len(whole))
        return in_json({"parts": parts}, model=self.name, usage=usage)

    def _attempts(self, request: Request, sample: int) -> Reply:
        """Intersect or unite as often as asked for; the prompt is paid once."""
        name, made = _ATTEMPTS[request.kind]
        first, second = request.sets
        item, state = json.dumps(first), json.dumps(second)
        answers = [
            made(stream(self._seed, item, request.kind, state, number), first, second)
            for number in range(sample, sample + request.attempts)
        ]
        numbers_in, numbers_out = len(first) + len(second), sum(map(len, answers))
        usage = _usage(known.PROMPT_TOKENS[request.kind], numbers_in, numbers_out)
        return in_json({name: answers}, model=self.name, usage=usage)


def slip_rate(first: int, second: int) -> float:
    """Return the chance that a number is taken wrongly, for two sets of these sizes."""
    return min(known.MOST_SLIP, along(known.SLIP, (first + second) / 2))


def _intersect(chance: Random, first: list[int], second: list[int]) -> list[int]:
    """Look up each number of the shorter set in the other; a slip takes it the wrong way."""
    looked_up, other = sorted((first, second), key=len)
    present, rate = set(other), slip_rate(len(first), len(second))
    return [each for each in looked_up if (each in present) != (chance.random() < rate)]


def _unite(chance: Random, first: list[int], second: list[int]) -> list[int]:
    """Append the second set to the first; a slip leaves a number out."""
    both = dict.fromkeys([*first, *second])
    return [each for each in both if chance.random() >= known.UNION_SLIP]


_ATTEMPTS: dict[str, tuple[str, Callable[[Random, list[int], list[int]], list[int]]]] = {
    "intersect": ("intersections", _intersect),
    "union": ("unions", _unite),
}


def _usage(prompt: float, numbers_in: int, numbers_out: int) -> Usage:
    return GPT_35.usage(prompt + known.TOKENS * numbers_in, known.TOKENS * numbers_out)
