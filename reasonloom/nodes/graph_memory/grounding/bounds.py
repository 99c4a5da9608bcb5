"""Bounds a verdict by its evidence: how sure that is, how far it was read, what opposes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from reasonloom.nodes.graph_memory.grounding.agreement import Joined
from reasonloom.nodes.graph_memory.grounding.reading.clause import READ
from reasonloom.nodes.graph_memory.grounding.verdict import Witness

LEAST_SURE = 0.3
"""Below this a memory's own confidence makes a claim partial at best."""

UNREAD = 0.5
"""Most that an ungrounded verdict is sure of where something was not read."""

UNSURE = "memories of a confidence below {least:g} bear out no more than a part"
UNREAD_REST = (
    "what bears the claim out was read to its first {most:,} characters; the rest may take it back"
)
STEERING = "what bears the claim out reads like an instruction, and proves no more than a part"
OPPOSED = "current memories oppose each other on this: see the evidence that contradicts"
LATE = "{left} memories near the claim were not read in time"
EDGE = "an edge says that it contradicts node {of}"


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of the memories beside a claim.

    Attributes:
        sure: how sure each is of itself, 0..1.
        cut: those that were read in part.
        opposed: current memories that an edge says to contradict another, by that other.
        steering: those that read like an attempt to steer their reader.
    """

    sure: Mapping[int, float]
    cut: frozenset[int]
    opposed: Mapping[int, Sequence[int]]
    steering: frozenset[int] = frozenset()


def bounded(joined: Joined, known: Known) -> Joined:
    """Return a verdict no stronger than its evidence, with notes that say why it is weaker."""
    verdict, notes = joined.verdict, list(joined.notes)
    bearing = [each.id for each in verdict.witnesses if each.relation == "supports"]
    edges = [] if verdict.contradicted else _by_edges(bearing, known)
    told = {each.id for each in verdict.witnesses}
    verdict = replace(
        verdict, witnesses=(*verdict.witnesses, *(e for e in edges if e.id not in told))
    )
    why = [OPPOSED] if any(each.relation == "contradicts" for each in verdict.witnesses) else []
    why = [] if verdict.contradicted else why
    if bearing and any(known.sure.get(key, 1.0) < LEAST_SURE for key in bearing):
        why.append(UNSURE.format(least=LEAST_SURE))
    if known.cut.intersection(bearing):
        why.append(UNREAD_REST.format(most=READ))
    if known.steering.intersection(bearing):
        why.append(STEERING)
    if verdict.unread:
        notes.append(LATE.format(left=verdict.unread))
    if verdict.status == "verified" and (why or verdict.unread):
        verdict = replace(verdict, status="partial")
    return joined._replace(
        verdict=verdict, notes=[*notes, *why], confidence=_sure(joined, known, bearing)
    )


def _sure(joined: Joined, known: Known, bearing: Sequence[int]) -> float:
    """Return how sure the verdict is: no more than the least sure memory that bears it out."""
    verdict = joined.verdict
    if bearing:
        return min(joined.confidence, *(known.sure.get(key, 1.0) for key in bearing))
    if verdict.contradicted:
        own = [known.sure.get(each.id, 1.0) for each in verdict.witnesses]
        return min(joined.confidence, max(own, default=1.0))
    return min(joined.confidence, UNREAD) if known.cut or verdict.unread else joined.confidence


def _by_edges(bearing: Sequence[int], known: Known) -> list[Witness]:
    return [
        Witness(other, "contradicts", (), EDGE.format(of=key))
        for key in bearing
        for other in known.opposed.get(key, ())
        if other not in bearing
    ]
