"""`reasonloom session`: lists reasoning sessions, and draws one as a tree.

Callers' text is displayed literally: no markup, no control characters.
"""

from dataclasses import asdict
from typing import Annotated
from uuid import UUID

import typer
from rich.table import Column, Table
from rich.text import Text
from rich.tree import Tree

from reasonloom.cli.arguments import AsJson, Limit
from reasonloom.cli.engine import read_rows
from reasonloom.cli.output import (
    display_id,
    print_json,
    print_lines,
    print_rows,
    print_table,
    right_aligned,
)
from reasonloom.nodes.sessions.picture import (
    HEAD,
    LEGEND,
    TAG,
    PicturedBranch,
    PicturedThought,
    picture,
)
from reasonloom.stores.database import Transaction
from reasonloom.stores.identifiers import complete_id
from reasonloom.stores.sessions import full_sessions, sessions
from reasonloom.stores.sessions.checkpoints import CheckpointRow
from reasonloom.stores.sessions.full_sessions import FullSession
from reasonloom.stores.sessions.sessions import SessionRow
from reasonloom.text.plurals import counted
from reasonloom.text.shortening import one_line, shortened

STYLES = {"active": "bold", "completed": "green", "abandoned": "dim"}


def session_tree(whole: FullSession) -> Tree:
    """Return the session as a tree: a branch is a child of the thought from which it continues.

    A branch follows the branch it forks from, so that thought is already in the tree.
    """
    view = picture(whole)
    session = view.session
    title = Text.assemble(
        ("session ", "bold"), str(session.id), f"  {session.mode or 'no mode'}, ",
        f"{counted(view.thoughts, 'thought')}, ",
        f"{counted(len(view.branches), 'branch', 'branches')}, ",
        f"{counted(view.checkpoints, 'checkpoint')}\n", (LEGEND, "dim"),
    )  # fmt: skip
    tree = Tree(title, guide_style="dim")
    places: dict[UUID, Tree] = {}
    for branch in view.branches:
        place = places.get(branch.begins, tree) if branch.begins else tree
        node = place.add(_branch(branch))
        for thought in branch.thoughts:
            places[thought.row.id] = node.add(_thought(thought))
    return tree


def _branch(branch: PicturedBranch) -> Text:
    row = branch.row
    text = Text(f"{branch.mark} ", style="bold green" if branch.is_active else "")
    text.append(branch.name, style=STYLES[row.state])
    text.append(f"  {row.state}, {row.confidence:.2f}", style=STYLES[row.state])
    text.append(f", priority {row.priority}" if row.priority else "")
    text.append(f"  {row.id}", style="dim")
    if not branch.thoughts:
        text.append("  no thought of its own yet", style="dim")
    return text.append(_marks(branch.checkpoints))


def _thought(thought: PicturedThought) -> Text:
    text = Text(f"{thought.row.position:>3}  {thought.row.confidence:.2f}  ", style="cyan")
    text.append(shortened(thought.row.content), style="")
    text.append(f" {HEAD}" if thought.is_head else "", style="bold")
    return text.append(_marks(thought.checkpoints))


def _marks(checkpoints: list[CheckpointRow]) -> Text:
    return Text("".join(f"  {TAG} {one_line(each.name)}" for each in checkpoints), style="yellow")


def list_(limit: Limit = 20, as_json: AsJson = False) -> None:
    """List sessions, most recently updated first."""
    found = read_rows(sessions.newest, limit)
    print_rows(map(asdict, found), lambda: _print_sessions(found), as_json=as_json)


def show(
    session: Annotated[str, typer.Argument(help="The session's id, or a prefix of it.")],
    as_json: AsJson = False,
) -> None:
    """Draw a session as a tree of branches, thoughts and checkpoints."""
    found = read_rows(_full_session, session)
    if as_json:
        print_json(asdict(found))
    else:
        print_lines(session_tree(found))


async def _full_session(tx: Transaction, given: str) -> FullSession:
    session = await complete_id(tx, "sessions", given, field="session")
    return await full_sessions.read_full(tx, session, field="session")


def _print_sessions(found: list[SessionRow]) -> None:
    if not found:
        typer.echo("no sessions yet")
        return
    table = Table(
        *right_aligned("no."),
        Column("session", no_wrap=True),
        Column("updated", no_wrap=True),
        "mode",
    )
    for each in found:
        updated = each.updated_at.astimezone().strftime("%Y-%m-%d %H:%M:%S")
        table.add_row(str(each.number), display_id(each.id), updated, each.mode or "")
    print_table(table)
