"""`reasonloom serve`: the MCP server, over stdio or HTTP."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from reasonloom.errors import SettingMistake

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

    from reasonloom.cli.server.ending import LastStep  # noqa: PLC0415
    from reasonloom.cli.server.log_setup import set_up_log  # noqa: PLC0415
    from reasonloom.cli.server.require_usable import require_usable  # noqa: PLC0415
    from reasonloom.server.http.serving import serve_http  # noqa: PLC0415
    from reasonloom.server.stdio.serving import serve_stdio  # noqa: PLC0415
    from reasonloom.server.telemetry.start import start_telemetry  # noqa: PLC0415
    from reasonloom.settings import load_settings  # noqa: PLC0415

    _refuse_without_http(http, {"--stateless": stateless, "--studio": studio})
    chosen = {
        "toolsets": toolsets, "tools": tools, "exclude_tools": exclude_tools, "serve_as": as_,
    }  # fmt: skip
    settings = load_settings(**chosen, read_only=read_only or None, stateless=stateless or None)
    try:
        anyio.run(require_usable, settings)
    except SettingMistake as mistake:
        raise _by_flag(mistake, chosen) from None
    last = LastStep()
    set_up_log(settings)
    start_telemetry(settings)
    if http is None:
        anyio.run(serve_stdio, settings)
    else:
        anyio.run(serve_http, settings, http, _with_studio() if studio else None)
    last.served = True


def _refuse_without_http(http: str | None, flags: dict[str, bool]) -> None:
    for flag, given in flags.items():
        if given and http is None:
            raise SettingMistake(f"{flag}: needs --http HOST:PORT beside it", field=flag)


def _by_flag(mistake: SettingMistake, chosen: dict[str, str | None]) -> SettingMistake:
    """Return a mistake that names the flag, where a flag went over the variable that it names."""
    from reasonloom.settings import variables_of  # noqa: PLC0415

    for field, given in chosen.items():
        if given is not None and mistake.field in variables_of(field):
            flag = f"--{field.removeprefix('serve_').replace('_', '-')}"
            return SettingMistake(mistake.message.replace(mistake.field, flag, 1), field=flag)
    return mistake


def _with_studio() -> Any:
    from reasonloom.studio.mount import with_studio  # noqa: PLC0415 - an extra

    return with_studio
