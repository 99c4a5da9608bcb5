"""`reasonloom eval run FILE`: runs the user's own suite on one system, or on several."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from reasonloom.cli.arguments import parse_versions
from reasonloom.cli.evals.comparison import draw_comparison, draw_plan, labelled
from reasonloom.cli.evals.request import (
    EvalRequest,
    EvalWork,
    ReportProgress,
    parse_limits,
    parse_pairs,
)
from reasonloom.cli.output import right_aligned
from reasonloom.errors import InvalidArgument
from reasonloom.evals.comparison.compare import compare
from reasonloom.evals.comparison.pairs import require_reducer
from reasonloom.evals.comparison.power import plan
from reasonloom.evals.comparison.statistics import MIN_CLUSTERS, NOT_ESTIMABLE
from reasonloom.evals.comparison.summary import is_simulated, llm_of, run_summary
from reasonloom.evals.core.preflight import preflight
from reasonloom.evals.core.run import AT_ONCE, RunResult, run
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.system import Purse, System
from reasonloom.evals.core.tool import Tool
from reasonloom.evals.core.way import Asking, Way
from reasonloom.evals.loaders.cases import tool_of_cases
from reasonloom.evals.loaders.declared import YAML, declared_eval
from reasonloom.evals.loaders.files import python_file, table
from reasonloom.evals.loaders.published import published
from reasonloom.evals.reporting.report import labels
from reasonloom.evals.scorers.named import scorer_named
from reasonloom.settings import load_settings

PYTHON = ".py"
DECLARED = ("by", "set", "prompt", "scorer", "format", "column")
"""Options that a YAML file takes the place of."""

MOST_QUEUED = 64
"""Items that wait for workers at once, by default."""

MOST_NOTES = 3
"""Notes printed of each run."""


def work(request: EvalRequest) -> EvalWork:
    """Return a function that runs a file's suite on each system, or plans the run."""
    options = request.options
    if Path(request.name).suffix.lower() in YAML:
        request, suite, systems = _declared(request)
        options = request.options
    else:
        suite, way = suite_of(request), way_of(options)
        several = _systems(options.get("prompt", ()))
        systems = [System(way, prompts, options.get("llm")) for prompts in several]
    if "plan" in options:
        return lambda _: _plan(suite, options)
    purse = parse_limits(options)
    if "workers" in options:
        systems = [_spread(suite, system, options, purse) for system in systems]
    return lambda report: _run(request, suite, systems, purse, report)


def _declared(request: EvalRequest) -> tuple[EvalRequest, Suite, list[System]]:
    """Return the request with the options of a YAML file, its suite, and its systems."""
    path = Path(request.name)
    for option in request.options.keys() & set(DECLARED):
        raise InvalidArgument(f"--{option}: {path.name} declares it; leave it out", field=option)
    loaded, llm = declared_eval(path), request.options.get("llm")
    systems = [replace(system, llm=system.llm or llm) for system in loaded.systems]
    options = {**loaded.options, **request.options}
    return replace(request, options=options), _first(loaded.suite, options), systems


def suite_of(request: EvalRequest) -> Suite:
    """Return the suite of a file, with the options applied.

    Raises:
        CallerMistake: the file or an option is invalid.
    """
    path, options = Path(request.name), request.options
    _require_table(path, options)
    form, scorers = options.get("format", ""), [*map(scorer_named, options.get("scorer", ()))]
    if path.suffix.lower() == PYTHON:
        suite = python_file(path)
    elif form:
        suite = published(form, path)
    else:
        columns = parse_pairs(options.get("column", ()), "column")
        suite = table(path, columns, scorers=scorers, way=tool_of_cases(path))
    return replace(_first(suite, options), scorers=scorers or suite.scorers)


def _first(suite: Suite, options: Mapping[str, Any]) -> Suite:
    """Return the first items of a suite, as many as `--items` says."""
    first = options.get("items")
    return replace(suite, items=suite.items[:first], where=suite.where[:first])


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
    request: EvalRequest, suite: Suite, systems: Sequence[System], purse: Purse,
    report: ReportProgress,
) -> dict[str, Any]:  # fmt: skip
    options = request.options
    reducer = options.get("reducer", "mean")
    epochs = options.get("epochs", 1)
    require_reducer(reducer, epochs)
    for system in systems:
        preflight(suite, system, epochs=epochs)
        # The keys that count are those of the workers, where they answer.
        if "workers" not in options and (way := system.way or suite.way) and way.asks:
            await purse.check_key(system.llm, load_settings())
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
            at_once=options.get("parallel", MOST_QUEUED if "workers" in options else AT_ONCE),
            tell=report,
        )
        done.append(ran)
        if ran.stopped:
            break
    logs = [ran.log for ran in done]
    found: dict[str, Any] = {
        "runs": [
            {"label": label, **run_summary(ran, reducer)}
            for label, ran in zip(labels(logs), done, strict=True)
        ]
    }
    if len(done) > 1 and all(log.records for log in logs):
        found["comparison"] = labelled(compare(*logs, reducer=reducer), logs)
    return found


def _spread(suite: Suite, system: System, options: Mapping[str, Any], purse: Purse) -> System:
    """Return a system whose items workers answer.

    Raises:
        InvalidArgument: the cache of one process is wanted, or its way needs to be in one.
        SettingMistake: the extra workers is not installed.
    """
    from reasonloom.workers.spread import Spread  # noqa: PLC0415 - an extra

    if purse.cache:
        raise InvalidArgument(
            "--cache: a file of the process that calls, and with --workers many do, maybe on other"
            " machines; leave one of both out",
            field="cache",
        )
    way = system.way or suite.way
    if way is None:
        return system
    llm = system.llm if isinstance(system.llm, str) else None
    spread = Spread(way, llm, purse.limits, purse.spending, purse.count_errors, _warn)
    return replace(system, way=spread)


def _warn(message: str) -> None:
    Console(stderr=True).print(message, style="yellow", markup=False, soft_wrap=True)


async def _plan(suite: Suite, options: Mapping[str, Any]) -> dict[str, Any]:
    suite.check()
    planned = plan(len(suite.items), flips=options.get("flips", 0.2), effect=options.get("effect"))
    clusters = {item.cluster for item in suite.items if item.cluster}
    notes = [f"its items are in {len(clusters)} clusters, so they count as fewer independent items"]
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


def _cells(run: dict[str, Any], score: dict[str, Any]) -> tuple[str, ...]:
    usage = run["usage"]
    simulated = "\nsimulated" if is_simulated(llm_of(run)) else ""
    ends = " to ".join(f"{end:.3f}" for end in score["interval"])
    return (
        f"{score['mean']:.4f}",
        NOT_ESTIMABLE if score["clusters"] < MIN_CLUSTERS else ends,
        f"{run['done']} of {run['of']}",
        f"{usage['calls']:,.0f}",
        f"{usage['tokens_in'] + usage['tokens_out']:,.0f}",
        f"{usage['usd']:.4f}{simulated}",
    )


def draw(found: dict[str, Any]) -> None:
    """Print the results of the runs, or the plan."""
    if "plan" in found:
        draw_plan(found["plan"])
        return
    console = Console()
    numbers = right_aligned("score", "95 %", "done", "calls", "tokens", "usd")
    for column in numbers:
        column.no_wrap = True
    title, system = found["runs"][0]["eval"], Column("system", overflow="fold")
    table = Table(system, *numbers, title=title, box=None, padding=(0, 2, 0, 0))
    for each in found["runs"]:
        for name, score in each["scores"].items():
            table.add_row(f"{escape(each['label'])}\n[dim]{escape(name)}", *_cells(each, score))
    console.print(table)
    for each in found["runs"]:
        console.print(f"run: {each['log']}", markup=False, highlight=False, soft_wrap=True)
    for each in found["runs"]:
        for note in each["notes"][:MOST_NOTES]:
            console.print(f"note: {note}", markup=False, style="dim", soft_wrap=True)
        if (more := len(each["notes"]) - MOST_NOTES) > 0:
            console.print(f"note: {more} more such notes (--json)", markup=False, style="dim")
    if "comparison" in found:
        draw_comparison(found["comparison"])
