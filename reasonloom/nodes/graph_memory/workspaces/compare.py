"""Answers `memory_workspace_compare`: where files agree, differ and contradict each other."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.workspaces import (
    ComparedPair,
    MemoryWorkspaceCompare,
    WorkspaceCompared,
)
from reasonloom.nodes.graph_memory.workspaces.comparing import Comparison, bounded, compare
from reasonloom.nodes.graph_memory.workspaces.judgement import MOST_SENTENCES, Statement, statement
from reasonloom.nodes.graph_memory.workspaces.survey import Searched, Survey, survey
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.state import ToolState

ABOUT = 0.25
"""The least similarity of what speaks of the topic: half of its words, or a likeness of as much."""

MOST_SHOWN = 100
BY_RULES = (
    "judged by rules over words, without a language model: contradictions that take knowledge of "
    "the world are not seen, and opinions may differ where both are right"
)
CUT = "only the best {each} memories of each file were compared: all would be too many pairs"
SHOWN = "of {count} {what} the best {most} are shown"
PARTS = "of memories with more than {most} sentences the {most} that name the topic were judged"
SAME_FILE = "{labels} hold the same bytes: that they agree is no second witness"


async def memory_workspace_compare(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Find what each file says of the item, and judge every two memories of two files."""
    request = MemoryWorkspaceCompare.model_validate(state["request"])
    found = await survey(runtime.context, request.workspace_id, request.item)
    speaking = [_speaking(file) for file in found.files]
    topic = frozenset(found.question.words)
    said = [
        [
            statement(file.told(match), match.held.created_at, topic)
            for match in file.matches[: request.max_per_context]
        ]
        for file in speaking
    ]
    chosen, cut = bounded(said)
    compared = await asyncio.to_thread(compare, chosen, topic)
    notes = [*found.notes, *_notes(found, cut, chosen)]
    answer = WorkspaceCompared(
        item=request.item,
        agreements=_shown(compared.of("agreement"), "agreements", notes),
        differences=_shown(compared.of("difference"), "differences", notes),
        contradictions=_shown(compared.of("contradiction"), "contradictions", notes),
        only_in=compared.alone,
        contexts=[file.counted() for file in speaking],
        summary=_summary(found, chosen, compared),
    )
    return {"answer": answer.wire(), "notes": notes}


def _speaking(searched: Searched) -> Searched:
    about = [match for match in searched.matches if match.similarity >= ABOUT]
    return Searched(searched.file, about)


def _notes(found: Survey, cut: bool, chosen: list[Sequence[Statement]]) -> list[str]:
    notes = [CUT.format(each=max(map(len, chosen)))] if cut else []
    if any(each.partial for file in chosen for each in file):
        notes.append(PARTS.format(most=MOST_SENTENCES))
    by_digest: dict[bytes, list[str]] = {}
    for each in found.files:
        if each.file.parsed is not None and each.matches:
            by_digest.setdefault(each.file.parsed.digest, []).append(each.file.row.label)
    for labels in by_digest.values():
        if len(labels) > 1:
            notes.append(SAME_FILE.format(labels=", ".join(labels)))
    if sum(1 for file in chosen if file) > 1:
        notes.append(BY_RULES)
    return notes


def _shown(pairs: list[ComparedPair], what: str, notes: list[str]) -> list[ComparedPair]:
    if len(pairs) > MOST_SHOWN:
        notes.append(SHOWN.format(count=len(pairs), what=what, most=MOST_SHOWN))
    return pairs[:MOST_SHOWN]


def _summary(found: Survey, chosen: list[Sequence[Statement]], compared: Comparison) -> str:
    """Return one or two plain sentences with counts."""
    read = sum(1 for each in found.files if each.file.parsed is not None)
    files = [file for file in chosen if file]
    if not found.question.words:
        return "Nothing was compared: there is no telling word to look for."
    if not files:
        return f"None of {_counted(read, 'file')} says anything of it."
    said = f"{len(files)} of {_counted(read, 'file')} speak of it"
    if len(files) == 1:
        label = files[0][0].match.label
        alone = _counted(len(compared.alone), "memory")
        return f"Only “{label}” speaks of it, with {alone}: there is nothing to compare."
    counts = ", ".join(
        _counted(len(compared.of(relation)), relation)
        for relation in ("contradiction", "agreement", "difference")
    )
    alone = _counted(len(compared.alone), "memory")
    stand = "stands" if len(compared.alone) == 1 else "stand"
    return f"{said}: by rules, {counts}. {alone} {stand} in one file alone."


def _counted(number: int, noun: str) -> str:
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number} {noun if number == 1 else many}"
