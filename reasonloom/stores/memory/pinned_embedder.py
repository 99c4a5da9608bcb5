"""The embedder that a database filled by an earlier version keeps until it is reindexed.

A change of the default embedder must not mix vectors of two models: search continues with the
former default until `reasonloom db reindex` has embedded every memory of every owner.
"""

from sqlalchemy import text

from reasonloom.stores.database import Database


async def pinned_embedder(database: Database) -> str | None:
    """Return the embedder that the database is pinned to, in the format of the setting, if any.

    Raises:
        DatabaseUnavailable: the database cannot be reached.
    """
    async with database.recovering() as connection:
        found = await connection.execute(text("SELECT embedder FROM pinned_embedder"))
        return found.scalar()


async def unpin(database: Database) -> None:
    """Make the database use the default embedder from the next start on.

    Raises:
        DatabaseUnavailable: the database cannot be reached.
    """
    async with database.recovering() as connection:
        await connection.execute(text("DELETE FROM pinned_embedder"))
