"""`reasonloom prompts optimise`: searches for a better text, and judges it on held-out items."""

import asyncio
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from reasonloom.cli.arguments import parse_prompt
from reasonloom.cli.evals.request import EvalRequest, parse_limits, runs_folder
from reasonloom.cli.evals.suite_file import suite_of, way_of
from reasonloom.cli.output import named_progress, printable
from reasonloom.errors import InvalidArgument, UnknownName
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.system import Purse
from reasonloom.evals.core.way import Asking
from reasonloom.evals.optimization.candidate import save_candidate
from reasonloom.evals.optimization.optimise import Goal, plan_split
from reasonloom.evals.optimization.optimise import optimise as optimised
from reasonloom.evals.optimization.search import Effort
from reasonloom.evals.optimization.split import Split
from reasonloom.evals.optimization.trials import TrialOptions
from reasonloom.settings import Settings, load_settings

STYLES = {"+": "green", "-": "red", "@": "cyan"}


def optimise(
    prompt: Annotated[str, typer.Argument(help="NAME or NAME=VERSION of the prompt.")],
    suite: Annotated[Path, typer.Option(help="The suite's file, as `eval run` takes it.")],
    by: Annotated[
        str | None,
        typer.Option(help="The tool that answers.", show_default="the suite's own, or the prompt"),
    ] = None,
    llm: Annotated[
        str | None, typer.Option(help="The language model that answers, as in REASONLOOM_LLM.")
    ] = None,
    reflect_llm: Annotated[
        str | None,
        typer.Option(help="The language model that proposes texts.", show_default="who answers"),
    ] = None,
    judge: Annotated[
        str | None, typer.Option(help="The language model that judges, if a scorer needs one.")
    ] = None,
    scorer: Annotated[list[str] | None, typer.Option(help="As in `eval run`.")] = None,
    format_: Annotated[str | None, typer.Option("--format", help="As in `eval run`.")] = None,
    column: Annotated[
        list[str] | None, typer.Option(metavar="PART=COLUMN", help="As in `eval run`.")
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="As in `eval run`.")
    ] = None,
    shares: Annotated[
        str, typer.Option("--split", help="Shares of train, validation and test.")
    ] = "30,30,40",
    rounds: Annotated[
        int, typer.Option(min=1, max=10_000, help="Rounds, with one proposal each.")
    ] = 20,
    batch: Annotated[int, typer.Option(min=1, max=100, help="Train items for each proposal.")] = 4,
    epochs: Annotated[int, typer.Option(min=1, max=100, help="Repetitions of each item.")] = 1,
    seed: Annotated[
        int, typer.Option(min=0, help="Seed of the split, the search and all calls.")
    ] = 0,
    calls: Annotated[int | None, typer.Option(min=1, help="Maximum number of calls.")] = None,
    tokens: Annotated[int | None, typer.Option(min=1, help="Maximum number of tokens.")] = None,
    usd: Annotated[float | None, typer.Option(help="Maximum US dollars.")] = None,
    limit: Annotated[
        list[str] | None, typer.Option(metavar="[PROVIDER=]CALLS", help="Concurrent calls.")
    ] = None,
    parallel: Annotated[int, typer.Option(min=1, max=1_000, help="Concurrent items.")] = 16,
    resume: Annotated[
        str | None, typer.Option(help="A run to resume, by the name of its folder.")
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Only print how the suite is split.")
    ] = False,
    write: Annotated[
        bool, typer.Option("--write", help="Write the winner as the next version.")
    ] = False,
    folder: Annotated[
        Path | None, typer.Option(help="Your folder of prompts.", show_default="REASONLOOM_PROMPTS")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Search for a better prompt text and test it on items that the search has not seen."""
    chosen = _set_options(
        by=by, scorer=scorer, format=format_, column=column, set=set_, calls=calls, tokens=tokens,
        usd=usd, limit=limit,
    )  # fmt: skip
    own = _own_folder(folder, write)
    found, goal, trial = _prepare(prompt, suite, chosen, shares, {
        "llm": llm, "judge": judge, "epochs": epochs, "seed": seed, "at_once": parallel,
    })  # fmt: skip
    purse = parse_limits(chosen)
    _print_split(plan_split(found, goal, trial, purse.budget))
    if plan:
        return
    effort = Effort(rounds, batch)
    result = asyncio.run(
        _run_search(found, goal, trial, effort, purse, _run_folder(goal, resume), reflect_llm, own)
    )
    if write and result["winner"]:
        path, result["newly_written"] = save_candidate(own, goal.prompt, result["winner"]["text"])
        result["written"] = str(path)
    if as_json:
        typer.echo(json.dumps(result, indent=2, ensure_ascii=False, default=str))
    else:
        _draw(result, write)


def _prepare(
    prompt: str, path: Path, chosen: Mapping[str, Any], shares: str, trial: Mapping[str, Any]
) -> tuple[Suite, Goal, TrialOptions]:
    """Return the suite, what to optimise, and how texts are tried."""
    name, version = parse_prompt(prompt)
    suite = suite_of(EvalRequest(str(path), None, path, chosen))
    way = way_of(chosen) or suite.way or Asking(name)
    return suite, Goal(name, version, _parse_shares(shares)), TrialOptions(way, **trial)


async def _run_search(
    suite: Suite, goal: Goal, trial: TrialOptions, effort: Any, purse: Purse, run: Path,
    reflect: str | None, own: Path | None,
) -> dict[str, Any]:  # fmt: skip
    typer.echo(f"run {run.name}; --resume {run.name} continues it", err=True)
    with named_progress() as report:
        return await optimised(
            suite, goal, run, trial, reflect=reflect, effort=effort, budget=purse.budget,
            limits=purse.limits, tell=report,
            settings=_settings(own),
        )  # fmt: skip


def _settings(own: Path | None) -> Settings:
    """Return settings with the folder of prompts, which may not exist yet if it is written to."""
    return load_settings(prompts=own if own and own.is_dir() else None)


def _set_options(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value not in (None, [])}


def _own_folder(folder: Path | None, write: bool) -> Path | None:
    own = folder or load_settings().prompts
    if write and own is None:
        raise InvalidArgument(
            "folder: --write needs a folder of your own: set REASONLOOM_PROMPTS, or name it by"
            " --folder",
            field="folder",
        )
    return own


def _parse_shares(text: str) -> list[float]:
    try:
        return [float(each) for each in text.split(",")]
    except ValueError:
        raise InvalidArgument(
            "--split: must be three numbers, such as 30,30,40", field="split"
        ) from None


def _run_folder(goal: Goal, resume: str | None) -> Path:
    if resume:
        run = runs_folder() / resume
        if Path(resume).name != resume or not run.is_dir():
            raise UnknownName(f"there is no run {resume} of `prompts optimise`", field="resume")
        return run
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    run = runs_folder() / f"optimise-{goal.prompt.replace('/', '-')}-{moment}"
    run.mkdir(parents=True)
    return run


def _print_split(parts: Split) -> None:
    sizes_of = parts.about()
    sizes = [
        f"{name} {sizes_of[name]['items']} items in {sizes_of[name]['clusters']} clusters"
        for name in ("train", "validation", "test")
    ]
    least = sizes_of["least_effect"]
    shows = "no difference" if least is None else f"a difference of {least:.3f}"
    typer.echo(
        f"{'; '.join(sizes)}. The test finds {shows} 8 times out of 10, where 20 % of its items"
        " differ and each is independent.",
        err=True,
    )


def _draw(result: dict[str, Any], write: bool) -> None:
    winner, test, spent = result["winner"], result["test"], result["spent"]
    typer.echo(
        f"{result['prompt']} v{result['version']}: {result['rounds']} rounds, {result['proposals']}"
        f" proposals, {len(result['refused'])} refused"
    )
    for each in result["validation"]:
        name = f"v{each['version']}" if each["version"] == result["version"] else "proposal"
        typer.echo(f"validation  {each['score']:.4f}  {name}")
    if test:
        low, high = test["interval"]
        typer.echo(
            f"test  {test['base_score']:.4f} -> {test['score']:.4f}  difference"
            f" {test['difference']:+.4f}  95 % [{low:+.4f}, {high:+.4f}]  p {test['p']:.4f}"
            f" ({test['test']})  of {test['items']} items in {test['clusters']} clusters"
        )
    typer.echo(result["verdict"])
    for note in [*result["notes"], *(test["notes"] if test else ())]:
        typer.echo(f"note: {note}")
    typer.echo(f"spent  {spent['calls']} calls  {spent['tokens']} tokens  {spent['usd']:.4f} usd")
    if winner:
        for line in winner["difference"]:
            typer.secho(printable(line), fg=STYLES.get(line[:1]))
        _print_destination(result, write)


def _print_destination(result: dict[str, Any], write: bool) -> None:
    if write:
        before = "" if result["newly_written"] else "has this text already and "
        typer.echo(
            f"{result['written']} {before}is now used wherever REASONLOOM_PROMPTS names its folder"
        )
    else:
        typer.echo(
            f"--resume {result['run']} --write writes it as the next version; no call is repeated"
        )
