"""Forks a run: from which step on, and with which version of which prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nicegui import ui

from reasonloom.errors import ReasonloomError
from reasonloom.studio.widgets.tag import tag

if TYPE_CHECKING:
    from reasonloom.prompts.registry import PromptRegistry
    from reasonloom.stores.runs.run_lineage import RunStep
    from reasonloom.stores.runs.runs import RunRow
    from reasonloom.studio.page import Visit


@dataclass
class Choice:
    """What the visitor has chosen so far."""

    node: str
    versions: dict[str, int] = field(default_factory=dict)


async def forking(
    visit: Visit, row: RunRow, steps: Sequence[RunStep], calls: Sequence[Mapping[str, Any]]
) -> None:
    """Draw the choices; the fork is a run of its own, and opens when it is done."""
    nodes = list(dict.fromkeys(name for step in steps for name in step.nodes))
    if not nodes or row.status == "running":
        return
    prompts = (await visit.desk.engine()).loom.prompts
    chosen = Choice(nodes[-2] if len(nodes) > 1 else nodes[-1])
    tag("h2", "Fork it")
    tag("p", "Run it again from a step on; this run stays as it is.", "studio-quiet")
    ui.select(nodes, label="From the step", value=chosen.node).bind_value(chosen, "node").classes(
        "studio-select"
    )
    used = {call["prompt"]: call["prompt_version"] for call in calls}
    for name, version in used.items():
        _version(chosen, name, version, prompts)
    trouble = tag("p", "", "studio-away", role="alert")
    button = tag("button", "Fork", "studio-button first", type="button")

    async def fork() -> None:
        button.props["disabled"] = True
        try:
            ui.navigate.to(f"/run/{await _forked(visit, row, chosen)}")
        except ReasonloomError as error:
            trouble.text = error.message
        finally:
            button.props["disabled"] = False

    button.on("click", fork)


def _version(chosen: Choice, name: str, used: int, prompts: PromptRegistry) -> None:
    versions = prompts.versions(name)
    if used not in versions:
        return
    said = {version: f"version {version}" for version in versions}
    select = ui.select(said, label=f"Prompt {name}", value=used)
    select.classes("studio-select")
    select.on_value_change(lambda event: chosen.versions.update({name: event.value}))


async def _forked(visit: Visit, row: RunRow, chosen: Choice) -> str:
    """Walk the fork to its end; return its run's id."""
    from reasonloom.graphs.runs.fork import Fork  # noqa: PLC0415 - loads the graphs

    caller = await visit.desk.writer()
    engine = await visit.desk.engine()
    outcome = await engine.fork(
        caller.within(row.space or None), row, Fork(chosen.node, chosen.versions)
    )
    return str(outcome.run_id)
