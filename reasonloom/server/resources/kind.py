"""A kind of resource: its name, the toolset it belongs to, and the module that reads it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.engine import Engine
    from reasonloom.stores.overview import Latest

SCHEME = "reasonloom"
MIME_TYPE = "text/markdown"
MAX_TITLE = 60


@dataclass(frozen=True, slots=True)
class Listed:
    """One resource in a listing: its id, its title, and when it last changed."""

    id: str
    title: str
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of resource, at `reasonloom://<name>/{id}`, or at `reasonloom://<name>`.

    Attributes:
        toolset: the kind is served with any tool of this toolset; `all` means any toolset.
        module: the module of this package with the coroutines `read_<name>`, `newest_<name>` and
            optionally `<name>_json`; imported on first use, so that tools are listed sooner.
        single: each caller has exactly one, whose id is the kind's name.
        has_json: it can also be read as JSON, which is never truncated.
    """

    name: str
    title: str
    description: str
    toolset: str
    module: str
    single: bool = False
    has_json: bool = False

    async def read(self, engine: Engine, caller: Caller, identifier: str) -> str:
        """Return the page of one resource.

        Raises:
            NotFound: the caller has no resource with this id.
        """
        return cast("str", await self._function(f"read_{self.name}")(engine, caller, identifier))

    async def read_json(self, engine: Engine, caller: Caller, identifier: str) -> str:
        """Return the resource as JSON for programs."""
        return cast("str", await self._function(f"{self.name}_json")(engine, caller, identifier))

    async def newest(self, engine: Engine, caller: Caller, limit: int) -> list[Listed]:
        """Return the caller's newest resources, at most `limit`."""
        found = await self._function(f"newest_{self.name}")(engine, caller, limit)
        return cast("list[Listed]", found)

    def _function(self, name: str) -> Any:
        return getattr(import_module(f"{__package__}.{self.module}"), name)

    @property
    def template(self) -> str:
        """The URI template that clients fill in."""
        return self.uri("{id}")

    def uri(self, identifier: str) -> str:
        """Return the URI of one resource."""
        return f"{SCHEME}://{self.name}" + ("" if self.single else f"/{identifier}")

    def id_in(self, uri: str) -> str | None:
        """Return the id in a URI of this kind, None for any other URI."""
        if self.single:
            return self.name if uri == self.uri(self.name) else None
        start = self.uri("")
        return uri[len(start) :] if uri.startswith(start) and len(uri) > len(start) else None


def titled(rows: Iterable[Latest]) -> list[Listed]:
    """Return rows as a listing, each titled with its kind and the start of its text."""
    return [Listed(row.id, f"{row.kind}: {short_title(row.about)}", row.at) for row in rows]


def short_title(text: str) -> str:
    """Return the start of a text as one printable line."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return f"{line[:MAX_TITLE]}…" if len(line) > MAX_TITLE else line
