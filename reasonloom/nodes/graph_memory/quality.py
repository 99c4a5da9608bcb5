"""Answers `memory_quality`: what is weak in the graph, and whether it is enough to say so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, cast

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.queries import (
    Contradictions,
    Finding,
    MemoryQuality,
    QualityReport,
    Verdict,
)
from reasonloom.contracts.graph_memory.shared import MemoryNode
from reasonloom.nodes.graph_memory.rendering import told
from reasonloom.nodes.graph_memory.verdict import (
    OPPOSED,
    ORPHAN,
    STALE,
    UNSUPPORTED,
    WEAK,
    Weakness,
    verdict,
)
from reasonloom.nodes.graph_memory.warning import warned
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.state import ToolState
from reasonloom.stores.graph_memory import memory_nodes
from reasonloom.stores.graph_memory.node_statistics import Judged, judge

DIGITS = 4
EMPTY = "there is no current node yet, so there is nothing to judge"


async def memory_quality(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the state of the graph, its weaknesses, and examples of each."""
    execution = runtime.context
    request = MemoryQuality.model_validate(state["request"])
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        found = await judge(
            tx,
            low=request.low_confidence_threshold,
            stale=request.stale_decay_threshold,
            most=request.max_examples,
        )
        rows = await memory_nodes.fetch(tx, _named(found))
    nodes = {row.id: told(row) for row in rows}
    answer = _report(request, found, nodes)
    notes = [] if found.current else [EMPTY]
    return {"answer": answer.wire(), "notes": [*notes, *warned(execution, nodes.values())]}


def _named(found: Judged) -> list[int]:
    """Return the numbers of all examples, each once."""
    examples = (found.weakest, found.stalest, found.some_orphans, found.some_unsupported)
    return list(dict.fromkeys(chain(*examples, *found.some_opposed)))


def _report(
    request: MemoryQuality, found: Judged, nodes: Mapping[int, MemoryNode]
) -> QualityReport:
    weak = Weakness(WEAK, found.weak, found.current, request.low_confidence_threshold)
    stale = Weakness(STALE, found.stale, found.current, request.stale_decay_threshold)
    orphan = Weakness(ORPHAN, found.orphans, found.current)
    unsupported = Weakness(UNSUPPORTED, found.unsupported, found.decisions)
    opposed = Weakness(OPPOSED, found.opposing, found.current)
    status, reasons = verdict([weak, stale, orphan, unsupported, opposed])
    opposing = list(dict.fromkeys(chain(*found.some_opposed)))[: request.max_examples]
    return QualityReport(
        status=cast("Verdict", status),
        reasons=reasons if found.current else [EMPTY],
        node_count=found.nodes,
        superseded_count=found.nodes - found.current,
        low_confidence=_finding(weak, found.weakest, nodes),
        stale=_finding(stale, found.stalest, nodes),
        orphans=_finding(orphan, found.some_orphans, nodes),
        unsupported_decisions=_finding(unsupported, found.some_unsupported, nodes),
        contradictions=Contradictions(
            count=found.opposed,
            share=round(opposed.share, DIGITS),
            examples=_shown(opposing, nodes),
            pairs=[list(pair) for pair in found.some_opposed],
        ),
    )


def _finding(
    weakness: Weakness, examples: Sequence[int], nodes: Mapping[int, MemoryNode]
) -> Finding:
    return Finding(
        count=weakness.count,
        share=round(weakness.share, DIGITS),
        examples=_shown(examples, nodes),
    )


def _shown(ids: Sequence[int], nodes: Mapping[int, MemoryNode]) -> list[MemoryNode]:
    return [nodes[key] for key in ids if key in nodes]
