"""`reasonloom session`: lists reasoning sessions, and draws one as a tree.

Callers' text is displayed literally: no markup, no control characters.
"""

from dataclasses import asdict
from typing import Annotated
from uuid import UUID

import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text
from rich.tree import Tree

from reasonloom.cli.arguments import AsJson
from reasonloom.cli.engine import read_rows
from reasonloom.cli.output import print_json, print_json_line
from reasonloom.nodes.sessions.picture import (
    HEAD,
    LEGEND,
    TAG,
    PicturedBranch,
    PicturedThought,
    picture,
)
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


def list_(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List the sessions last written to."""
    found = read_rows(sessions.newest, limit)
    if not as_json:
        _print_sessions(found)
        return
    for session in found:
        print_json_line(asdict(session))


def show(
    session: Annotated[str, typer.Argument(help="The session's id.")], as_json: AsJson = False
) -> None:
    """Draw one session: its branches, thoughts and checkpoints, and which branch is active."""
    found = read_rows(full_sessions.read_full, session, field="session")
    if as_json:
        print_json(asdict(found))
    else:
        Console().print(session_tree(found))


def _print_sessions(found: list[SessionRow]) -> None:
    table = Table("no.", Column("session", no_wrap=True, min_width=36), "mode", "last written to")
    for each in found:
        written = each.updated_at.strftime("%Y-%m-%d %H:%M:%S")
        table.add_row(str(each.number), str(each.id), each.mode or "", written)
    Console().print(table)
