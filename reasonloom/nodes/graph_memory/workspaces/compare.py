"""The `memory_workspace_compare` tool: where files agree, differ and contradict each other."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.workspaces import (
    Agreement,
    ComparedPair,
    ContextMatch,
    MemoryWorkspaceCompare,
    WorkspaceCompared,
)
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.graph_memory.workspaces.judgement import (
    MOST_SENTENCES,
    Statement,
    judge_pair,
    statement_of,
)
from reasonloom.nodes.graph_memory.workspaces.parsing import with_pauses
from reasonloom.nodes.graph_memory.workspaces.survey import Searched, Survey, survey_workspace
from reasonloom.nodes.state import ToolState

MOST_WORK = 4_000
"""Maximum pairs of sentences judged, in both directions; about 3 ms each."""


@dataclass(slots=True)
class Comparison:
    """The related pairs of memories, and the memories in none of them."""

    pairs: dict[Agreement, list[ComparedPair]] = field(default_factory=dict)
    alone: list[ContextMatch] = field(default_factory=list)

    def of(self, relation: Agreement) -> list[ComparedPair]:
        """Return the pairs of one relation, best first."""
        found = self.pairs.get(relation, [])
        return sorted(found, key=lambda pair: -pair.first.score - pair.second.score)


def bound_work(files: Sequence[Sequence[Statement]]) -> tuple[list[Sequence[Statement]], bool]:
    """Limit the statements per file to what can be compared; also return whether any were cut."""
    most = max(map(len, files), default=0)
    each = most
    while each > 1 and _work([file[:each] for file in files]) > MOST_WORK:
        each -= max(1, each // 10)
    return [file[:each] for file in files], each < most


def _work(files: Sequence[Sequence[Statement]]) -> int:
    """Return the number of pairs of sentences from different files."""
    counts = [sum(len(each.sentences) for each in file) for file in files]
    return (sum(counts) ** 2 - sum(count**2 for count in counts)) // 2


def compare_files(files: Sequence[Sequence[Statement]], topic: frozenset[str]) -> Comparison:
    """Judge all pairs of statements from different files; too slow for the event loop.

    `files` are each file's statements on the topic, best first.
    """
    compared = Comparison()
    paired: set[tuple[int, int]] = set()
    couples = (
        ((one, place), (other, its))
        for one, other in combinations(range(len(files)), 2)
        for place, its in product(range(len(files[one])), range(len(files[other])))
    )
    for ours, theirs in with_pauses(couples):
        first, second = files[ours[0]][ours[1]], files[theirs[0]][theirs[1]]
        if found := judge_pair(first, second, topic):
            pair = ComparedPair(
                relation=found.relation, first=first.match, second=second.match, why=found.why
            )
            compared.pairs.setdefault(found.relation, []).append(pair)
            paired |= {ours, theirs}
    compared.alone = [
        each.match
        for number, file in enumerate(files)
        for place, each in enumerate(file)
        if (number, place) not in paired
    ]
    return compared


ABOUT = 0.25
"""Minimum similarity of a memory on the topic: half of its words, or as much in meaning."""

MOST_PAIRS = 100
BY_RULES = (
    "judged by rules over words, without a language model: contradictions that take knowledge of "
    "the world are not seen, and opinions may differ where both are right"
)
CUT = "only the best {each} memories of each file were compared: all would be too many pairs"
PAIRS_CUT = "of {count} {what} the best {most} are shown"
PARTS = "of memories with more than {most} sentences the {most} that name the topic were judged"
SAME_FILE = "{labels} are identical files: that they agree is no independent evidence"


async def memory_workspace_compare(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Search every file for the item, and judge all pairs of memories from different files."""
    request = runtime.context.request(MemoryWorkspaceCompare)
    found = await survey_workspace(runtime.context, request.workspace_id, request.item)
    relevant = [
        Searched(each.file, [match for match in each.matches if match.similarity >= ABOUT])
        for each in found.files
    ]
    topic = frozenset(found.question.words)
    statements = [
        [
            statement_of(file.render(match), match.held.created_at, topic)
            for match in file.matches[: request.max_per_context]
        ]
        for file in relevant
    ]
    chosen, cut = bound_work(statements)
    compared = await asyncio.to_thread(compare_files, chosen, topic)
    notes = [*found.notes, *_notes(found, cut, chosen)]
    answer = WorkspaceCompared(
        item=request.item,
        agreements=_select_pairs(compared.of("agreement"), "agreements", notes),
        differences=_select_pairs(compared.of("difference"), "differences", notes),
        contradictions=_select_pairs(compared.of("contradiction"), "contradictions", notes),
        only_in=compared.alone,
        contexts=[file.counted() for file in relevant],
        summary=_summary(found, chosen, compared),
    )
    return {"answer": answer.wire(), "notes": notes}


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


def _select_pairs(pairs: list[ComparedPair], what: str, notes: list[str]) -> list[ComparedPair]:
    if len(pairs) > MOST_PAIRS:
        notes.append(PAIRS_CUT.format(count=len(pairs), what=what, most=MOST_PAIRS))
    return pairs[:MOST_PAIRS]


def _summary(found: Survey, chosen: list[Sequence[Statement]], compared: Comparison) -> str:
    """Return one or two plain sentences with counts."""
    read = sum(1 for each in found.files if each.file.parsed is not None)
    files = [file for file in chosen if file]
    if not found.question.words:
        return "Nothing was compared: there is no distinctive word to search for."
    if not files:
        return f"None of {_counted(read, 'file')} mentions it."
    alone = _counted(len(compared.alone), "memory")
    if len(files) == 1:
        label = files[0][0].match.label
        return f"Only “{label}” mentions it, with {alone}: there is nothing to compare."
    counts = ", ".join(
        _counted(len(compared.of(relation)), relation)
        for relation in ("contradiction", "agreement", "difference")
    )
    verb = "is" if len(compared.alone) == 1 else "are"
    return (
        f"{len(files)} of {_counted(read, 'file')} mention it: by rules, {counts}. "
        f"{alone} {verb} in one file only."
    )


def _counted(number: int, noun: str) -> str:
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number} {noun if number == 1 else many}"
