"""Compares what several files say of a topic, every two memories of every two files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import TYPE_CHECKING

from reasonloom.contracts.graph_memory.workspaces import ComparedPair
from reasonloom.nodes.graph_memory.workspaces.judgement import Statement, judged
from reasonloom.nodes.graph_memory.workspaces.pauses import with_pauses

if TYPE_CHECKING:
    from reasonloom.contracts.graph_memory.workspaces import Agreement, ContextMatch

MOST_WORK = 4_000
"""Pairs of sentences that are judged, both ways; about 3 ms each."""


@dataclass(slots=True)
class Comparison:
    """All pairs of memories that have to do with each other, and what stands alone."""

    pairs: dict[Agreement, list[ComparedPair]] = field(default_factory=dict)
    alone: list[ContextMatch] = field(default_factory=list)

    def of(self, relation: Agreement) -> list[ComparedPair]:
        """Return the pairs of one relation, the best found first."""
        found = self.pairs.get(relation, [])
        return sorted(found, key=lambda pair: -pair.first.score - pair.second.score)


def bounded(files: Sequence[Sequence[Statement]]) -> tuple[list[Sequence[Statement]], bool]:
    """Return as many statements of each file as can be compared, and whether some were cut."""
    most = max(map(len, files), default=0)
    each = most
    while each > 1 and _work([file[:each] for file in files]) > MOST_WORK:
        each -= max(1, each // 10)
    return [file[:each] for file in files], each < most


def _work(files: Sequence[Sequence[Statement]]) -> int:
    """Return how many sentences of one file stand beside how many of another, over all."""
    counts = [sum(len(each.sentences) for each in file) for file in files]
    return (sum(counts) ** 2 - sum(count**2 for count in counts)) // 2


def compare(files: Sequence[Sequence[Statement]], topic: frozenset[str]) -> Comparison:
    """Judge every two statements of two different files; takes a while: not on the event loop.

    `files` holds what each file says of the topic, best first.
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
        if (found := judged(first, second, topic)) is None:
            continue
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
