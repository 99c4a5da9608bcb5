"""Times our server's overhead: a trivial tool on a bare server of the SDK and on ours.

Ours checks the token, its scope, the host and the origin, counts requests, repairs the body,
validates the arguments and shapes the answer; the tool itself, a fixture of the conformance suite,
does nothing. Both run as separate processes on the same protocol revision: 2026-07-28 over HTTP,
2025-11-25 over stdio.
"""

import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

import httpx
import psutil

from reasonloom.evals.bench.server.servers import (
    HOST,
    PATIENCE,
    Caller,
    child_environment,
    free_port,
    listening,
    make_tokens,
    result_of,
)
from reasonloom.evals.bench.server.startup import open_stdio_server
from reasonloom.evals.bench.timing import WARM_UP, Figure, Work, summarise, time_alternately
from reasonloom.evals.engine import temporary_database
from reasonloom.settings import Settings

GOAL = 3.0
"""Milliseconds that ours may take longer at the median."""

TOOL, TEXT = "test_simple_text", "This is a simple text response for testing."
BARE = f"""
import sys
from mcp.server.mcpserver import MCPServer
server = MCPServer("bare", log_level="ERROR")
@server.tool(structured_output=False)
def {TOOL}() -> str:
    "Answers a text."
    return "{TEXT}"
if len(sys.argv) > 1:
    import uvicorn
    app = server.streamable_http_app(host="{HOST}")
    uvicorn.run(app, host="{HOST}", port=int(sys.argv[1]), log_level="error")
else:
    server.run()
"""
OWN = f"""
from mcp_types import CallToolResult, TextContent
from reasonloom.cli.app import main
from reasonloom.contracts.base import Request
from reasonloom.contracts.schema import publish
from reasonloom.contracts.validation import parse_request
from reasonloom.server import app
from reasonloom.server.base_tool import BaseTool
from reasonloom.server.catalogue.selection import choose
from reasonloom.server.envelopes.plain_json import PLAIN
from reasonloom.server.loom_server import LoomServer

class Idle(BaseTool):
    async def answer(self, arguments, context, started):
        parse_request(Request, arguments)
        return CallToolResult(content=[TextContent(text="{TEXT}")])

def build_server(lifespan):
    tool = Idle(
        name="{TOOL}", description="Answers a text.", parameters=publish(Request), envelope=PLAIN
    )
    return LoomServer(choose(lifespan.settings), lifespan, extra_tools=[tool])

app.build_server = build_server
main()
"""
"""Our command line, with the same tool on its server."""

OWN_COMMAND = (sys.executable, "-c", OWN, "serve")
ENGINE = ("recall", {"userId": "bench", "text": "nothing"})
"""A call that opens our engine, database and embedder."""

TIMES = 5
"""Calls per `--runs`, as one takes only a millisecond or two."""


@dataclass(frozen=True, slots=True)
class Side:
    """One server: its call, and its process."""

    call: Work
    pid: int

    def processor_seconds(self) -> float:
        """Return the CPU seconds used by the process so far."""
        times = psutil.Process(self.pid).cpu_times()
        return float(times.user + times.system)


async def measure(runs: int) -> list[Figure]:
    """Time both over HTTP and over stdio, alternating call by call."""
    async with temporary_database() as (settings, _):
        return [await _over_http(settings, runs * TIMES), await _over_stdio(settings, runs * TIMES)]


async def _figure(where: str, bare: Side, own: Side, times: int) -> Figure:
    """Time both sides; CPU time reveals load from other processes."""
    before = [side.processor_seconds() for side in (bare, own)]
    floor, took = await time_alternately(bare.call, own.call, times)
    after = [side.processor_seconds() for side in (bare, own)]
    calls = times + WARM_UP
    least, most = ((end - begun) * 1000 / calls for begun, end in zip(before, after, strict=True))
    more = median(took) - median(floor)
    reached = "reached" if more <= GOAL else "missed"
    note = (
        f"{more:.2f} ms more than the SDK alone; goal {GOAL:g} ms more: {reached}; processor time "
        f"of the server for a call {most:.2f} ms, the SDK alone {least:.2f}"
    )
    name = f"a tool that does nothing, {where}"
    return summarise(name, took, floor, note=note)


async def _over_http(settings: Settings, times: int) -> Figure:
    path = settings.home / "tokens"
    token = make_tokens(path, ["bench"])["bench"]
    # Requests are counted against the limits, which are never reached.
    env = child_environment(
        settings, REASONLOOM_TOKENS=str(path), REASONLOOM_CALLER_REQUESTS_PER_MINUTE="1000000"
    )
    bare, own = free_port(), free_port()
    async with (
        listening((sys.executable, "-c", BARE, str(bare)), bare, env) as one,
        listening((*OWN_COMMAND, "--http", f"{HOST}:{own}"), own, env) as other,
        httpx.AsyncClient(timeout=PATIENCE, trust_env=False) as client,
    ):
        caller = Caller(client, token)
        # The first call opens the engine, which is not measured here.
        result_of(await caller.call(own, *ENGINE))

        async def ask(port: int) -> dict[str, Any]:
            return result_of(await caller.call(port, TOOL, {}))

        first = Side(_checked(partial(ask, bare)), one.pid)
        second = Side(_checked(partial(ask, own)), other.pid)
        return await _figure("over HTTP, with a token", first, second, times)


def _checked(call: Callable[[], Awaitable[dict[str, Any]]]) -> Work:
    """Return a call that raises RuntimeError on a wrong answer."""

    async def ask() -> None:
        if (await call())["content"][0]["text"] != TEXT:
            raise RuntimeError("the tool did not answer as it must")

    return ask


async def _over_stdio(settings: Settings, times: int) -> Figure:
    env = child_environment(settings)
    async with (
        open_stdio_server((sys.executable, "-c", BARE), env) as bare,
        open_stdio_server(OWN_COMMAND, env) as own,
    ):
        await own.call(*ENGINE)
        one, other = (Side(_checked(partial(a.call, TOOL, {})), a.pid) for a in (bare, own))
        return await _figure("over stdio", one, other, times)
