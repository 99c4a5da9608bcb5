"""What a page may use: the visitor's own rows, and calls of tools in their name."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reasonloom.contracts.caller import Caller
from reasonloom.server.auth.scopes import allows, scope_of
from reasonloom.studio.auth.visitor import NotPermitted, SignedOut, Visitor

if TYPE_CHECKING:
    from reasonloom.contracts.base import Request
    from reasonloom.graphs.runs.engine import Engine
    from reasonloom.graphs.runs.graphs_call import Outcome
    from reasonloom.server.engine_lifespan import EngineRoom
    from reasonloom.settings import Settings
    from reasonloom.stores.database import Transaction

CLIENT = "studio"


@dataclass(frozen=True, slots=True)
class Desk:
    """One visitor at one page; `toolset` is whose data the page shows, `all` for any.

    Who the visitor is gets asked at each use: a token that was revoked while a page is open ends
    what the page can see.
    """

    room: EngineRoom
    visitor: Visitor
    toolset: str

    @property
    def settings(self) -> Settings:
        """The settings of this process."""
        return self.room.settings

    async def engine(self) -> Engine:
        """Return the engine.

        Raises:
            DatabaseUnavailable: it cannot be opened now.
        """
        return await self.room.engine()

    async def caller(self, *, reads: bool = True) -> Caller:
        """Return who looks at the page.

        Raises:
            SignedOut: the visitor's token holds no longer.
            NotPermitted: it does not allow what this page does.
        """
        token = await self.visitor.token()
        settings = self.settings
        if token is None:
            return Caller(settings.user, client=CLIENT, project=settings.project)
        needed = scope_of(self.toolset, reads=reads)
        if not allows(token.scopes, needed):
            raise NotPermitted(f"your token does not allow {needed}", field="token")
        return Caller(
            str(token.subject), client=CLIENT, authenticated=True, project=settings.project
        )

    async def writer(self) -> Caller:
        """Return who changes what the page shows.

        Raises:
            SignedOut: the visitor's token holds no longer.
            NotPermitted: it does not allow that, or nobody may change anything here.
        """
        if self.settings.read_only:
            raise NotPermitted("this server only reads", field="read_only")
        return await self.caller(reads=False)

    async def may_write(self) -> bool:
        """Tell whether this visitor may change what the page shows."""
        try:
            await self.writer()
        except (NotPermitted, SignedOut):
            return False
        return True

    @asynccontextmanager
    async def begin(self, *, searching: bool = False) -> AsyncIterator[Transaction]:
        """Open a transaction that sees the visitor's rows alone.

        Raises:
            DatabaseUnavailable: the database cannot be reached.
            NotPermitted: the visitor's token does not allow to read this.
        """
        caller = await self.caller()
        engine = await self.engine()
        async with engine.loom.database.begin(caller, searching=searching) as tx:
            yield tx

    async def call(self, tool: str, request: Request, *, reads: bool = False) -> Outcome:
        """Call a tool in the visitor's name, recorded as a run like any other call.

        Raises:
            NotPermitted: the server is read-only, or the visitor's token does not allow it.
            ReasonloomError: what the tool raised on purpose.
        """
        from reasonloom.graphs.runs.call_tool import call_tool  # noqa: PLC0415 - loads the graphs

        caller = await (self.caller() if reads else self.writer())
        return await call_tool(await self.engine(), caller, tool, request)
