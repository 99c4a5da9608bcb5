"""`reasonloom memory rollback`: take back what one writer stored since a time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from reasonloom.cli.engine import counted, with_engine
from reasonloom.errors import InvalidArgument

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.engine import Engine
    from reasonloom.nodes.memory.rollback import RolledBack
    from reasonloom.stores.memory.rollback import Trace


def rollback(
    writer: Annotated[
        str, typer.Option(help="Who stored it: a principal, a program's name, or a tool's.")
    ],
    since: Annotated[str, typer.Option(help="From then on, such as 2026-01-31T10:30:00Z.")],
    until: Annotated[str | None, typer.Option(help="Up to then.")] = None,
    tool: Annotated[str | None, typer.Option(help="Only what this tool stored.")] = None,
    session: Annotated[str | None, typer.Option(help="Only of this session.")] = None,
    run: Annotated[str | None, typer.Option(help="Only of this run.")] = None,
    user: Annotated[str | None, typer.Option(help="Whose memories, if not the owner's.")] = None,
    hard: Annotated[
        bool, typer.Option("--hard", help="For good, also out of runs; else hidden.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would go, and change nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before --hard.")] = False,
) -> None:
    """Hide what one writer stored since a time, or erase it with --hard."""
    from reasonloom.stores.memory.rollback import Written  # noqa: PLC0415

    begin, end = _moment(since, "since"), _moment(until, "until") if until else None
    if end and end < begin:
        raise InvalidArgument("--until: must not be before --since", field="until")
    written = Written(writer, begin, end, tool, session, run, hidden=hard)
    if hard and not dry_run and not yes:
        typer.confirm("erase for good? (--dry-run shows what)", abort=True)

    async def work(engine: Engine, caller: Caller) -> RolledBack:
        from reasonloom.nodes.memory.rollback import roll_back  # noqa: PLC0415

        return await roll_back(engine.loom, caller, written, hard=hard, dry_run=dry_run)

    _tell(with_engine(work, user), hard=hard, dry_run=dry_run, user=user)


def _moment(said: str, option: str) -> datetime:
    from reasonloom.contracts.base import parse_moment  # noqa: PLC0415

    try:
        return parse_moment(said)
    except ValueError:
        raise InvalidArgument(
            f"--{option}: must be a date and time of ISO 8601, such as 2026-01-31T10:30:00Z",
            field=option,
        ) from None


def _tell(done: RolledBack, *, hard: bool, dry_run: bool, user: str | None) -> None:
    if dry_run and done.memories:
        _draw("would go", done.memories)
    count = len(done.memories)
    act = "erased" if hard else "hidden"
    would = "would be" if dry_run else ("was" if count == 1 else "were")
    typer.echo(f"{counted(count, 'memory')} {would} {act}")
    if done.derived:
        _draw("derived from these, and left as they are", done.derived)
        typer.echo(f"warning: {counted(len(done.derived), 'memory')} came of these; look at them")
    if count and not hard and not dry_run:
        whose = f" --user {user}" if user else ""
        typer.echo(
            f"bring back with: reasonloom memory restore --hidden-at {done.at.isoformat()}{whose}"
        )


def _draw(title: str, traces: Sequence[Trace]) -> None:
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Column, Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    from reasonloom.nodes.memory.maintenance.summaries import shortened  # noqa: PLC0415

    names = ("memory", "stored", "tool", "writer", "first words")
    table = Table(*(Column(name, no_wrap=True) for name in names), title=title)
    for trace in traces:
        stored = trace.stored_at.strftime("%Y-%m-%d %H:%M:%S")
        words = Text(shortened(trace.excerpt, 60))
        table.add_row(f"mem-{trace.id}", stored, Text(trace.tool), Text(trace.writer), words)
    Console().print(table)
