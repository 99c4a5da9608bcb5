"""Draws a session as a tree: each branch with its thoughts, where the one leaves the other.

A branch hangs on the thought from which it goes on. What callers have written is shown as plain
text: no markup, no control characters.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING
from uuid import UUID

from rich.text import Text
from rich.tree import Tree

from reasonloom.cli.with_engine import counted

if TYPE_CHECKING:
    from reasonloom.stores.branches import BranchRow
    from reasonloom.stores.histories import WholeSession
    from reasonloom.stores.thoughts import ThoughtRow

LONGEST = 72
"""Characters of a thought that are shown."""

STYLES = {"active": "bold", "completed": "green", "abandoned": "dim"}
HEAD, TAG = "◀", "⚑"
LEGEND = f"● active branch   ○ other branch   {HEAD} head   {TAG} checkpoint   0.00 confidence"


def drawn(whole: WholeSession) -> Tree:
    """Return the session as a tree that a console can print."""
    session = whole.session
    title = Text.assemble(
        ("session ", "bold"), str(session.id), f"  {session.mode or 'no mode'}, ",
        f"{counted(len(whole.thoughts), 'thought')}, ",
        f"{counted(len(whole.branches), 'branch', 'branches')}, ",
        f"{counted(len(whole.checkpoints), 'checkpoint')}\n", (LEGEND, "dim"),
    )  # fmt: skip
    tree = Tree(title, guide_style="dim")
    _Drawing(whole).draw(tree)
    return tree


class _Drawing:
    """What is looked up while a session is drawn."""

    def __init__(self, whole: WholeSession) -> None:
        self.active = whole.session.active_branch_id
        self.branches = whole.branches
        self.thoughts: dict[UUID, list[ThoughtRow]] = defaultdict(list)
        for thought in whole.thoughts:
            self.thoughts[thought.branch_id or whole.session.id].append(thought)
        self.tags: dict[UUID | None, list[str]] = defaultdict(list)
        for checkpoint in whole.checkpoints:
            self.tags[checkpoint.head_id].append(plain(checkpoint.name))

    def draw(self, tree: Tree) -> None:
        """Add every branch below the thought from which it goes on, in the order of their making.

        A branch is made after the one that it leaves, so its place is there by then.
        """
        places: dict[UUID, Tree] = {}
        for branch in self.branches:
            own = self.thoughts[branch.id]
            begins = own[0].parent_id if own else branch.head_id
            place = places.get(begins, tree) if begins else tree
            node = place.add(self.branch(branch))
            for thought in own:
                places[thought.id] = node.add(self.thought(thought, branch))

    def branch(self, branch: BranchRow) -> Text:
        is_active = branch.id == self.active
        said = Text("● " if is_active else "○ ", style="bold green" if is_active else "")
        said.append(plain(branch.name or str(branch.id)), style=STYLES[branch.state])
        said.append(f"  {branch.state}, {branch.confidence:.2f}", style=STYLES[branch.state])
        said.append(f", priority {branch.priority}" if branch.priority else "")
        said.append(f"  {branch.id}", style="dim")
        if not self.thoughts[branch.id]:
            said.append("  no thought of its own yet", style="dim")
        if branch.parent_id is None:
            said.append(self._marks(None))  # checkpoints from before the first thought
        return said

    def thought(self, thought: ThoughtRow, branch: BranchRow) -> Text:
        said = Text(f"{thought.position:>3}  {thought.confidence:.2f}  ", style="cyan")
        said.append(shortened(thought.content), style="")
        said.append(f" {HEAD}" if thought.id == branch.head_id else "", style="bold")
        said.append(self._marks(thought.id))
        return said

    def _marks(self, thought_id: UUID | None) -> Text:
        return Text("".join(f"  {TAG} {name}" for name in self.tags[thought_id]), style="yellow")


def plain(text: str) -> str:
    """Return a text on one line, each character that cannot be printed as a blank."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def shortened(text: str) -> str:
    """Return the beginning of a text, on one line."""
    line = plain(text[: 4 * LONGEST])
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1].rstrip()}…"
