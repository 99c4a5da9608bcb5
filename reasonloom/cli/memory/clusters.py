"""`reasonloom memory basins`: the clusters of memories, and how they stand to each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from reasonloom.cli.engine import with_engine

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.engine import Engine
    from reasonloom.nodes.mental_models.basins.listing import Listed
    from reasonloom.nodes.mental_models.basins.relations import Relation

NONE = "there are no clusters yet; `reasonloom memory cluster` forms them"
MOST_SHOWN = 100


def basins(
    relations: Annotated[
        bool, typer.Option("--relations", help="Show how they stand to each other too.")
    ] = False,
) -> None:
    """List the clusters of your memories, those that are most active now first."""

    async def work(engine: Engine, caller: Caller) -> tuple[list[Listed], list[Relation]]:
        from reasonloom.nodes.mental_models.basins.listing import listed, related  # noqa: PLC0415

        found = await listed(engine.loom, caller)
        return found, await related(engine.loom, caller) if relations else []

    found, between = with_engine(work)
    if not found:
        typer.echo(NONE)
        return
    _draw(found)
    if relations:
        _draw_relations(found, between)


def _draw(found: list[Listed]) -> None:
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Column, Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    members, coherence, active = (
        Column(name, justify="right") for name in ("members", "coherence", "active")
    )
    table = Table("name", members, coherence, active, "keywords", "id")
    for each in found[:MOST_SHOWN]:
        table.add_row(
            Text(each.name),
            f"{each.members:,}",
            f"{each.coherence:.2f}",
            f"{each.activation:.2f}",
            Text(", ".join(each.keywords)),
            str(each.id)[:8],
        )
    Console().print(table)
    if len(found) > MOST_SHOWN:
        typer.echo(f"the most active {MOST_SHOWN} of {len(found):,} are shown")


def _draw_relations(found: list[Listed], between: list[Relation]) -> None:
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Column, Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    names = {each.id: each.name for each in found}
    strength, edges, sessions = (
        Column(name, justify="right") for name in ("strength", "links", "sessions")
    )
    table = Table("from", "relation", "to", strength, edges, sessions)
    for each in between:
        table.add_row(
            Text(names.get(each.source, "")),
            each.kind,
            Text(names.get(each.target, "")),
            f"{each.strength:.2f}",
            str(each.edges),
            str(each.sessions),
        )
    Console().print(table)
