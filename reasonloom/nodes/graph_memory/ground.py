"""Answers `memory_ground`: gather what stands near a claim, look at it, tell the verdict."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from langgraph.runtime import Runtime
from langgraph.types import Send

from reasonloom.contracts.graph_memory.grounding import Evidence, Grounded, MemoryGround
from reasonloom.contracts.graph_memory.shared import ScoredNode
from reasonloom.nodes.graph_memory.claim_candidates import candidates
from reasonloom.nodes.graph_memory.grounding.agreement import Joined, join
from reasonloom.nodes.graph_memory.grounding.bounds import Known, bounded
from reasonloom.nodes.graph_memory.grounding.judges import GroundState, Look, Vote
from reasonloom.nodes.graph_memory.grounding.lenses import LENSES
from reasonloom.nodes.graph_memory.grounding.reading.clause import READ
from reasonloom.nodes.graph_memory.grounding.reading.read import read
from reasonloom.nodes.graph_memory.grounding.uncovered import phrases
from reasonloom.nodes.graph_memory.grounding.verdict import Old, weigh
from reasonloom.nodes.graph_memory.rendering import DIGITS, fields_of, scored
from reasonloom.nodes.graph_memory.warning import warned
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.memory.injection.detection import suspicion
from reasonloom.nodes.runs.ask_or_say import ask_or_say
from reasonloom.nodes.runs.llm_call import Question
from reasonloom.stores.graph_memory import evidence, memory_nodes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from reasonloom.nodes.graph_memory.grounding.verdict import Verdict
    from reasonloom.stores.graph_memory.memory_nodes import NodeRow

TELL = "tell"
SHOWN, SUGGESTED, EDGES_READ = 12, 5, 200
"""Memories that the model sees, and that are suggested; edges of a node that are looked at."""

CUT = "texts were read to their first {most:,} characters"
EMPTY = "the claim has no word that could be looked up"


async def gather(state: GroundState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Find the memories that the claim is held against."""
    execution = runtime.context
    request = MemoryGround.model_validate(state["request"])
    found = await candidates(execution, request.claim)
    rows = [*found.current, *(row for row, _ in found.old)]
    cut = any(len(text) > READ for text in (request.claim, *(row.content for row in rows)))
    notes = [*found.notes, *([CUT.format(most=READ)] if cut else [])]
    return {
        "alike": {str(key): score for key, score in found.alike.items()},
        "current": [row.id for row in found.current],
        "old": {str(row.id): holds for row, holds in found.old},
        "shown": [row.id for row in found.current[:SHOWN]],
        "texts": {str(row.id): row.content for row in found.current[:SHOWN]},
        "notes": [*notes, *([] if read(request.claim).terms else [EMPTY])],
    }


def to_look(state: GroundState, runtime: Runtime[Execution]) -> list[Send] | str:
    """Return one task for each lens; at once on without a language model, or with no memory."""
    if runtime.context.loom.llm.offline or not state["shown"]:
        return TELL
    claim = MemoryGround.model_validate(state["request"]).claim
    memories = [state["texts"][str(key)][:READ] for key in state["shown"]]
    return [Send("look", Look(claim=claim, memories=memories, lens=lens)) for lens in LENSES]


async def look(state: Look, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Ask one lens; a call that fails leaves an empty vote and a note."""
    lens = state["lens"]
    question = Question(
        node="look",
        prompt="grounding/entailment",
        variables={
            "claim": state["claim"],
            "memories": state["memories"],
            "lens": LENSES[lens],
        },
        pipe="grounding",
        task=lens,
    )
    heard = await ask_or_say(runtime.context, question, f"the {lens}'s look at the claim")
    return {"votes": [Vote(lens=lens, said=heard.parsed)], "notes": heard.notes}


async def tell(state: GroundState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Weigh the words, join them with what the lenses said, and tell the verdict."""
    execution = runtime.context
    request = MemoryGround.model_validate(state["request"])
    rows = await _rows(execution, state)
    old = {
        int(key): Old(rows[int(key)].content, holds)
        for key, holds in state["old"].items()
        if int(key) in rows and holds in rows
    }
    current = {
        key: rows[key].content
        for key in state["current"]
        if key in rows and rows[key].superseded_by is None
    }
    sure = {key: row.confidence for key, row in rows.items()}
    words = await asyncio.to_thread(
        weigh, request.claim, current, old, threshold=request.threshold, sure=sure
    )
    votes = sorted(state.get("votes", []), key=lambda vote: list(LENSES).index(vote["lens"]))
    joined = join(words, votes, state["shown"], request.claim)
    bearing = {each.id for each in joined.verdict.witnesses}
    cut = frozenset(
        key
        for key, row in rows.items()
        if len(row.content) > READ or (key in bearing and read(row.content).cut)
    )
    opposed = await _opposed(execution, joined, rows)
    joined = bounded(joined, Known(sure, cut, opposed, _steering(execution, bearing, rows)))
    alike = {int(key): score for key, score in state["alike"].items()}
    answer = _answer(request, joined, rows, alike)
    shown = [each.node_id for each in answer.evidence]
    if shown and not execution.loom.settings.read_only:
        execution.loom.journal.reinforce(execution.caller, shown)
    return {"answer": answer.wire(), "notes": [*joined.notes, *warned(execution, answer.evidence)]}


def _steering(
    execution: Execution, bearing: Iterable[int], rows: Mapping[int, NodeRow]
) -> frozenset[int]:
    """Return the nodes that read like an attempt to steer their reader; none where that is off."""
    if not execution.loom.settings.suspicion:
        return frozenset()
    known = (key for key in bearing if key in rows)
    return frozenset(key for key in known if suspicion(rows[key].content).reasons)


async def _opposed(
    execution: Execution, joined: Joined, rows: dict[int, NodeRow]
) -> dict[int, list[int]]:
    """Return the current nodes that edges say to contradict what bears the claim out.

    Those not yet there are added to `rows`.
    """
    bearing = [each.id for each in joined.verdict.witnesses if each.relation == "supports"]
    if not bearing:
        return {}
    async with execution.loom.database.begin(execution.caller) as tx:
        edges = await evidence.edges_of(tx, bearing, read=EDGES_READ)
        against = [
            (edge.node, edge.target_id if edge.source_id == edge.node else edge.source_id)
            for edge in edges
            if edge.kind == "contradicts"
        ]
        found = await memory_nodes.fetch(tx, dict.fromkeys(other for _, other in against))
    current = {row.id: row for row in found if row.superseded_by is None}
    for key, row in current.items():
        rows.setdefault(key, row)
    opposed: dict[int, list[int]] = {}
    for node, other in against:
        if other in current:
            opposed.setdefault(node, []).append(other)
    return opposed


async def _rows(execution: Execution, state: GroundState) -> dict[int, NodeRow]:
    wanted = [*state["current"], *map(int, state["old"]), *state["old"].values()]
    async with execution.loom.database.begin(execution.caller) as tx:
        rows = await memory_nodes.fetch(tx, dict.fromkeys(wanted))
    return {row.id: row for row in rows}


def _answer(
    request: MemoryGround,
    joined: Joined,
    rows: Mapping[int, NodeRow],
    alike: Mapping[int, float],
) -> Grounded:
    verdict = joined.verdict
    evidence = [
        Evidence(
            **fields_of(rows[each.id]),
            score=_score(alike, each.id),
            relation=each.relation,
            covers=list(dict.fromkeys(each.covers)),
            why=each.why,
        )
        for each in verdict.witnesses
        if each.id in rows
    ]
    return Grounded(
        status=verdict.status,
        claim=request.claim,
        confidence=round(joined.confidence, DIGITS),
        coverage=round(verdict.coverage, DIGITS),
        contradicted=verdict.contradicted,
        evidence=evidence,
        uncovered=phrases(request.claim, verdict.uncovered),
        suggestions=_suggestions(verdict, rows, alike),
        superseded=list(verdict.superseded),
        judged_by=joined.by,
    )


def _suggestions(
    verdict: Verdict, rows: Mapping[int, NodeRow], alike: Mapping[int, float]
) -> list[ScoredNode]:
    """Return the nearest current nodes that are no evidence, where the claim is ungrounded."""
    if verdict.status != "ungrounded":
        return []
    deciding = {each.id for each in verdict.witnesses}
    near = [key for key in alike if key in rows and key not in deciding]
    near = [key for key in near if rows[key].superseded_by is None]
    best = sorted(near, key=lambda key: (-alike[key], -key))[:SUGGESTED]
    return [scored(rows[key], _score(alike, key)) for key in best]


def _score(alike: Mapping[int, float], key: int) -> float:
    return round(alike.get(key, 0.0), DIGITS)
