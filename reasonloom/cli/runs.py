"""`reasonloom runs`: what was called, what it took, and what can be taken up again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

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
    _draw(found)


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


def _draw(found: list[RunRow]) -> None:
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Column, Table  # noqa: PLC0415

    table = Table("began", Column("run", no_wrap=True, min_width=36), "tool", "status", "ms", "llm")
    for run in found:
        took = f"{run.latency_ms:.1f}" if run.latency_ms is not None else ""
        began = run.created_at.strftime("%m-%d %H:%M:%S")
        table.add_row(began, str(run.id), run.tool, run.status, took, run.llm or "")
    Console().print(table)
