"""`reasonloom db reindex`: embed anew what has no vectors of the embedder in use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from reasonloom.cli.engine import counted, progress, with_engine

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.engine import Engine
    from reasonloom.nodes.memory.maintenance.reindex import Reindexed
    from reasonloom.stores.memory.reindex import Coverage


def reindex(
    user: Annotated[
        str | None, typer.Option(help="Only this user's memories; else those of all owners.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count, and change nothing.")] = False,
) -> None:
    """Give every memory vectors of the embedder in use; the old ones go when an owner is done."""

    async def work(engine: Engine, _: Caller) -> dict[str, Reindexed] | None:
        from reasonloom.nodes.memory.maintenance import reindex as job  # noqa: PLC0415

        loom = engine.loom
        found = await job.survey(loom, await job.places(loom, user))
        lacking = sum(coverage.lacking for _, coverage in found)
        typer.echo(f"embedder {loom.embedder.model}: {counted(lacking, 'memory')} to embed")
        if dry_run:
            _draw(found)
            return None
        done = 0
        with progress("reindex") as bar:

            def tell(more: int) -> None:
                nonlocal done
                done += more
                bar(done, lacking)

            return await job.reindex_all(loom, [caller for caller, _ in found], tell)

    result = with_engine(work)
    if result is None:
        return
    left = sum(each.lacking for each in result.values())
    typer.echo(f"{counted(sum(each.embedded for each in result.values()), 'memory')} embedded")
    if dropped := sum(each.dropped for each in result.values()):
        typer.echo(f"{counted(dropped, 'vector')} of other embedders removed")
    if left:
        typer.echo(f"{counted(left, 'memory')} left; old vectors stay until they are done")
        raise typer.Exit(1)


def _draw(found: list[tuple[Caller, Coverage]]) -> None:
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Column, Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    numbers = (Column("memories", justify="right"), Column("to embed", justify="right"))
    table = Table("owner", "user", *numbers)
    for caller, coverage in found:
        counts = (f"{coverage.memories:,}", f"{coverage.lacking:,}")
        table.add_row(Text(caller.owner), Text(caller.space or caller.owner), *counts)
    Console().print(table)
