"""Asks a language model for a better text, and again where what it proposes breaks the prompt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from reasonloom.errors import PromptMistake
from reasonloom.evals.core.way import text_of
from reasonloom.evals.optimization.optimising_candidate import with_body
from reasonloom.llm.port import Ask

if TYPE_CHECKING:
    from reasonloom.evals.log import Record
    from reasonloom.llm.port import LanguageModel
    from reasonloom.prompts.template import PromptTemplate

PROMPT = "evals/reflect"
TRIES = 3
"""How often one text is asked for, where those that come break the prompt; the reason is told."""

WIDEST = 2_000
"""Characters of an input, an answer or a call that are shown."""

MOST_CALLS = 4
MOST_REJECTED = 3


@dataclass(slots=True)
class Reflection:
    """Proposes texts.

    Attributes:
        llm: that proposes.
        ask: the prompt that it is asked with.
        base: the prompt that is optimised.
        broken: proposals that were refused, each with the text that it came from and the reason.
    """

    llm: LanguageModel
    ask: PromptTemplate
    base: PromptTemplate
    broken: list[dict[str, str]] = field(default_factory=list)
    _asked: Counter[str] = field(default_factory=Counter)

    async def proposed(self, body: str, examples: Sequence[Mapping[str, Any]]) -> str | None:
        """Return another text; None where each that came breaks the prompt, or is the same."""
        for _ in range(TRIES):
            found = await self._one(body, examples)
            if found.strip() == body.strip():
                return None
            try:
                return with_body(self.base, found, self.base.about.version).body
            except PromptMistake as mistake:
                self.refuse(body, found, mistake.message)
        return None

    def refuse(self, body: str, found: str, why: str) -> None:
        """Note a proposal that cannot be used, so that the next question tells the reason."""
        self.broken.append({"from": body, "template": found, "why": why})

    async def _one(self, body: str, examples: Sequence[Mapping[str, Any]]) -> str:
        prompt = self.ask.render(
            name=self.base.about.name,
            template=body,
            variables=self.base.about.variables,
            examples=list(examples),
            rejected=[each for each in self.broken if each["from"] == body][-MOST_REJECTED:],
        )
        question = prompt.system + prompt.user
        sample, self._asked[question] = self._asked[question], self._asked[question] + 1
        reply = await self.llm.answer(
            Ask(prompt.messages(), prompt.schema, sample=sample, material=prompt.variables)
        )
        return str((reply.parsed or {}).get("template", reply.text))


def example_of(records: Sequence[Record], score: str) -> dict[str, Any]:
    """Return what became of an item: the epoch with the lowest score, cut where it is long."""
    worst = min(records, key=lambda record: record.scores.get(score, 0.0))
    said = [
        f"{_cut(text_of(call['asked'][-1]['content']))}\n---\n{_cut(call['said'])}"
        for call in worst.calls[:MOST_CALLS]
    ]
    return {
        "input": _cut(text_of(worst.input)),
        "answer": _cut(worst.error or text_of(worst.output)),
        "target": "" if worst.target is None else _cut(text_of(worst.target)),
        "score": round(worst.scores.get(score, 0.0), 4),
        "why": _cut("; ".join(worst.said.values())),
        "calls": said if len(worst.calls) > 1 else [],
    }


def _cut(text: str) -> str:
    return text if len(text) <= WIDEST else f"{text[:WIDEST]}…"
