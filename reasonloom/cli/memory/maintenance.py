"""`reasonloom memory consolidate`: sum up old episodes that are alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from reasonloom.cli.engine import counted, progress, with_engine
from reasonloom.graphs.runs.call_tool import call_tool

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.engine import Engine

AT_ONCE = 20
"""Groups of one run: each run has a language model's budget of its own."""


def consolidate(
    user: Annotated[str | None, typer.Option(help="Whose memories, if not the owner's.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the groups, and change nothing.")
    ] = False,
    older_than_days: Annotated[
        int, typer.Option(min=1, max=36_500, help="Only episodes older than this.")
    ] = 30,
    min_cluster: Annotated[
        int, typer.Option(min=2, max=20, help="Fewest episodes that make a group.")
    ] = 3,
    min_similarity: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Least cosine of any two in a group.")
    ] = 0.6,
) -> None:
    """Write one memory for each group of alike old episodes; the episodes stay, weakened."""
    wanted = {
        "olderThanDays": older_than_days,
        "minCluster": min_cluster,
        "minSimilarity": min_similarity,
        "maxClusters": AT_ONCE,
        "dryRun": dry_run,
    }

    async def work(engine: Engine, caller: Caller) -> tuple[dict[str, Any], list[str]]:
        from reasonloom.contracts.memory.extras import ConsolidateMemories  # noqa: PLC0415

        total: dict[str, Any] = {"clusters": [], "examined": 0, "skipped": 0}
        notes: dict[str, None] = {}
        cursor: str | None = None
        with progress("consolidate") as tell:
            while True:
                more = {"cursor": cursor} if cursor else {}
                given = {"userId": user or caller.owner, **wanted, **more}
                request = ConsolidateMemories.model_validate(given)
                outcome = await call_tool(engine, caller, "consolidate_memories", request)
                for name in total:
                    total[name] += outcome.answer[name]
                notes.update(dict.fromkeys(outcome.notes))
                tell(len(total["clusters"]), None)
                cursor = outcome.answer.get("nextCursor")
                if cursor is None:
                    return total, list(notes)

    done, notes = with_engine(work, user)
    _tell(done, notes, dry_run=dry_run)


def _tell(done: dict[str, Any], notes: list[str], *, dry_run: bool) -> None:
    clusters = done["clusters"]
    if clusters:
        _draw(clusters)
    originals = sum(len(each["originals"]) for each in clusters)
    verb = "would become" if dry_run else "became"
    if clusters:
        summaries = counted(len(clusters), "summary")
        typer.echo(f"{counted(originals, 'episode')} {verb} {summaries}")
    else:
        typer.echo(f"no group of old episodes is alike enough ({done['examined']:,} looked at)")
    if done["skipped"]:
        typer.echo(f"{counted(done['skipped'], 'group')} changed meanwhile and stay as they are")
    for note in notes:
        typer.echo(note)


def _draw(clusters: list[dict[str, Any]]) -> None:
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Column, Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(Column("episodes", justify="right"), "from", "to", "summary", "stored as")
    for each in clusters:
        said = each.get("summary") or f"such as: {each['excerpt']}"
        days = (each["first"][:10], each["last"][:10])
        table.add_row(str(len(each["originals"])), *days, Text(said), each.get("summaryId", ""))
    Console().print(table)
