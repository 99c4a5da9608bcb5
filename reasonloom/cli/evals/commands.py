"""`reasonloom eval run` and `list`: measure quality against references, offline and repeatable."""

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from reasonloom.cli.evals.kinds import NAMES, kind_of, log_summary
from reasonloom.cli.evals.request import EvalRequest, runs_folder
from reasonloom.cli.output import named_progress
from reasonloom.errors import UnknownName


def run(
    name: Annotated[
        str, typer.Argument(help="The eval (`eval list` names them), or the file of a suite.")
    ],
    data: Annotated[
        Path | None,
        typer.Option(
            help="Its data file (locomo, sim-...), a folder of sets (retrieval-all, ...)."
        ),
    ] = None,
    half: Annotated[
        str | None,
        typer.Option(
            help="Of recall, reason, metacognition, grounding, history, triggers, outcomes and "
            "poisoning: dev, held, all.",
            show_default="all; of reason, metacognition, grounding, history, poisoning dev",
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
            min=1, max=100, help="Of recall, reason, files: how often each item.", show_default="1"
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
        typer.Option(
            min=1,
            help="Of sim-..., reason (of each kind) and files: how many items, from the first.",
        ),
    ] = None,
    row: Annotated[
        list[str] | None,
        typer.Option(help="Of sim-... and reason: only this row; may be given again."),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Of sim-... and reason: a setting of its own; of files: an argument of the tool.",
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
    work = kind.work(EvalRequest(name, data, _log_path(name, resume), given))
    with named_progress() as report:
        found = asyncio.run(work(report))
    if as_json:
        typer.echo(json.dumps(found, indent=2))
    else:
        kind.draw(found)


def list_() -> None:
    """List the runs that were made, with how much of each is done, and the evals there are."""
    paths = sorted(runs_folder().glob("*.jsonl"))
    for path in paths:
        typer.echo(f"{path.name}  {log_summary(path)}")
    typer.echo(f"{'' if paths else 'no runs yet; '}evals: {', '.join(NAMES)}")


def _log_path(name: str, resume: str | None) -> Path:
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    if not resume:
        return _unused_path(runs_folder() / f"{Path(name).stem}-{moment}.jsonl")
    log = runs_folder() / resume
    if not log.exists():
        raise UnknownName(f"there is no run {resume}; see `reasonloom eval list`", field="resume")
    return log


def _unused_path(log: Path) -> Path:
    """Return a path that no other run of the same second uses."""
    names = (log.with_name(f"{log.stem}-{n}{log.suffix}") for n in range(2, 10_000))
    return log if not log.exists() else next(each for each in names if not each.exists())
