"""The base of the simulated sorter and intersecter: reading requests, splitting, and attempts."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from reasonloom.evals.simulated.conversation import (
    GPT_35,
    MOST_ATTEMPTS,
    MOST_NUMBERS,
    SimulatedModel,
    Unreadable,
    count,
    form_of,
    numbers,
    passages,
)
from reasonloom.evals.simulated.draw import along, stream
from reasonloom.llm.interfaces import Ask, Usage

TOKENS: Final = 3
"""Tokens of one number in a list, including commas and brackets. Measured."""

MOST_PARTS = 100

Answered = tuple[dict[str, Any], Usage]


@dataclass(frozen=True, slots=True)
class Request:
    """A parsed request; `size` is the size of a split's parts."""

    kind: str
    lists: list[list[int]]
    attempts: int = 1
    size: int = 1


class ListModel(SimulatedModel):
    """Answers questions about lists of numbers at GPT-3.5's price, seeded by `seed`.

    Attributes:
        forms: an example answer of each form.
        kinds: the kind of request, by the requested form and the passages present.
        known: the kinds in words.
        lists: the list passages of kinds that do not have just `numbers`.
        too_many: why a split makes too many parts.
        making: the answer's field and the function that makes an attempt, by kind.
        prompt_tokens: tokens of the published prompts without their lists, by kind.
        split_tokens: tokens of the published split prompts, by the length of the list to split.
    """

    price = GPT_35
    forms: ClassVar[Mapping[str, dict[str, Any]]]
    kinds: ClassVar[Mapping[tuple[str, frozenset[str]], str]]
    known: ClassVar[str]
    lists: ClassVar[Mapping[str, tuple[str, ...]]]
    too_many: ClassVar[str]
    making: ClassVar[Mapping[str, tuple[str, Callable[..., list[int]]]]]
    prompt_tokens: ClassVar[Mapping[str, int]]
    split_tokens: ClassVar[Mapping[int, float]]

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def respond(self, question: tuple[str, str], ask: Ask) -> Answered:
        """Answer a question of one of the known kinds."""
        form, found = form_of(ask.schema, self.forms), passages(question[1])
        kind = self.kinds.get((form, frozenset(found)))
        if kind is None:
            raise Unreadable(f"I know {self.known}; it is none of them.")
        lists = [self.read_list(found, name) for name in self.lists.get(kind, ("numbers",))]
        size = count(found, "size", MOST_NUMBERS) if "size" in found else 1
        if kind == "split" and not 0 < len(lists[0]) <= MOST_PARTS * size:
            raise Unreadable(self.too_many)
        attempts = count(found, "attempts", MOST_ATTEMPTS) if "attempts" in found else 1
        return self.answered(Request(kind, lists, attempts, size), ask.sample)

    def read_list(self, found: Mapping[str, str], name: str) -> list[int]:
        """Parse a passage as a list."""
        return numbers(found, name)

    def answered(self, request: Request, sample: int) -> Answered:
        """Split without slips, or answer once per attempt; a prompt is charged once per call."""
        item, *rest = map(json.dumps, request.lists)
        length = sum(map(len, request.lists))
        if request.kind == "split":
            prompt = max(0.0, along(self.split_tokens, length))
            parts = cut(request.lists[0], request.size)
            return {"parts": parts}, list_usage(prompt, length, length)
        name, made = self.making[request.kind]
        answers = [
            made(stream(self._seed, item, request.kind, "".join(rest), number), *request.lists)
            for number in range(sample, sample + request.attempts)
        ]
        prompt = self.prompt_tokens[request.kind]
        return {name: answers}, list_usage(prompt, length, sum(map(len, answers)))


def cut(numbers: list[int], size: int) -> list[list[int]]:
    """Return a list in parts of `size`."""
    return [numbers[start : start + size] for start in range(0, len(numbers), size)]


def list_usage(prompt: float, numbers_in: int, numbers_out: int) -> Usage:
    """Return the usage of a call by the tokens of its prompt and its numbers."""
    return GPT_35.usage(prompt + TOKENS * numbers_in, TOKENS * numbers_out)
