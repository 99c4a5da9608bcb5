"""`reasonloom history undo` and `purge`: what was forgotten is brought back, or erased for good."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from reasonloom.cli.engine import counted, with_engine

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.engine import Engine
    from reasonloom.nodes.history.erasure import Erased
    from reasonloom.stores.history.soft_deletes import Forgotten


def undo(
    number: Annotated[
        int | None, typer.Argument(help="What to bring back; without it, what can be is listed.")
    ] = None,
) -> None:
    """List what was forgotten and can be brought back, or bring it back."""

    async def work(engine: Engine, caller: Caller) -> Sequence[Forgotten] | int:
        from reasonloom.nodes.history.undoing import bring_back, undoable  # noqa: PLC0415

        if number is None:
            return await undoable(engine.loom, caller)
        return await bring_back(engine.loom, caller, number)

    done = with_engine(work)
    if isinstance(done, int):
        typer.echo(f"brought back: {counted(done, 'chunk')}")
    elif done:
        _draw(done)
    else:
        typer.echo("nothing was forgotten that could be brought back")


def purge(
    now: Annotated[
        bool, typer.Option("--now", help="Also what could still be brought back.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask whether to, with --now.")] = False,
) -> None:
    """Erase for good what was forgotten and can be brought back no more, as the server does."""
    if now and not yes:
        typer.confirm("Erase for good all that was forgotten?", abort=True)

    async def work(engine: Engine, caller: Caller) -> Erased:
        from reasonloom.nodes.history.erasure import erase_due  # noqa: PLC0415

        kept = timedelta(days=0 if now else engine.loom.settings.undo_days)
        return await erase_due(engine.loom.database, caller, engine.loom.clock() - kept)

    erased = with_engine(work)
    typer.echo(f"erased for good: {counted(erased.chunks, 'chunk')}")


def _draw(found: Sequence[Forgotten]) -> None:
    from rich.console import Console  # noqa: PLC0415
    from rich.markup import escape  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    from reasonloom.settings import load_settings  # noqa: PLC0415

    days = load_settings().undo_days
    table = Table("number", "project", "chunks", "what", "forgotten", "until")
    for each in found:
        what = ", ".join(f"{name} {value}" for name, value in each.asked.items()) or "all of it"
        table.add_row(
            str(each.number), escape(each.project), f"{each.chunks:,}", escape(what),
            _minute(each.forgotten_at), _minute(each.forgotten_at + timedelta(days=days)),
        )  # fmt: skip
    Console().print(table)


def _minute(at: datetime) -> str:
    return f"{at.astimezone():%Y-%m-%d %H:%M}"
