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
from reasonloom.settings import Settings, load_settings, variables_of


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

    Only settings that are set are checked; no model is loaded and no connection opened, as clients
    give up on servers that start slowly. For the same reason, each part is imported only if
    checked.

    Raises:
        SettingMistake: a setting is invalid; names it.
    """
    choose(settings)
    if settings.llm not in (None, "offline"):
        from reasonloom.llm.from_settings import choose_llm

        await choose_llm(settings).close()
    if settings.judge_llm:
        from reasonloom.llm.from_settings import choose_judge

        if judge := choose_judge(settings):
            await judge.close()
    if "embedder" in settings.model_fields_set:
        from reasonloom.llm.embedding.from_settings import choose_embedder

        await choose_embedder(settings).close()
    if settings.database_url:
        from reasonloom.stores.access import find_access

        await find_access(settings)
    _require_folder(settings.prompts)


def _require_folder(prompts: Path | None) -> None:
    """Let the registry refuse a path that is not a folder; loading a real folder takes too long."""
    if prompts and not os.path.isdir(prompts):  # noqa: PTH112 - never raises, whatever it is
        from reasonloom.prompts.registry import PromptRegistry

        PromptRegistry(prompts)


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
) -> None:
    """Serve MCP over stdio, or over HTTP with --http."""
    from reasonloom.server.telemetry.start import start_telemetry

    _require_http(http, {"--stateless": stateless, "--studio": studio})
    chosen = {
        "toolsets": toolsets, "tools": tools, "exclude_tools": exclude_tools, "serve_as": as_,
    }  # fmt: skip
    settings = load_settings(**chosen, read_only=read_only or None, stateless=stateless or None)
    settings = _asking_caller(settings)
    try:
        anyio.run(require_usable, settings)
    except SettingMistake as mistake:
        raise _name_flag(mistake, chosen) from None
    last = FastExit()
    set_up_log(settings)
    start_telemetry(settings)
    if http is None:
        from reasonloom.server.stdio.serving import serve_stdio

        anyio.run(serve_stdio, settings)
    else:
        from reasonloom.server.http.serving import serve_http

        anyio.run(serve_http, settings, http, _studio_mount() if studio else None)
    last.served = True


def _asking_caller(settings: Settings) -> Settings:
    """Make the calling model answer the prompts, unless another model is set."""
    if settings.llm or settings.langbase_api_key or settings.serve_as:
        return settings
    return settings.model_copy(update={"llm": CALLER})


def _require_http(http: str | None, flags: dict[str, bool]) -> None:
    for flag, given in flags.items():
        if given and http is None:
            raise SettingMistake(f"{flag}: needs --http HOST:PORT beside it", field=flag)


def _name_flag(mistake: SettingMistake, chosen: dict[str, str | None]) -> SettingMistake:
    """Return the mistake with the flag's name, if a flag overrode the variable."""
    for field, given in chosen.items():
        if given is not None and mistake.field in variables_of(field):
            flag = f"--{field.removeprefix('serve_').replace('_', '-')}"
            return SettingMistake(mistake.message.replace(mistake.field, flag, 1), field=flag)
    return mistake


def _studio_mount() -> Any:
    from reasonloom.studio.mount import with_studio

    return with_studio


def studio(
    http: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Where to serve the pages.")
    ] = "127.0.0.1:8322",
) -> None:
    """Serve the studio at /studio: look into sessions, memory, graphs, runs and evals."""
    from reasonloom.studio.app import serve_studio

    settings = load_settings()
    anyio.run(require_usable, settings)
    set_up_log(settings)
    anyio.run(serve_studio, settings, http, typer.echo)
