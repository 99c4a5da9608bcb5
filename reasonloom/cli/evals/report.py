"""`reasonloom eval report`: a run, or several against the first, as a page or as text to commit."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from reasonloom.cli.evals.comparison import Reducer, Score, path_of
from reasonloom.cli.evals.output import require_place, write
from reasonloom.errors import InvalidArgument


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
    from reasonloom.evals.reporting.report import gather  # noqa: PLC0415

    logs = [path_of(run) for run in runs]
    for option, path in (("html", html), ("text", text)):
        _check(option, path, logs)
    found = gather(*logs, score=score, reducer=reducer)
    if html is not None:
        write("html", html, pages.page(found))
    if text is not None:
        write("text", text, texts.text(found))
    if html is None and text is None:
        typer.echo(texts.text(found), nl=False)


def _check(option: str, path: Path | None, logs: list[Path]) -> None:
    """Refuse what would take a run's place, or cannot be written, before anything is worked out."""
    if path is None:
        return
    there = os.path.exists(path)  # noqa: PTH110 - never raises, whatever the name is
    if there and any(path.samefile(log) for log in logs):
        raise InvalidArgument(f"--{option}: {path.name} is one of the runs", field=option)
    require_place(option, path)
