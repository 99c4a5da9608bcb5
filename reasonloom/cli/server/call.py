"""`reasonloom call`: one tool, once, through the server's own adapter."""

import json
import sys
from typing import Annotated, Any

import anyio
import typer
from mcp import Client
from mcp.shared.exceptions import MCPError

from reasonloom.cli.server.log_setup import set_up_log
from reasonloom.errors import InvalidArgument
from reasonloom.server.app import build_server
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.settings import load_settings


def call(
    tool: Annotated[str, typer.Argument(help="The tool's name.")],
    arguments: Annotated[
        str, typer.Argument(help="Its arguments as JSON; - reads standard input.")
    ] = "{}",
    text: Annotated[
        bool, typer.Option("--text", help="Print the text that agents read instead of JSON.")
    ] = False,
) -> None:
    """Call a tool and print its answer as JSON; exit code 1 if it is an error."""
    given = _arguments(sys.stdin.buffer.read() if arguments == "-" else arguments)
    result = anyio.run(_call, tool, given, None if text else "full")
    if text or result.structured_content is None:
        typer.echo("\n".join(getattr(block, "text", "") for block in result.content))
    else:
        typer.echo(json.dumps(result.structured_content, ensure_ascii=False, indent=2))
    raise typer.Exit(1 if result.is_error else 0)


def _arguments(text: str | bytes) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise InvalidArgument(f"arguments: not JSON: {error}", field="arguments") from None
    if not isinstance(value, dict):
        raise InvalidArgument("arguments: must be a JSON object", field="arguments")
    return value


async def _call(tool: str, arguments: dict[str, Any], answers: str | None) -> Any:
    settings = load_settings(toolsets="all,extras", answers=answers)
    set_up_log(settings)
    unknown: MCPError | None = None
    async with EngineLifespan(settings) as room, Client(build_server(room)) as client:
        try:
            return await client.call_tool(tool, arguments)
        except MCPError as error:
            unknown = error
    raise InvalidArgument(str(unknown), field="tool")
