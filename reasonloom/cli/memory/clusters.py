"""`reasonloom memory cluster` and `basins`: clusters memories, and lists the clusters."""

from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.table import Column, Table
from rich.text import Text

from reasonloom.cli.arguments import AsJson, DryRun
from reasonloom.cli.engine import with_engine
from reasonloom.cli.output import display_id, print_json, print_table, progress, right_aligned
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

NO_CLUSTERS = "no clusters yet; `reasonloom memory cluster` makes them"
MAX_ROWS = 100


def basins(
    relations: Annotated[
        bool, typer.Option("--relations", help="Show how the clusters relate, too.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List clusters of memories, most active first."""

    async def work(
        engine: Engine, caller: Caller
    ) -> tuple[list[BasinActivity], list[BasinRelation]]:
        found = await list_basin_activity(engine.loom, caller)
        return found, await list_relations(engine.loom, caller) if relations else []

    found, between = with_engine(work)
    if as_json:
        answer = {"basins": list(map(asdict, found))}
        more = {"relations": list(map(asdict, between))} if relations else {}
        print_json({**answer, **more})
        return
    if not found:
        typer.echo(NO_CLUSTERS)
        return
    _print_clusters(found)
    if relations:
        _print_relations(found, between)


def _print_clusters(found: list[BasinActivity]) -> None:
    numbers = right_aligned("members", "coherence", "active")
    table = Table(Column("id", no_wrap=True), "name", *numbers, "keywords")
    for each in found[:MAX_ROWS]:
        table.add_row(
            display_id(each.id),
            Text(each.name),
            f"{each.members:,}",
            f"{each.coherence:.2f}",
            f"{each.activation:.2f}",
            Text(", ".join(each.keywords)),
        )
    print_table(table)
    if len(found) > MAX_ROWS:
        typer.echo(f"the {MAX_ROWS} most active of {len(found):,}")


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
    print_table(table)


def cluster(dry_run: DryRun = False, as_json: AsJson = False) -> None:
    """Group memories into clusters by topic; existing clusters keep their names."""

    async def work(engine: Engine, caller: Caller) -> tuple[dict[str, Any], list[str]]:
        with progress("cluster"):
            request = ClusterMemories.model_validate({"dryRun": dry_run})
            outcome = await call_tool(engine, caller, "cluster_memories", request)
        return outcome.answer, outcome.notes

    done, notes = with_engine(work)
    if as_json:
        print_json({**done, "notes": notes})
    else:
        _print_clustering(done, notes, dry_run=dry_run)


def _print_clustering(done: dict[str, Any], notes: list[str], *, dry_run: bool) -> None:
    clusters, memories = done["basins"], done["memories"]
    if clusters:
        _print_new_clusters(clusters[:MAX_ROWS])
        if len(clusters) > MAX_ROWS:
            typer.echo(f"the {MAX_ROWS} largest of {len(clusters):,}")
        inside = memories - done["alone"]
        verb = "would hold" if dry_run else "hold"
        typer.echo(
            f"{counted(len(clusters), 'cluster')} {verb} {inside:,} of "
            f"{counted(memories, 'memory')}; {done['alone']:,} belong to none"
        )
    else:
        typer.echo(f"no clusters among {counted(memories, 'memory')}")
    if done["vanished"]:
        gone = "would be removed" if dry_run else "removed"
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
    print_table(table)
