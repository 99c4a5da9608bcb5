"""What a kind of resource declares: its name, who may see it served, how it is read and listed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.engine import Engine
    from reasonloom.stores.overview import Latest


SCHEME = "reasonloom"


@dataclass(frozen=True, slots=True)
class Listed:
    """One resource as it is listed: its id, what to call it, when it last changed."""

    id: str
    title: str
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of resource, at `reasonloom://<name>/{id}`, or at `reasonloom://<name>`.

    Attributes:
        single: each caller has one, without an id; what is read and listed has its name for it.
        toolset: the toolset of whose tools at least one must be served beside it; `all` is any.
        read: returns the text of one; raises `NotFound` for an id that the caller does not have.
        newest: returns the caller's newest, so many at most.
        in_json: returns the same one as JSON for programs, never cut; None where there is none.
    """

    name: str
    title: str
    description: str
    mime_type: str
    toolset: str
    read: Callable[[Engine, Caller, str], Awaitable[str]]
    newest: Callable[[Engine, Caller, int], Awaitable[list[Listed]]]
    single: bool = False
    in_json: Callable[[Engine, Caller, str], Awaitable[str]] | None = None

    @property
    def template(self) -> str:
        """The URI template that clients fill in."""
        return self.uri("{id}")

    def uri(self, identifier: str) -> str:
        """Return the URI of one."""
        return f"{SCHEME}://{self.name}" + ("" if self.single else f"/{identifier}")

    def id_in(self, uri: str) -> str | None:
        """Return the id that a URI of this kind names, None where it is of no such form."""
        if self.single:
            return self.name if uri == self.uri(self.name) else None
        start = self.uri("")
        return uri[len(start) :] if uri.startswith(start) and len(uri) > len(start) else None


LONGEST_TITLE = 60


def titled(rows: Iterable[Latest]) -> list[Listed]:
    """Return rows as they are listed, each titled by its kind and the beginning of its text."""
    return [Listed(row.id, f"{row.kind}: {_beginning(row.about)}", row.at) for row in rows]


def _beginning(text: str) -> str:
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return f"{line[:LONGEST_TITLE]}…" if len(line) > LONGEST_TITLE else line
