"""Re-embeds memories for the embedder in use, newest first, and drops unused vectors."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from reasonloom.contracts.caller import Caller
from reasonloom.nodes.execution import Loom
from reasonloom.nodes.memory.embedding import sector_views
from reasonloom.stores.memory import decay, reindex
from reasonloom.stores.memory.pinned_embedder import pinned_embedder, unpin
from reasonloom.stores.memory.reindex import Coverage, Unembedded

BATCH = 200
DROPPED = 5000
"""Old vectors removed per transaction."""

MOST_WALKS = 5
"""Maximum passes over a space; later ones pick up memories changed during the previous one."""

Progress = Callable[[int], None]
"""Callback with the number of newly embedded memories."""


@dataclass(frozen=True, slots=True)
class ReindexResult:
    """An owner's counts: memories embedded, memories still lacking vectors, old vectors removed."""

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

    A repeated call, also after an interruption, continues where the last one ended. An owner's old
    vectors are dropped once all its memories have new ones, or, while the database is pinned to its
    former embedder, once those of all owners do.

    Raises:
        EmbedderUnavailable: the embedder could not be loaded or reached; finished batches remain.
        DatabaseUnavailable: the connection was lost; finished batches remain.
    """
    embedded: dict[str, int] = defaultdict(int)
    for caller in sorted(callers, key=lambda caller: (caller.owner, caller.space)):
        embedded[caller.owner] += await _reindex_space(loom, caller, progress)
    pinned = await pinned_embedder(loom.database) is not None
    if pinned and not await _lacking(loom):
        await unpin(loom.database)
        pinned = False
    return {
        owner: await _finish_owner(loom, owner, count, pinned=pinned)
        for owner, count in embedded.items()
    }


async def _lacking(loom: Loom, owner: str | None = None) -> int:
    """Count the memories of one owner, or of all, that lack vectors of the embedder in use."""
    places = await decay.places(loom.database)
    callers = [Caller(each.owner, each.space) for each in places if owner in (None, each.owner)]
    return sum(found.lacking for _, found in await reindex_preview(loom, callers))


async def newest_lacking(loom: Loom, caller: Caller) -> int:
    """Return the id of the newest memory of a space that lacks vectors; 0 if none does."""
    async with loom.database.begin(caller, searching=True) as tx:
        model = loom.embedder.model
        found = await reindex.next_lacking(tx, model, before=reindex.LARGEST_ID, size=1)
    return found[0].id if found else 0


async def reindex_range(loom: Loom, caller: Caller, first: int, last: int) -> int:
    """Embed the memories of a space that lack vectors and have an id of a range; return how many.

    Raises:
        EmbedderUnavailable: the embedder could not be loaded or reached; finished batches remain.
        DatabaseUnavailable: the connection was lost; finished batches remain.
    """
    before, done = last + 1, 0
    while batch := [each for each in await _next(loom, caller, before) if each.id >= first]:
        done += await _embed(loom, caller, batch)
        before = batch[-1].id
    return done


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


async def _next(loom: Loom, caller: Caller, before: int) -> Sequence[Unembedded]:
    async with loom.database.begin(caller, searching=True) as tx:
        model = loom.embedder.model
        return await reindex.next_lacking(tx, model, before=before, size=BATCH)


async def _embed(loom: Loom, caller: Caller, batch: Sequence[Unembedded]) -> int:
    """Embed outside any transaction, then write; return the number of memories written."""
    texts = {each.id: sector_views(each.content, each.context, each.tags) for each in batch}
    different = list(dict.fromkeys(text for view in texts.values() for text in view.values()))
    known = dict(zip(different, await loom.embedder.embed(different), strict=True))
    vectors = {
        key: {str(sector): known[text] for sector, text in view.items()}
        for key, view in texts.items()
    }
    async with loom.database.begin(caller) as tx:
        return await reindex.embed(tx, batch, vectors, loom.embedder.model)


async def _finish_owner(loom: Loom, owner: str, embedded: int, *, pinned: bool) -> ReindexResult:
    """Drop vectors of other models if all of the owner's memories have current ones."""
    lacking = await _lacking(loom, owner)
    if lacking or pinned:
        return ReindexResult(embedded, lacking)
    dropped = 0
    while True:
        async with loom.database.begin(Caller(owner), searching=True) as tx:
            count = await reindex.drop_others(tx, loom.embedder.model, size=DROPPED)
        dropped += count
        if count < DROPPED:
            return ReindexResult(embedded, 0, dropped)
