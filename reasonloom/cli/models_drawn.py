"""Draws mental models: a table of them, and one as a tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text
from rich.tree import Tree

if TYPE_CHECKING:
    from rich.console import RenderableType

MOST_SHOWN = 10
SHORT_ID = 8
MARKS = {True: "✓", False: "✗", None: "…"}
STATUS = {"active": "green", "draft": "yellow", "deprecated": "dim"}


def table(found: Mapping[str, Any]) -> RenderableType:
    """Return the models of a list as a table."""
    drawn = Table("name", "id", "domain", "status", "basins", "revisions", "accuracy")
    for each in found["models"]:
        degraded = " degraded" if each["degraded"] else ""
        drawn.add_row(
            _text(each["name"]),
            each["id"][:SHORT_ID],
            each["domain"],
            Text(each["status"] + degraded, style=STATUS[each["status"]]),
            str(each["basin_count"]),
            str(each["revision_count"]),
            _record(each),
        )
    if found["total"] > len(found["models"]):
        drawn.caption = f"{len(found['models'])} of {found['total']}"
    return drawn


def tree(found: Mapping[str, Any], names: Mapping[str, str]) -> Tree:
    """Return one model as a tree; `names` are those of its basins."""
    model = found["model"]
    title = Text.assemble(
        _text(model["name"]),
        f"  {model['domain']}, ",
        (model["status"], STATUS[model["status"]]),
        f"  {_record(model)}  {model['id']}",
    )
    drawn = Tree(title)
    if model["description"]:
        drawn.add(_text(model["description"]))
    _basins(drawn, model, names)
    templates = drawn.add(f"templates ({len(model['prediction_templates'])})")
    for each in model["prediction_templates"][:MOST_SHOWN]:
        branch = templates.add(_text(f"when {each['trigger']}"))
        branch.add(_text(f"expect {each['predict']}"))
        if each["suggest"]:
            branch.add(_text(f"do {each['suggest']}"))
    predictions = drawn.add(f"predictions ({len(found['predictions'])})")
    for each in found["predictions"][:MOST_SHOWN]:
        mark = "∅" if each["state"] == "expired" else MARKS[each["correct"]]
        said = f"{mark} {each['confidence']:.2f}  {each['content']} ← {each['context']}"
        branch = predictions.add(_text(said))
        if each["state"] == "open":
            branch.add(f"open, {each['id']}")
    revisions = drawn.add(f"revisions ({len(found['revisions'])})")
    for each in found["revisions"][:MOST_SHOWN]:
        change = f"+{len(each['added_basins'])} -{len(each['removed_basins'])}"
        accuracy = f"{each['accuracy_before']:.2f} → {each['accuracy_after']:.2f}"
        revisions.add(_text(f"{change}  {accuracy}  {each['trigger_description']}"))
    return drawn


def proposals(found: Mapping[str, Any]) -> Tree:
    """Return proposed models and revisions as a tree, with what they rest on."""
    drawn = Tree("proposals")
    models = drawn.add(f"models ({len(found['models'])})")
    for each in found["models"]:
        branch = models.add(_text(f"{each['name']}  {each['domain']}"))
        branch.add(_text(f"why: {each['why']}"))
        for basin in each["basin_ids"]:
            branch.add(f"basin {basin}")
        if each["draft_id"]:
            branch.add(f"kept as draft {each['draft_id']}")
        _evidence(branch, each["evidence"])
    revisions = drawn.add(f"revisions ({len(found['revisions'])})")
    for each in found["revisions"]:
        branch = revisions.add(_text(f"{each['model_name']}  {each['model_id']}"))
        branch.add(_text(f"why: {each['why']}"))
        removed = "".join(f" {basin}" for basin in each["remove_basins"])
        branch.add(f"{each['action']}{removed}")
        _evidence(branch, each["evidence"])
    for note in found.get("notes", ()):
        drawn.add(_text(f"note: {note}"))
    return drawn


def _evidence(branch: Tree, memories: Sequence[Mapping[str, Any]]) -> None:
    for each in memories:
        branch.add(_text(f"{each['id']}  {each['excerpt']}"))


def _basins(drawn: Tree, model: Mapping[str, Any], names: Mapping[str, str]) -> None:
    basins = drawn.add(f"basins ({len(model['constituent_basins'])})")
    for each in model["constituent_basins"]:
        gone = each in model["missing_basins"]
        branch = basins.add(_text(f"{'(gone)' if gone else names.get(each, '')}  {each}"))
        for link in model["basin_relationships"]["relationships"]:
            if link["from"] == each:
                other = names.get(link["to"], link["to"])
                branch.add(_text(f"{link['kind']} → {other}  {link['links']} links"))


def _record(each: Mapping[str, Any]) -> str:
    if not each["resolved_count"]:
        return "0.50 of 0"
    low, high = each["accuracy_interval"]
    told = f"{each['prediction_accuracy']:.2f} of {each['resolved_count']}"
    return f"{told} ({low:.2f} to {high:.2f}), Brier {each['brier_score']:.2f}"


def _text(text: str) -> Text:
    """Return a text as it is, without control characters and without markup."""
    return Text("".join(each if each.isprintable() else " " for each in text))
