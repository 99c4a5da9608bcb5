"""Builds the view model for drawing a session: branches, heads and checkpoints.

Shared by the console tree and the Markdown page. Callers' texts are not sanitised, except for
branch names; use `text.shortening` to reduce them to one line without control characters.
"""

from collections import defaultdict
from dataclasses import dataclass
from uuid import UUID

from reasonloom.stores.sessions.branches import BranchRow
from reasonloom.stores.sessions.checkpoints import CheckpointRow
from reasonloom.stores.sessions.full_sessions import FullSession
from reasonloom.stores.sessions.sessions import SessionRow
from reasonloom.stores.sessions.thoughts import ThoughtRow
from reasonloom.text.shortening import one_line

HEAD, TAG, ACTIVE, OTHER = "◀", "⚑", "●", "○"
LEGEND = (
    f"{ACTIVE} active branch   {OTHER} other branch   {HEAD} head   {TAG} checkpoint   "
    "0.00 confidence"
)
MEASURES = ("score", "votes", "check", "novelty_score")
"""Metadata keys under which modes record the evaluation of a thought."""


@dataclass(frozen=True, slots=True)
class PicturedThought:
    """A thought: whether it is the head of its branch, and its checkpoints.

    `judged` holds the recorded `MEASURES`.
    """

    row: ThoughtRow
    is_head: bool
    checkpoints: list[CheckpointRow]
    judged: dict[str, str | float]


@dataclass(frozen=True, slots=True)
class PicturedBranch:
    """A branch with its own thoughts, in order.

    `begins` is the thought that it forks from, None if it starts with the session; `checkpoints`
    are those set before the first thought, on the root branch only.
    """

    row: BranchRow
    name: str
    is_active: bool
    begins: UUID | None
    thoughts: list[PicturedThought]
    checkpoints: list[CheckpointRow]

    @property
    def mark(self) -> str:
        """The symbol for an active or inactive branch."""
        return ACTIVE if self.is_active else OTHER


@dataclass(frozen=True, slots=True)
class SessionPicture:
    """A session to draw; each branch comes after the one that it forks from."""

    session: SessionRow
    branches: list[PicturedBranch]
    thoughts: int
    checkpoints: int


def picture(whole: FullSession) -> SessionPicture:
    """Return the picture of a session."""
    thoughts: dict[UUID, list[ThoughtRow]] = defaultdict(list)
    for thought in whole.thoughts:
        thoughts[thought.branch_id or whole.session.id].append(thought)
    set_at: dict[UUID | None, list[CheckpointRow]] = defaultdict(list)
    for checkpoint in whole.checkpoints:
        set_at[checkpoint.head_id].append(checkpoint)
    return SessionPicture(
        whole.session,
        [_branch(whole, each, thoughts[each.id], set_at) for each in whole.branches],
        len(whole.thoughts),
        len(whole.checkpoints),
    )


def _branch(
    whole: FullSession,
    row: BranchRow,
    own: list[ThoughtRow],
    set_at: dict[UUID | None, list[CheckpointRow]],
) -> PicturedBranch:
    return PicturedBranch(
        row,
        name=one_line(row.name or str(row.id)),
        is_active=row.id == whole.session.active_branch_id,
        begins=own[0].parent_id if own else row.head_id,
        thoughts=[
            PicturedThought(each, each.id == row.head_id, set_at[each.id], _judged(each))
            for each in own
        ],
        checkpoints=set_at[None] if row.parent_id is None else [],
    )


def _judged(thought: ThoughtRow) -> dict[str, str | float]:
    noted = {name: thought.metadata.get(name) for name in MEASURES}
    return {name: value for name, value in noted.items() if isinstance(value, str | int | float)}
