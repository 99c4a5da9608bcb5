"""Which names a server answers to: a page in a browser must not reach it by a name of its own."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response

from reasonloom.errors import SettingMistake
from reasonloom.server.http.names import Host, Origin, read_host, read_origin

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from reasonloom.settings import Settings

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
EVERY = ("0.0.0.0", "::")  # noqa: S104 - compared, not bound
Read = TypeVar("Read", Host, Origin)


def is_loopback(host: str) -> bool:
    """Tell whether only this machine reaches a host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass(frozen=True)
class Names:
    """The Host and Origin headers that are answered; `own` may have pages at every port."""

    hosts: tuple[Host, ...]
    origins: tuple[Origin, ...]
    own: tuple[str, ...] = ()

    def refusal(self, scope: Scope) -> Response | None:
        """Return why a request is not answered, None where it is."""
        headers = Headers(scope=scope)
        asked = [read_host(each) for each in headers.getlist("host")]
        if len(asked) != 1 or not self._is_host(asked[0]):
            return PlainTextResponse("Invalid Host header", status_code=421)
        if not all(self._is_origin(read_origin(each)) for each in headers.getlist("origin")):
            return PlainTextResponse("Invalid Origin header", status_code=403)
        return None

    def _is_host(self, asked: Host | None) -> bool:
        return asked is not None and any(each.fits(asked) for each in self.hosts)

    def _is_origin(self, asked: Origin | None) -> bool:
        own = asked is not None and asked.scheme == "http" and asked.host.name in self.own
        return own or asked in self.origins


class Named:
    """ASGI: what lies at and below a path is answered under the server's names alone."""

    def __init__(self, app: ASGIApp, names: Names, path: str) -> None:
        self._app = app
        self._names = names
        self._path = path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        path = f"{scope.get('path')}/"
        ours = scope["type"] == "http" and path.startswith(f"{self._path}/")
        refusal = self._names.refusal(scope) if ours else None
        await (refusal or self._app)(scope, receive, send)


def allowed(settings: Settings, host: str) -> Names:
    """Return the Host and Origin headers that are answered by a server bound to `host`.

    Raises:
        SettingMistake: it is bound to every address, and no setting says what it is called; or
            a setting says it in a form that no client sends.
    """
    public = _public(settings)
    named = [*allowed_hosts(settings), *([public.host] if public else [])]
    if not named and host in EVERY:
        name = "REASONLOOM_ALLOWED_HOSTS"
        said = "must name the hosts by which clients reach a server bound to every address"
        raise SettingMistake(f"{name}: {said}", field=name)
    local = is_loopback(host)
    itself = () if host in EVERY else (f"[{host}]" if ":" in host else host.lower(),)
    own = (*itself, *(LOOPBACK if local else ()))
    return Names(
        hosts=(*(Host(each, None) for each in own), *named),
        origins=(*([public] if public else []), *allowed_origins(settings)),
        own=own if local else (),
    )


def allowed_hosts(settings: Settings) -> list[Host]:
    """Return the hosts that the settings name.

    Raises:
        SettingMistake: one is no host.
    """
    said = "each must be HOST or HOST:PORT, such as loom.example, without scheme, path or *"
    return _all_read("REASONLOOM_ALLOWED_HOSTS", settings.allowed_hosts, read_host, said)


def allowed_origins(settings: Settings) -> list[Origin]:
    """Return the origins of pages that the settings name.

    Raises:
        SettingMistake: one is no origin.
    """
    said = "each must be SCHEME://HOST or SCHEME://HOST:PORT, such as https://app.example, never *"
    given = [each.removesuffix("/") for each in settings.allowed_origins]
    return _all_read("REASONLOOM_ALLOWED_ORIGINS", given, read_origin, said)


def _public(settings: Settings) -> Origin | None:
    if not settings.public_url:
        return None
    parts = urlsplit(settings.public_url)
    said = "its host must be in the form that browsers send"
    given = [f"{parts.scheme}://{parts.netloc}"]
    return _all_read("REASONLOOM_PUBLIC_URL", given, read_origin, said)[0]


def _all_read(
    name: str, given: Iterable[str], read: Callable[[str], Read | None], said: str
) -> list[Read]:
    found = [read(each) for each in given]
    if None in found:
        raise SettingMistake(f"{name}: {said}", field=name)
    return [each for each in found if each is not None]
