"""Candidate texts of a prompt: proposed by a language model, validated, and saved."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jinja2 import meta

from reasonloom.errors import Conflict, InvalidArgument, PromptMistake
from reasonloom.evals.core.way import text_of
from reasonloom.evals.log import Record
from reasonloom.llm.interfaces import Ask, LanguageModel
from reasonloom.prompts.registry import PromptRegistry, packaged_templates
from reasonloom.prompts.template import ENVIRONMENT, PromptTemplate
from reasonloom.prompts.validation import next_version


def with_body(base: PromptTemplate, body: str, version: int) -> PromptTemplate:
    """Return a validated template of another version with another text."""
    front, _, _ = base.text.partition(base.body)
    text = f"{next_version(front, version)}{body.strip()}\n"
    name = base.about.name
    packaged = [each.about for known, _, each in packaged_templates() if known == name]
    template = PromptTemplate(text, f"{name}.v{version}.md", packaged[-1] if packaged else None)
    template.check()
    lost = sorted(used_variables(base.body) - used_variables(template.body))
    if lost:
        raise PromptMistake(
            f"{template.source}: no longer uses the variable {lost[0]}", field=lost[0]
        )
    return template


def used_variables(body: str) -> set[str]:
    """Return the variables that a template's text uses."""
    return meta.find_undeclared_variables(ENVIRONMENT.parse(body))


def save_candidate(folder: Path | None, name: str, text: str) -> tuple[Path, bool]:
    """Write a template as the next version; return its file, and whether it is new.

    If the folder's newest version already has this text, nothing is written. Conflict if another
    process wrote that version in the meantime.
    """
    if folder is None:
        raise InvalidArgument("folder: must be named to write a prompt", field="folder")
    registry = PromptRegistry(folder if folder.is_dir() else None)
    newest = max(registry.versions(name))
    there = folder / f"{name}.v{newest}.md"
    if there.is_file() and registry.get(name, newest).text == next_version(text, newest):
        return there, False
    number = newest + 1
    path = folder / f"{name}.v{number}.md"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(next_version(text, number))
    except FileExistsError:
        raise Conflict(f"{name} v{number} is there already; try again") from None
    except OSError:
        raise InvalidArgument("folder: cannot be written", field="folder") from None
    return path, True


PROMPT = "evals/reflect"
TRIES = 3
"""Attempts at one proposal if earlier ones break the prompt; each gets the reason."""

WIDEST = 2_000
"""Maximum characters quoted of an input, an answer or a call."""

MOST_CALLS = 4
MOST_REJECTED = 3


@dataclass(slots=True)
class Reflection:
    """Proposes texts of `base` with a language model and the prompt `ask`.

    `broken` holds the refused proposals, each with its parent text and the reason.
    """

    llm: LanguageModel
    ask: PromptTemplate
    base: PromptTemplate
    broken: list[dict[str, str]] = field(default_factory=list)
    _samples: Counter[str] = field(default_factory=Counter)

    async def proposed(self, body: str, examples: Sequence[Mapping[str, Any]]) -> str | None:
        """Return a different text; None if all attempts break the prompt or change nothing."""
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
        """Record an unusable proposal, so that the next attempt sees the reason."""
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
        sample, self._samples[question] = self._samples[question], self._samples[question] + 1
        reply = await self.llm.answer(
            Ask(prompt.messages(), prompt.schema, sample=sample, material=prompt.variables)
        )
        return str((reply.parsed or {}).get("template", reply.text))


def example_of(records: Sequence[Record], score: str) -> dict[str, Any]:
    """Return an item's epoch with the lowest score, truncated."""
    worst = min(records, key=lambda record: record.scores.get(score, 0.0))
    calls = [
        f"{_cut(text_of(call['asked'][-1]['content']))}\n---\n{_cut(call['said'])}"
        for call in worst.calls[:MOST_CALLS]
    ]
    return {
        "input": _cut(text_of(worst.input)),
        "answer": _cut(worst.error or text_of(worst.output)),
        "target": "" if worst.target is None else _cut(text_of(worst.target)),
        "score": round(worst.scores.get(score, 0.0), 4),
        "why": _cut("; ".join(worst.said.values())),
        "calls": calls if len(worst.calls) > 1 else [],
    }


def _cut(text: str) -> str:
    return text if len(text) <= WIDEST else f"{text[:WIDEST]}…"
