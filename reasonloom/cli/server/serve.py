"""`reasonloom serve`: the MCP server, over stdio or HTTP."""

from __future__ import annotations

import atexit
import logging
import os
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reasonloom.errors import SettingMistake

if TYPE_CHECKING:
    from pathlib import Path

    from reasonloom.settings import Settings


class FastExit:
    """The last of what runs at the end of a process, when it was made before all else.

    Python then frees module by module what is loaded, with nobody waiting for it but whoever
    asked the server to end. What must be written is written by the steps that ran before.
    """

    def __init__(self) -> None:
        self.served = False
        atexit.register(self._end)

    def _end(self) -> None:
        """End the process if it served as it should; else Python tells what went wrong."""
        if not self.served:
            return
        logging.shutdown()
        sys.stdout.flush()
        os._exit(0)


async def require_usable(settings: Settings) -> None:
    """See that tools, llm, embedder, database and prompts can be chosen as the settings say.

    What is not set is not looked at, no model loaded, nothing connected to: clients give up on
    servers that start slowly. Whether the database answers, a provider knows the model and each
    template is well-formed shows later.

    Raises:
        SettingMistake: a setting cannot be used; names it.
    """
    from reasonloom.server.catalogue.selection import choose  # noqa: PLC0415 - other commands start faster

    choose(settings)
    if settings.llm not in (None, "offline"):
        from reasonloom.llm.choose import choose_llm  # noqa: PLC0415 - only if chosen

        await choose_llm(settings).close()
    if "embedder" in settings.model_fields_set:
        from reasonloom.llm.embedding.choose import choose_embedder  # noqa: PLC0415

        await choose_embedder(settings).close()
    if settings.database_url:
        from reasonloom.stores.access import find_access  # noqa: PLC0415 - imports psycopg

        await find_access(settings)
    _require_folder(settings.prompts)


def _require_folder(prompts: Path | None) -> None:
    """Let the registry refuse what is no folder; what is one takes it long to load."""
    if prompts and not os.path.isdir(prompts):  # noqa: PTH112 - never raises, whatever it is
        from reasonloom.prompts.registry import PromptRegistry  # noqa: PLC0415

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
        str | None,
        typer.Option(help="default, all, thought, reasoning, ...; separated by commas."),
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
    import anyio  # noqa: PLC0415 - the other commands start faster without

    from reasonloom.cli.server.log_setup import set_up_log  # noqa: PLC0415
    from reasonloom.server.http.serving import serve_http  # noqa: PLC0415
    from reasonloom.server.stdio.serving import serve_stdio  # noqa: PLC0415
    from reasonloom.server.telemetry.start import start_telemetry  # noqa: PLC0415
    from reasonloom.settings import load_settings  # noqa: PLC0415

    _require_http(http, {"--stateless": stateless, "--studio": studio})
    chosen = {
        "toolsets": toolsets, "tools": tools, "exclude_tools": exclude_tools, "serve_as": as_,
    }  # fmt: skip
    settings = load_settings(**chosen, read_only=read_only or None, stateless=stateless or None)
    try:
        anyio.run(require_usable, settings)
    except SettingMistake as mistake:
        raise _name_flag(mistake, chosen) from None
    last = FastExit()
    set_up_log(settings)
    start_telemetry(settings)
    if http is None:
        anyio.run(serve_stdio, settings)
    else:
        anyio.run(serve_http, settings, http, _studio_mount() if studio else None)
    last.served = True


def _require_http(http: str | None, flags: dict[str, bool]) -> None:
    for flag, given in flags.items():
        if given and http is None:
            raise SettingMistake(f"{flag}: needs --http HOST:PORT beside it", field=flag)


def _name_flag(mistake: SettingMistake, chosen: dict[str, str | None]) -> SettingMistake:
    """Return a mistake that names the flag, where a flag went over the variable that it names."""
    from reasonloom.settings import variables_of  # noqa: PLC0415

    for field, given in chosen.items():
        if given is not None and mistake.field in variables_of(field):
            flag = f"--{field.removeprefix('serve_').replace('_', '-')}"
            return SettingMistake(mistake.message.replace(mistake.field, flag, 1), field=flag)
    return mistake


def _studio_mount() -> Any:
    from reasonloom.studio.mount import with_studio  # noqa: PLC0415 - an extra

    return with_studio


def studio(
    http: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Where to serve the pages.")
    ] = "127.0.0.1:8322",
) -> None:
    """Serve the studio at /studio: look into sessions, memory, graphs, runs and evals."""
    import anyio  # noqa: PLC0415 - the other commands start faster without

    from reasonloom.cli.server.log_setup import set_up_log  # noqa: PLC0415
    from reasonloom.settings import load_settings  # noqa: PLC0415
    from reasonloom.studio.app import serve_studio  # noqa: PLC0415

    settings = load_settings()
    anyio.run(require_usable, settings)
    set_up_log(settings)
    anyio.run(serve_studio, settings, http, typer.echo)
