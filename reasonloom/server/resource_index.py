"""Lists, completes and reads the resources of one server, limited to the caller's own."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp_types import Annotations, Resource, ResourceTemplate

from reasonloom.errors import InternalFault, InvalidArgument, NotFound, ReasonloomError, TimedOut
from reasonloom.server.auth.scopes import readable
from reasonloom.server.names import unknown_argument
from reasonloom.server.resources.kind import MIME_TYPE, Kind, Listed

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.engine import Engine
    from reasonloom.server.engine_lifespan import EngineLifespan

log = logging.getLogger(__name__)
MAX_LISTED = 50
"""Maximum resources per kind in a listing, the newest; others are read by template."""

JSON = "application/json"
NOT_FOUND = "Resource not found"
ARGUMENT = "id"
"""The only argument of each template."""


class ResourceIndex:
    """The kinds of resources that one server offers."""

    def __init__(self, kinds: Sequence[Kind], lifespan: EngineLifespan) -> None:
        self._kinds = kinds
        self._lifespan = lifespan

    def within(self, scopes: Sequence[str] | None) -> ResourceIndex:
        """Return the index of kinds that these scopes may read; None if no token is required."""
        return ResourceIndex(
            [kind for kind in self._kinds if readable(scopes, kind)], self._lifespan
        )

    def templates(self) -> list[ResourceTemplate]:
        """Return the template of each kind that is not single."""
        return [
            ResourceTemplate(
                name=kind.name,
                title=kind.title,
                uri_template=kind.template,
                description=kind.description,
                mime_type=MIME_TYPE,
            )
            for kind in self._kinds
            if not kind.single
        ]

    async def newest(self, caller: Caller) -> list[Resource]:
        """Return the caller's newest resources of each kind.

        Raises:
            ResourceError: the database is unavailable.
        """
        if not self._kinds:
            return []
        async with self._engine() as engine:
            return [
                _as_resource(kind, each)
                for kind in self._kinds
                for each in await kind.newest(engine, caller, MAX_LISTED)
            ]

    async def complete(self, template: str, argument: str, begun: str, caller: Caller) -> list[str]:
        """Return ids that start with `begun`, or whose title contains it, newest first.

        Only listed resources are offered.

        Raises:
            ResourceNotFoundError: there is no such template.
            InvalidArgument: it has no such argument.
            ResourceError: the database is unavailable.
        """
        kind = next((kind for kind in self._kinds if kind.template == template), None)
        if kind is None or kind.single:
            raise ResourceNotFoundError(NOT_FOUND)
        if argument != ARGUMENT:
            raise InvalidArgument(unknown_argument(argument, [ARGUMENT]), field=argument)
        async with self._engine() as engine:
            newest = await kind.newest(engine, caller, MAX_LISTED)
        wanted = begun.casefold()
        return [
            each.id
            for each in newest
            if each.id.casefold().startswith(wanted) or wanted in each.title.casefold()
        ]

    async def read(self, uri: str, caller: Caller) -> list[ReadResourceContents]:
        """Return a resource of the caller: its page, and its JSON if it has any.

        Raises:
            ResourceNotFoundError: the URI is unknown, or not the caller's.
            ResourceError: the database is unavailable.
        """
        for kind in self._kinds:
            if identifier := kind.id_in(uri):
                async with self._engine() as engine:
                    text = await kind.read(engine, caller, identifier)
                    data = (
                        await kind.read_json(engine, caller, identifier) if kind.has_json else None
                    )
                page = ReadResourceContents(content=text, mime_type=MIME_TYPE)
                more = [] if data is None else [ReadResourceContents(data, JSON)]
                return [page, *more]
        raise ResourceNotFoundError(NOT_FOUND)

    @asynccontextmanager
    async def _engine(self) -> AsyncIterator[Engine]:
        """Yield the engine within the call's time limit; errors become resource errors."""
        seconds = self._lifespan.settings.tool_timeout
        try:
            async with asyncio.timeout(seconds):
                yield await self._lifespan.engine()
        except NotFound:
            raise ResourceNotFoundError(NOT_FOUND) from None
        except ReasonloomError as error:
            raise ResourceError(error.message) from None
        except TimeoutError:
            late = TimedOut(f"no answer within {seconds:g} s; try again")
            raise ResourceError(late.message) from None
        except Exception:
            reference = uuid.uuid4().hex[:8]
            log.exception("a resource broke (reference %s)", reference)
            raise ResourceError(InternalFault(reference).message) from None


def _as_resource(kind: Kind, each: Listed) -> Resource:
    return Resource(
        name=kind.name if kind.single else f"{kind.name} {each.id}",
        title=each.title,
        uri=kind.uri(each.id),
        mime_type=MIME_TYPE,
        annotations=Annotations(last_modified=each.changed_at.isoformat()),
    )
