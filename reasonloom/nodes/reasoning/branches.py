"""How branches and checkpoints are shown in answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

if TYPE_CHECKING:
    from reasonloom.stores.sessions.branches import BranchRow
    from reasonloom.stores.sessions.checkpoints import CheckpointRow


def shown_branch(branch: BranchRow, active: UUID) -> dict[str, Any]:
    """Return a branch's fields as answers show them; `active` is the session's active branch."""
    return {
        "id": str(branch.id),
        "session_id": str(branch.session_id),
        "name": branch.name,
        "parent_id": str(branch.parent_id) if branch.parent_id else None,
        "state": branch.state,
        "confidence": branch.confidence,
        "priority": branch.priority,
        "head_thought_id": str(branch.head_id) if branch.head_id else None,
        "active": branch.id == active,
        "created_at": branch.created_at.isoformat(),
        "updated_at": branch.updated_at.isoformat(),
    }


def shown_checkpoint(checkpoint: CheckpointRow) -> dict[str, Any]:
    """Return a checkpoint's fields as answers show them, without its snapshot."""
    return {
        "id": str(checkpoint.id),
        "session_id": str(checkpoint.session_id),
        "branch_id": str(checkpoint.branch_id),
        "thought_id": str(checkpoint.head_id) if checkpoint.head_id else None,
        "name": checkpoint.name,
        "description": checkpoint.description,
        "created_at": checkpoint.created_at.isoformat(),
    }
