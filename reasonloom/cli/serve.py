"""`reasonloom serve`: the MCP server, over stdio or HTTP."""

from __future__ import annotations

from typing import Annotated, Any

import typer

Words = Annotated[str | None, typer.Option(help="Names, separated by commas.")]


def serve(
    http: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT", help="Serve streamable HTTP at /mcp, references at /mcp/as/NAME."
        ),
    ] = None,
    toolsets: Annotated[
        str | None,
        typer.Option(help="default, all, thought, reasoning, ...; separated by commas."),
    ] = None,
    tools: Words = None,
    exclude_tools: Words = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Only tools that read.")] = False,
    as_: Annotated[
        str | None,
        typer.Option("--as", metavar="NAME", help="Serve one reference under its own names."),
    ] = None,
    stateless: Annotated[
        bool, typer.Option("--stateless", help="Over HTTP, keep no sessions: for many replicas.")
    ] = False,
    studio: Annotated[
        bool, typer.Option("--studio", help="Over HTTP, the studio's pages at /studio too.")
    ] = False,
) -> None:
    """Serve MCP over stdio, or over HTTP with --http."""
    import anyio  # noqa: PLC0415 - the other commands start faster without

    from reasonloom.cli.ending import LastStep  # noqa: PLC0415
    from reasonloom.cli.logs import set_up_log  # noqa: PLC0415
    from reasonloom.server.http import serve_http  # noqa: PLC0415
    from reasonloom.server.stdio import serve_stdio  # noqa: PLC0415
    from reasonloom.server.telemetry.start import start_telemetry  # noqa: PLC0415
    from reasonloom.settings import load_settings  # noqa: PLC0415

    settings = load_settings(
        toolsets=toolsets,
        tools=tools,
        exclude_tools=exclude_tools,
        read_only=read_only or None,
        serve_as=as_,
        stateless=stateless or None,
    )
    last = LastStep()
    set_up_log(settings)
    start_telemetry(settings)
    if http is None:
        anyio.run(serve_stdio, settings)
    else:
        anyio.run(serve_http, settings, http, _with_studio() if studio else None)
    last.served = True


def _with_studio() -> Any:
    from reasonloom.studio.beside import with_studio  # noqa: PLC0415 - an extra

    return with_studio
