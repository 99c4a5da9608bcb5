"""`reasonloom://model/{id}`: a mental model as a page with a drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from reasonloom.server.resources.kind import Kind, Listed

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.engine import Engine

LONGEST_TITLE = 60


async def read(engine: Engine, caller: Caller, identifier: str) -> str:
    """Return the page of a model.

    Raises:
        ModelNotFound: this caller has none such.
    """
    from reasonloom.contracts.mental_models.models import GetModel  # noqa: PLC0415 - tools come first
    from reasonloom.errors import ModelNotFound  # noqa: PLC0415
    from reasonloom.nodes.mental_models.read import whole  # noqa: PLC0415
    from reasonloom.server.resources.pages.model_page import page  # noqa: PLC0415
    from reasonloom.stores.identifiers import parse_uuid  # noqa: PLC0415
    from reasonloom.stores.mental_models import model_basins  # noqa: PLC0415

    if parse_uuid(identifier) is None:
        raise ModelNotFound(identifier, field="model_id")
    request = GetModel(model_id=identifier, include_predictions=True, include_revisions=True)
    async with engine.loom.database.begin(caller) as tx:
        got, _ = await whole(tx, request, engine.loom.clock())
        ids = [UUID(each) for each in got.model.constituent_basins]
        names = await model_basins.names(tx, ids)
    return page(got, {str(key): name for key, name in names.items()})


async def newest(engine: Engine, caller: Caller, most: int) -> list[Listed]:
    """Return the models that were last changed, newest first."""
    from reasonloom.stores.mental_models import models  # noqa: PLC0415

    async with engine.loom.database.begin(caller) as tx:
        rows = await models.last_changed(tx, most)
    return [Listed(str(key), _title(name), changed) for key, name, changed in rows]


def _title(name: str) -> str:
    plain = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    return f"Model: {plain[:LONGEST_TITLE]}…" if len(plain) > LONGEST_TITLE else f"Model: {plain}"


KIND = Kind(
    name="model",
    title="A mental model",
    description="Basins, templates, predictions and revisions of one model, drawn and in words.",
    mime_type="text/markdown",
    toolset="mental_models",
    read=read,
    newest=newest,
)
