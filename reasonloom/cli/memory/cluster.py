"""`reasonloom memory cluster`: form the clusters of memories anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from reasonloom.cli.engine import counted, progress, with_engine
from reasonloom.graphs.runs.call_tool import call_tool

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.engine import Engine

MOST_SHOWN = 100


def cluster(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the clusters, and change nothing.")
    ] = False,
) -> None:
    """Find what your memories are about; clusters that go on keep their ids and names."""

    async def work(engine: Engine, caller: Caller) -> tuple[dict[str, Any], list[str]]:
        from reasonloom.contracts.mental_models.basins import ClusterMemories  # noqa: PLC0415

        with progress("cluster"):
            request = ClusterMemories.model_validate({"dryRun": dry_run})
            outcome = await call_tool(engine, caller, "cluster_memories", request)
        return outcome.answer, outcome.notes

    done, notes = with_engine(work)
    _tell(done, notes, dry_run=dry_run)


def _tell(done: dict[str, Any], notes: list[str], *, dry_run: bool) -> None:
    clusters, memories = done["basins"], done["memories"]
    if clusters:
        _draw(clusters[:MOST_SHOWN])
        if len(clusters) > MOST_SHOWN:
            typer.echo(f"the largest {MOST_SHOWN} of {len(clusters):,} are shown")
        inside = memories - done["alone"]
        verb = "would hold" if dry_run else "hold"
        typer.echo(
            f"{counted(len(clusters), 'cluster')} {verb} {inside:,} of "
            f"{counted(memories, 'memory')}; {done['alone']:,} belong to none"
        )
    else:
        typer.echo(f"{counted(memories, 'memory')} make no cluster")
    if done["vanished"]:
        gone = "would be no more" if dry_run else "are no more"
        typer.echo(f"{counted(len(done['vanished']), 'cluster')} {gone}")
    for note in notes:
        typer.echo(note)


def _draw(clusters: list[dict[str, Any]]) -> None:
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Column, Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    members, coherence = (Column(name, justify="right") for name in ("members", "coherence"))
    table = Table("name", members, coherence, "keywords", "")
    for each in clusters:
        table.add_row(
            Text(each["name"]),
            f"{each['members']:,}",
            f"{each['coherence']:.2f}",
            Text(", ".join(each["keywords"])),
            "new" if each["fresh"] else "",
        )
    Console().print(table)
