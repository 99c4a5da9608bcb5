"""Draws a session as a Mermaid chart: branches with their thoughts below, checkpoints as flags.

Mermaid rejects charts of more than 50,000 characters, so the oldest thoughts of a long session are
omitted until the rest fits.
"""

from collections.abc import Iterator
from itertools import pairwise

from reasonloom.nodes.sessions.picture import (
    HEAD,
    TAG,
    PicturedBranch,
    PicturedThought,
    SessionPicture,
)
from reasonloom.stores.sessions.checkpoints import CheckpointRow
from reasonloom.text.mermaid import in_mermaid
from reasonloom.text.shortening import one_line, shortened

MOST_DRAWN = 100
"""Maximum thoughts in one chart."""

LONGEST_CHART = 45_000
LONGEST_LABEL = 48
MOST_NAMES = 3
"""Maximum checkpoints named at one place."""

STATES = ("completed", "abandoned")
LOOKS = (
    "classDef current stroke-width:3px",
    "classDef completed stroke:green,stroke-width:2px",
    "classDef abandoned stroke-dasharray:4",
    "classDef head stroke-width:3px",
)


def session_chart(picture: SessionPicture) -> tuple[str, int]:
    """Return the chart and the number of omitted thoughts, the oldest."""
    most = MOST_DRAWN
    while len(text := "\n".join(_Chart(picture, most).lines())) > LONGEST_CHART:
        most //= 2
    return text, max(0, picture.thoughts - most)


class _Chart:
    """One attempt at a chart, with the newest `most` thoughts and branches."""

    def __init__(self, picture: SessionPicture, most: int) -> None:
        every = [thought.row for branch in picture.branches for thought in branch.thoughts]
        newest = sorted(every, key=lambda each: each.position)[-most:]
        self.thoughts = {each.id: f"t{each.position}" for each in newest}
        self.left_out = len(every) - len(newest)
        self.branches = [
            branch
            for left, branch in zip(
                range(len(picture.branches), 0, -1), picture.branches, strict=True
            )
            if self._is_drawn(branch, recent=left <= most)
        ]

    def lines(self) -> Iterator[str]:
        """Yield the chart line by line."""
        yield "flowchart TD"
        if self.left_out:
            yield f'earlier["{self.left_out} earlier, not drawn"]'
        for branch in self.branches:
            yield from self._branch(branch)
        for branch in self.branches:
            yield from self._ways(branch)
        yield from LOOKS

    def _is_drawn(self, branch: PicturedBranch, *, recent: bool) -> bool:
        root = branch.row.parent_id is None
        empty = recent and not branch.thoughts
        return root or branch.is_active or empty or bool(self._own(branch))

    def _own(self, branch: PicturedBranch) -> list[PicturedThought]:
        return [each for each in branch.thoughts if each.row.id in self.thoughts]

    def _branch(self, branch: PicturedBranch) -> Iterator[str]:
        yield f'{_sign(branch)}(["{_title(branch)}"]){_look(branch)}'
        yield from _flag(branch.checkpoints, _sign(branch))
        for thought in self._own(branch):
            yield f"{self.thoughts[thought.row.id]}{_label(thought)}"
            yield from _flag(thought.checkpoints, self.thoughts[thought.row.id])

    def _ways(self, branch: PicturedBranch) -> Iterator[str]:
        """Yield the arrows into the branch, to its first drawn thought, and between thoughts."""
        sign, own = _sign(branch), self._own(branch)
        if branch.begins:
            known = self.thoughts.get(branch.begins)
            yield f"{known} --> {sign}" if known else f"earlier -.-> {sign}"
        elif self.left_out and branch.row.parent_id is None:
            yield f"{sign} -.-> earlier"
        if own:
            whole = len(own) == len(branch.thoughts)
            yield f"{sign} {'-->' if whole else '-.->'} {self.thoughts[own[0].row.id]}"
        for before, after in pairwise(own):
            yield f"{self.thoughts[before.row.id]} --> {self.thoughts[after.row.id]}"


def _sign(branch: PicturedBranch) -> str:
    return f"b{branch.row.number}"


def _look(branch: PicturedBranch) -> str:
    if branch.is_active:
        return ":::current"
    return f":::{branch.row.state}" if branch.row.state in STATES else ""


def _title(branch: PicturedBranch) -> str:
    row = branch.row
    name = in_mermaid(shortened(branch.name, LONGEST_LABEL))
    priority = f", priority {row.priority}" if row.priority else ""
    empty = "" if branch.thoughts else "<br/>no thought of its own yet"
    return f"{branch.mark} {name}<br/>{row.state}, {row.confidence:.2f}{priority}{empty}"


def _label(thought: PicturedThought) -> str:
    row = thought.row
    first = f"{row.position} · {row.confidence:.2f}{f' {HEAD}' if thought.is_head else ''}"
    label = in_mermaid(shortened(row.content, LONGEST_LABEL))
    return f'["{first}<br/>{label}"]{":::head" if thought.is_head else ""}'


def _flag(checkpoints: list[CheckpointRow], at: str) -> Iterator[str]:
    """Yield one flag for all checkpoints at a place."""
    if not checkpoints:
        return
    names = ", ".join(one_line(each.name) for each in checkpoints[:MOST_NAMES])
    more = len(checkpoints) - MOST_NAMES
    label = f"{in_mermaid(shortened(names))}{f' and {more} more' if more > 0 else ''}"
    yield f'c{checkpoints[0].number}>"{TAG} {label}"] -.-> {at}'
