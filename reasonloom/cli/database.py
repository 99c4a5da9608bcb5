"""`reasonloom db`: the database's schema and the embedded server."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import typer

from reasonloom.cli.reindex import reindex
from reasonloom.errors import SettingMistake

if TYPE_CHECKING:
    from reasonloom.stores.schema import SchemaStatus
    from reasonloom.stores.vector_indexes import Maintained

app = typer.Typer(help="Look after the database.", no_args_is_help=True)
app.command()(reindex)


@app.command()
def upgrade() -> None:
    """Bring the schema up to date; the server does it by itself at its start."""
    before, after = asyncio.run(_upgrade())
    if before.up_to_date:
        typer.echo(f"schema {before.current}: nothing to do")
    else:
        typer.echo(f"schema {before.current or 'empty'} -> {after.current}")


@app.command()
def status() -> None:
    """Tell the schema's step and the newest one; exit 1 where they differ."""
    found = asyncio.run(_status())
    typer.echo(f"schema {found.current or 'empty'}, newest {found.newest}")
    raise typer.Exit(0 if found.up_to_date else 1)


@app.command()
def maintain() -> None:
    """Index the vectors of owners who outgrew exact search; safe to run again at any time."""
    done = asyncio.run(_maintain())
    typer.echo(f"indexes of nearness: {done.made} made, {done.dropped} dropped, {done.kept} kept")


@app.command()
def stop() -> None:
    """Stop the embedded server; it starts again when it is needed."""
    from reasonloom.settings import load_settings  # noqa: PLC0415
    from reasonloom.stores.embedded.server import EmbeddedServer  # noqa: PLC0415

    settings = load_settings()
    if settings.database_url:
        raise SettingMistake("DATABASE_URL names a server of your own: it is not ours to stop")
    stopped = EmbeddedServer(settings.database_folder).stop()
    typer.echo("stopped" if stopped else "it was not running")


async def _upgrade() -> tuple[SchemaStatus, SchemaStatus]:
    from reasonloom.settings import load_settings  # noqa: PLC0415
    from reasonloom.stores.access import find_access  # noqa: PLC0415
    from reasonloom.stores.migrate import bring_up_to_date, schema_status  # noqa: PLC0415

    access = await find_access(load_settings())
    return await bring_up_to_date(access), await schema_status(access)


async def _maintain() -> Maintained:
    from reasonloom.settings import load_settings  # noqa: PLC0415
    from reasonloom.stores.access import find_access  # noqa: PLC0415
    from reasonloom.stores.migrate import bring_up_to_date  # noqa: PLC0415
    from reasonloom.stores.vector_indexes import maintain  # noqa: PLC0415

    access = await find_access(load_settings())
    await bring_up_to_date(access)
    return await maintain(access)


async def _status() -> SchemaStatus:
    from reasonloom.settings import load_settings  # noqa: PLC0415
    from reasonloom.stores.access import find_access  # noqa: PLC0415
    from reasonloom.stores.migrate import schema_status  # noqa: PLC0415

    return await schema_status(await find_access(load_settings()))
