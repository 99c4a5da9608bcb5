"""`reasonloom memory`: look after what is remembered."""

from __future__ import annotations

import typer

from reasonloom.cli.basins import basins
from reasonloom.cli.cluster import cluster
from reasonloom.cli.consolidate import consolidate
from reasonloom.cli.decay import decay
from reasonloom.cli.health import health
from reasonloom.cli.memory_portable import export, import_
from reasonloom.cli.memory_restore import restore
from reasonloom.cli.rollback import rollback

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
