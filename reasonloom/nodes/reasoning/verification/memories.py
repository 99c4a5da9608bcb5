"""Find figures of an answer that memories contradict, with the engine of `memory_ground`.

That engine is too sensitive for whole answers: it finds a sentence contradicted by some memory in
half of all correct answers. Here a memory must have a different figure and agree on all the rest,
and the packaged entailment model must also see the contradiction. See docs/reasoning.md for what
this detects.
"""

import asyncio
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reasonloom.errors import EmbedderUnavailable
from reasonloom.llm.classifier import entail
from reasonloom.nodes.graph_memory.grounding.confirmation import excerpt
from reasonloom.nodes.graph_memory.grounding.pair import judge_texts
from reasonloom.nodes.graph_memory.grounding.reading.clauses import read_text
from reasonloom.nodes.graph_memory.grounding.verdict import weigh_evidence
from reasonloom.text.language import is_english
from reasonloom.text.sentences import sentences_in

MOST_SENTENCES = 40
SECONDS = 2.0
"""Time limit for comparing one answer."""

DENIED = 0.5
"""Probability of a contradiction from which the entailment model reports one."""

LEAST_SHARED, MOST_LEFT = 3, 1
"""Minimum terms of the sentence that the memory must share, and maximum that it may lack."""

THRESHOLD = 0.5
_PAST = re.compile(r"^\[M\d+,[^\]]*(?:, superseded by M\d+|, conversation)\]")
"""Labels of superseded memories and of conversation excerpts, which only record what was said."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A sentence of an answer, and the memory that states a different figure."""

    sentence: str
    memory_id: int
    memory: str


async def find_contradictions(
    text: str, memories: Sequence[Mapping[str, Any]]
) -> list[Contradiction]:
    """Return the sentences that a current memory contradicts; unsupported ones are no fault.

    `memories` have `id`, `content` and `label`, as in prompts. English only.
    """
    current = {
        int(each["id"]): str(each["content"])
        for each in memories
        if not _PAST.match(each.get("label", ""))
    }
    found = await asyncio.to_thread(_opposed, text, current) if current else []
    try:
        seen = await entail(
            [(excerpt(each.memory, each.sentence), each.sentence) for each in found]
        )
    except EmbedderUnavailable:
        return []
    return [each for each, read in zip(found, seen, strict=True) if read.contradiction >= DENIED]


def _opposed(text: str, current: Mapping[int, str]) -> list[Contradiction]:
    """Return the sentences with a figure that a memory contradicts, judged by words."""
    until = time.monotonic() + SECONDS
    found = []
    for sentence in sentences_in(text)[:MOST_SENTENCES]:
        left = until - time.monotonic()
        if left <= 0:
            break
        if any(each.value for each in read_text(sentence).terms) and is_english(sentence):
            found += _opposing(sentence, current, left)
    return found


def _opposing(sentence: str, current: Mapping[int, str], seconds: float) -> list[Contradiction]:
    verdict = weigh_evidence(sentence, current, {}, threshold=THRESHOLD, seconds=seconds)
    if not verdict.contradicted or len(verdict.uncovered) > MOST_LEFT:
        return []
    against = [
        Contradiction(sentence, each.id, current[each.id])
        for each in verdict.witnesses
        if each.relation == "contradicts"
        and len(each.covers) >= LEAST_SHARED
        and _has_other_figure(sentence, current[each.id])
        and not _is_in_another_memory(sentence, each.id, current)
    ]
    return against[:1]


def _is_in_another_memory(sentence: str, opposing: int, current: Mapping[int, str]) -> bool:
    """Return whether another memory has the figure: choosing between memories is no fault."""
    new = _figures(sentence) - _figures(current[opposing])
    return any(new & _figures(each) for key, each in current.items() if key != opposing)


def _figures(text: str) -> set[tuple[str, object, str]]:
    values = [each.value for each in read_text(text).terms if each.value]
    return {(each.kind, each.amount, each.unit) for each in values}


def _has_other_figure(sentence: str, memory: str) -> bool:
    parts = judge_texts(sentence, memory).parts
    return any(each.against is not None and each.against.kind == "figure" for each in parts)
