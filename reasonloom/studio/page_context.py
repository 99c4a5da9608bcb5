"""The context of a page: the visitor's rows, tool calls on their behalf, the visit."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

from reasonloom.contracts.base import Request
from reasonloom.contracts.caller import Caller
from reasonloom.errors import NotFound
from reasonloom.graphs.runs.call import Outcome
from reasonloom.graphs.runs.engine import Engine
from reasonloom.server.auth.principal import groups_of
from reasonloom.server.auth.scopes import allows, scope_of
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.settings import Settings
from reasonloom.stores.database import Transaction
from reasonloom.stores.identifiers import parse_uuid
from reasonloom.studio.auth.visitor import NotPermitted, SignedOut, Visitor

T = TypeVar("T")
BASE_PATH = "/studio"

CLIENT = "studio"


@dataclass(frozen=True, slots=True)
class PageContext:
    """One visitor on one page; `toolset` is the one whose data the page displays, or `all`.

    The visitor is verified on each use, so revoking a token also ends access from pages that are
    already open.
    """

    lifespan: EngineLifespan
    visitor: Visitor
    toolset: str

    @property
    def settings(self) -> Settings:
        """The settings of this process."""
        return self.lifespan.settings

    async def engine(self) -> Engine:
        """Return the engine.

        Raises:
            DatabaseUnavailable: it cannot be opened now.
        """
        return await self.lifespan.engine()

    async def caller(self, *, reads: bool = True) -> Caller:
        """Return the caller who views the page.

        Raises:
            SignedOut: the visitor's token is no longer valid.
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
            str(token.subject), client=CLIENT, authenticated=True, project=settings.project,
            groups=groups_of(token),
        )  # fmt: skip

    async def writer(self) -> Caller:
        """Return the caller for changes.

        Raises:
            SignedOut: the visitor's token is no longer valid.
            NotPermitted: it does not allow changes, or the server is read-only.
        """
        if self.settings.read_only:
            raise NotPermitted("this server only reads", field="read_only")
        return await self.caller(reads=False)

    async def may_write(self) -> bool:
        """Return whether this visitor may change what the page displays."""
        try:
            await self.writer()
        except (NotPermitted, SignedOut):
            return False
        return True

    @asynccontextmanager
    async def begin(self, *, searching: bool = False) -> AsyncIterator[Transaction]:
        """Open a transaction that sees only the visitor's rows.

        Raises:
            DatabaseUnavailable: the database cannot be reached.
            NotPermitted: the visitor's token does not allow reading this.
        """
        caller = await self.caller()
        engine = await self.engine()
        async with engine.loom.database.begin(caller, searching=searching) as tx:
            yield tx

    async def read(
        self, reader: Callable[..., Awaitable[T]], *values: Any, searching: bool = False
    ) -> T:
        """Return the result of `reader` on the visitor's rows, in a separate transaction."""
        async with self.begin(searching=searching) as tx:
            return await reader(tx, *values)

    async def call(self, tool: str, request: Request, *, reads: bool = False) -> Outcome:
        """Call a tool on the visitor's behalf, recorded as a run like any other call.

        Raises:
            NotPermitted: the server is read-only, or the visitor's token does not allow it.
            ReasonloomError: an expected error of the tool.
        """
        from reasonloom.graphs.runs.call_tool import call_tool  # noqa: PLC0415 - loads the graphs

        caller = await (self.caller() if reads else self.writer())
        return await call_tool(await self.engine(), caller, tool, request)


@dataclass(frozen=True, slots=True)
class Visit:
    """One visit to a page: its context, the parameters of its path, and its query."""

    context: PageContext
    parts: Mapping[str, str]
    query: Mapping[str, str]

    @property
    def id(self) -> str:
        """The id in the page's address."""
        return self.parts["id"]

    def uuid(self, missing: type[NotFound]) -> UUID:
        """Return the id in the page's address.

        Raises:
            NotFound: as `missing`: it is not a uuid.
        """
        if (wanted := parse_uuid(self.id)) is None:
            raise missing(self.id)
        return wanted

    def text(self, name: str, longest: int | None = None) -> str:
        """Return a text of the query, at most its first `longest` characters."""
        return self.query.get(name, "").replace("\x00", "").strip()[:longest]


@dataclass(frozen=True, slots=True)
class StudioPage:
    """One page.

    Attributes:
        path: its address below the studio's, such as `/session/{id}`.
        title: its name, in the browser's title and in the navigation.
        toolset: whose data it displays, which determines the required scope; `all` is any.
        build: draws it within the frame, which displays errors that it raises.
        place: the path of its entry in the navigation.
        icon: its icon in the navigation; None for a page that is not listed.
    """

    path: str
    title: str
    toolset: str
    build: Callable[[Visit], Awaitable[None]]
    place: str
    icon: str | None = None


async def eval_folder(context: PageContext) -> Path:
    """Return the folder of eval runs.

    Raises:
        NotPermitted: the visitor is not the owner named in the settings.
    """
    caller = await context.caller()
    if caller.owner != context.settings.user:
        raise NotPermitted("eval runs are shown to this machine's own user alone", field="token")
    return context.settings.home / "evals"
