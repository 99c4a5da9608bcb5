"""`reasonloom session`: the sessions of reasoning, and what one of them looks like."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer
from rich.text import Text
from rich.tree import Tree

from reasonloom.cli.engine import counted, with_engine
from reasonloom.nodes.sessions.picture import HEAD, LEGEND, TAG, picture
from reasonloom.text.shortening import one_line, shortened

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.engine import Engine
    from reasonloom.nodes.sessions.picture import PicturedBranch, PicturedThought
    from reasonloom.stores.sessions.checkpoints import CheckpointRow
    from reasonloom.stores.sessions.full_sessions import FullSession
    from reasonloom.stores.sessions.sessions import SessionRow


# A branch hangs on the thought from which it goes on. What callers have written is shown as one_line
# text: no markup, no control characters.

STYLES = {"active": "bold", "completed": "green", "abandoned": "dim"}


def session_tree(whole: FullSession) -> Tree:
    """Return the session as a tree that a console can print.

    A branch is made after the one that it leaves, so its place is there by then.
    """
    shown = picture(whole)
    session = shown.session
    title = Text.assemble(
        ("session ", "bold"), str(session.id), f"  {session.mode or 'no mode'}, ",
        f"{counted(shown.thoughts, 'thought')}, ",
        f"{counted(len(shown.branches), 'branch', 'branches')}, ",
        f"{counted(shown.checkpoints, 'checkpoint')}\n", (LEGEND, "dim"),
    )  # fmt: skip
    tree = Tree(title, guide_style="dim")
    places: dict[UUID, Tree] = {}
    for branch in shown.branches:
        place = places.get(branch.begins, tree) if branch.begins else tree
        node = place.add(_branch(branch))
        for thought in branch.thoughts:
            places[thought.row.id] = node.add(_thought(thought))
    return tree


def _branch(branch: PicturedBranch) -> Text:
    row = branch.row
    said = Text(f"{branch.mark} ", style="bold green" if branch.is_active else "")
    said.append(branch.name, style=STYLES[row.state])
    said.append(f"  {row.state}, {row.confidence:.2f}", style=STYLES[row.state])
    said.append(f", priority {row.priority}" if row.priority else "")
    said.append(f"  {row.id}", style="dim")
    if not branch.thoughts:
        said.append("  no thought of its own yet", style="dim")
    return said.append(_marks(branch.checkpoints))


def _thought(thought: PicturedThought) -> Text:
    said = Text(f"{thought.row.position:>3}  {thought.row.confidence:.2f}  ", style="cyan")
    said.append(shortened(thought.row.content), style="")
    said.append(f" {HEAD}" if thought.is_head else "", style="bold")
    return said.append(_marks(thought.checkpoints))


def _marks(checkpoints: list[CheckpointRow]) -> Text:
    return Text("".join(f"  {TAG} {one_line(each.name)}" for each in checkpoints), style="yellow")


app = typer.Typer(help="Look at sessions of reasoning.", no_args_is_help=True)
AsJson = Annotated[bool, typer.Option("--json", help="As JSON, to be read by programs.")]


@app.command("list")
def list_(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List the sessions last written to."""

    async def newest(engine: Engine, caller: Caller) -> list[SessionRow]:
        from reasonloom.stores.sessions import sessions

        async with engine.loom.database.begin(caller) as tx:
            return await sessions.newest(tx, limit)

    found = with_engine(newest)
    if as_json:
        for session in found:
            typer.echo(json.dumps(asdict(session), default=str, ensure_ascii=False))
        return
    _print_sessions(found)


@app.command()
def show(
    session: Annotated[str, typer.Argument(help="The session's id.")], as_json: AsJson = False
) -> None:
    """Draw one session: its branches, thoughts and checkpoints, and which branch is active."""

    async def read(engine: Engine, caller: Caller) -> FullSession:
        from reasonloom.stores.sessions import full_sessions

        async with engine.loom.database.begin(caller) as tx:
            return await full_sessions.read_full(tx, session, field="session")

    found = with_engine(read)
    if as_json:
        typer.echo(json.dumps(asdict(found), default=str, ensure_ascii=False, indent=2))
        return
    from rich.console import Console

    Console().print(session_tree(found))


def _print_sessions(found: list[SessionRow]) -> None:
    from rich.console import Console
    from rich.table import Column, Table

    table = Table("no.", Column("session", no_wrap=True, min_width=36), "mode", "last written to")
    for each in found:
        written = each.updated_at.strftime("%Y-%m-%d %H:%M:%S")
        table.add_row(str(each.number), str(each.id), each.mode or "", written)
    Console().print(table)
