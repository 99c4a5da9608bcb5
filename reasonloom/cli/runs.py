"""`reasonloom runs`: list, show, resume and fork runs."""

from collections import Counter
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from reasonloom.cli.arguments import parse_versions
from reasonloom.cli.engine import read_rows, with_engine
from reasonloom.cli.output import print_json, print_json_line, printable
from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.engine import Engine
from reasonloom.graphs.runs.fork import Fork
from reasonloom.graphs.runs.recovery import find_run, resume_run
from reasonloom.nodes.runs.answer_diff import answer_statements, difference
from reasonloom.stores.runs import runs
from reasonloom.stores.runs.runs import RunRow

STYLES = {"+": "green", "-": "red", "@": "cyan"}


def list_(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """List the newest runs."""
    found = read_rows(runs.newest, limit)
    if not as_json:
        _print_runs(found)
        return
    for run in found:
        print_json_line(asdict(run))


def show(run: Annotated[str, typer.Argument(help="The run's id.")]) -> None:
    """Show one run with the calls of the language model that it made, as JSON."""

    async def one(engine: Engine, caller: Caller) -> dict[str, Any]:
        row = await find_run(engine, caller, run)
        async with engine.loom.database.begin(caller) as tx:
            calls = await runs.calls_of(tx, [row.id])
        return {**asdict(row), "llm_calls": calls[row.id]}

    print_json(with_engine(one))


def resume(run: Annotated[str, typer.Argument(help="The run's id.")]) -> None:
    """Take up an unfinished run where it stopped, and print its answer."""

    async def again(engine: Engine, caller: Caller) -> dict[str, Any]:
        return (await resume_run(engine, caller, run)).answer

    print_json(with_engine(again))


def _print_runs(found: list[RunRow]) -> None:
    table = Table("began", Column("run", no_wrap=True, min_width=36), "tool", "status", "ms", "llm")
    for run in found:
        took = f"{run.latency_ms:.1f}" if run.latency_ms is not None else ""
        began = run.created_at.strftime("%m-%d %H:%M:%S")
        table.add_row(began, str(run.id), run.tool, run.status, took, run.llm or "")
    Console().print(table)


def fork(
    run: Annotated[str, typer.Argument(help="The run's id.")],
    at: Annotated[str, typer.Option("--at", help="The node from which on it is run again.")],
    prompt: Annotated[
        list[str] | None,
        typer.Option("--prompt", metavar="NAME=VERSION", help="Version of a prompt; repeatable."),
    ] = None,
    llm: Annotated[str | None, typer.Option("--llm", help="Model, as REASONLOOM_LLM.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As one JSON object.")] = False,
) -> None:
    """Run a saved run again from before a node; the origin stays, and both are compared."""
    prompts = dict(parse_versions(prompt or []))
    found = with_engine(
        lambda engine, caller: _compare_fork(engine, caller, run, at, prompts), llm=llm
    )
    if as_json:
        print_json(found)
    else:
        _print_fork(found)


async def _compare_fork(
    engine: Engine, caller: Caller, run: str, at: str, prompts: dict[str, int]
) -> dict[str, Any]:
    row = await find_run(engine, caller, run)
    outcome = await engine.fork(caller.within(row.space or None), row, Fork(at, prompts))
    origin = await _run_summary(engine, caller, run)
    again = await _run_summary(engine, caller, str(outcome.run_id))
    used = {call["prompt"] for call in again["prompts"]}
    unused = [f"the fork did not ask {name}" for name in prompts if name not in used]
    return {
        "at": at,
        "origin": origin,
        "fork": again,
        "difference": difference(origin["answer"], again["answer"]),
        "notes": [*outcome.notes, *unused],
    }


async def _run_summary(engine: Engine, caller: Caller, run: str) -> dict[str, Any]:
    """Return what a run used, and its answer or error."""
    row = await find_run(engine, caller, run)
    async with engine.loom.database.begin(caller) as tx:
        calls = (await runs.calls_of(tx, [row.id]))[row.id]
    return {
        "run_id": str(row.id),
        "tool": row.tool,
        "status": row.status,
        "llm": row.llm,
        "prompts": [
            {"prompt": call["prompt"], "version": call["prompt_version"], "model": call["model"]}
            for call in calls
        ],
        "answer": (row.output or {}).get("answer"),
        "error": row.error,
    }


def _print_fork(found: dict[str, Any]) -> None:
    console = Console(soft_wrap=True)
    for name in ("origin", "fork"):
        run = found[name]
        prompts = ", ".join(_prompt_counts(run["prompts"]))
        head = f"{name}  {run['run_id']}  {run['status']}  {run['llm']}  {prompts}"
        console.print(Text(head, style="bold"))
        answer = "\n".join(answer_statements(run["answer"]))
        text = run["error"]["message"] if run["error"] else answer
        console.print(Text(printable(text, keep="\n")), "")
    console.print(Text("difference", style="bold"))
    for line in found["difference"] or ["none: both say the same"]:
        console.print(Text(printable(line, keep="\n"), style=STYLES.get(line[:1], "")))
    for note in found["notes"]:
        console.print(Text(printable(f"note: {note}", keep="\n"), style="dim"))


def _prompt_counts(calls: list[dict[str, Any]]) -> list[str]:
    """Return each prompt with its version and the number of its calls."""
    counts = Counter(f"{call['prompt']} v{call['version']}" for call in calls)
    return [f"{name} x{count}" if count > 1 else name for name, count in counts.items()]
