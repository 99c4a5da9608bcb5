"""Serves the studio alone: on loopback, unless visitors prove who they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from reasonloom.server.auth.verifier import make_verifier
from reasonloom.server.engine_lifespan import EngineRoom
from reasonloom.server.http.serving import parse_address, serve_app
from reasonloom.server.http.sockets import listening
from reasonloom.studio.app import make_studio
from reasonloom.studio.place import BASE

if TYPE_CHECKING:
    from reasonloom.settings import Settings


async def serve_studio(settings: Settings, address: str, tell: Callable[[str], None]) -> None:
    """Serve at `http://HOST:PORT/studio/` until the process is asked to end.

    It takes up nobody's runs and does no chores: those are a server's.

    Raises:
        SettingMistake: the address, or what says who may do what, cannot be used.
    """
    host, port = parse_address(address, proven=make_verifier(settings) is not None)
    with listening(host, port) as sockets:
        async with EngineRoom(settings, recover=False) as room:
            app = make_studio(room, host)
            room.warm_up()
            shown = f"[{host}]" if ":" in host else host
            tell(f"reasonloom studio: http://{shown}:{port}{BASE}/ (Ctrl+C ends it)")
            await serve_app(app, sockets, room.leave)
