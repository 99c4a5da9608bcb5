"""Draws mental models: a table of them, and one as a tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text
from rich.tree import Tree

if TYPE_CHECKING:
    from rich.console import RenderableType

MOST_SHOWN = 10
MARKS = {True: "✓", False: "✗", None: "…"}
STATUS = {"active": "green", "draft": "yellow", "deprecated": "dim"}


def table(found: Mapping[str, Any]) -> RenderableType:
    """Return the models of a list as a table."""
    drawn = Table("name", "id", "domain", "status", "basins", "revisions", "accuracy")
    for each in found["models"]:
        degraded = " degraded" if each["degraded"] else ""
        drawn.add_row(
            _text(each["name"]),
            each["id"],
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
        predictions.add(_text(said))
    revisions = drawn.add(f"revisions ({len(found['revisions'])})")
    for each in found["revisions"][:MOST_SHOWN]:
        change = f"+{len(each['added_basins'])} -{len(each['removed_basins'])}"
        accuracy = f"{each['accuracy_before']:.2f} → {each['accuracy_after']:.2f}"
        revisions.add(_text(f"{change}  {accuracy}  {each['trigger_description']}"))
    return drawn


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
