"""`reasonloom eval run FILE`: a suite of one's own on one system, or on several side by side."""

from __future__ import annotations

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
from reasonloom.evals.scorers.fields import Fields
from reasonloom.evals.scorers.judge import Judge
from reasonloom.evals.scorers.text import Pattern, choice, contains, exact, numeric

PYTHON = ".py"


def work(asked: EvalRequest) -> EvalWork:
    """Return what runs the suite of a file on each system, or only plans it."""
    chosen = asked.options
    suite = suite_of(asked)
    way = way_of(chosen)
    several = _systems(chosen.get("prompt", ()))
    systems = [System(way, prompts, chosen.get("llm")) for prompts in several]
    if "plan" in chosen:
        return lambda tell: _plan(suite, chosen)
    return lambda tell: _run(asked, suite, systems, tell)


def suite_of(asked: EvalRequest) -> Suite:
    """Return the suite of a file, as the options have it.

    Raises:
        CallerMistake: the file or an option is not right.
    """
    path, chosen = Path(asked.name), asked.options
    _require_table(path, chosen)
    form, scorers = chosen.get("format", ""), _scorers(chosen.get("scorer", ()))
    if path.suffix.lower() == PYTHON:
        suite = python_file(path)
    elif form:
        suite = published(form, path)
    else:
        columns = parse_pairs(chosen.get("column", ()), "column")
        suite = table(path, columns, scorers=scorers, way=tool_of_cases(path))
    first = chosen.get("items")
    return replace(
        suite,
        items=suite.items[:first],
        where=suite.where[:first],
        scorers=scorers or suite.scorers,
    )


def _require_table(path: Path, chosen: Mapping[str, Any]) -> None:
    """Refuse options that say how to read a table, where the file says it itself."""
    idle: tuple[str, ...]
    if path.suffix.lower() == PYTHON:
        idle, why = ("format", "column"), f"{path.name} defines its suite itself"
    elif "format" in chosen:
        idle, why = ("column",), f"--format {chosen['format']} names the columns itself"
    else:
        return
    for option in idle:
        if option in chosen:
            raise InvalidArgument(f"--{option}: {why}; leave it out", field=option)


def _scorers(given: Sequence[str]) -> list[Scorer]:
    """Return scorers by their names, what stands behind a colon as their parameter."""
    made: dict[str, Any] = {
        "exact": lambda told: exact(),
        "final": lambda told: exact(final=True, name="final"),
        "contains": lambda told: contains(),
        "choice": lambda told: choice(),
        "numeric": lambda told: numeric(tolerance=_number(told or "0", "scorer")),
        "regex": Pattern,
        "json_fields": lambda told: Fields(tuple(each for each in told.split(",") if each)),
        "judge": lambda told: Judge(votes=_whole(told or "3", "scorer")),
    }
    alone = ("exact", "final", "contains", "choice")
    found = []
    for each in given:
        name, _, told = each.partition(":")
        if name not in made or (name == "regex" and not told):
            known = ", ".join(made).replace("regex", "regex:EXPRESSION")
            raise InvalidArgument(f"--scorer: must be one of {known}", field="scorer")
        if told and name in alone:
            raise InvalidArgument(f"--scorer: {name} takes nothing behind a colon", field="scorer")
        found.append(made[name](told))
    return found


def way_of(chosen: Mapping[str, Any]) -> Way | None:
    """Return how items are answered: by a prompt, whose name has a stroke, or by a tool."""
    by, settings = chosen.get("by", ""), parse_pairs(chosen.get("set", ()), "set")
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
    return Tool(by, {name: _value(told) for name, told in settings.items()})


def _systems(given: Sequence[str]) -> list[dict[str, int]]:
    """Return the versions of each system: a prompt named several times makes several of them.

    Raises:
        InvalidArgument: two prompts are named several times, and not equally often.
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
    asked: EvalRequest, suite: Suite, systems: Sequence[System], tell: ReportProgress
) -> dict[str, Any]:
    chosen = asked.options
    reducer, purse = chosen.get("reducer", "mean"), parse_limits(chosen)
    epochs = chosen.get("epochs", 1)
    require_reducer(reducer, epochs)
    for system in systems:
        preflight(suite, system, epochs=epochs)
    done: list[RunResult] = []
    for place, system in enumerate(systems, 1):
        ran = await run(
            suite,
            system,
            log=_system_log(asked.log, place),
            epochs=epochs,
            seed=chosen.get("seed", 0),
            judge=chosen.get("judge"),
            purse=purse,
            at_once=chosen.get("parallel", AT_ONCE),
            tell=tell,
        )
        done.append(ran)
        if ran.stopped:
            break
    found: dict[str, Any] = {"runs": [run_summary(ran, reducer) for ran in done]}
    if len(done) > 1 and all(ran.log.records for ran in done):
        found["comparison"] = compare(*(ran.log for ran in done), reducer=reducer)
    return found


async def _plan(suite: Suite, chosen: Mapping[str, Any]) -> dict[str, Any]:
    suite.check()
    told = plan(len(suite.items), flips=chosen.get("flips", 0.2), effect=chosen.get("effect"))
    clusters = {item.cluster for item in suite.items if item.cluster}
    notes = [f"its items lie in {len(clusters)} clusters: fewer than they are worth as many"]
    return {"plan": {**told, "notes": notes if clusters else []}}


def _system_log(log: Path, place: int) -> Path:
    """Return the file of a system: the first one's is the log itself."""
    return log if place == 1 else log.with_name(f"{log.stem}.{place}{log.suffix}")


def _value(told: str) -> Any:
    """Return what is written as JSON, and all else as text."""
    try:
        return json.loads(told)
    except ValueError:
        return told


def _whole(told: str, option: str) -> int:
    if not told.isdecimal():
        raise InvalidArgument(f"--{option}: {told} is no whole number", field=option)
    return int(told)


def _number(told: str, option: str) -> float:
    try:
        return float(told)
    except ValueError:
        raise InvalidArgument(f"--{option}: {told} is no number", field=option) from None


def draw(found: dict[str, Any]) -> None:
    """Print what became of the runs, or what is planned."""
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
