"""`reasonloom eval export`: a run as a log that Inspect's tools read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reasonloom.cli.engine import counted
from reasonloom.cli.evals.comparison import path_of


def export(
    run: Annotated[str, typer.Argument(help="The run (`eval list`), or its file.")],
    to: Annotated[Path, typer.Option("--to", help="The log to write, *.eval or *.json.")],
    force: Annotated[bool, typer.Option("--force", help="Write over a log that is there.")] = False,
) -> None:
    """Write a run as a log of Inspect, for `inspect view` (extra `inspect`)."""
    from reasonloom.evals.comparison.compare import opened  # noqa: PLC0415
    from reasonloom.evals.export.inspect_log import write  # noqa: PLC0415

    number = write(opened(path_of(run)), to, force=force)
    typer.echo(f"{to}  {counted(number, 'sample')}; see it with `inspect view start`")
