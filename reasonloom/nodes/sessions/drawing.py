"""The steps of a session as JSON, which the element `loom-lanes` draws."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from reasonloom.nodes.sessions.picture import PicturedBranch, PicturedThought, SessionPicture
from reasonloom.text.shortening import shortened

LONGEST, LONGEST_MARK = 150, 24
"""Maximum characters of a step's text, and of a mark on it."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step with its branch, and the lane of that branch."""

    thought: PicturedThought
    branch: PicturedBranch
    lane: int


def steps_of(picture: SessionPicture) -> list[Step]:
    """Return all steps in the order in which they were stored."""
    found = [
        Step(thought, branch, lane)
        for lane, branch in enumerate(picture.branches)
        for thought in branch.thoughts
    ]
    return sorted(found, key=lambda step: step.thought.row.position)


def lanes_drawing(steps: Sequence[Step], lanes: int, chosen: UUID | None = None) -> dict[str, Any]:
    """Return what is drawn of these steps, which may be a part of the session's."""
    rows = {step.thought.row.id: row for row, step in enumerate(steps)}
    return {
        "lanes": lanes,
        "chosen": str(chosen) if chosen else None,
        "steps": [_drawn(step, rows) for step in steps],
    }


def _drawn(step: Step, rows: Mapping[UUID, int]) -> dict[str, Any]:
    row = step.thought.row
    parent = rows.get(row.parent_id) if row.parent_id else None
    return {
        "id": str(row.id),
        "position": row.position,
        "lane": step.lane,
        "parent": parent,
        "beyond": row.parent_id is not None and parent is None,
        "head": step.thought.is_head,
        "text": shortened(row.content or row.input, LONGEST),
        "marks": list(_marks(step)),
        "sure": _sure(step),
    }


def _marks(step: Step) -> Iterator[tuple[str, str]]:
    """Yield texts with their tones: checkpoints, and the branch whose head the step is."""
    for each in step.thought.checkpoints:
        yield f"⚑ {shortened(each.name, LONGEST_MARK)}", "warn"
    if step.thought.is_head:
        name = "main" if step.branch.row.parent_id is None and not step.branch.row.name else ""
        head = shortened(name or step.branch.name, LONGEST_MARK)
        yield f"{step.branch.mark} {head}", "own" if step.branch.is_active else "quiet"


def _sure(step: Step) -> str:
    score = step.thought.judged.get("score")
    value = f"{score:.2f}" if isinstance(score, float) else score
    judged = [] if score is None else [f"score {value}"]
    return " · ".join([*judged, f"sure {step.thought.row.confidence:.2f}"])
