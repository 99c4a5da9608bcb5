"""`reasonloom eval report` and `export`: runs as an HTML page, text, or an Inspect log."""

import os
from pathlib import Path
from typing import Annotated

import typer

from reasonloom.cli.evals.comparison import Reducer, Score
from reasonloom.cli.evals.request import run_path
from reasonloom.cli.output import require_output_path, write_output
from reasonloom.errors import InvalidArgument
from reasonloom.evals.comparison.compare import open_completed
from reasonloom.evals.export.inspect_log import write_inspect_log
from reasonloom.evals.reporting import html as pages
from reasonloom.evals.reporting import text as texts
from reasonloom.evals.reporting.report import build_report
from reasonloom.text.plurals import counted


def report(
    runs: Annotated[
        list[str], typer.Argument(help="A run; or the base run, then the runs to compare with it.")
    ],
    html: Annotated[Path | None, typer.Option(help="Write one self-contained HTML page.")] = None,
    text: Annotated[
        Path | None, typer.Option(help="Write text that suits version control.")
    ] = None,
    score: Score = "",
    reducer: Reducer = "mean",
) -> None:
    """Report a run, or how other runs differ from the first one; as text or a file."""
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
    """Refuse a file that is one of the runs or cannot be written, before any work is done."""
    if path is None:
        return
    there = os.path.exists(path)  # noqa: PTH110 - never raises, whatever the name is
    if there and any(path.samefile(log) for log in logs):
        raise InvalidArgument(f"--{option}: {path.name} is one of the runs", field=option)
    require_output_path(option, path)


def export(
    run: Annotated[str, typer.Argument(help="The run (`eval list`), or its file.")],
    to: Annotated[Path, typer.Option("--to", help="The log to write, *.eval or *.json.")],
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing log.")] = False,
) -> None:
    """Export a run as an Inspect log, for `inspect view` (extra `inspect`)."""
    number = write_inspect_log(open_completed(run_path(run)), to, force=force)
    typer.echo(f"{to}  {counted(number, 'sample')}; see it with `inspect view start`")
