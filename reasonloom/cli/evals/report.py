"""`reasonloom eval report`: a run, or several against the first, as a page or as text to commit."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from reasonloom.cli.engine import counted
from reasonloom.cli.evals.comparison import Reducer, Score, run_path
from reasonloom.errors import InvalidArgument


def require_output_path(option: str, path: Path) -> None:
    """See that a file can be written, before the work is done whose result it is to hold.

    Raises:
        InvalidArgument: its folder is not there, or it cannot be written.
    """
    folder = path.absolute().parent
    if not os.path.isdir(folder):  # noqa: PTH112 - never raises, whatever the name is
        raise InvalidArgument(f"--{option}: the folder of {path.name} is not there", field=option)
    there = os.path.exists(path)  # noqa: PTH110
    if os.path.isdir(path) or not os.access(path if there else folder, os.W_OK):  # noqa: PTH112
        raise _unwritable(option, path)


def write_output(option: str, path: Path, text: str) -> None:
    """Write the file, and say where it is.

    Raises:
        InvalidArgument: it cannot be written.
    """
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError:
        raise _unwritable(option, path) from None
    typer.echo(str(path))


def _unwritable(option: str, path: Path) -> InvalidArgument:
    return InvalidArgument(f"--{option}: {path.name} cannot be written", field=option)


def report(
    runs: Annotated[
        list[str], typer.Argument(help="A run; or the base run, then those held against it.")
    ],
    html: Annotated[
        Path | None, typer.Option(help="Write one page of HTML, which needs nothing else.")
    ] = None,
    text: Annotated[
        Path | None, typer.Option(help="Write text, which is made to be committed.")
    ] = None,
    score: Score = "",
    reducer: Reducer = "mean",
) -> None:
    """Report a run, or how runs differ from the first; as text where no file is named."""
    from reasonloom.evals.reporting import html as pages  # noqa: PLC0415
    from reasonloom.evals.reporting import text as texts  # noqa: PLC0415
    from reasonloom.evals.reporting.report import build_report  # noqa: PLC0415

    logs = [run_path(run) for run in runs]
    for option, path in (("html", html), ("text", text)):
        _check_output(option, path, logs)
    found = build_report(*logs, score=score, reducer=reducer)
    if html is not None:
        write_output("html", html, pages.render_html(found))
    if text is not None:
        write_output("text", text, texts.render_text(found))
    if html is None and text is None:
        typer.echo(texts.render_text(found), nl=False)


def _check_output(option: str, path: Path | None, logs: list[Path]) -> None:
    """Refuse what would take a run's place, or cannot be written, before anything is worked out."""
    if path is None:
        return
    there = os.path.exists(path)  # noqa: PTH110 - never raises, whatever the name is
    if there and any(path.samefile(log) for log in logs):
        raise InvalidArgument(f"--{option}: {path.name} is one of the runs", field=option)
    require_output_path(option, path)


def export(
    run: Annotated[str, typer.Argument(help="The run (`eval list`), or its file.")],
    to: Annotated[Path, typer.Option("--to", help="The log to write, *.eval or *.json.")],
    force: Annotated[bool, typer.Option("--force", help="Write over a log that is there.")] = False,
) -> None:
    """Write a run as a log of Inspect, for `inspect view` (extra `inspect`)."""
    from reasonloom.evals.comparison.compare import open_completed  # noqa: PLC0415
    from reasonloom.evals.export.inspect_log import write_inspect_log  # noqa: PLC0415

    number = write_inspect_log(open_completed(run_path(run)), to, force=force)
    typer.echo(f"{to}  {counted(number, 'sample')}; see it with `inspect view start`")
