"""`reasonloom eval export`: a run as a log that Inspect's tools read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reasonloom.cli.eval_compare import path_of
from reasonloom.cli.with_engine import counted


def export(
    run: Annotated[str, typer.Argument(help="The run (`eval list`), or its file.")],
    to: Annotated[Path, typer.Option("--to", help="The log to write, *.eval or *.json.")],
    force: Annotated[bool, typer.Option("--force", help="Write over a log that is there.")] = False,
) -> None:
    """Write a run as a log of Inspect, for `inspect view` (extra `inspect`)."""
    from reasonloom.evals.comparing.compare import opened  # noqa: PLC0415
    from reasonloom.evals.exporting.inspect_log import write  # noqa: PLC0415

    number = write(opened(path_of(run)), to, force=force)
    typer.echo(f"{to}  {counted(number, 'sample')}; see it with `inspect view start`")
