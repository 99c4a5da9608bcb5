"""`reasonloom runs`: what was called, what it took, and what can be taken up again."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from reasonloom.cli.arguments import parse_versions
from reasonloom.cli.engine import with_engine
from reasonloom.nodes.runs.answer_diff import answer_statements, difference

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.engine import Engine
    from reasonloom.stores.runs.runs import RunRow


app = typer.Typer(help="Look at runs and take them up again.", no_args_is_help=True)
T = TypeVar("T")


@app.command("list")
def list_(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """List the newest runs."""

    async def newest(engine: Engine, caller: Caller) -> list[RunRow]:
        from reasonloom.stores.runs import runs  # noqa: PLC0415

        async with engine.loom.database.begin(caller) as tx:
            return await runs.newest(tx, limit)

    found = _with_engine(newest)
    if as_json:
        for run in found:
            typer.echo(json.dumps(asdict(run), default=str, ensure_ascii=False))
        return
    _print_runs(found)


@app.command()
def show(run: Annotated[str, typer.Argument(help="The run's id.")]) -> None:
    """Show one run with the calls of the language model that it made, as JSON."""

    async def one(engine: Engine, caller: Caller) -> dict[str, Any]:
        from reasonloom.graphs.runs.recovery import find_run  # noqa: PLC0415
        from reasonloom.stores.runs import runs  # noqa: PLC0415

        row = await find_run(engine, caller, run)
        async with engine.loom.database.begin(caller) as tx:
            calls = await runs.calls_of(tx, [row.id])
        return {**asdict(row), "llm_calls": calls[row.id]}

    typer.echo(json.dumps(_with_engine(one), default=str, ensure_ascii=False, indent=2))


@app.command()
def resume(run: Annotated[str, typer.Argument(help="The run's id.")]) -> None:
    """Take up an unfinished run where it stopped, and print its answer."""

    async def again(engine: Engine, caller: Caller) -> dict[str, Any]:
        from reasonloom.graphs.runs.recovery import resume_run  # noqa: PLC0415

        return (await resume_run(engine, caller, run)).answer

    typer.echo(json.dumps(_with_engine(again), ensure_ascii=False, indent=2))


def _with_engine(work: Callable[[Engine, Caller], Awaitable[T]]) -> T:
    async def run() -> T:
        from reasonloom.compose import open_engine  # noqa: PLC0415
        from reasonloom.contracts.caller import Caller  # noqa: PLC0415
        from reasonloom.settings import load_settings  # noqa: PLC0415

        settings = load_settings()
        async with open_engine(settings, recover=False) as engine:
            return await work(engine, Caller(settings.user))

    return asyncio.run(run())


def _print_runs(found: list[RunRow]) -> None:
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Column, Table  # noqa: PLC0415

    table = Table("began", Column("run", no_wrap=True, min_width=36), "tool", "status", "ms", "llm")
    for run in found:
        took = f"{run.latency_ms:.1f}" if run.latency_ms is not None else ""
        began = run.created_at.strftime("%m-%d %H:%M:%S")
        table.add_row(began, str(run.id), run.tool, run.status, took, run.llm or "")
    Console().print(table)


STYLES = {"+": "green", "-": "red", "@": "cyan"}


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

    async def work(engine: Engine, caller: Caller) -> dict[str, Any]:
        return await _compare_fork(engine, caller, run, at, prompts)

    found = with_engine(work, llm=llm)
    if as_json:
        typer.echo(json.dumps(found, default=str, ensure_ascii=False, indent=2))
        return
    _print_fork(found)


async def _compare_fork(
    engine: Engine, caller: Caller, run: str, at: str, prompts: dict[str, int]
) -> dict[str, Any]:
    from reasonloom.graphs.runs.fork import Fork  # noqa: PLC0415
    from reasonloom.graphs.runs.recovery import find_run  # noqa: PLC0415

    row = await find_run(engine, caller, run)
    outcome = await engine.fork(caller.within(row.space or None), row, Fork(at, prompts))
    origin = await _run_summary(engine, caller, run)
    again = await _run_summary(engine, caller, str(outcome.run_id))
    asked = {call["prompt"] for call in again["prompts"]}
    unused = [f"the fork did not ask {name}" for name in prompts if name not in asked]
    return {
        "at": at,
        "origin": origin,
        "fork": again,
        "difference": difference(origin["answer"], again["answer"]),
        "notes": [*outcome.notes, *unused],
    }


async def _run_summary(engine: Engine, caller: Caller, run: str) -> dict[str, Any]:
    """Return what a run used and answered."""
    from reasonloom.graphs.runs.recovery import find_run  # noqa: PLC0415
    from reasonloom.stores.runs import runs  # noqa: PLC0415

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
    from rich.console import Console  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    console = Console(soft_wrap=True)
    for name in ("origin", "fork"):
        told = found[name]
        prompts = ", ".join(_prompt_counts(told["prompts"]))
        head = f"{name}  {told['run_id']}  {told['status']}  {told['llm']}  {prompts}"
        console.print(Text(head, style="bold"))
        text = (
            told["error"]["message"]
            if told["error"]
            else "\n".join(answer_statements(told["answer"]))
        )
        console.print(Text(_plain(text)), "")
    console.print(Text("difference", style="bold"))
    for line in found["difference"] or ["none: both say the same"]:
        console.print(Text(_plain(line), style=STYLES.get(line[:1], "")))
    for note in found["notes"]:
        console.print(Text(f"note: {_plain(note)}", style="dim"))


def _prompt_counts(calls: list[dict[str, Any]]) -> list[str]:
    """Return each prompt with its version, and how often it was asked."""
    counts = Counter(f"{call['prompt']} v{call['version']}" for call in calls)
    return [f"{name} x{count}" if count > 1 else name for name, count in counts.items()]


def _plain(text: str) -> str:
    """Return a text without what would steer a terminal."""
    return "".join(each for each in text if each.isprintable() or each == "\n")
