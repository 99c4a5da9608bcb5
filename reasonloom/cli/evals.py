"""`reasonloom eval`: measure quality against references, offline and repeatable."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from reasonloom.errors import UnknownName

app = typer.Typer(help="Measure quality against references.", no_args_is_help=True)


@app.command()
def run(
    name: Annotated[str, typer.Argument(help="The eval: locomo, or people (our own).")],
    data: Annotated[Path | None, typer.Option(help="Its data file (locomo).")] = None,
    half: Annotated[str, typer.Option(help="Of people: dev, held or all.")] = "all",
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    resume: Annotated[str | None, typer.Option(help="A run to go on with (`eval list`).")] = None,
    epochs: Annotated[int, typer.Option(min=1, max=100, help="How often each item.")] = 1,
    ablate: Annotated[
        bool, typer.Option("--ablate", help="Tell what it would be without each signal.")
    ] = False,
) -> None:
    """Run an eval, or go on with one that was interrupted."""
    from reasonloom.evals.retrieval.collection import Source  # noqa: PLC0415
    from reasonloom.evals.retrieval.run import Plan  # noqa: PLC0415
    from reasonloom.evals.retrieval.run import run as run_retrieval  # noqa: PLC0415
    from reasonloom.evals.suites import suite  # noqa: PLC0415

    chosen = suite(name)
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    log = _folder() / (resume or f"{name}-{moment}.jsonl")
    if resume and not log.exists():
        raise UnknownName(f"there is no run {resume}; see `reasonloom eval list`", field="resume")
    plan = Plan(chosen, Source(data, half), log, epochs, ablate)
    result = _with_progress(lambda tell: run_retrieval(plan, tell))
    if as_json:
        typer.echo(json.dumps(result, indent=2))
    else:
        _draw(result)


@app.command("list")
def list_() -> None:
    """List the runs that were made, with how much of each is done."""
    from reasonloom.evals.log import EvalLog  # noqa: PLC0415
    from reasonloom.evals.report import summary  # noqa: PLC0415
    from reasonloom.evals.suites import SUITES  # noqa: PLC0415

    paths = sorted(_folder().glob("*.jsonl"))
    for path in paths:
        log = EvalLog(path)
        known = SUITES.get(log.head.get("eval", ""))
        overall = summary(log.records, apart=known.apart if known else ())["overall"]
        best = overall.get("recall@10")
        typer.echo(f"{path.name}  {len(log.records)} items  recall@10 {best}")
    if not paths:
        typer.echo(f"no runs yet; evals: {', '.join(SUITES)}")


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
