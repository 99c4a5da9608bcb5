"""The simulated sorter: it sorts, splits, merges and repairs lists of digits, with slips.

It sees the words of a question and the form of the answer, and nothing else. Its slips are drawn
anew for every sample: no measured figure says how alike the answers about one list are. Whoever
asks the same question again and means another answer says so by `Ask.sample`; the answers of a
call with several attempts are numbered on from it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from reasonloom.evals.simulated import sorting_constants as known
from reasonloom.evals.simulated.billing import GPT_35
from reasonloom.evals.simulated.conversation import in_json, puzzled, words
from reasonloom.evals.simulated.curve import along
from reasonloom.evals.simulated.draw import stream
from reasonloom.evals.simulated.passages import Unreadable
from reasonloom.evals.simulated.slips import counts, mend, merge_mean, slip, sort_mean, spread
from reasonloom.evals.simulated.sorting_request import Request, read

if TYPE_CHECKING:
    from random import Random

    from reasonloom.llm.port import Ask, Reply, Usage


class SimulatedSorter:
    """Answers questions about lists of digits as GPT-3.5 was measured to, drawing by `seed`."""

    name = "simulated:sorting"
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
        return _ANSWERS[request.kind](self, request, ask.sample)

    async def close(self) -> None:
        """Hold nothing open."""

    def _attempts(self, request: Request, sample: int) -> Reply:
        """Sort, merge or repair as often as asked for; the prompt is paid once."""
        given = list(request.lists.values())
        item, *rest = map(json.dumps, given)
        made = [
            _ATTEMPTS[request.kind](
                stream(self._seed, item, request.kind, "".join(rest), number), given
            )
            for number in range(sample, sample + request.attempts)
        ]
        usage = _usage(known.PROMPT_TOKENS[request.kind], sum(map(len, given)), sum(map(sum, made)))
        return self._told({"sorted_lists": [*map(spread, made)]}, usage)

    def _chain(self, request: Request, sample: int) -> Reply:
        """Sort in parts and merge these; the slips are made in the parts."""
        numbers = request.lists["numbers"]
        chance = stream(self._seed, json.dumps(numbers), "chain", sample=sample)
        mean = known.CHAIN_SHARE * sort_mean(len(numbers))
        told = slip(chance, counts(numbers), mean, known.CHAIN_SHAPE)
        parts = _cut(numbers, known.CHAIN_PART)
        sorted_parts = _shared_out(chance, [counts(part) for part in parts], told)
        # As the prototype bills: the parts and the sorted parts at the length of the list.
        usage = _usage(known.PROMPT_TOKENS["chain"], len(numbers), sum(told) + 2 * len(numbers))
        whole = {"parts": parts, "sorted_parts": sorted_parts, "sorted": spread(told)}
        return self._told(whole, usage)

    def _split(self, request: Request, _: int) -> Reply:
        """Cut a list, without slips."""
        numbers = request.lists["numbers"]
        prompt = max(0.0, along(known.SPLIT_TOKENS, len(numbers)))
        parts = _cut(numbers, request.size)
        return self._told({"parts": parts}, _usage(prompt, len(numbers), len(numbers)))

    def _told(self, parsed: dict[str, Any], usage: Usage) -> Reply:
        return in_json(parsed, model=self.name, usage=usage)


_ANSWERS = {
    "sort": SimulatedSorter._attempts,
    "merge": SimulatedSorter._attempts,
    "repair": SimulatedSorter._attempts,
    "chain": SimulatedSorter._chain,
    "split": SimulatedSorter._split,
}


def _sort(chance: Random, given: list[list[int]]) -> list[int]:
    (numbers,) = given
    return slip(chance, counts(numbers), sort_mean(len(numbers)), known.SORT_SHAPE)


def _merge(chance: Random, given: list[list[int]]) -> list[int]:
    both = [number for numbers in given for number in numbers]
    return slip(chance, counts(both), merge_mean(len(both)), known.MERGE_SHAPE)


def _repair(chance: Random, given: list[list[int]]) -> list[int]:
    numbers, flawed = given
    mended = mend(chance, counts(numbers), counts(flawed))
    return slip(chance, mended, known.FRESH * sort_mean(len(numbers)), known.SORT_SHAPE)


_ATTEMPTS = {"sort": _sort, "merge": _merge, "repair": _repair}


def _cut(numbers: list[int], size: int) -> list[list[int]]:
    return [numbers[start : start + size] for start in range(0, len(numbers), size)]


def _shared_out(chance: Random, parts: list[list[int]], told: list[int]) -> list[list[int]]:
    """Return the parts sorted, with slips by which their counts add up to `told`."""
    for digit, times in enumerate(told):
        while (wrong := times - sum(part[digit] for part in parts)) != 0:
            able = parts if wrong > 0 else [part for part in parts if part[digit] > 0]
            chance.choice(able)[digit] += 1 if wrong > 0 else -1
    return [*map(spread, parts)]


def _usage(prompt: float, numbers_in: int, numbers_out: int) -> Usage:
    return GPT_35.usage(prompt + known.TOKENS * numbers_in, known.TOKENS * numbers_out)
