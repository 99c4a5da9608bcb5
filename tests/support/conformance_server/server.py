"""Our server with the suite's fixtures beside its tools, resources and prompts."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver.context import Context
from mcp.server.subscriptions import InMemorySubscriptionBus
from mcp.shared.exceptions import MCPDeprecationWarning
from mcp_types import (
    CompleteRequestParams,
    CompleteResult,
    Completion,
    EmptyResult,
    ListResourcesResult,
    PaginatedRequestParams,
    ResourceTemplate,
    ResourceTemplateReference,
    SetLevelRequestParams,
    SubscribeRequestParams,
    UnsubscribeRequestParams,
)
from pydantic.networks import AnyUrl

from reasonloom.server.catalogue.selection import choose
from reasonloom.server.catalogue.served import Catalogue
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.server.loom_server import LoomServer
from reasonloom.server.protocol_middleware import CapabilityFilter
from reasonloom.server.tasks.task import TaskSource
from reasonloom.server.tool import LoomTool
from tests.support.conformance_server import (
    contents,
    elicitation,
    notifications,
    resources,
    rounds,
    tasks,
)
from tests.support.conformance_server.fixture import make_fixture
from tests.support.conformance_server.prompts import PROMPTS
from tests.support.conformance_server.resources import TEMPLATE
from tests.support.conformance_server.tasks import FixtureTasks

# Logging and sampling are deprecated in 2026-07-28, and in 2025-11-25 the suite asks for them.
warnings.filterwarnings("ignore", category=MCPDeprecationWarning)

FIXTURES = (
    *contents.FIXTURES,
    *notifications.FIXTURES,
    *elicitation.FIXTURES,
    *rounds.FIXTURES,
    *tasks.FIXTURES,
)


class ConformanceServer(LoomServer):
    """A server of ours that also answers what the suite asks for."""

    def __init__(self, catalogue: Catalogue, lifespan: EngineLifespan) -> None:
        tools = [make_fixture(fixture) for fixture in FIXTURES]
        super().__init__(
            catalogue, lifespan, extra_tools=tools, subscriptions=InMemorySubscriptionBus()
        )
        # The fixtures offer every capability.
        self.middleware[:] = [
            each for each in self.middleware if not isinstance(each, CapabilityFilter)
        ]
        for prompt in PROMPTS:
            self.add_prompt(prompt)
        low = self._lowlevel_server
        low.add_request_handler("logging/setLevel", SetLevelRequestParams, _accept)
        low.add_request_handler("resources/subscribe", SubscribeRequestParams, _accept)
        low.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, _accept)

    def _task_source(
        self, catalogue: Catalogue, tools: Sequence[LoomTool], lifespan: EngineLifespan
    ) -> TaskSource | None:
        """Keep the fixtures' tasks in front of our own."""
        own = super()._task_source(catalogue, tools, lifespan)
        return FixtureTasks(own) if own else None

    async def _handle_list_resources(
        self, ctx: ServerRequestContext[dict[str, Any]], params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        """List the fixtures before the caller's own."""
        listed = await super()._handle_list_resources(ctx, params)
        return ListResourcesResult(resources=[*resources.LISTED, *listed.resources])

    async def list_resource_templates(self) -> list[ResourceTemplate]:
        """List the fixture's template before our own."""
        return [*resources.TEMPLATES, *await super().list_resource_templates()]

    async def _handle_complete(
        self, ctx: ServerRequestContext[dict[str, Any]], params: CompleteRequestParams
    ) -> CompleteResult:
        """Complete nothing for the fixture's template, and ours as ever."""
        if isinstance(params.ref, ResourceTemplateReference) and params.ref.uri == TEMPLATE:
            return CompleteResult(completion=Completion(values=[]))
        return await super()._handle_complete(ctx, params)

    async def read_resource(
        self, uri: AnyUrl | str, context: Context[Any, Any] | None = None
    ) -> Iterable[ReadResourceContents]:
        """Read a fixture, or what our server has under the URI."""
        return resources.find(str(uri)) or await super().read_resource(uri, context)


def build_conformance_server(lifespan: EngineLifespan) -> LoomServer:
    """Return the server that the settings ask for, with the fixtures."""
    return ConformanceServer(choose(lifespan.settings), lifespan)


async def _accept(ctx: ServerRequestContext[Any, Any], params: object) -> EmptyResult:
    """Accept a wish that changes nothing: every log is sent, and nothing watched ever changes."""
    return EmptyResult()
