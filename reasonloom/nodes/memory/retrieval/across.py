"""Retrieves memories from several spaces at once: one embedding, one ranking, one reading.

Ids are counted for each owner, so that two spaces may both have a memory 42. Within one retrieval
a memory's key is its id plus a multiple of `STRIDE` for its place among the spaces.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence, Set
from dataclasses import dataclass, replace
from typing import TypeVar

from reasonloom.nodes.execution import Execution
from reasonloom.nodes.memory.retrieval.candidates import Ranking
from reasonloom.nodes.memory.retrieval.reorder import Pair
from reasonloom.nodes.memory.retrieval.retrieve import (
    Found,
    RetrievedPage,
    Search,
    cosines_among,
    find,
    ranking_queries,
    read_best,
    read_terms,
    retrieve,
)
from reasonloom.nodes.memory.retrieval.scoring import ScoredMemory
from reasonloom.nodes.sharing.places import log_read
from reasonloom.stores.memory.search.scope import Scope

T = TypeVar("T")
STRIDE = 1 << 48


@dataclass(frozen=True, slots=True)
class Places:
    """The spaces that one call reads, each as the execution in it."""

    spaces: Sequence[Execution]

    def split(self, key: int) -> tuple[Execution, int]:
        """Return the space of a memory's key, and its id there."""
        place, number = divmod(key, STRIDE)
        return self.spaces[place], number

    def label(self, key: int) -> str:
        """Return the id that names a memory to the caller."""
        space, number = self.split(key)
        return space.caller.memory_id(number)

    def grouped(self, keys: Sequence[int]) -> list[tuple[Execution, list[int]]]:
        """Return the ids of memories by space."""
        found: dict[int, list[int]] = {}
        for key in keys:
            found.setdefault(key // STRIDE, []).append(key % STRIDE)
        return [(self.spaces[place], numbers) for place, numbers in found.items()]

    async def each(self, work: Callable[[Execution], Awaitable[T]]) -> list[T]:
        """Do the same in every space, on a connection each; return the results in order."""
        return list(await asyncio.gather(*map(work, self.spaces)))

    async def log(self, keys: Sequence[int]) -> None:
        """Log which memories of other owners the caller is given."""
        await asyncio.gather(*(log_read(*each) for each in self.grouped(keys)))

    async def retrieve(
        self, query: str | None, *, scope: Scope, sectors: Sequence[str], offset: int, limit: int
    ) -> RetrievedPage:
        """Return a page of the memories of all spaces, best first; see `retrieve`."""
        if len(self.spaces) == 1:
            return await retrieve(
                self.spaces[0], query, scope=scope, sectors=sectors, offset=offset, limit=limit
            )
        if query:
            return await self._by_query(Search(query, scope, sectors, offset, limit))
        pages = await self.each(
            lambda space: retrieve(space, None, scope=scope, limit=offset + limit)
        )
        ordered = merged([page.page for page in pages])
        return RetrievedPage(ordered[offset : offset + limit], sum(page.total for page in pages))

    async def _by_query(self, search: Search) -> RetrievedPage:
        loom = self.spaces[0].loom
        wide = replace(search, offset=0, limit=search.offset + search.limit)
        searches = [wide for _ in self.spaces]
        read = await self.each(lambda space: read_terms(space, [wide]))
        questions, notes = await ranking_queries(loom, searches, [terms for (terms,) in read])
        question_of = dict(zip(map(id, self.spaces), questions, strict=True))
        lists = await self.each(lambda space: find(space, [wide], [question_of[id(space)]], notes))
        found = [one for (one,) in lists]
        together = Found(
            search,
            questions[0],
            Ranking(
                [each for one in found for each in one.ranking.ranked], cut=False, unlike=False
            ),
            merged([one.memories for one in found])[search.start : search.end],
            list(dict.fromkeys(note for one in found for note in one.notes)),
            self.label,
        )
        return (await read_best(loom, [together], self._cosines))[0]

    async def _cosines(self, keys: Set[int]) -> dict[Pair, float]:
        """Return the cosine similarities of memories that are in one space."""
        grouped = self.grouped(sorted(keys))
        found = await asyncio.gather(
            *(cosines_among(space, set(numbers)) for space, numbers in grouped)
        )
        return {
            (self._key(space, first), self._key(space, second)): cosine
            for (space, _), cosines in zip(grouped, found, strict=True)
            for (first, second), cosine in cosines.items()
        }

    def _key(self, space: Execution, number: int) -> int:
        return key_of(number, [id(each) for each in self.spaces].index(id(space)))


def key_of(number: int, place: int) -> int:
    """Return the key of a memory in the space at this place."""
    return number + place * STRIDE


def merged(lists: Sequence[Sequence[ScoredMemory]]) -> list[ScoredMemory]:
    """Return the memories of all spaces under their keys, best first."""
    keyed = (_keyed(each, place) for place, some in enumerate(lists) for each in some)
    return sorted(keyed, key=lambda each: (-each.score, each.memory.id))


def _keyed(scored: ScoredMemory, place: int) -> ScoredMemory:
    newer = scored.memory.superseded_by
    memory = replace(
        scored.memory,
        id=key_of(scored.memory.id, place),
        superseded_by=key_of(newer, place) if newer else None,
    )
    return replace(scored, memory=memory)
