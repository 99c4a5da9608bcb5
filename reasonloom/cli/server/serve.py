"""`reasonloom serve`: the MCP server, over stdio or HTTP."""

import atexit
import logging
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import anyio
import typer

from reasonloom.cli.server.log_setup import set_up_log
from reasonloom.errors import SettingMistake
from reasonloom.llm.providers.caller import CALLER
from reasonloom.server.catalogue.selection import choose
from reasonloom.server.usable_settings import require_usable_parts
from reasonloom.settings import Settings, load_settings, variables_of

AT_TERMINAL = """\
This is an MCP server. It waits for a client's JSON-RPC on standard input, which is a terminal.
  reasonloom install claude-code                    adds it to Claude Code, which then starts it
  reasonloom serve --http 127.0.0.1:8765 --studio   serves HTTP, with pages for the browser
Ctrl-D ends it."""


class FastExit:
    """Ends a process that has served without Python's own teardown, which takes seconds when busy.

    Created before everything else, it is the last exit handler to run, after the others have
    written their output.
    """

    def __init__(self) -> None:
        self.served = False
        atexit.register(self._end)

    def _end(self) -> None:
        """End the process if it served normally; otherwise Python reports what went wrong."""
        if not self.served:
            return
        logging.shutdown()
        sys.stdout.flush()
        os._exit(0)


async def require_usable(settings: Settings) -> None:
    """Require valid settings for tools, llm, embedder, database and prompts.

    Raises:
        SettingMistake: a setting is invalid; names it.
    """
    choose(settings)
    await require_usable_parts(settings)


Names = Annotated[str | None, typer.Option(help="Names, separated by commas.")]


def serve(
    http: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT", help="Serve streamable HTTP at /mcp, references at /mcp/as/NAME."
        ),
    ] = None,
    toolsets: Annotated[
        str | None, typer.Option(help="default, all, thought, reasoning, ...; separated by commas.")
    ] = None,
    tools: Names = None,
    exclude_tools: Names = None,
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
    no_elicitation: Annotated[
        bool, typer.Option("--no-elicitation", help="Never ask the user through the client.")
    ] = False,
    access_log: Annotated[
        str | None,
        typer.Option(metavar="on|off|json", help="Over HTTP, log each request on stderr."),
    ] = None,
    socket: Annotated[
        Path | None, typer.Option("--socket", hidden=True, help="For `reasonloom connect`.")
    ] = None,
) -> None:
    """Serve MCP over stdio, or over HTTP with --http."""
    from reasonloom.server.telemetry.start import start_telemetry

    chosen = {
        "toolsets": toolsets, "tools": tools, "exclude_tools": exclude_tools, "serve_as": as_,
        "access_log": access_log,
    }  # fmt: skip
    try:
        settings = load_settings(
            **chosen,
            http=http,
            read_only=read_only or None,
            stateless=stateless or None,
            elicitation=False if no_elicitation else None,
        )
        flags = {"--stateless": stateless, "--studio": studio, "--access-log": bool(access_log)}
        _require_http(settings.http, flags)
        settings = _asking_caller(settings)
        anyio.run(require_usable, settings)
    except SettingMistake as mistake:
        raise _name_flag(mistake, chosen) from None
    last = FastExit()
    set_up_log(settings)
    start_telemetry(settings, scraped=settings.http is not None)
    if socket is not None:
        from reasonloom.server.stdio.shared.place import SharedPlace
        from reasonloom.server.stdio.shared.serving import serve_shared

        anyio.run(serve_shared, settings, SharedPlace(socket))
    elif settings.http is None:
        from reasonloom.server.stdio.serving import serve_stdio

        if sys.stdin.isatty():
            typer.echo(AT_TERMINAL, err=True)

        anyio.run(serve_stdio, settings)
    else:
        from reasonloom.server.http.serving import serve_http

        try:
            anyio.run(serve_http, settings, settings.http, _studio_mount() if studio else None)
        except SettingMistake as mistake:
            raise mistake if http else _name_variable(mistake) from None
    last.served = True


def _asking_caller(settings: Settings) -> Settings:
    """Make the calling model answer the prompts, unless another model is set."""
    if settings.llm or settings.langbase_api_key or settings.serve_as:
        return settings
    return settings.model_copy(update={"llm": CALLER})


def _require_http(http: str | None, flags: dict[str, bool]) -> None:
    for flag, given in flags.items():
        if given and http is None:
            raise SettingMistake(f"{flag}: needs --http HOST:PORT too", field=flag)


def _name_flag(mistake: SettingMistake, chosen: dict[str, str | None]) -> SettingMistake:
    """Return the mistake with the flag's name, if a flag overrode the variable."""
    for field, given in chosen.items():
        if given is not None and mistake.field in variables_of(field):
            flag = f"--{field.removeprefix('serve_').replace('_', '-')}"
            return SettingMistake(mistake.message.replace(mistake.field, flag, 1), field=flag)
    return mistake


def _name_variable(mistake: SettingMistake) -> SettingMistake:
    """Return a mistake in the address with the name of the variable that gave it."""
    return SettingMistake(mistake.message.replace("--http:", "REASONLOOM_HTTP:", 1))


def _studio_mount() -> Any:
    from reasonloom.studio.mount import with_studio

    return with_studio


def studio(
    http: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Where to serve the pages.")
    ] = "127.0.0.1:8322",
) -> None:
    """Serve the studio: web pages for sessions, memories, graphs, runs and evals."""
    from reasonloom.studio.app import serve_studio

    settings = load_settings()
    anyio.run(require_usable, settings)
    set_up_log(settings)
    anyio.run(serve_studio, settings, http, typer.echo)
