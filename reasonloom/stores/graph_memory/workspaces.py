"""Workspaces, numbered per owner, and the memory files in them, numbered per workspace."""

import re
from dataclasses import dataclass
from uuid import UUID

from reasonloom.errors import InvalidArgument, WorkspaceNotFound
from reasonloom.stores.database import Transaction
from reasonloom.stores.statements import load

PREFIX = "ws_"
NAMED = re.compile(rf"{PREFIX}[1-9][0-9]{{0,17}}", re.ASCII)
CONTEXT_PREFIX = "ctx_"
MOST_CONTEXTS = 50

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class WorkspaceRow:
    """A workspace of the owner."""

    number: int
    name: str

    @property
    def id(self) -> str:
        """Its public id, such as `ws_1`."""
        return f"{PREFIX}{self.number}"


@dataclass(frozen=True, slots=True)
class ContextRow:
    """A memory file of a workspace; `path` is relative to the folder of memory files."""

    number: int
    path: str
    role: str
    label: str

    @property
    def id(self) -> str:
        """Its id within the workspace, such as `ctx_1`."""
        return f"{CONTEXT_PREFIX}{self.number}"


async def create(tx: Transaction, effect: UUID, name: str) -> WorkspaceRow:
    """Create a workspace with the owner's next number, once per `effect`."""
    await tx.run(SQL.hold)
    await tx.run(SQL.create, {"name": name, "effect": effect})
    row = await tx.one(SQL.created, {"effect": effect})
    return WorkspaceRow(row.number, row.name)


async def require(tx: Transaction, workspace_id: str, *, hold: bool = False) -> WorkspaceRow:
    """Return a workspace, with `hold` locked until the transaction ends.

    Raises:
        WorkspaceNotFound: the owner has no such workspace, or the id is malformed.
    """
    named = NAMED.fullmatch(workspace_id)
    row = named and await tx.first(
        SQL.hold_workspace if hold else SQL.find, {"number": int(workspace_id.removeprefix(PREFIX))}
    )
    if not row:
        raise WorkspaceNotFound(workspace_id, field="workspace_id")
    return WorkspaceRow(row.number, row.name)


async def contexts(tx: Transaction, workspace: WorkspaceRow) -> list[ContextRow]:
    """Return the files of a workspace in the order they were added."""
    return await tx.rows(ContextRow, SQL.contexts, {"workspace": workspace.number})


async def put(
    tx: Transaction, workspace: WorkspaceRow, path: str, *, role: str | None, label: str | None
) -> tuple[ContextRow, bool]:
    """Add a file to a locked workspace; return it and whether it was there already.

    An existing file gets the given role and label. A new one is primary by default and labelled
    with its file name.

    Raises:
        InvalidArgument: the workspace has the maximum number of files.
    """
    there = await contexts(tx, workspace)
    known = next((each for each in there if each.path == path), None)
    if known is None and len(there) >= MOST_CONTEXTS:
        raise InvalidArgument(
            f"path: a workspace has at most {MOST_CONTEXTS} files; make another", field="path"
        )
    values = {
        "workspace": workspace.number,
        "path": path,
        "role": role or (known.role if known else "primary"),
        "label": label or (known.label if known else _name_of(path)),
    }
    await tx.run(SQL.change if known else SQL.add, values)
    return next(each for each in await contexts(tx, workspace) if each.path == path), bool(known)


def _name_of(path: str) -> str:
    return path.rsplit("/", 1)[-1].rsplit(".", 1)[0] or path
