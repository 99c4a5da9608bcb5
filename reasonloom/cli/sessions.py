"""`reasonloom session`: the sessions of reasoning, and what one of them looks like."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from reasonloom.cli.engine import with_engine

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.engine import Engine
    from reasonloom.stores.sessions.full_sessions import WholeSession
    from reasonloom.stores.sessions.sessions import SessionRow

app = typer.Typer(help="Look at sessions of reasoning.", no_args_is_help=True)
AsJson = Annotated[bool, typer.Option("--json", help="As JSON, to be read by programs.")]


@app.command("list")
def list_(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List the sessions last written to."""

    async def newest(engine: Engine, caller: Caller) -> list[SessionRow]:
        from reasonloom.stores.sessions import sessions  # noqa: PLC0415

        async with engine.loom.database.begin(caller) as tx:
            return await sessions.newest(tx, limit)

    found = with_engine(newest)
    if as_json:
        for session in found:
            typer.echo(json.dumps(asdict(session), default=str, ensure_ascii=False))
        return
    _draw_list(found)


@app.command()
def show(
    session: Annotated[str, typer.Argument(help="The session's id.")], as_json: AsJson = False
) -> None:
    """Draw one session: its branches, thoughts and checkpoints, and which branch is active."""

    async def read(engine: Engine, caller: Caller) -> WholeSession:
        from reasonloom.stores.sessions import full_sessions  # noqa: PLC0415

        async with engine.loom.database.begin(caller) as tx:
            return await full_sessions.whole(tx, session, field="session")

    found = with_engine(read)
    if as_json:
        typer.echo(json.dumps(asdict(found), default=str, ensure_ascii=False, indent=2))
        return
    from rich.console import Console  # noqa: PLC0415

    from reasonloom.cli.session_tree import drawn  # noqa: PLC0415

    Console().print(drawn(found))


def _draw_list(found: list[SessionRow]) -> None:
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Column, Table  # noqa: PLC0415

    table = Table("no.", Column("session", no_wrap=True, min_width=36), "mode", "last written to")
    for each in found:
        written = each.updated_at.strftime("%Y-%m-%d %H:%M:%S")
        table.add_row(str(each.number), str(each.id), each.mode or "", written)
    Console().print(table)
