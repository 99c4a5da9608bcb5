"""Implements `cluster_memories`: rebuilds, names and persists an owner's basins."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.mental_models.extras import Clustered, ClusteredBasin, ClusterMemories
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.mental_models.basins.formation import (
    FormedBasins,
    form_basins,
    persist_basins,
)
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.runs.llm_call import Question, ask_or_note
from reasonloom.nodes.state import ToolState
from reasonloom.stores.memory.reindex import coverage

UNEMBEDDED = (
    "{lacking} of {memories} memories have no vector of the embedder in use and belong to no "
    "cluster; `reasonloom db reindex` embeds them"
)
SAMPLED = "{sampled} of {memories} memories were clustered, the others joined the nearest cluster"

MOST_NAMED = 30
"""Maximum basins named by the language model per run, largest first."""

EXEMPLARS, EXEMPLAR = 3, 400
"""Number of memories in the prompt, and characters of each."""

LONGEST_NAME = 60


async def cluster_memories(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Cluster outside any transaction, request names, then write everything atomically.

    Raises:
        SettingMistake: scikit-learn is not installed.
        Conflict: another process rebuilt the basins concurrently.
    """
    execution = runtime.context
    request = execution.request(ClusterMemories)
    loom = execution.loom
    formed = await form_basins(loom, execution.caller, loom.clock())
    notes = await _notes(execution, formed)
    if not request.dry_run and not loom.llm.offline:
        names, more = await _ask_names(execution, formed)
        formed, notes = _renamed(formed, names, loom.llm.name), [*notes, *more]
    async with loom.database.begin(execution.caller) as tx:
        if not request.dry_run:
            await persist_basins(tx, formed)
        answer = clustering_answer(formed, dry_run=request.dry_run)
        return await complete_run(tx, execution, answer, notes=notes)


async def _notes(execution: Execution, formed: FormedBasins) -> list[str]:
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        there = await coverage(tx, execution.loom.embedder.model)
    notes = []
    if there.lacking:
        notes.append(UNEMBEDDED.format(lacking=there.lacking, memories=there.memories))
    if formed.sampled < formed.memories:
        notes.append(SAMPLED.format(sampled=formed.sampled, memories=formed.memories))
    return notes


async def _ask_names(
    execution: Execution, formed: FormedBasins
) -> tuple[dict[UUID, str], list[str]]:
    """Return names for the first basins that may be renamed, and notes.

    After a fault the rest retain their keyword names. The id of a basin's first memory identifies
    the reply when a run is resumed.
    """
    names: dict[UUID, str] = {}
    notes: list[str] = []
    unnamed = [each for each in formed.basins if each.id in formed.renamed]
    for basin in unnamed[:MOST_NAMED]:
        question = Question(
            node="name_basins",
            prompt="basins/name",
            variables={
                "words": list(basin.keywords),
                "memories": [
                    " ".join(each[:EXEMPLAR].split()) for each in formed.texts[basin.id][:EXEMPLARS]
                ],
            },
            pipe="linear",
            task=str(min(formed.members[basin.id])),
        )
        reply = await ask_or_note(execution, question, "naming a basin")
        notes += reply.notes
        if reply.parsed:
            names[basin.id] = " ".join(str(reply.parsed["name"]).split())[:LONGEST_NAME]
        if reply.fault:
            break
    if len(names) < len(unnamed):
        notes.append(f"{len(unnamed) - len(names)} basins are named by their words alone")
    return names, list(dict.fromkeys(notes))


def _renamed(formed: FormedBasins, names: Mapping[UUID, str], llm: str) -> FormedBasins:
    made = [
        replace(each, name=names[each.id], named_by=llm) if each.id in names else each
        for each in formed.basins
    ]
    return replace(formed, basins=made)


def clustering_answer(formed: FormedBasins, *, dry_run: bool) -> Clustered:
    """Return the answer model of the formed basins."""
    return Clustered(
        basins=[
            ClusteredBasin(
                id=str(each.id),
                name=each.name,
                named_by=each.named_by,
                members=len(formed.members[each.id]),
                coherence=round(each.coherence, 4),
                keywords=each.keywords,
                fresh=each.id in formed.fresh,
            )
            for each in formed.basins
        ],
        vanished=[str(each.id) for each in formed.vanished],
        memories=formed.memories,
        alone=formed.alone,
        sampled=formed.sampled,
        dry_run=dry_run,
    )
