"""`reasonloom studio`: the pages that show sessions, memory, runs and evals."""

from __future__ import annotations

from typing import Annotated

import typer


def studio(
    http: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Where to serve the pages.")
    ] = "127.0.0.1:8322",
) -> None:
    """Serve the studio at /studio: look into sessions, memory, graphs, runs and evals."""
    import anyio  # noqa: PLC0415 - the other commands start faster without

    from reasonloom.cli.server.log_setup import set_up_log  # noqa: PLC0415
    from reasonloom.cli.server.require_usable import require_usable  # noqa: PLC0415
    from reasonloom.settings import load_settings  # noqa: PLC0415
    from reasonloom.studio.serving import serve_studio  # noqa: PLC0415

    settings = load_settings()
    anyio.run(require_usable, settings)
    set_up_log(settings)
    anyio.run(serve_studio, settings, http, typer.echo)
