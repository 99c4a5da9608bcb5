"""`reasonloom eval run FILE`: runs the user's own suite on one system, or on several."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from reasonloom.cli.arguments import parse_versions
from reasonloom.cli.evals.comparison import draw_comparison, draw_plan
from reasonloom.cli.evals.request import (
    EvalRequest,
    EvalWork,
    ReportProgress,
    parse_limits,
    parse_pairs,
)
from reasonloom.errors import InvalidArgument
from reasonloom.evals.comparison.compare import compare
from reasonloom.evals.comparison.pairs import require_reducer
from reasonloom.evals.comparison.power import plan
from reasonloom.evals.comparison.summary import run_summary
from reasonloom.evals.core.item import Scorer
from reasonloom.evals.core.preflight import preflight
from reasonloom.evals.core.run import AT_ONCE, RunResult, run
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.system import System
from reasonloom.evals.core.tool import Tool
from reasonloom.evals.core.way import Asking, Way
from reasonloom.evals.loaders.cases import tool_of_cases
from reasonloom.evals.loaders.files import python_file, table
from reasonloom.evals.loaders.published import published
from reasonloom.evals.scorers.judge import Judge
from reasonloom.evals.scorers.text import Fields, Pattern, choice, contains, exact, numeric

PYTHON = ".py"


def work(request: EvalRequest) -> EvalWork:
    """Return a function that runs a file's suite on each system, or plans the run."""
    options = request.options
    suite = suite_of(request)
    way = way_of(options)
    several = _systems(options.get("prompt", ()))
    systems = [System(way, prompts, options.get("llm")) for prompts in several]
    if "plan" in options:
        return lambda _: _plan(suite, options)
    return lambda report: _run(request, suite, systems, report)


def suite_of(request: EvalRequest) -> Suite:
    """Return the suite of a file, with the options applied.

    Raises:
        CallerMistake: the file or an option is invalid.
    """
    path, options = Path(request.name), request.options
    _require_table(path, options)
    form, scorers = options.get("format", ""), _scorers(options.get("scorer", ()))
    if path.suffix.lower() == PYTHON:
        suite = python_file(path)
    elif form:
        suite = published(form, path)
    else:
        columns = parse_pairs(options.get("column", ()), "column")
        suite = table(path, columns, scorers=scorers, way=tool_of_cases(path))
    first = options.get("items")
    return replace(
        suite,
        items=suite.items[:first],
        where=suite.where[:first],
        scorers=scorers or suite.scorers,
    )


def _require_table(path: Path, options: Mapping[str, Any]) -> None:
    """Refuse options on reading a table if the file or `--format` already determines them."""
    idle: tuple[str, ...]
    if path.suffix.lower() == PYTHON:
        idle, why = ("format", "column"), f"{path.name} defines its suite itself"
    elif "format" in options:
        idle, why = ("column",), f"--format {options['format']} names the columns itself"
    else:
        return
    for option in idle:
        if option in options:
            raise InvalidArgument(f"--{option}: {why}; leave it out", field=option)


def _scorers(given: Sequence[str]) -> list[Scorer]:
    """Return scorers by name; text after a colon is the parameter."""
    made: dict[str, Any] = {
        "exact": lambda text: exact(),
        "final": lambda text: exact(final=True, name="final"),
        "contains": lambda text: contains(),
        "choice": lambda text: choice(),
        "numeric": lambda text: numeric(tolerance=_number(text or "0")),
        "regex": Pattern,
        "json_fields": lambda text: Fields(tuple(each for each in text.split(",") if each)),
        "judge": lambda text: Judge(votes=_whole(text or "3")),
    }
    without_parameter = ("exact", "final", "contains", "choice")
    found = []
    for each in given:
        name, _, parameter = each.partition(":")
        if name not in made or (name == "regex" and not parameter):
            known = ", ".join(made).replace("regex", "regex:EXPRESSION")
            raise InvalidArgument(f"--scorer: must be one of {known}", field="scorer")
        if parameter and name in without_parameter:
            raise InvalidArgument(f"--scorer: {name} takes nothing behind a colon", field="scorer")
        found.append(made[name](parameter))
    return found


def way_of(options: Mapping[str, Any]) -> Way | None:
    """Return how items are answered: by a prompt, whose name has a slash, or by a tool."""
    by, settings = options.get("by", ""), parse_pairs(options.get("set", ()), "set")
    if not by and settings:
        raise InvalidArgument("--set: needs --by TOOL, whose arguments they are", field="set")
    if "/" in by:
        if idle := sorted(settings.keys() - {"read"}):
            raise InvalidArgument(
                f"--set: {idle[0]}: a prompt takes only read=NAME; its variables are the input's"
                " fields",
                field="set",
            )
        return Asking(by, read=settings.get("read", ""))
    if not by:
        return None
    return Tool(by, {name: _value(text) for name, text in settings.items()})


def _systems(given: Sequence[str]) -> list[dict[str, int]]:
    """Return the prompt versions of each system; naming a prompt several times makes several.

    Raises:
        InvalidArgument: two prompts are named several times, but not equally often.
    """
    found: dict[str, list[int]] = {}
    for name, version in parse_versions(given):
        found.setdefault(name, []).append(version)
    number = max((len(each) for each in found.values()), default=1)
    for name, versions in found.items():
        if len(versions) not in (1, number):
            raise InvalidArgument(
                f"--prompt: {name} is named {len(versions)} times and another {number} times; name"
                " each once, or as often as there are systems",
                field="prompt",
            )
    return [
        {name: each[place if len(each) > 1 else 0] for name, each in found.items()}
        for place in range(number)
    ]


async def _run(
    request: EvalRequest, suite: Suite, systems: Sequence[System], report: ReportProgress
) -> dict[str, Any]:
    options = request.options
    reducer, purse = options.get("reducer", "mean"), parse_limits(options)
    epochs = options.get("epochs", 1)
    require_reducer(reducer, epochs)
    for system in systems:
        preflight(suite, system, epochs=epochs)
    done: list[RunResult] = []
    for place, system in enumerate(systems, 1):
        ran = await run(
            suite,
            system,
            log=_system_log(request.log, place),
            epochs=epochs,
            seed=options.get("seed", 0),
            judge=options.get("judge"),
            purse=purse,
            at_once=options.get("parallel", AT_ONCE),
            tell=report,
        )
        done.append(ran)
        if ran.stopped:
            break
    found: dict[str, Any] = {"runs": [run_summary(ran, reducer) for ran in done]}
    if len(done) > 1 and all(ran.log.records for ran in done):
        found["comparison"] = compare(*(ran.log for ran in done), reducer=reducer)
    return found


async def _plan(suite: Suite, options: Mapping[str, Any]) -> dict[str, Any]:
    suite.check()
    planned = plan(len(suite.items), flips=options.get("flips", 0.2), effect=options.get("effect"))
    clusters = {item.cluster for item in suite.items if item.cluster}
    notes = [f"its items lie in {len(clusters)} clusters: fewer than they are worth as many"]
    return {"plan": {**planned, "notes": notes if clusters else []}}


def _system_log(log: Path, place: int) -> Path:
    """Return the log of a system; the first system's is `log` itself."""
    return log if place == 1 else log.with_name(f"{log.stem}.{place}{log.suffix}")


def _value(text: str) -> Any:
    """Parse a value as JSON; anything else is text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise InvalidArgument(f"--scorer: {text} is no whole number", field="scorer")
    return int(text)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InvalidArgument(f"--scorer: {text} is no number", field="scorer") from None


def draw(found: dict[str, Any]) -> None:
    """Print the results of the runs, or the plan."""
    if "plan" in found:
        draw_plan(found["plan"])
        return
    console = Console()
    table = Table("run", "score", "95 %", "done", "calls", "tokens", "usd", title="runs")
    for each in found["runs"]:
        for name, score in each["scores"].items():
            table.add_row(
                f"{each['log']}\n[dim]{name}",
                f"{score['mean']:.4f}",
                f"{score['interval'][0]:.3f} .. {score['interval'][1]:.3f}",
                f"{each['done']} of {each['of']}",
                f"{each['usage']['calls']:,.0f}",
                f"{each['usage']['tokens_in'] + each['usage']['tokens_out']:,.0f}",
                f"{each['usage']['usd']:.4f}",
            )
    console.print(table)
    for each in found["runs"]:
        console.print(f"run: {each['log']}", markup=False, highlight=False, soft_wrap=True)
    for each in found["runs"]:
        for note in each["notes"]:
            console.print(f"note: {note}", markup=False, style="dim")
    if "comparison" in found:
        draw_comparison(found["comparison"])
