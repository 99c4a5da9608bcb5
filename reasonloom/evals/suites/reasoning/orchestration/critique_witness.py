"""Sees what a critic is asked and says, and counts what it was worth."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeVar

from reasonloom.evals.simulated.checker import Change, Marks, change, is_right, marks
from reasonloom.evals.simulated.conversation import words
from reasonloom.evals.simulated.passages import passages
from reasonloom.evals.suites.reasoning.orchestration.catalog import Item, Result

if TYPE_CHECKING:
    from reasonloom.llm.port import Ask, LanguageModel, Reply, Usage

T = TypeVar("T")


class Witness:
    """Passes questions on to a language model, whoever asks; for one answer, then done with.

    Attributes:
        usages: what the answers cost.
        marks: what each criticism was worth.
    """

    offline = False

    def __init__(self, llm: LanguageModel) -> None:
        self._llm = llm
        self.name = llm.name
        self.usages: list[Usage] = []
        self.marks: list[Marks] = []

    async def answer(self, ask: Ask) -> Reply:
        """Return what the language model answers."""
        reply = await self._llm.answer(ask)
        self.usages.append(reply.usage)
        said = reply.parsed or {}
        if "weaknesses" in said:
            criticised = passages(words(ask.messages)[1])["answer"]
            self.marks.append(_known(marks(criticised, said["weaknesses"])))
        return reply

    async def close(self) -> None:
        """Hold nothing open."""

    def result(self, item: Item, answer: str) -> Result:
        """Return whether the last answer is right, what was charged, and the counts.

        `found`, `missed` and `false_alarms` are of all criticisms; `repaired` and `broken` are
        defects that the draft has and the last answer has not, and the other way round.
        """
        told = json.loads(item.problem)
        changed: Change = _known(change(told["draft"], answer))
        return Result(
            score=float(is_right(told["question"], answer)),
            calls=len(self.usages),
            tokens_in=sum(usage.tokens_in for usage in self.usages),
            tokens_out=sum(usage.tokens_out for usage in self.usages),
            usd=sum(usage.cost_usd or 0.0 for usage in self.usages),
            also={
                "found": sum(each.found for each in self.marks),
                "missed": sum(each.missed for each in self.marks),
                "false_alarms": sum(each.false_alarms for each in self.marks),
                "repaired": changed.repaired,
                "broken": changed.broken,
            },
        )


def _known(found: T | None) -> T:
    if found is None:
        raise RuntimeError("an answer cannot be read: it is none that the critic knows")
    return found
