"""The `memory_ground` tool: gathers memories near a claim, has judges check it, and decides."""

import asyncio
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Send

from reasonloom.contracts.graph_memory.grounding import (
    Evidence,
    Grounded,
    HeldMemoryGround,
    MemoryGround,
)
from reasonloom.contracts.graph_memory.shared import ScoredNode
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.graph_memory.evidence import CURRENT, near_text, similarity_scores
from reasonloom.nodes.graph_memory.grounding.agreement import (
    EvidenceFacts,
    JointVerdict,
    bound_verdict,
    join_votes,
)
from reasonloom.nodes.graph_memory.grounding.confirmation import confirm_verdict
from reasonloom.nodes.graph_memory.grounding.judges import JUDGES, GroundState, JudgeTask, Vote
from reasonloom.nodes.graph_memory.grounding.pair import uncovered_phrases
from reasonloom.nodes.graph_memory.grounding.reading.clause import READ
from reasonloom.nodes.graph_memory.grounding.reading.clauses import read_text
from reasonloom.nodes.graph_memory.grounding.verdict import CorrectedMemory, Verdict, weigh_evidence
from reasonloom.nodes.graph_memory.rendering import (
    DIGITS,
    injection_warnings,
    node_fields,
    render_scored_node,
)
from reasonloom.nodes.judging.views import TOGETHER, ask_lens
from reasonloom.nodes.memory.injection.detection import detect_injection
from reasonloom.nodes.memory.validity import HeldSpan, held_span, too_early_notes
from reasonloom.nodes.runs.llm_call import Question
from reasonloom.stores.graph_memory import evidence, memory_nodes
from reasonloom.stores.graph_memory.memory_nodes import NodeRow
from reasonloom.stores.memory.search.scope import Nearness, Scope
from reasonloom.stores.pipelines import together

POOL = 40
"""How many of the nearest memories a claim is compared with."""

OF_A_CLAUSE, MOST_CLAUSES = 10, 8
"""Memories retrieved by the words of one clause alone; maximum clauses searched."""

MOST_CORRECTED = 30


async def _candidates(
    execution: Execution,
    claim: str,
    near: Nearness | None,
    floor: float | None,
    held: HeldSpan | None,
) -> tuple[list[NodeRow], dict[int, float], list[tuple[NodeRow, int]]]:
    """Return memories near a claim.

    Returns:
        The memories that are current, or were valid at some time in `held`, most similar first;
        their similarity to the claim, 0..1; and corrected memories, each with the id of its current
        version.
    """
    scope = Scope(held_from=held.start, held_to=held.end) if held else CURRENT
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        corrected, alike, *of_clauses = await together(
            evidence.corrected(tx, claim, most=0 if held else MOST_CORRECTED),
            similarity_scores(tx, claim, near, floor, POOL, scope),
            *(
                similarity_scores(tx, clause, None, None, OF_A_CLAUSE, scope)
                for clause in _clauses(claim)
            ),
        )
        for found in of_clauses:
            for key, score in found.items():
                alike.setdefault(key, score / 2)
        order = sorted(alike, key=lambda key: (-alike[key], -key))
        wanted = dict.fromkeys([*order, *corrected.values()])
        tx.end_with_next()
        hearsay, current, old = await together(
            memory_nodes.hearsay(tx, [*wanted, *corrected]),
            memory_nodes.fetch(tx, wanted),
            memory_nodes.fetch(tx, corrected),
        )
    evident = [row for row in current if row.id not in hearsay]
    return (
        [row for row in evident if held or row.superseded_by is None],
        alike,
        [(row, corrected[row.id]) for row in old if row.id not in hearsay],
    )


def _clauses(claim: str) -> list[str]:
    """Return the words of each clause of a claim; none if it has only one clause."""
    clauses = read_text(claim).clauses
    if len(clauses) == 1:
        return []
    return [" ".join(term.text for term in each.terms) for each in clauses[:MOST_CLAUSES]]


VERDICT_NODE = "tell"
MOST_MEMORIES, SUGGESTED, EDGES_READ = 12, 5, 200
"""Memories shown to the model; memories suggested; edges read per node."""

CUT = "texts were read to their first {most:,} characters"
EMPTY = "the claim has no word that could be looked up"


async def gather_evidence(state: GroundState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Retrieve the memories to compare with the claim."""
    execution = runtime.context
    request = execution.request(HeldMemoryGround)
    held = held_span(request, execution.loom.clock())
    near, floor, notes = await near_text(execution, request.claim)
    current, alike, old = await _candidates(execution, request.claim, near, floor, held)
    rows = [*current, *(row for row, _ in old)]
    cut = any(len(text) > READ for text in (request.claim, *(row.content for row in rows)))
    notes = [*notes, *([CUT.format(most=READ)] if cut else [])]
    if not rows:
        notes += await too_early_notes(execution, request)
    return {
        "alike": {str(key): score for key, score in alike.items()},
        "current": [row.id for row in current],
        "old": {str(row.id): holds for row, holds in old},
        "shown": [row.id for row in current[:MOST_MEMORIES]],
        "texts": {str(row.id): row.content for row in current[:MOST_MEMORIES]},
        "notes": [*notes, *([] if read_text(request.claim).terms else [EMPTY])],
    }


def plan_votes(state: GroundState, runtime: Runtime[Execution]) -> list[Send] | str:
    """Return one task for all judges, or one for each if the settings separate them.

    Goes straight to the verdict if there is no language model or no memory.
    """
    if runtime.context.loom.llm.offline or not state["shown"]:
        return VERDICT_NODE
    claim = runtime.context.request(HeldMemoryGround).claim
    memories = [state["texts"][str(key)][:READ] for key in state["shown"]]
    separate = runtime.context.loom.settings.judges == "separate"
    lenses = JUDGES if separate else [TOGETHER]
    return [Send("look", JudgeTask(claim=claim, memories=memories, lens=lens)) for lens in lenses]


async def ask_judge(state: JudgeTask, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Query one judge, or all judges in one call.

    A failed call leaves an empty vote and a note, as does a judge that is missing from the answer.
    """
    question = Question(
        node="look",
        prompt="grounding/entailment",
        blind=True,
        variables={"claim": state["claim"], "memories": state["memories"]},
        pipe="grounding",
        task=state["lens"],
    )
    views, notes = await ask_lens(runtime.context, question, state["lens"], JUDGES, "the claim")
    return {"votes": [Vote(lens=name, said=view) for name, view in views.items()], "notes": notes}


async def answer_verdict(state: GroundState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Compute the verdict of the words, combine it with the judges' votes, and answer."""
    execution = runtime.context
    request = execution.request(HeldMemoryGround)
    then = bool(request.as_of or request.between)
    rows = await _rows(execution, state)
    old = {
        int(key): CorrectedMemory(rows[int(key)].content, holds)
        for key, holds in state["old"].items()
        if int(key) in rows and holds in rows
    }
    current = {
        key: rows[key].content
        for key in state["current"]
        if key in rows and (then or rows[key].superseded_by is None)
    }
    sure = {key: row.confidence for key, row in rows.items()}
    words = await asyncio.to_thread(
        weigh_evidence, request.claim, current, old, threshold=request.threshold, sure=sure
    )
    words = await confirm_verdict(words, request.claim, current)
    votes = sorted(state.get("votes", []), key=lambda vote: list(JUDGES).index(vote["lens"]))
    joined = join_votes(words, votes, state["shown"], request.claim)
    bearing = {each.id for each in joined.verdict.witnesses}
    cut = frozenset(
        key
        for key, row in rows.items()
        if len(row.content) > READ or (key in bearing and read_text(row.content).cut)
    )
    opposed = {} if then else await _opposed(execution, joined, rows)
    joined = bound_verdict(
        joined, EvidenceFacts(sure, cut, opposed, _steering(execution, bearing, rows))
    )
    alike = {int(key): score for key, score in state["alike"].items()}
    answer = _answer(request, joined, rows, alike, current)
    read = [each.node_id for each in answer.evidence]
    if read and not execution.loom.settings.read_only:
        execution.loom.journal.reinforce(execution.caller, read)
    return {
        "answer": answer.wire(),
        "notes": [*joined.notes, *injection_warnings(execution, answer.evidence)],
    }


def _steering(
    execution: Execution, bearing: Iterable[int], rows: Mapping[int, NodeRow]
) -> frozenset[int]:
    """Return the nodes that look like a prompt injection; none if detection is off."""
    if not execution.loom.settings.suspicion:
        return frozenset()
    known = (key for key in bearing if key in rows)
    return frozenset(key for key in known if detect_injection(rows[key].content).reasons)


async def _opposed(
    execution: Execution, joined: JointVerdict, rows: dict[int, NodeRow]
) -> dict[int, list[int]]:
    """Return, by supporting node, the current nodes that contradict it by an edge.

    Their rows are added to `rows`.
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
        tx.end_with_next()
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
    async with execution.loom.database.begin(execution.caller, once=True) as tx:
        rows = await memory_nodes.fetch(tx, dict.fromkeys(wanted))
    return {row.id: row for row in rows}


def _answer(
    request: MemoryGround,
    joined: JointVerdict,
    rows: Mapping[int, NodeRow],
    alike: Mapping[int, float],
    current: Collection[int],
) -> Grounded:
    verdict = joined.verdict
    evidence = [
        Evidence(
            **node_fields(rows[each.id]),
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
        uncovered=uncovered_phrases(request.claim, verdict.uncovered),
        suggestions=_suggestions(verdict, rows, alike, current),
        superseded=list(verdict.superseded),
        judged_by=joined.by,
    )


def _suggestions(
    verdict: Verdict,
    rows: Mapping[int, NodeRow],
    alike: Mapping[int, float],
    current: Collection[int],
) -> list[ScoredNode]:
    """Return the nearest current nodes that are not evidence, if the claim is ungrounded."""
    if verdict.status != "ungrounded":
        return []
    deciding = {each.id for each in verdict.witnesses}
    near = [key for key in alike if key in rows and key in current and key not in deciding]
    best = sorted(near, key=lambda key: (-alike[key], -key))[:SUGGESTED]
    return [render_scored_node(rows[key], _score(alike, key)) for key in best]


def _score(alike: Mapping[int, float], key: int) -> float:
    return round(alike.get(key, 0.0), DIGITS)
