"""`reasonloom://basins`: the clusters of a caller's memories as a page with a drawing."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from reasonloom.server.resources.kind import Kind, Listed

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.engine import Engine

NAME, TITLE = "basins", "Basins, the clusters of memories"
MOST, MEMORIES = 100, 3


async def read(engine: Engine, caller: Caller, identifier: str) -> str:
    """Return the page of the caller's largest basins."""
    from reasonloom.contracts.mental_models.extras import ListBasins  # noqa: PLC0415 - tools come first
    from reasonloom.nodes.mental_models.basins.list_basins import listed  # noqa: PLC0415
    from reasonloom.nodes.mental_models.basins.models_relations import relations_of  # noqa: PLC0415
    from reasonloom.server.resources.pages.basins_page import page  # noqa: PLC0415

    async with engine.loom.database.begin(caller, searching=True) as tx:
        found = await listed(tx, ListBasins(limit=MOST, memories=MEMORIES))
        related = await relations_of(tx, [UUID(each.id) for each in found.basins])
    return page(found, related.relationships)


async def newest(engine: Engine, caller: Caller, most: int) -> list[Listed]:
    """Return the one there is: when basins were last formed, nothing before that."""
    from reasonloom.stores.mental_models import basins  # noqa: PLC0415

    async with engine.loom.database.begin(caller) as tx:
        formed: datetime | None = await basins.last_changed(tx)
    return [Listed(NAME, TITLE, formed)] if formed else []


KIND = Kind(
    name=NAME,
    title=TITLE,
    description="What the memories are about, how that hangs together, and the ids for models.",
    mime_type="text/markdown",
    toolset="mental_models",
    read=read,
    newest=newest,
    single=True,
)
