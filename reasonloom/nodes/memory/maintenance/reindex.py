"""Embeds memories again for the embedder in use, newest first, and drops unused vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from reasonloom.contracts.caller import Caller
from reasonloom.nodes.memory.embedding import ViewSource, sector_views
from reasonloom.stores.memory import decay, reindex

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Loom
    from reasonloom.stores.memory.reindex import Coverage, Unembedded

BATCH = 200
DROPPED = 5000
"""Old vectors removed in one transaction."""

MOST_WALKS = 5
"""Passes through a space: a later one finds what changed during the previous one."""

Progress = Callable[[int], None]
"""Called with the number of newly embedded memories."""


@dataclass(frozen=True, slots=True)
class ReindexResult:
    """One owner's counts: memories embedded, still lacking vectors, and old vectors removed."""

    embedded: int = 0
    lacking: int = 0
    dropped: int = 0


async def index_locations(loom: Loom, user: str | None) -> list[Caller]:
    """Return the spaces to reindex: that of `user`, or every space of every owner."""
    if user is not None:
        return [Caller(loom.settings.user).within(user)]
    return [Caller(place.owner, place.space) for place in await decay.places(loom.database)]


async def reindex_preview(loom: Loom, callers: Iterable[Caller]) -> list[tuple[Caller, Coverage]]:
    """Return how many memories of each space lack vectors of the embedder in use."""
    found = []
    for caller in callers:
        async with loom.database.begin(caller) as tx:
            found.append((caller, await reindex.coverage(tx, loom.embedder.model)))
    return found


async def reindex_all(
    loom: Loom, callers: Iterable[Caller], progress: Progress
) -> dict[str, ReindexResult]:
    """Embed the memories that lack vectors in these spaces; return each owner's counts.

    A repeated call, also after a kill, continues with what is left.

    Raises:
        EmbedderUnavailable: the embedder could not be loaded or reached; what was done stays.
        DatabaseUnavailable: the database went away; as above.
    """
    result: dict[str, ReindexResult] = {}
    ordered = sorted(callers, key=lambda caller: (caller.owner, caller.space))
    for owner, spaces in groupby(ordered, key=lambda caller: caller.owner):
        embedded = 0
        for caller in spaces:
            embedded += await _reindex_space(loom, caller, progress)
        result[owner] = await _finish_owner(loom, owner, embedded)
    return result


async def _reindex_space(loom: Loom, caller: Caller, progress: Progress) -> int:
    done = 0
    for _ in range(MOST_WALKS):
        before, found, embedded = reindex.LARGEST_ID, 0, 0
        while batch := await _next(loom, caller, before):
            count = await _embed(loom, caller, batch)
            found, embedded, before = found + len(batch), embedded + count, batch[-1].id
            progress(count)
        done += embedded
        if embedded == found:
            break
    return done


async def _next(loom: Loom, caller: Caller, before: int) -> list[Unembedded]:
    async with loom.database.begin(caller, searching=True) as tx:
        model = loom.embedder.model
        return list(await reindex.next_lacking(tx, model, before=before, size=BATCH))


async def _embed(loom: Loom, caller: Caller, batch: list[Unembedded]) -> int:
    """Embed outside any transaction, then write; return the number of rows written."""
    texts = {each.id: sector_views(ViewSource.of(each, each.created_at)) for each in batch}
    different = list(dict.fromkeys(text for view in texts.values() for text in view.values()))
    known = dict(zip(different, await loom.embedder.embed(different), strict=True))
    vectors = {
        key: {str(sector): known[text] for sector, text in view.items()}
        for key, view in texts.items()
    }
    async with loom.database.begin(caller) as tx:
        return await reindex.embed(tx, batch, vectors, loom.embedder.model)


async def _finish_owner(loom: Loom, owner: str, embedded: int) -> ReindexResult:
    """Remove other models' vectors if every memory of the owner has one of the model in use."""
    spaces = [place for place in await decay.places(loom.database) if place.owner == owner]
    left = await reindex_preview(loom, [Caller(owner, place.space) for place in spaces])
    lacking = sum(coverage.lacking for _, coverage in left)
    if lacking:
        return ReindexResult(embedded, lacking)
    dropped = 0
    while True:
        async with loom.database.begin(Caller(owner), searching=True) as tx:
            count = await reindex.drop_others(tx, loom.embedder.model, size=DROPPED)
        dropped += count
        if count < DROPPED:
            return ReindexResult(embedded, 0, dropped)
