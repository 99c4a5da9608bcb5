"""`reasonloom://model/{id}`: a mental model as a page with a drawing."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from reasonloom.server.resources.kind import Kind, Listed

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.engine import Engine


BASINS_NAME, BASINS_TITLE = "basins", "Basins, the clusters of memories"
MAX_BASINS, MEMORIES_PER_BASIN = 100, 3


async def read_basins(engine: Engine, caller: Caller, identifier: str) -> str:
    """Return the page of the caller's largest basins."""
    from reasonloom.contracts.mental_models.extras import ListBasins  # noqa: PLC0415 - tools come first
    from reasonloom.nodes.mental_models.basins.list_basins import largest_basins  # noqa: PLC0415
    from reasonloom.nodes.mental_models.basins.relations import relation_answers  # noqa: PLC0415
    from reasonloom.server.resources.pages.model_page import basins_page  # noqa: PLC0415

    async with engine.loom.database.begin(caller, searching=True) as tx:
        found = await largest_basins(tx, ListBasins(limit=MAX_BASINS, memories=MEMORIES_PER_BASIN))
        related = await relation_answers(tx, [UUID(each.id) for each in found.basins])
    return basins_page(found, related.relationships)


async def newest_basins(engine: Engine, caller: Caller, most: int) -> list[Listed]:
    """Return the one there is: when basins were last formed, nothing before that."""
    from reasonloom.stores.mental_models import basins  # noqa: PLC0415

    async with engine.loom.database.begin(caller) as tx:
        formed: datetime | None = await basins.last_changed(tx)
    return [Listed(BASINS_NAME, BASINS_TITLE, formed)] if formed else []


BASINS = Kind(
    name=BASINS_NAME,
    title=BASINS_TITLE,
    description="What the memories are about, how that hangs together, and the ids for models.",
    mime_type="text/markdown",
    toolset="mental_models",
    read=read_basins,
    newest=newest_basins,
    single=True,
)

LONGEST_TITLE = 60


async def read_model(engine: Engine, caller: Caller, identifier: str) -> str:
    """Return the page of a model.

    Raises:
        ModelNotFound: this caller has none such.
    """
    from reasonloom.contracts.mental_models.models import GetModel  # noqa: PLC0415 - tools come first
    from reasonloom.errors import ModelNotFound  # noqa: PLC0415
    from reasonloom.nodes.mental_models.read import full_model  # noqa: PLC0415
    from reasonloom.server.resources.pages.model_page import model_page  # noqa: PLC0415
    from reasonloom.stores.identifiers import parse_uuid  # noqa: PLC0415
    from reasonloom.stores.mental_models import model_basins  # noqa: PLC0415

    if parse_uuid(identifier) is None:
        raise ModelNotFound(identifier, field="model_id")
    request = GetModel(model_id=identifier, include_predictions=True, include_revisions=True)
    async with engine.loom.database.begin(caller) as tx:
        got, _ = await full_model(tx, request, engine.loom.clock())
        ids = [UUID(each) for each in got.model.constituent_basins]
        names = await model_basins.names(tx, ids)
    return model_page(got, {str(key): name for key, name in names.items()})


async def newest_models(engine: Engine, caller: Caller, most: int) -> list[Listed]:
    """Return the models that were last changed, newest first."""
    from reasonloom.stores.mental_models import models  # noqa: PLC0415

    async with engine.loom.database.begin(caller) as tx:
        rows = await models.last_changed(tx, most)
    return [Listed(str(key), _title(name), changed) for key, name, changed in rows]


def _title(name: str) -> str:
    plain = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    return f"Model: {plain[:LONGEST_TITLE]}…" if len(plain) > LONGEST_TITLE else f"Model: {plain}"


MODEL = Kind(
    name="model",
    title="A mental model",
    description="Basins, templates, predictions and revisions of one model, drawn and in words.",
    mime_type="text/markdown",
    toolset="mental_models",
    read=read_model,
    newest=newest_models,
)
