"""The embedder that a database filled by an earlier version keeps until it is reindexed.

A change of the default embedder must not mix vectors of two models: search continues with the
former default until `reasonloom db reindex` has embedded every memory of every owner.
"""

from sqlalchemy import text

from reasonloom.errors import SettingMistake
from reasonloom.stores.database import Database

MIXED = (
    "REASONLOOM_EMBEDDER: the databases were filled with different embedders; set the one to use, "
    "such as encoder, then run `reasonloom db reindex`"
)


async def pinned_embedder(database: Database) -> str | None:
    """Return the embedder that the database is pinned to, in the format of the setting, if any.

    Raises:
        DatabaseUnavailable: the database cannot be reached.
        SettingMistake: of several databases, not all are pinned to the same.
    """

    async def of_part(part: Database) -> str | None:
        async with part.recovering() as tx:
            found = await tx.column(text("SELECT embedder FROM pinned_embedder"))
        return found[0] if found else None

    pinned = {each async for each in database.on_each(of_part)}
    if len(pinned) > 1:
        raise SettingMistake(MIXED, field="REASONLOOM_EMBEDDER")
    return pinned.pop() if pinned else None


async def unpin(database: Database) -> None:
    """Make the database use the default embedder from the next start on.

    Raises:
        DatabaseUnavailable: the database cannot be reached.
    """

    async def of_part(part: Database) -> None:
        async with part.recovering() as tx:
            await tx.run(text("DELETE FROM pinned_embedder"))

    async for _ in database.on_each(of_part):
        pass
