"""`reasonloom eval run` and `list`: measure quality against references, offline and repeatable."""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from reasonloom.cli.evals.kinds import NAMES, kind_of, log_summary
from reasonloom.cli.evals.request import EvalRequest, runs_folder
from reasonloom.cli.output import named_progress
from reasonloom.errors import UnknownName
from reasonloom.evals.comparison.summary import llm_of, model_note
from reasonloom.evals.log import new_log


def run(
    name: Annotated[
        str,
        typer.Argument(
            help="The eval (see `eval list`), or a file: .py, .yaml, .csv, .json or .jsonl."
        ),
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
            help="For recall, reason, metacognition, grounding, history, triggers, outcomes and "
            "poisoning: dev, held, all.",
            show_default="all; for reason, metacognition, grounding, history, poisoning: dev",
        ),
    ] = None,
    asked: Annotated[
        str | None,
        typer.Option(help="For history: which questions, other or plain.", show_default="other"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    resume: Annotated[str | None, typer.Option(help="A run to resume (see `eval list`).")] = None,
    epochs: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=100,
            help="For recall, reason, files: repetitions of each item.",
            show_default="1",
        ),
    ] = None,
    ablate: Annotated[
        bool, typer.Option("--ablate", help="For recall: also measure without each signal.")
    ] = False,
    seeds: Annotated[
        int | None,
        typer.Option(min=1, max=100, help="For sim-...: the number of seeds.", show_default="10"),
    ] = None,
    items: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="For sim-..., reason (of each kind) and files: only the first items, this many.",
        ),
    ] = None,
    row: Annotated[
        list[str] | None,
        typer.Option(help="For sim-... and reason: only this row; repeatable."),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="For sim-... and reason: a setting; for files: an argument of the tool.",
        ),
    ] = None,
    by: Annotated[
        str | None, typer.Option(help="For files: the tool that answers, or a prompt's name.")
    ] = None,
    prompt: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VERSION",
            help="With a language model: a prompt's version; several of one prompt are compared.",
        ),
    ] = None,
    llm: Annotated[
        str | None, typer.Option(help="The language model to call, as in REASONLOOM_LLM.")
    ] = None,
    judge: Annotated[
        str | None, typer.Option(help="For files: the model that judges, as in REASONLOOM_LLM.")
    ] = None,
    scorer: Annotated[
        list[str] | None,
        typer.Option(
            help="For files: exact, final, contains, choice, numeric[:TOLERANCE],"
            " regex:EXPRESSION, json_fields[:A,B], judge[:VOTES]."
        ),
    ] = None,
    format_: Annotated[
        str | None, typer.Option("--format", help="For files: gsm8k, game24 or bbh.")
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PART=COLUMN", help="For files: the column of id, input, target or cluster."
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="With a language model: the seed of all runs.")
    ] = None,
    reducer: Annotated[
        str | None, typer.Option(help="For files: mean, mode, pass@K or pass^K of the epochs.")
    ] = None,
    calls: Annotated[
        int | None, typer.Option(min=1, help="With a language model: maximum number of calls.")
    ] = None,
    tokens: Annotated[
        int | None, typer.Option(min=1, help="With a language model: maximum number of tokens.")
    ] = None,
    usd: Annotated[
        float | None, typer.Option(help="With a language model: maximum US dollars.")
    ] = None,
    limit: Annotated[
        list[str] | None,
        typer.Option(metavar="[PROVIDER=]CALLS", help="With a language model: concurrent calls."),
    ] = None,
    parallel: Annotated[
        int | None,
        typer.Option(min=1, max=1_000, help="With a language model: concurrent items."),
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option(help="With a language model: a recording; calls in it are not repeated."),
    ] = None,
    lenient: Annotated[
        bool,
        typer.Option("--lenient", help="With a language model: a refused item counts as wrong."),
    ] = False,
    workers: Annotated[
        bool,
        typer.Option(
            "--workers", help="For files: let the processes of `worker` answer the items."
        ),
    ] = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="For files: only print what the run could detect.")
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
    """Run an eval, or resume an interrupted one."""
    options = {
        "half": half, "epochs": epochs, "ablate": ablate, "seeds": seeds, "items": items,
        "row": row, "set": set_, "by": by, "prompt": prompt, "llm": llm, "judge": judge,
        "scorer": scorer, "format": format_, "column": column, "seed": seed, "reducer": reducer,
        "calls": calls, "tokens": tokens, "usd": usd, "limit": limit, "parallel": parallel,
        "cache": cache, "lenient": lenient, "workers": workers, "plan": plan, "effect": effect,
        "flips": flips, "asked": asked,
    }  # fmt: skip
    given = {
        option: value
        for option, value in options.items()
        if value is not None and value is not False and value != []
    }
    kind = kind_of(name)
    kind.refuse_foreign(name, given)
    with _log_path(name, resume) as log, named_progress() as report:
        found = asyncio.run(kind.work(EvalRequest(name, data, log, given))(report))
    if as_json:
        typer.echo(json.dumps(found, indent=2))
    else:
        kind.draw(found)
    _warn(found.get("runs", [found]))


def _warn(runs: Sequence[Mapping[str, Any]]) -> None:
    """Print to stderr which runs have no model, or lack answers; exit with 1 if any lacks one."""
    notes = [model_note(str(each.get("llm") or llm_of(each))) for each in runs]
    for note in filter(None, dict.fromkeys(notes)):
        typer.secho(note, err=True, fg="yellow")
    missing = [each for each in runs if each.get("incomplete")]
    for each in missing:
        again = f"run it again with --resume {each['log']}"
        typer.secho(f"{each['incomplete']}; {again}", err=True, fg="red")
    if missing:
        raise typer.Exit(1)


def list_() -> None:
    """List eval runs with their progress, and the available evals."""
    paths = sorted(runs_folder().glob("*.jsonl"))
    for path in paths:
        typer.echo(f"{path.name}  {log_summary(path)}")
    typer.echo(f"{'' if paths else 'no runs yet; '}evals: {', '.join(NAMES)}")


@contextmanager
def _log_path(name: str, resume: str | None) -> Iterator[Path]:
    """Yield the file of the run to resume, or of a new one.

    Raises:
        UnknownName: there is no such run to resume.
    """
    if not resume:
        with new_log(runs_folder(), Path(name).stem) as log:
            yield log
        return
    log = runs_folder() / resume
    if not log.exists():
        raise UnknownName(f"there is no run {resume}; see `reasonloom eval list`", field="resume")
    yield log
