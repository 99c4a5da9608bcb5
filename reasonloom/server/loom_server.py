"""The MCP server over one catalogue: its tools, resources, prompts and completions."""

import asyncio
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.context import Context
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp.server.mcpserver.tools.base import Tool
from mcp.server.request_state import RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolResult,
    CompleteRequestParams,
    CompleteResult,
    GetPromptResult,
    InputRequiredResult,
    ListResourcesResult,
    ListToolsResult,
    PaginatedRequestParams,
    PromptReference,
    ResourceTemplate,
)
from mcp_types import Prompt as ListedPrompt
from mcp_types import Tool as ListedTool
from pydantic.networks import AnyUrl

from reasonloom import __version__
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.toolsets import ALL_TOOLS
from reasonloom.errors import InvalidArgument, ReasonloomError
from reasonloom.server.answer_size import limit_contents
from reasonloom.server.answer_tools import RunTool, answer_tools
from reasonloom.server.apps.extension import AppExtension
from reasonloom.server.auth.principal import caller_of, scopes_of
from reasonloom.server.auth.scopes import READ, WRITE, allows
from reasonloom.server.catalogue.run_links import RUN
from reasonloom.server.catalogue.selection import why_not_served
from reasonloom.server.catalogue.served import Catalogue, instructions
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.server.names import truncated_name, unknown_argument
from reasonloom.server.prompts.completion import complete_prompt, completion
from reasonloom.server.prompts.forgetting import TOOL as FORGETTING_TOOL
from reasonloom.server.prompts.forgetting import forgetting_prompt
from reasonloom.server.prompts.packaged import template_prompts
from reasonloom.server.prompts.people import people_prompts
from reasonloom.server.protocol_middleware import (
    CapabilityFilter,
    RequestValidation,
    ToolMetrics,
    missing_capabilities,
)
from reasonloom.server.resource_index import ResourceIndex
from reasonloom.server.runs.subscriptions import RunSubscriptions
from reasonloom.server.tasks.extension import TasksExtension
from reasonloom.server.tasks.handshake import HandshakeTasks
from reasonloom.server.tasks.notifications import TaskNotifications
from reasonloom.server.tasks.run_tasks import RunTasks
from reasonloom.server.tasks.task import TaskSource, Timing
from reasonloom.server.tool import LoomTool, make_tool
from reasonloom.settings import Settings

MAX_NAMES_IN_ERROR = 20
"""Maximum tools listed in an error if no name is similar."""

WARM_UP_AFTER = 0.05
"""Seconds between listing tools and opening the engine, so that the list is sent first."""


class LoomServer(MCPServer[dict[str, Any]]):
    """An MCP server over one catalogue, whose list of tools never changes."""

    def __init__(
        self,
        catalogue: Catalogue,
        lifespan: EngineLifespan,
        *,
        extra_tools: Sequence[Tool] = (),
        **more: Any,
    ) -> None:
        """Serve the catalogue and `extra_tools`; `more` are passed to the SDK."""
        own_tools = [make_tool(served, lifespan, catalogue) for served in catalogue.tools]
        tools = [
            *own_tools,
            *(answer_tools(catalogue, lifespan) if catalogue.asks_caller else ()),
            *extra_tools,
        ]
        self._apps = AppExtension(catalogue, lifespan)
        tasks = self._task_source(catalogue, own_tools, lifespan)
        timing = Timing.of(lifespan.settings)
        super().__init__(
            catalogue.name,
            instructions=instructions(catalogue.advice),
            version=catalogue.version or __version__,
            tools=tools,
            request_state_security=_state_security(lifespan.settings),
            warn_on_duplicate_prompts=False,
            extensions=[TasksExtension(tasks, timing)] if tasks else [],
            **{"subscriptions": False, **more},
        )
        self._served = [tool.name for tool in tools]
        self.middleware.extend(
            (
                CapabilityFilter(missing_capabilities(catalogue)),
                ToolMetrics([*self._served, *self._apps.needed]),
                RequestValidation(),
                *((HandshakeTasks(tasks, timing),) if tasks else ()),
            )
        )
        self.needed = {each.name: each.needed for each in catalogue.tools}
        self.requests = {each.name: each.line.request for each in catalogue.tools}
        self.requests |= {each.name: each.request for each in tools if isinstance(each, RunTool)}
        self._answering = {
            each.name: tuple(each.asking) for each in tools if isinstance(each, RunTool)
        }
        self._lifespan = lifespan
        self._is_reference = catalogue.is_reference
        self._prompts_wait = not self._is_reference
        self._index = ResourceIndex(catalogue.resources, lifespan)
        notifications = TaskNotifications(tasks, timing) if tasks else None
        for kind in catalogue.resources:
            if kind.name == RUN and "subscriptions" not in more:
                RunSubscriptions(kind, lifespan, notifications).serve(self._lowlevel_server)
        self._lowlevel_server.add_request_handler(
            "completion/complete", CompleteRequestParams, self._handle_complete
        )

    def _task_source(
        self, catalogue: Catalogue, tools: Sequence[LoomTool], lifespan: EngineLifespan
    ) -> TaskSource | None:
        """Return what keeps this server's tasks; a reference, and a server without them, has none.

        `tools` are the catalogue's.
        """
        if catalogue.is_reference or not catalogue.model_tools:
            return None
        return RunTasks(catalogue, tools, lifespan, self._require_permitted)

    async def list_tools(self) -> list[ListedTool]:
        """List the tools and start opening the engine."""
        asyncio.get_running_loop().call_later(WARM_UP_AFTER, self._lifespan.warm_up)
        return await super().list_tools()

    async def _handle_list_tools(
        self, ctx: ServerRequestContext[dict[str, Any]], params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        """List the tools that the caller's token allows; `list_tools` does not know the caller."""
        listed = await super()._handle_list_tools(ctx, params)
        listed.tools = self._apps.listed(listed.tools, ctx)
        scopes = scopes_of(ctx)
        if scopes is not None:
            listed.tools = [each for each in listed.tools if self._permits(scopes, each.name)]
        return listed

    def _permits(self, scopes: Sequence[str], name: str) -> bool:
        """Return whether scopes allow a tool; one outside the catalogue requires read and write."""
        if name in self._answering:
            return any(self._permits(scopes, each) for each in self._answering[name])
        needed = self.needed.get(name) or self._apps.needed.get(name)
        return allows(scopes, needed) if needed else {READ, WRITE} <= set(scopes)

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; an unknown one is an invalid parameter (-32602)."""
        is_view = self._apps.offers(name, context)
        if name not in self._served and not is_view:
            raise MCPError(code=INVALID_PARAMS, message=self._unknown(name))
        if context:
            self._require_permitted(context.request_context, name)
            if is_view:
                return await self._apps.call(name, arguments, context)
        return await super().call_tool(name, arguments, context)

    def _require_permitted(self, ctx: ServerRequestContext[Any, Any], name: str) -> None:
        scopes = scopes_of(ctx)
        if scopes is not None and not self._permits(scopes, name):
            raise MCPError(code=INVALID_PARAMS, message="The token does not allow this tool")

    async def _handle_list_resources(
        self, ctx: ServerRequestContext[dict[str, Any]], params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        """List the caller's newest resources; `list_resources` does not know the caller."""
        context = Context(request_context=ctx, mcp_server=self)
        caller = caller_of(self._lifespan.settings, context)
        try:
            return ListResourcesResult(
                resources=await self._index.within(scopes_of(ctx)).newest(caller)
            )
        except ResourceError as error:
            raise MCPError(code=INTERNAL_ERROR, message=str(error)) from None

    async def list_resource_templates(self) -> list[ResourceTemplate]:
        """List the template of each kind of resource."""
        return self._index.templates()

    async def read_resource(
        self, uri: AnyUrl | str, context: Context[Any, Any] | None = None
    ) -> Iterable[ReadResourceContents]:
        """Read a resource; an unknown one, or another owner's, is an invalid parameter (-32602)."""
        if page := self._apps.read(str(uri)):
            return page
        context = context or Context(mcp_server=self)
        caller = caller_of(self._lifespan.settings, context)
        index = self._index.within(scopes_of(context.request_context))
        return limit_contents(
            await index.read(str(uri), caller), self._lifespan.settings.answer_characters
        )

    async def list_prompts(self) -> list[ListedPrompt]:
        """List the prompts, which are read on first use."""
        await self._read_prompts()
        return await super().list_prompts()

    async def _read_prompts(self) -> None:
        """Read the prompts once; a reference's server has none.

        Nothing is loaded where neither the user nor the toolset `all` brings templates.

        Raises:
            MCPError: the user's template folder is unusable.
        """
        if not self._prompts_wait:
            return
        settings, found = self._lifespan.settings, people_prompts(self.needed)
        if settings.prompts or "all" in settings.toolsets:
            try:
                found += await asyncio.to_thread(template_prompts, settings)
            except ReasonloomError as error:
                raise MCPError(code=INTERNAL_ERROR, message=error.message) from None
        self._prompts_wait = False
        found += [forgetting_prompt()] if FORGETTING_TOOL in self.needed else []
        for prompt in found:
            self.add_prompt(prompt)

    async def get_prompt(
        self,
        name: str,
        arguments: dict[str, Any] | None = None,
        context: Context[Any, Any] | None = None,
    ) -> GetPromptResult | InputRequiredResult:
        """Render a prompt; an unknown one, or wrong arguments, are invalid parameters (-32602)."""
        await self._read_prompts()
        if mistake := self._mistake_in_prompt(name, set(arguments or {})):
            raise MCPError(code=INVALID_PARAMS, message=mistake)
        return await super().get_prompt(name, arguments, context)

    def _mistake_in_prompt(self, name: str, given: set[str], *, begun: bool = False) -> str | None:
        """Return what is wrong with a prompt request; `begun` means that it is still incomplete."""
        prompt = self._prompt_manager.get_prompt(name)
        if prompt is None:
            return f"Prompt not found: {truncated_name(name)}"
        known = {each.name: each.required for each in prompt.arguments or ()}
        missing = sorted(each for each in known if known[each] and each not in given)
        if missing and not begun:
            return f"Missing required argument: {', '.join(missing)}"
        if unknown := sorted(given - known.keys()):
            return unknown_argument(unknown[0], known)
        return None

    async def _handle_complete(
        self, ctx: ServerRequestContext[dict[str, Any]], params: CompleteRequestParams
    ) -> CompleteResult:
        """Complete with the caller's ids and known values; unknown references are -32602."""
        caller = caller_of(self._lifespan.settings, Context(request_context=ctx, mcp_server=self))
        index = self._index.within(scopes_of(ctx))
        try:
            if isinstance(params.ref, PromptReference):
                found = await self._completed(params.ref.name, params, index, caller)
            else:
                name, begun = params.argument.name, params.argument.value
                found = await index.complete(params.ref.uri, name, begun, caller)
        except (ResourceNotFoundError, InvalidArgument) as error:
            raise MCPError(code=INVALID_PARAMS, message=str(error)) from None
        except ResourceError as error:
            raise MCPError(code=INTERNAL_ERROR, message=str(error)) from None
        return CompleteResult(completion=completion(found))

    async def _completed(
        self, name: str, params: CompleteRequestParams, index: ResourceIndex, caller: Caller
    ) -> list[str]:
        """Return values for an argument of a prompt; an unknown prompt or argument is -32602."""
        await self._read_prompts()
        if mistake := self._mistake_in_prompt(name, {params.argument.name}, begun=True):
            raise MCPError(code=INVALID_PARAMS, message=mistake)
        given = (params.context.arguments if params.context else None) or {}
        schemas = [each.parameters for each in self._tool_manager.list_tools()]
        argument, begun = params.argument.name, params.argument.value
        return await complete_prompt(
            name, argument, begun, given=given, schemas=schemas, index=index, caller=caller
        )

    def _unknown(self, name: str) -> str:
        wanted = truncated_name(name)
        if name in ALL_TOOLS and self._is_reference:
            return f"Tool not found: {wanted} is not served here; see `reasonloom doctor`"
        if not self._is_reference and (why := why_not_served(name, self._lifespan.settings)):
            return f"Tool not found: {wanted} is not served here; {why}"
        near = get_close_matches(name[:100], self._served, n=1)
        if near:
            return f"Tool not found: {wanted}; did you mean {near[0]}?"
        names = list(self._served)
        more = (
            f" and {len(names) - MAX_NAMES_IN_ERROR} more"
            if len(names) > MAX_NAMES_IN_ERROR
            else ""
        )
        return f"Tool not found: {wanted}; known: {', '.join(names[:MAX_NAMES_IN_ERROR])}{more}"


def _state_security(settings: Settings) -> RequestStateSecurity | None:
    """Return the keys that seal the state of unfinished calls; None for a per-process key."""
    keys = [key.get_secret_value() for key in settings.state_keys]
    return RequestStateSecurity(keys=keys) if keys else None
