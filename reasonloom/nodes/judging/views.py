"""Asks judges with different viewpoints, each by itself or all in one language-model call."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from reasonloom.nodes.execution import Execution
from reasonloom.nodes.runs.llm_call import Question, ask_or_note

TOGETHER = "together"
"""Lens of a task that covers all viewpoints in one call."""

MISSING = "the {lens}'s look at {what} is missing in the language model's answer"


def describe_lenses(lenses: Mapping[str, str]) -> list[dict[str, str]]:
    """Return lenses in the form that the prompts list them."""
    return [{"name": name, "view": view} for name, view in lenses.items()]


def _read_views(
    reply: Mapping[str, Any] | None, lenses: Mapping[str, str]
) -> tuple[dict[str, dict[str, Any] | None], list[str]]:
    """Return the findings of each lens, None if missing, and the lenses missing from the reply.

    If a lens occurs several times, the first entry is used. Without a reply, no lens is reported as
    missing.
    """
    found: dict[str, dict[str, Any]] = {}
    for each in reply["views"] if reply else ():
        findings = {key: value for key, value in each.items() if key != "view"}
        found.setdefault(each["view"], findings)
    missing = [name for name in lenses if reply and name not in found]
    return {name: found.get(name) for name in lenses}, missing


async def ask_lens(
    execution: Execution, question: Question, lens: str, lenses: Mapping[str, str], what: str
) -> tuple[dict[str, dict[str, Any] | None], list[str]]:
    """Return the findings of a lens, or of all `lenses` if it is `TOGETHER`, and notes.

    A failed call, or a lens missing from the reply, yields None and a note that names `what`.
    """
    if lens != TOGETHER:
        one = replace(question, variables={**question.variables, "lens": lenses[lens]})
        heard = await ask_or_note(execution, one, f"the {lens}'s look at {what}")
        return {lens: heard.parsed}, heard.notes
    together = replace(
        question,
        prompt=f"{question.prompt}_views",
        variables={**question.variables, "lenses": describe_lenses(lenses)},
    )
    heard = await ask_or_note(execution, together, f"the look at {what}")
    views, missing = _read_views(heard.parsed, lenses)
    return views, [*heard.notes, *(MISSING.format(lens=name, what=what) for name in missing)]
