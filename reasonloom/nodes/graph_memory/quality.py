"""The `memory_quality` and `memory_stats` tools: the graph's weaknesses, and its size.

A rule limits the share of nodes with one weakness. It applies if the lower bound of the 95 % Wilson
score interval (Wilson 1927, Probable inference, the law of succession, and statistical inference)
is above the limit, and at least LEAST nodes are affected. So one bad node of three means nothing,
but thirty of a hundred do.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, cast, get_args

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.queries import (
    Contradictions,
    Finding,
    GraphStats,
    MemoryQuality,
    QualityReport,
    Verdict,
)
from reasonloom.contracts.graph_memory.shared import MemoryNode
from reasonloom.contracts.memory.export_format import EdgeType, EventType
from reasonloom.errors import EmbedderUnavailable
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.graph_memory.rendering import DIGITS, injection_warnings, render_node
from reasonloom.nodes.graph_memory.similar import embedding_dimension
from reasonloom.nodes.state import ToolState
from reasonloom.stores.graph_memory import memory_nodes
from reasonloom.stores.graph_memory.node_statistics import (
    WEIGHED,
    GraphQuality,
    count_graph,
    graph_quality,
)

Z = 1.96
"""The normal distribution's two-sided quantile for 95 %."""

LEAST = 3
"""Minimum affected nodes for a rule to apply, whatever their share."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Shares above which a weakness warns or fails; `fails` is None if it never does."""

    what: str
    of: str
    warns: float
    fails: float | None


WEAK = Rule("have a confidence below {threshold:g}", "current nodes", 0.15, 0.35)
STALE = Rule("have faded below a strength of {threshold:g}", "current nodes", 0.25, 0.50)
ORPHAN = Rule("are linked to no other, a session's course aside", "current nodes", 0.50, None)
UNSUPPORTED = Rule("rest on no current node", "current decisions", 0.25, 0.50)
OPPOSED = Rule("contradict one another", "current nodes", 0.02, 0.10)


@dataclass(frozen=True, slots=True)
class Weakness:
    """The counts that a rule is applied to, and the request's threshold."""

    rule: Rule
    count: int
    of: int
    threshold: float = 0.0

    @property
    def share(self) -> float:
        """The share of affected nodes; 0 if there are no nodes."""
        return self.count / self.of if self.of else 0.0

    @property
    def certain(self) -> float:
        """The lower bound of the share, with 95 % confidence."""
        return wilson_interval(self.count, self.of)

    @property
    def level(self) -> str:
        """The level: pass, warn or fail."""
        if self.count < LEAST:
            return "pass"
        if self.rule.fails is not None and self.certain > self.rule.fails:
            return "fail"
        return "warn" if self.certain > self.rule.warns else "pass"

    def describe(self) -> str:
        """Return the finding and its relation to the limit, in words."""
        what = self.rule.what.format(threshold=self.threshold)
        found = f"{self.count} of {self.of} {self.rule.of} ({self.share:.0%}) {what}"
        if self.count < LEAST:
            return f"{found}; fewer than {LEAST} are not judged"
        outcome = f"not above the {self.rule.warns:.0%} that warn"
        if self.level == "fail":
            outcome = f"above the {self.rule.fails:.0%} that fail"
        elif self.level == "warn":
            outcome = f"above the {self.rule.warns:.0%} that warn"
        return f"{found}; at least {self.certain:.0%} with 95 % certainty, {outcome}"


def wilson_interval(count: int, of: int) -> float:
    """Return the lower bound of the Wilson score interval for `count` of `of`, 0..1."""
    if not of:
        return 0.0
    share, squared = count / of, Z * Z
    middle = share + squared / (2 * of)
    half = Z * math.sqrt(share * (1 - share) / of + squared / (4 * of * of))
    return max(0.0, (middle - half) / (1 + squared / of))


def quality_verdict(weaknesses: Sequence[Weakness]) -> tuple[str, list[str]]:
    """Return the worst level, and all findings in words, worst first."""
    ordered = sorted(weaknesses, key=lambda each: ("fail", "warn", "pass").index(each.level))
    reasons = [each.describe() for each in ordered if each.count]
    return ordered[0].level, reasons or ["nothing weak was found"]


EMPTY = "there is no current node yet, so there is nothing to judge"


async def memory_quality(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the state of the graph, its weaknesses, and examples of each."""
    execution = runtime.context
    request = execution.request(MemoryQuality)
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        found = await graph_quality(
            tx,
            low=request.low_confidence_threshold,
            stale=request.stale_decay_threshold,
            most=request.max_examples,
        )
        examples = (found.weakest, found.stalest, found.some_orphans, found.some_unsupported)
        tx.end_with_next()
        rows = await memory_nodes.fetch(
            tx, list(dict.fromkeys(chain(*examples, *found.some_opposed)))
        )
    nodes = {row.id: render_node(row) for row in rows}
    answer = _report(request, found, nodes)
    notes = [] if found.current else [EMPTY]
    return {
        "answer": answer.wire(),
        "notes": [*notes, *injection_warnings(execution, nodes.values())],
    }


def _report(
    request: MemoryQuality, found: GraphQuality, nodes: Mapping[int, MemoryNode]
) -> QualityReport:
    weak = Weakness(WEAK, found.weak, found.current, request.low_confidence_threshold)
    stale = Weakness(STALE, found.stale, found.current, request.stale_decay_threshold)
    orphan = Weakness(ORPHAN, found.orphans, found.current)
    unsupported = Weakness(UNSUPPORTED, found.unsupported, found.decisions)
    opposed = Weakness(OPPOSED, found.opposing, found.current)
    status, reasons = quality_verdict([weak, stale, orphan, unsupported, opposed])
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
            examples=_render_examples(opposing, nodes),
            pairs=[list(pair) for pair in found.some_opposed],
        ),
    )


def _finding(
    weakness: Weakness, examples: Sequence[int], nodes: Mapping[int, MemoryNode]
) -> Finding:
    return Finding(
        count=weakness.count,
        share=round(weakness.share, DIGITS),
        examples=_render_examples(examples, nodes),
    )


def _render_examples(ids: Sequence[int], nodes: Mapping[int, MemoryNode]) -> list[MemoryNode]:
    return [nodes[key] for key in ids if key in nodes]


ESTIMATED = "file_size_bytes is estimated from the newest {weighed:,} memories"
NO_DIMENSION = "the embedder cannot be used, so its dimension is not known: {reason}"


async def memory_stats(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the counts of the owner's nodes, edges and sessions, and the graph's size in bytes."""
    execution = runtime.context
    async with execution.loom.database.begin(execution.caller, searching=True, once=True) as tx:
        counted = await count_graph(tx)
    notes = [ESTIMATED.format(weighed=WEIGHED)] if counted.estimated else []
    try:
        dimension = await embedding_dimension(execution.loom.embedder)
    except EmbedderUnavailable as fault:
        dimension = 0
        notes.append(NO_DIMENSION.format(reason=fault.message))
    answer = GraphStats(
        node_count=sum(counted.types.values()),
        edge_count=sum(counted.edges.values()),
        dimension=dimension,
        session_count=counted.sessions,
        type_counts={kind: counted.types.get(kind, 0) for kind in get_args(EventType)},
        file_size_bytes=counted.bytes,
        edge_type_counts={kind: counted.edges.get(kind, 0) for kind in get_args(EdgeType)},
        superseded_count=counted.superseded,
    )
    return {"answer": answer.wire(), "notes": notes}
