"""`reasonloom memory`: look after what is remembered."""

from __future__ import annotations

import typer

from reasonloom.cli.memory.clusters import basins, cluster
from reasonloom.cli.memory.export_import import export, import_
from reasonloom.cli.memory.maintenance import consolidate, decay, health
from reasonloom.cli.memory.undo import restore, rollback

app = typer.Typer(help="Look after what is remembered.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Hold the commands together."""


app.command()(health)
app.command()(export)
app.command("import")(import_)
app.command()(consolidate)
app.command()(cluster)
app.command()(basins)
app.command()(decay)
app.command()(rollback)
app.command()(restore)
