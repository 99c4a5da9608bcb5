"""`reasonloom backup` and `reasonloom restore`: the whole database as one file, and back."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reasonloom.cli.engine import counted, progress

if TYPE_CHECKING:
    from reasonloom.stores.backup.dump import Written


def backup(
    file: Annotated[Path, typer.Argument(help="A new file; its user alone may read it.")],
) -> None:
    """Write the whole database, of every owner, to a file, as it is at one moment."""
    with progress("backing up") as tell:

        async def work() -> Written:
            from reasonloom.settings import load_settings  # noqa: PLC0415
            from reasonloom.stores.access import find_access  # noqa: PLC0415
            from reasonloom.stores.backup.dump import back_up  # noqa: PLC0415

            return await back_up(await find_access(load_settings()), file, tell)

        written = _done(work())
    typer.echo(f"{file}: {_told(written)}")


def restore(
    file: Annotated[Path, typer.Argument(help="A file that `reasonloom backup` made.")],
    yes: Annotated[
        bool, typer.Option("--yes", help="Replace all that the database holds, of every owner.")
    ] = False,
) -> None:
    """Fill the database with a backup: all of it, or nothing. Stop its servers before."""
    with progress("restoring") as tell:

        async def work() -> Written:
            from reasonloom.settings import load_settings  # noqa: PLC0415
            from reasonloom.stores.access import find_access  # noqa: PLC0415
            from reasonloom.stores.backup.restore import restore as fill  # noqa: PLC0415

            return await fill(await find_access(load_settings()), file, tell, replace=yes)

        written = _done(work())
    typer.echo(f"restored {_told(written)}")


def _done(work: Coroutine[Any, Any, Written]) -> Written:
    """Run until it is done; a signal to end gives it up, and nothing half-made is left."""

    async def until_told() -> Written:
        loop, task = asyncio.get_running_loop(), asyncio.ensure_future(work)

        def end() -> None:
            loop.remove_signal_handler(signal.SIGTERM)  # a second one ends the process at once
            task.cancel()

        loop.add_signal_handler(signal.SIGTERM, end)
        return await task

    try:
        return asyncio.run(until_told())
    except asyncio.CancelledError:
        raise typer.Exit(128 + signal.SIGTERM) from None


def _told(written: Written) -> str:
    header = written.header
    rows, size = counted(written.rows, "row"), counted(written.size, "byte")
    return f"{rows}, {size}, schema {header.schema}, made {header.made_at} by {header.product}"
