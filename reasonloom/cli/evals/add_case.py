"""`reasonloom eval add-case`: turns a run that went wrong into an item of a suite."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from reasonloom.cli.engine import with_engine
from reasonloom.evals.loaders.cases import CaseRequest, append_case, case_of
from reasonloom.settings import load_settings
from reasonloom.text.plurals import counted


def add_case(
    run: Annotated[str, typer.Argument(help="The run's id (`reasonloom runs list`).")],
    suite: Annotated[
        Path | None,
        typer.Option(
            help="The file of cases, *.jsonl; created if missing.",
            show_default="cases/TOOL.jsonl in the home",
        ),
    ] = None,
    target: Annotated[str, typer.Option(help="The correct answer.")] = "",
    target_from: Annotated[
        str, typer.Option(metavar="RUN", help="A run whose answer was right, such as a fork.")
    ] = "",
    id_: Annotated[
        str, typer.Option("--id", help="The case's id.", show_default="the run's id")
    ] = "",
    cluster: Annotated[
        str, typer.Option(help="The group of related cases that it belongs to.")
    ] = "",
) -> None:
    """Append a run to a file of cases for `eval run`."""
    wanted = CaseRequest(run, target, target_from, id_, cluster)
    wanted.check()
    case = with_engine(partial(case_of, wanted=wanted))
    path = suite or load_settings().home / "cases" / f"{case.tool}.jsonl"
    number = append_case(path, case)
    typer.echo(f"{case.id}  added to {path}, which has {counted(number, 'case')} of {case.tool}")
    typer.echo(
        f"ask them: reasonloom eval run {path} --scorer contains"
        " (`final`, `numeric` or `judge` where that fits the targets better)",
        err=True,
    )
