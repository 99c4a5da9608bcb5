"""Draws a session as a tree: each branch with its thoughts, where the one leaves the other.

A branch hangs on the thought from which it goes on. What callers have written is shown as plain
text: no markup, no control characters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from rich.text import Text
from rich.tree import Tree

from reasonloom.cli.engine import counted
from reasonloom.nodes.sessions.picture import HEAD, LEGEND, TAG, picture, plain, shortened

if TYPE_CHECKING:
    from reasonloom.nodes.sessions.picture import PicturedBranch, PicturedThought
    from reasonloom.stores.sessions.checkpoints import CheckpointRow
    from reasonloom.stores.sessions.full_sessions import WholeSession

STYLES = {"active": "bold", "completed": "green", "abandoned": "dim"}


def drawn(whole: WholeSession) -> Tree:
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
    return Text("".join(f"  {TAG} {plain(each.name)}" for each in checkpoints), style="yellow")
