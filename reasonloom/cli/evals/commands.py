"""`reasonloom eval`: measure quality against references, offline and repeatable."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reasonloom.cli.engine import counted, with_engine
from reasonloom.cli.evals.comparison import compare
from reasonloom.cli.evals.report import export, report
from reasonloom.errors import UnknownName

if TYPE_CHECKING:
    from reasonloom.cli.evals.request import EvalWork
    from reasonloom.contracts.caller import Caller
    from reasonloom.evals.loaders.cases import Case
    from reasonloom.graphs.runs.engine import Engine


def add_case(
    run: Annotated[str, typer.Argument(help="The run's id (`reasonloom runs list`).")],
    suite: Annotated[
        Path | None,
        typer.Option(
            help="The file of cases, *.jsonl; made where it is not there.",
            show_default="cases/TOOL.jsonl in the home",
        ),
    ] = None,
    target: Annotated[str, typer.Option(help="What would have been right.")] = "",
    target_from: Annotated[
        str, typer.Option(metavar="RUN", help="A run whose answer was right, such as a fork.")
    ] = "",
    id_: Annotated[
        str, typer.Option("--id", help="What the case is called.", show_default="the run's id")
    ] = "",
    cluster: Annotated[str, typer.Option(help="What it hangs together with.")] = "",
) -> None:
    """Make a run an item of a file that `eval run` asks by the same tool."""
    from reasonloom.evals.loaders.cases import (  # noqa: PLC0415
        CaseRequest,
        append_case,
        case_of,
    )

    wanted = CaseRequest(run, target, target_from, id_, cluster)
    wanted.check()

    async def found(engine: Engine, caller: Caller) -> Case:
        return await case_of(engine, caller, wanted)

    case = with_engine(found)
    path = suite or _default_path(case.tool)
    number = append_case(path, case)
    typer.echo(f"{case.id}  added to {path}, which has {counted(number, 'case')} of {case.tool}")
    typer.echo(
        f"ask them: reasonloom eval run {path} --scorer contains"
        " (`final`, `numeric` or `judge` where that fits the targets better)",
        err=True,
    )


def _default_path(tool: str) -> Path:
    from reasonloom.settings import load_settings  # noqa: PLC0415

    return load_settings().home / "cases" / f"{tool}.jsonl"


app = typer.Typer(help="Measure quality against references.", no_args_is_help=True)
app.command("compare")(compare)
app.command("add-case")(add_case)
app.command("export")(export)
app.command("report")(report)


@app.command()
def run(
    name: Annotated[
        str, typer.Argument(help="The eval (`eval list` names them), or the file of a suite.")
    ],
    data: Annotated[
        Path | None,
        typer.Option(
            help="Its data file (locomo, sim-...), a folder of sets (metacognition, ...)."
        ),
    ] = None,
    half: Annotated[
        str | None,
        typer.Option(
            help="Of people, metacognition, grounding, history, triggers, outcomes and poisoning: "
            "dev, held, all.",
            show_default="all; of metacognition, grounding, history, poisoning dev",
        ),
    ] = None,
    asked: Annotated[
        str | None,
        typer.Option(help="Of history: which questions, other or plain.", show_default="other"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    resume: Annotated[str | None, typer.Option(help="A run to go on with (`eval list`).")] = None,
    epochs: Annotated[
        int | None,
        typer.Option(
            min=1, max=100, help="Of recall and files: how often each item.", show_default="1"
        ),
    ] = None,
    ablate: Annotated[
        bool, typer.Option("--ablate", help="Of recall: what it would be without each signal.")
    ] = False,
    seeds: Annotated[
        int | None,
        typer.Option(min=1, max=100, help="Of sim-...: how many seeds.", show_default="10"),
    ] = None,
    items: Annotated[
        int | None,
        typer.Option(min=1, help="Of sim-... and files: how many items, from the first."),
    ] = None,
    row: Annotated[
        list[str] | None, typer.Option(help="Of sim-...: only this row; may be given again.")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Of sim-...: a setting of its own; of files: an argument of the tool.",
        ),
    ] = None,
    by: Annotated[
        str | None, typer.Option(help="Of files: the tool that answers, or a prompt's name.")
    ] = None,
    prompt: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VERSION",
            help="Of evals that ask: a prompt's version; several of one prompt are compared.",
        ),
    ] = None,
    llm: Annotated[
        str | None, typer.Option(help="Of evals that ask: who is asked, as REASONLOOM_LLM.")
    ] = None,
    judge: Annotated[
        str | None, typer.Option(help="Of files: who judges, as REASONLOOM_LLM.")
    ] = None,
    scorer: Annotated[
        list[str] | None,
        typer.Option(
            help="Of files: exact, final, contains, choice, numeric[:TOLERANCE],"
            " regex:EXPRESSION, json_fields[:A,B], judge[:VOTES]."
        ),
    ] = None,
    format_: Annotated[
        str | None, typer.Option("--format", help="Of files: gsm8k, game24 or bbh.")
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PART=COLUMN",
            help="Of files: the column of id, input, target or cluster.",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Of evals that ask: the seed of all runs.")
    ] = None,
    reducer: Annotated[
        str | None, typer.Option(help="Of files: mean, mode, pass@K or pass^K of the epochs.")
    ] = None,
    calls: Annotated[
        int | None, typer.Option(min=1, help="Of evals that ask: most calls of language models.")
    ] = None,
    tokens: Annotated[
        int | None, typer.Option(min=1, help="Of evals that ask: most tokens.")
    ] = None,
    usd: Annotated[float | None, typer.Option(help="Of evals that ask: most US dollars.")] = None,
    limit: Annotated[
        list[str] | None,
        typer.Option(metavar="[PROVIDER=]CALLS", help="Of evals that ask: calls at the same time."),
    ] = None,
    parallel: Annotated[
        int | None,
        typer.Option(min=1, max=1_000, help="Of evals that ask: items at the same time."),
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option(help="Of evals that ask: a recording; what it holds is not asked again."),
    ] = None,
    lenient: Annotated[
        bool,
        typer.Option(
            "--lenient", help="Of evals that ask: an item that is refused counts as wrong."
        ),
    ] = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="Of files: only tell what the run could show.")
    ] = False,
    effect: Annotated[
        float | None, typer.Option(min=0, max=1, help="With --plan: a difference.")
    ] = None,
    flips: Annotated[
        float | None,
        typer.Option(
            min=0, max=1, help="With --plan: the share of items that differ.", show_default="0.2"
        ),
    ] = None,
) -> None:
    """Run an eval, or go on with one that was interrupted."""
    from reasonloom.cli.evals.kinds import kind_of  # noqa: PLC0415
    from reasonloom.cli.evals.request import EvalRequest  # noqa: PLC0415

    options = {
        "half": half, "epochs": epochs, "ablate": ablate, "seeds": seeds, "items": items,
        "row": row, "set": set_, "by": by, "prompt": prompt, "llm": llm, "judge": judge,
        "scorer": scorer, "format": format_, "column": column, "seed": seed, "reducer": reducer,
        "calls": calls, "tokens": tokens, "usd": usd, "limit": limit, "parallel": parallel,
        "cache": cache, "lenient": lenient, "plan": plan, "effect": effect,
        "flips": flips, "asked": asked,
    }  # fmt: skip
    given = {
        option: value
        for option, value in options.items()
        if value is not None and value is not False and value != []
    }
    kind = kind_of(name)
    kind.refuse_foreign(name, given)
    found = _with_progress(kind.work(EvalRequest(name, data, _log_path(name, resume), given)))
    if as_json:
        typer.echo(json.dumps(found, indent=2))
    else:
        kind.draw(found)


@app.command("list")
def list_() -> None:
    """List the runs that were made, with how much of each is done, and the evals there are."""
    from reasonloom.cli.evals.kinds import NAMES, log_summary  # noqa: PLC0415

    paths = sorted(_folder().glob("*.jsonl"))
    for path in paths:
        typer.echo(f"{path.name}  {log_summary(path)}")
    typer.echo(f"{'' if paths else 'no runs yet; '}evals: {', '.join(NAMES)}")


def _log_path(name: str, resume: str | None) -> Path:
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    if not resume:
        return _unused_path(_folder() / f"{Path(name).stem}-{moment}.jsonl")
    log = _folder() / resume
    if not log.exists():
        raise UnknownName(f"there is no run {resume}; see `reasonloom eval list`", field="resume")
    return log


def _unused_path(log: Path) -> Path:
    """Return a file that no other run of the same second has."""
    names = (log.with_name(f"{log.stem}-{n}{log.suffix}") for n in range(2, 10_000))
    return log if not log.exists() else next(each for each in names if not each.exists())


def _folder() -> Path:
    from reasonloom.cli.evals.comparison import runs_folder  # noqa: PLC0415

    return runs_folder()


def _with_progress(work: EvalWork) -> dict[str, Any]:
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import Progress  # noqa: PLC0415

    async def working(progress: Progress) -> dict[str, Any]:
        task = progress.add_task("", total=None)

        def tell(what: str, done: int, total: int) -> None:
            progress.update(task, description=what, completed=done, total=total)

        return await work(tell)

    with Progress(console=Console(stderr=True), transient=True) as progress:
        return asyncio.run(working(progress))
