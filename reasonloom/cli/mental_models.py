"""`reasonloom models`: look at mental models, and say which may predict."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reasonloom.cli.engine import with_engine
from reasonloom.graphs.runs.call_tool import call_tool

if TYPE_CHECKING:
    from reasonloom.contracts.base import Request
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.engine import Engine

app = typer.Typer(help="Look at mental models, and activate them.", no_args_is_help=True)
AsJson = Annotated[bool, typer.Option("--json", help="As JSON, to be read by programs.")]
ModelId = Annotated[str, typer.Argument(help="The model's name or id, or how its id begins.")]
MOST_LISTED = 100
MOST_NAMED = 5
SEVERAL = "{model}: is the name, or the beginning of the id, of several models: {found}"


@app.command("list")
def list_(as_json: AsJson = False) -> None:
    """List the models, the newest first, with what came of their predictions."""
    from reasonloom.contracts.mental_models.models import ListModels  # noqa: PLC0415

    found = _answer("list_models", ListModels(limit=MOST_LISTED))
    if as_json:
        _print(found)
        return
    from rich.console import Console  # noqa: PLC0415

    from reasonloom.cli.models_drawn import table  # noqa: PLC0415

    Console().print(table(found) if found["models"] else "no mental models yet")


@app.command()
def show(model: ModelId, as_json: AsJson = False) -> None:
    """Draw a model: its basins and their relations, templates, predictions, revisions."""
    from reasonloom.contracts.mental_models.models import GetModel  # noqa: PLC0415

    async def work(engine: Engine, caller: Caller) -> tuple[dict[str, Any], dict[str, str]]:
        chosen = await _chosen(engine, caller, model)
        request = GetModel(model_id=chosen, include_predictions=True, include_revisions=True)
        found = await _asked(engine, caller, "get_model", request)
        return found, await _names(engine, caller, found)

    found, names = with_engine(work)
    if as_json:
        _print(found)
        return
    from rich.console import Console  # noqa: PLC0415

    from reasonloom.cli.models_drawn import tree  # noqa: PLC0415

    Console().print(tree(found, names))


@app.command()
def activate(model: ModelId) -> None:
    """Make a draft or a deprecated model active: it predicts, and modes hear it."""
    _set_status(model, "active")


@app.command()
def deprecate(model: ModelId) -> None:
    """Deprecate an active model: it predicts no more, and can be activated again."""
    _set_status(model, "deprecated")


@app.command()
def propose(
    keep_drafts: Annotated[bool, typer.Option(help="Keep proposed models as drafts.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show which models and revisions the memories and the records call for, and why."""
    from reasonloom.contracts.mental_models.extras import ProposeModels  # noqa: PLC0415

    found = _answer("propose_models", ProposeModels(keep_drafts=keep_drafts))
    if as_json:
        _print(found)
        return
    from rich.console import Console  # noqa: PLC0415

    from reasonloom.cli.models_drawn import proposals  # noqa: PLC0415

    Console().print(proposals(found))


def _set_status(model: str, status: str) -> None:
    from reasonloom.contracts.mental_models.extras import ActivateModel  # noqa: PLC0415

    async def work(engine: Engine, caller: Caller) -> dict[str, Any]:
        chosen = await _chosen(engine, caller, model)
        request = ActivateModel.model_validate({"model_id": chosen, "status": status})
        return await _asked(engine, caller, "activate_model", request)

    typer.echo(with_engine(work)["message"])


async def _chosen(engine: Engine, caller: Caller, model: str) -> str:
    """Return the id of the model that a person names.

    Raises:
        ModelNotFound: there is none such.
        InvalidArgument: there are several.
    """
    from reasonloom.errors import InvalidArgument, ModelNotFound  # noqa: PLC0415
    from reasonloom.stores.mental_models import models  # noqa: PLC0415

    async with engine.loom.database.begin(caller) as tx:
        found = await models.called(tx, model, MOST_NAMED)
    if len(found) > 1:
        said = ", ".join(f"{key} ({name})" for key, name in found)
        raise InvalidArgument(SEVERAL.format(model=model, found=said), field="model")
    if not found:
        raise ModelNotFound(model, field="model")
    return str(found[0][0])


def _answer(tool: str, request: Request) -> dict[str, Any]:
    return with_engine(lambda engine, caller: _asked(engine, caller, tool, request))


async def _asked(engine: Engine, caller: Caller, tool: str, request: Request) -> dict[str, Any]:
    outcome = await call_tool(engine, caller, tool, request)
    return {**outcome.answer, **({"notes": outcome.notes} if outcome.notes else {})}


async def _names(engine: Engine, caller: Caller, found: dict[str, Any]) -> dict[str, str]:
    """Return the names of a model's basins, by id."""
    from uuid import UUID  # noqa: PLC0415

    from reasonloom.stores.mental_models import model_basins  # noqa: PLC0415

    ids = [UUID(each) for each in found["model"]["constituent_basins"]]
    async with engine.loom.database.begin(caller) as tx:
        return {str(key): name for key, name in (await model_basins.names(tx, ids)).items()}


def _print(found: dict[str, Any]) -> None:
    typer.echo(json.dumps(found, ensure_ascii=False, indent=2))
