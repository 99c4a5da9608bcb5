"""`reasonloom eval`: measure quality against references, offline and repeatable."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reasonloom.errors import InvalidArgument, UnknownName

if TYPE_CHECKING:
    from reasonloom.evals.log import EvalLog

app = typer.Typer(help="Measure quality against references.", no_args_is_help=True)


RETRIEVAL = ("half", "epochs", "ablate")
SIMULATED = ("seeds", "items", "row", "set")
"""Options that are of one kind of eval only."""


@app.command()
def run(
    name: Annotated[str, typer.Argument(help="The eval; `eval list` names them.")],
    data: Annotated[Path | None, typer.Option(help="Its data file (locomo, sim-...).")] = None,
    half: Annotated[
        str | None, typer.Option(help="Of people: dev, held or all.", show_default="all")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    resume: Annotated[str | None, typer.Option(help="A run to go on with (`eval list`).")] = None,
    epochs: Annotated[
        int | None, typer.Option(min=1, max=100, help="How often each item.", show_default="1")
    ] = None,
    ablate: Annotated[
        bool, typer.Option("--ablate", help="Tell what it would be without each signal.")
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
    simulated = _is_simulated(name)
    given = {"half": half, "epochs": epochs, "ablate": ablate or None}
    more = {"seeds": seeds, "items": items, "row": row or None, "set": set_ or None}
    _refuse_foreign(name, given if simulated else more, SIMULATED if simulated else RETRIEVAL)
    log = _log(name, resume)
    if simulated:
        found = _orchestration(name, data, items, set_ or (), log, seeds or 10, row or ())
    else:
        found = _retrieval(name, data, half or "all", log, epochs or 1, ablate)
    if as_json:
        typer.echo(json.dumps(found, indent=2))
    elif simulated:
        from reasonloom.cli.orchestration_table import draw  # noqa: PLC0415

        draw(found)
    else:
        _draw(found)


def _is_simulated(name: str) -> bool:
    """Return which kind of eval it is.

    Raises:
        UnknownName: it is none.
    """
    from reasonloom.evals.orchestration.suites import WHERE  # noqa: PLC0415
    from reasonloom.evals.suites import SUITES  # noqa: PLC0415

    if name not in SUITES and name not in WHERE:
        known = ", ".join((*SUITES, *WHERE))
        raise UnknownName(f"there is no eval {name}; known: {known}", field="name")
    return name in WHERE


def _refuse_foreign(name: str, given: dict[str, Any], own: tuple[str, ...]) -> None:
    for option, value in given.items():
        if value is not None:
            told = ", ".join(f"--{each}" for each in own)
            raise InvalidArgument(
                f"--{option}: is not an option of {name}, which has {told}", field=option
            )


def _log(name: str, resume: str | None) -> Path:
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    log = _folder() / (resume or f"{name}-{moment}.jsonl")
    if resume and not log.exists():
        raise UnknownName(f"there is no run {resume}; see `reasonloom eval list`", field="resume")
    return log


def _retrieval(
    name: str, data: Path | None, half: str, log: Path, epochs: int, ablate: bool
) -> dict[str, Any]:
    from reasonloom.evals.retrieval.collection import Source  # noqa: PLC0415
    from reasonloom.evals.retrieval.run import Plan, run  # noqa: PLC0415
    from reasonloom.evals.suites import suite  # noqa: PLC0415

    plan = Plan(suite(name), Source(data, half), log, epochs, ablate)
    return _with_progress(lambda tell: run(plan, tell))


def _orchestration(
    name: str,
    data: Path | None,
    items: int | None,
    settings: Sequence[str],
    log: Path,
    seeds: int,
    only: Sequence[str],
) -> dict[str, Any]:
    from reasonloom.evals.orchestration.row import Choices  # noqa: PLC0415
    from reasonloom.evals.orchestration.run import Plan, run  # noqa: PLC0415
    from reasonloom.evals.orchestration.suites import orchestration  # noqa: PLC0415

    choices = Choices(data, items, _settings(settings))
    plan = Plan(orchestration(name), choices, log, seeds, only)
    return _with_progress(lambda tell: run(plan, tell))


def _settings(given: Sequence[str]) -> dict[str, str]:
    """Return settings by name.

    Raises:
        InvalidArgument: one is not NAME=VALUE, or is given twice.
    """
    found: dict[str, str] = {}
    for each in given:
        name, sign, value = each.partition("=")
        if not name or not sign or name in found:
            raise InvalidArgument(
                "--set: must be NAME=VALUE, each name once, such as concurrency=8", field="set"
            )
        found[name] = value
    return found


@app.command("list")
def list_() -> None:
    """List the runs that were made, with how much of each is done."""
    from reasonloom.evals.log import EvalLog  # noqa: PLC0415
    from reasonloom.evals.orchestration.suites import WHERE  # noqa: PLC0415
    from reasonloom.evals.suites import SUITES  # noqa: PLC0415

    paths = sorted(_folder().glob("*.jsonl"))
    for path in paths:
        log = EvalLog(path)
        done = _simulated_line(log) if log.head.get("eval") in WHERE else _retrieval_line(log)
        typer.echo(f"{path.name}  {done}")
    if not paths:
        typer.echo(f"no runs yet; evals: {', '.join((*SUITES, *WHERE))}")


def _retrieval_line(log: EvalLog) -> str:
    from reasonloom.evals.report import summary  # noqa: PLC0415
    from reasonloom.evals.suites import SUITES  # noqa: PLC0415

    known = SUITES.get(log.head.get("eval", ""))
    overall = summary(log.records, apart=known.apart if known else ())["overall"]
    return f"{len(log.records)} items  recall@10 {overall.get('recall@10')}"


def _simulated_line(log: EvalLog) -> str:
    head = log.head
    total = len(head["rows"]) * head["items"] * head["seeds"]
    return (
        f"{len(log.records)} of {total} results  {len(head['rows'])} rows,"
        f" {head['items']} items, {head['seeds']} seeds"
    )


def _folder() -> Path:
    from reasonloom.settings import load_settings  # noqa: PLC0415

    return load_settings().home / "evals"


def _with_progress(work: Any) -> dict[str, Any]:
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import Progress  # noqa: PLC0415

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=None)

        def tell(what: str, done: int, total: int) -> None:
            progress.update(task, description=what, completed=done, total=total)

        result: dict[str, Any] = asyncio.run(work(tell))
    return result


def _draw(result: dict[str, Any]) -> None:
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    names = [name for name in result["overall"] if name != "n"]
    table = Table("", "n", *names, title=f"{result['eval']} · {result['embedder']}")
    without = {f"without {name}": means for name, means in result.get("without", {}).items()}
    for group, means in {"overall": result["overall"], **without, **result["groups"]}.items():
        cells = (f"{means[name]:.3f}" if name in means else "" for name in names)
        table.add_row(group, str(means["n"]), *cells)
    console = Console()
    console.print(table)
    if "nothing" in result["groups"]:
        nothing = result["groups"]["nothing"]
        console.print(
            f"nothing to be found: {nothing['nothing_found']:.0%} of {nothing['n']} questions found"
            f" nothing; mean best score {nothing['best_score']:.2f}"
        )
    latency = result["latency_ms"]
    if latency:
        console.print(f"recall: p50 {latency['p50']} ms, p95 {latency['p95']} ms")
