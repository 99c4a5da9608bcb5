"""`reasonloom eval`: measure quality against references, offline and repeatable."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reasonloom.errors import UnknownName

if TYPE_CHECKING:
    from reasonloom.cli.eval_kinds import Work

app = typer.Typer(help="Measure quality against references.", no_args_is_help=True)


@app.command()
def run(
    name: Annotated[str, typer.Argument(help="The eval; `eval list` names them.")],
    data: Annotated[
        Path | None,
        typer.Option(
            help="Its data file (locomo, sim-...), a folder of sets (metacognition, grounding)."
        ),
    ] = None,
    half: Annotated[
        str | None,
        typer.Option(
            help="Of people, metacognition and grounding: dev, held or all.",
            show_default="all; of metacognition and grounding dev",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    resume: Annotated[str | None, typer.Option(help="A run to go on with (`eval list`).")] = None,
    epochs: Annotated[
        int | None,
        typer.Option(min=1, max=100, help="Of recall: how often each item.", show_default="1"),
    ] = None,
    ablate: Annotated[
        bool, typer.Option("--ablate", help="Of recall: what it would be without each signal.")
    ] = False,
    seeds: Annotated[
        int | None,
        typer.Option(min=1, max=100, help="Of sim-...: how many seeds.", show_default="10"),
    ] = None,
    items: Annotated[
        int | None, typer.Option(min=1, help="Of sim-...: how many items, from the first.")
    ] = None,
    row: Annotated[
        list[str] | None, typer.Option(help="Of sim-...: only this row; may be given again.")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Of sim-...: a setting of its own."),
    ] = None,
) -> None:
    """Run an eval, or go on with one that was interrupted."""
    from reasonloom.cli.eval_kinds import Asked, kind_of  # noqa: PLC0415

    options = {
        "half": half, "epochs": epochs, "ablate": ablate, "seeds": seeds, "items": items,
        "row": row, "set": set_,
    }  # fmt: skip
    given = {option: value for option, value in options.items() if value not in (None, False, [])}
    kind = kind_of(name)
    kind.refuse_foreign(name, given)
    found = _with_progress(kind.work(Asked(name, data, _log(name, resume), given)))
    if as_json:
        typer.echo(json.dumps(found, indent=2))
    else:
        kind.draw(found)


@app.command("list")
def list_() -> None:
    """List the runs that were made, with how much of each is done."""
    from reasonloom.cli.eval_kinds import NAMES, line_of  # noqa: PLC0415
    from reasonloom.evals.log import EvalLog  # noqa: PLC0415

    paths = sorted(_folder().glob("*.jsonl"))
    for path in paths:
        typer.echo(f"{path.name}  {line_of(EvalLog(path))}")
    if not paths:
        typer.echo(f"no runs yet; evals: {', '.join(NAMES)}")


def _log(name: str, resume: str | None) -> Path:
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    log = _folder() / (resume or f"{name}-{moment}.jsonl")
    if resume and not log.exists():
        raise UnknownName(f"there is no run {resume}; see `reasonloom eval list`", field="resume")
    return log


def _folder() -> Path:
    from reasonloom.settings import load_settings  # noqa: PLC0415

    return load_settings().home / "evals"


def _with_progress(work: Work) -> dict[str, Any]:
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import Progress  # noqa: PLC0415

    async def working(progress: Progress) -> dict[str, Any]:
        task = progress.add_task("", total=None)

        def tell(what: str, done: int, total: int) -> None:
            progress.update(task, description=what, completed=done, total=total)

        return await work(tell)

    with Progress(console=Console(stderr=True), transient=True) as progress:
        return asyncio.run(working(progress))
