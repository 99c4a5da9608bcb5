"""`reasonloom memory cluster` and `basins`: clusters memories, and lists the clusters."""

from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from reasonloom.cli.engine import with_engine
from reasonloom.cli.output import progress, right_aligned
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.mental_models.extras import ClusterMemories
from reasonloom.graphs.runs.call_tool import call_tool
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.mental_models.basins.relations import (
    BasinActivity,
    BasinRelation,
    list_basin_activity,
    list_relations,
)
from reasonloom.text.plurals import counted

NO_CLUSTERS = "there are no clusters yet; `reasonloom memory cluster` forms them"
MAX_ROWS = 100


def basins(
    relations: Annotated[
        bool, typer.Option("--relations", help="Show how they stand to each other too.")
    ] = False,
) -> None:
    """List the clusters of your memories, those that are most active now first."""

    async def work(
        engine: Engine, caller: Caller
    ) -> tuple[list[BasinActivity], list[BasinRelation]]:
        found = await list_basin_activity(engine.loom, caller)
        return found, await list_relations(engine.loom, caller) if relations else []

    found, between = with_engine(work)
    if not found:
        typer.echo(NO_CLUSTERS)
        return
    _print_clusters(found)
    if relations:
        _print_relations(found, between)


def _print_clusters(found: list[BasinActivity]) -> None:
    numbers = right_aligned("members", "coherence", "active")
    table = Table("name", *numbers, "keywords", "id")
    for each in found[:MAX_ROWS]:
        table.add_row(
            Text(each.name),
            f"{each.members:,}",
            f"{each.coherence:.2f}",
            f"{each.activation:.2f}",
            Text(", ".join(each.keywords)),
            str(each.id)[:8],
        )
    Console().print(table)
    if len(found) > MAX_ROWS:
        typer.echo(f"the most active {MAX_ROWS} of {len(found):,} are shown")


def _print_relations(found: list[BasinActivity], between: list[BasinRelation]) -> None:
    names = {each.id: each.name for each in found}
    numbers = right_aligned("strength", "links", "sessions")
    table = Table("from", "relation", "to", *numbers)
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


def cluster(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the clusters, and change nothing.")
    ] = False,
) -> None:
    """Find what your memories are about; clusters that go on keep their ids and names."""

    async def work(engine: Engine, caller: Caller) -> tuple[dict[str, Any], list[str]]:
        with progress("cluster"):
            request = ClusterMemories.model_validate({"dryRun": dry_run})
            outcome = await call_tool(engine, caller, "cluster_memories", request)
        return outcome.answer, outcome.notes

    done, notes = with_engine(work)
    _print_clustering(done, notes, dry_run=dry_run)


def _print_clustering(done: dict[str, Any], notes: list[str], *, dry_run: bool) -> None:
    clusters, memories = done["basins"], done["memories"]
    if clusters:
        _print_new_clusters(clusters[:MAX_ROWS])
        if len(clusters) > MAX_ROWS:
            typer.echo(f"the largest {MAX_ROWS} of {len(clusters):,} are shown")
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


def _print_new_clusters(clusters: list[dict[str, Any]]) -> None:
    table = Table("name", *right_aligned("members", "coherence"), "keywords", "")
    for each in clusters:
        table.add_row(
            Text(each["name"]),
            f"{each['members']:,}",
            f"{each['coherence']:.2f}",
            Text(", ".join(each["keywords"])),
            "new" if each["fresh"] else "",
        )
    Console().print(table)
