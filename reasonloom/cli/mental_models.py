"""`reasonloom models`: displays mental models, and sets which may predict."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any
from uuid import UUID

import typer
from rich.table import Column, Table
from rich.text import Text
from rich.tree import Tree

from reasonloom.cli.arguments import AsJson
from reasonloom.cli.engine import with_engine
from reasonloom.cli.output import (
    display_id,
    print_answer,
    print_lines,
    print_table,
    printable,
    right_aligned,
)
from reasonloom.contracts.base import Request
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.mental_models.extras import ActivateModel, ProposeModels
from reasonloom.contracts.mental_models.models import GetModel, ListModels
from reasonloom.errors import InvalidArgument, ModelNotFound
from reasonloom.graphs.runs.call_tool import call_tool
from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.mental_models import model_basins, models

MAX_ITEMS = 10
MARKS = {True: "✓", False: "✗", None: "…"}
STATUS = {"active": "green", "draft": "yellow", "deprecated": "dim"}


def print_models(found: Mapping[str, Any]) -> None:
    """Print a list of models as a table, or that there are none."""
    if not found["models"]:
        typer.echo("no mental models yet")
        return
    drawn = Table(
        "name", Column("id", no_wrap=True), "status", "accuracy", "domain",
        *right_aligned("basins", "revisions"),
    )  # fmt: skip
    for each in found["models"]:
        degraded = " degraded" if each["degraded"] else ""
        drawn.add_row(
            _text(each["name"]),
            display_id(each["id"]),
            Text(each["status"] + degraded, style=STATUS[each["status"]]),
            _accuracy(each),
            each["domain"],
            str(each["basin_count"]),
            str(each["revision_count"]),
        )
    if found["total"] > len(found["models"]):
        drawn.caption = f"{len(found['models'])} of {found['total']}"
    print_table(drawn)


def model_tree(found: Mapping[str, Any], names: Mapping[str, str]) -> Tree:
    """Return one model as a tree; `names` are the names of its basins."""
    model = found["model"]
    title = Text.assemble(
        _text(model["name"]),
        f"  {model['domain']}, ",
        (model["status"], STATUS[model["status"]]),
        f"  {_accuracy(model)}  {model['id']}",
    )
    drawn = Tree(title)
    if model["description"]:
        drawn.add(_text(model["description"]))
    _add_basins(drawn, model, names)
    templates = drawn.add(f"templates ({len(model['prediction_templates'])})")
    for each in model["prediction_templates"][:MAX_ITEMS]:
        branch = templates.add(_text(f"when {each['trigger']}"))
        branch.add(_text(f"expect {each['predict']}"))
        if each["suggest"]:
            branch.add(_text(f"do {each['suggest']}"))
    predictions = drawn.add(f"predictions ({len(found['predictions'])})")
    for each in found["predictions"][:MAX_ITEMS]:
        mark = "∅" if each["state"] == "expired" else MARKS[each["correct"]]
        line = f"{mark} {each['confidence']:.2f}  {each['content']} ← {each['context']}"
        branch = predictions.add(_text(line))
        if each["state"] == "open":
            branch.add(f"open, {each['id']}")
    revisions = drawn.add(f"revisions ({len(found['revisions'])})")
    for each in found["revisions"][:MAX_ITEMS]:
        change = f"+{len(each['added_basins'])} -{len(each['removed_basins'])}"
        accuracy = f"{each['accuracy_before']:.2f} → {each['accuracy_after']:.2f}"
        revisions.add(_text(f"{change}  {accuracy}  {each['trigger_description']}"))
    return drawn


def proposals_tree(found: Mapping[str, Any]) -> Tree:
    """Return proposed models and revisions as a tree, with their evidence."""
    drawn = Tree("proposals")
    models = drawn.add(f"models ({len(found['models'])})")
    for each in found["models"]:
        branch = models.add(_text(f"{each['name']}  {each['domain']}"))
        branch.add(_text(f"why: {each['why']}"))
        for basin in each["basin_ids"]:
            branch.add(f"basin {basin}")
        if each["draft_id"]:
            branch.add(f"kept as draft {each['draft_id']}")
        _add_evidence(branch, each["evidence"])
    revisions = drawn.add(f"revisions ({len(found['revisions'])})")
    for each in found["revisions"]:
        branch = revisions.add(_text(f"{each['model_name']}  {each['model_id']}"))
        branch.add(_text(f"why: {each['why']}"))
        removed = "".join(f" {basin}" for basin in each["remove_basins"])
        branch.add(f"{each['action']}{removed}")
        _add_evidence(branch, each["evidence"])
    for note in found.get("notes", ()):
        drawn.add(_text(f"note: {note}"))
    return drawn


def _add_evidence(branch: Tree, memories: Sequence[Mapping[str, Any]]) -> None:
    for each in memories:
        branch.add(_text(f"{each['id']}  {each['excerpt']}"))


def _add_basins(drawn: Tree, model: Mapping[str, Any], names: Mapping[str, str]) -> None:
    basins = drawn.add(f"basins ({len(model['constituent_basins'])})")
    for each in model["constituent_basins"]:
        gone = each in model["missing_basins"]
        branch = basins.add(_text(f"{'(gone)' if gone else names.get(each, '')}  {each}"))
        for link in model["basin_relationships"]["relationships"]:
            if link["from"] == each:
                other = names.get(link["to"], link["to"])
                branch.add(_text(f"{link['kind']} → {other}  {link['links']} links"))


def _accuracy(each: Mapping[str, Any]) -> str:
    if not each["resolved_count"]:
        return "0.50 of 0"
    low, high = each["accuracy_interval"]
    share = f"{each['prediction_accuracy']:.2f} of {each['resolved_count']}"
    return f"{share} ({low:.2f} to {high:.2f}), Brier {each['brier_score']:.2f}"


def _text(text: str) -> Text:
    """Return text without markup, with control characters replaced by spaces."""
    return Text(printable(text, replacement=" "))


ModelId = Annotated[str, typer.Argument(help="The model's name or id, or a prefix of the id.")]
MAX_LISTED = 100
MAX_NAMED = 5
AMBIGUOUS = "model: several models have the name {model} or an id that begins with it: {found}"


def list_(as_json: AsJson = False) -> None:
    """List mental models, newest first, with the accuracy of their predictions."""
    found = _call_once("list_models", ListModels(limit=MAX_LISTED))
    print_answer(found, print_models, as_json=as_json)


def show(model: ModelId, as_json: AsJson = False) -> None:
    """Draw a mental model: its clusters, templates, predictions and revisions."""

    async def work(engine: Engine, caller: Caller) -> tuple[dict[str, Any], dict[str, str]]:
        chosen = await _resolve_model(engine, caller, model)
        request = GetModel(model_id=chosen, include_predictions=True, include_revisions=True)
        found = await _call(engine, caller, "get_model", request)
        return found, await _basin_names(engine, caller, found)

    found, names = with_engine(work)
    print_answer(found, lambda found: print_lines(model_tree(found, names)), as_json=as_json)


def activate(model: ModelId, as_json: AsJson = False) -> None:
    """Activate a draft or deprecated model, so that it makes predictions."""
    _set_status(model, "active", as_json=as_json)


def deprecate(model: ModelId, as_json: AsJson = False) -> None:
    """Deprecate an active model, so that it makes no more predictions."""
    _set_status(model, "deprecated", as_json=as_json)


def propose(
    keep_drafts: Annotated[bool, typer.Option(help="Keep proposed models as drafts.")] = False,
    as_json: AsJson = False,
) -> None:
    """Propose new models and revisions, with the evidence for each."""
    found = _call_once("propose_models", ProposeModels(keep_drafts=keep_drafts))
    print_answer(found, lambda found: print_lines(proposals_tree(found)), as_json=as_json)


def _set_status(model: str, status: str, *, as_json: bool) -> None:
    async def work(engine: Engine, caller: Caller) -> dict[str, Any]:
        chosen = await _resolve_model(engine, caller, model)
        request = ActivateModel.model_validate({"model_id": chosen, "status": status})
        return await _call(engine, caller, "activate_model", request)

    done = with_engine(work)
    print_answer(done, lambda done: typer.echo(done["message"]), as_json=as_json)


async def _resolve_model(engine: Engine, caller: Caller, model: str) -> str:
    """Return the id of the model given by name, id or beginning of an id.

    Raises:
        ModelNotFound: there is no such model.
        InvalidArgument: there are several.
    """
    async with engine.loom.database.begin(caller) as tx:
        found = await models.by_name(tx, model, MAX_NAMED)
    if len(found) > 1:
        listed = ", ".join(f"{key} ({name})" for key, name in found)
        raise InvalidArgument(AMBIGUOUS.format(model=model, found=listed), field="model")
    if not found:
        raise ModelNotFound(model, field="model")
    return str(found[0][0])


def _call_once(tool: str, request: Request) -> dict[str, Any]:
    return with_engine(lambda engine, caller: _call(engine, caller, tool, request))


async def _call(engine: Engine, caller: Caller, tool: str, request: Request) -> dict[str, Any]:
    outcome = await call_tool(engine, caller, tool, request)
    return {**outcome.answer, **({"notes": outcome.notes} if outcome.notes else {})}


async def _basin_names(engine: Engine, caller: Caller, found: dict[str, Any]) -> dict[str, str]:
    """Return the names of a model's basins, by id."""
    ids = [UUID(each) for each in found["model"]["constituent_basins"]]
    async with engine.loom.database.begin(caller) as tx:
        return {str(key): name for key, name in (await model_basins.names(tx, ids)).items()}
