"""Allowed hosts and origins, against DNS rebinding: no page may use a host name of its own."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from reasonloom.errors import SettingMistake
from reasonloom.settings import Settings

# Names are compared whole, never by prefix: `127.0.0.1:80.evil.example` is another host.

HOST_PATTERN = re.compile(
    r"(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?)(?::([0-9]{1,5}))?"
)
ORIGIN_PATTERN = re.compile(r"([a-z][a-z0-9+.-]*)://([^/]*)")
DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Host:
    """A host name with its port, None if it has none."""

    name: str
    port: int | None

    def fits(self, other: Host) -> bool:
        """Return whether this allowed host matches another; without a port it matches any.

        A default HTTP port (80 or 443) also matches a host without a port.
        """
        plain = other.port is None and self.port in DEFAULT_PORTS.values()
        return self.name == other.name and (self.port in (None, other.port) or plain)


@dataclass(frozen=True, slots=True)
class Origin:
    """The scheme and host of a page, without the scheme's default port."""

    scheme: str
    host: Host

    def __str__(self) -> str:
        port = "" if self.host.port is None else f":{self.host.port}"
        return f"{self.scheme}://{self.host.name}{port}"


def read_host(text: str) -> Host | None:
    """Parse `NAME` or `NAME:PORT`; None if it is neither."""
    found = HOST_PATTERN.fullmatch(text.lower())
    if found is None or text.count("..") > 0:
        return None
    return Host(found[1], int(found[2]) if found[2] else None)


def read_origin(text: str) -> Origin | None:
    """Parse `SCHEME://NAME` or `SCHEME://NAME:PORT`; None if it is neither."""
    found = ORIGIN_PATTERN.fullmatch(text.lower())
    host = read_host(found[2]) if found else None
    if found is None or host is None:
        return None
    usual = host.port == DEFAULT_PORTS.get(found[1])
    return Origin(found[1], Host(host.name, None) if usual else host)


LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
ALL_INTERFACES = ("0.0.0.0", "::")  # noqa: S104 - compared, not bound
Read = TypeVar("Read", Host, Origin)


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass(frozen=True)
class AllowedNames:
    """The accepted Host and Origin headers; `http` origins of `own` names may have any port."""

    hosts: tuple[Host, ...]
    origins: tuple[Origin, ...]
    own: tuple[str, ...] = ()

    def refusal(self, scope: Scope) -> Response | None:
        """Return the refusal of a request, None if it is accepted."""
        headers = Headers(scope=scope)
        given = [read_host(each) for each in headers.getlist("host")]
        if len(given) != 1 or not self._is_host(given[0]):
            return PlainTextResponse("Invalid Host header", status_code=421)
        if not all(self._is_origin(read_origin(each)) for each in headers.getlist("origin")):
            return PlainTextResponse("Invalid Origin header", status_code=403)
        return None

    def page_refusal(self, scope: Scope) -> Response | None:
        """Return the refusal of a request that only our own pages (same host and port) may send."""
        if refusal := self.refusal(scope):
            return refusal
        headers = Headers(scope=scope)
        own = read_host(headers["host"])
        for given in map(read_origin, headers.getlist("origin")):
            usual = DEFAULT_PORTS.get(given.scheme) if given else None
            if given not in self.origins and not (
                given
                and own
                and given.host.name == own.name
                and (given.host.port or usual) == (own.port or usual)
            ):
                return PlainTextResponse("Invalid Origin header", status_code=403)
        return None

    def _is_host(self, given: Host | None) -> bool:
        return given is not None and any(each.fits(given) for each in self.hosts)

    def _is_origin(self, given: Origin | None) -> bool:
        own = given is not None and given.scheme == "http" and given.host.name in self.own
        return own or given in self.origins


class HostCheck:
    """ASGI middleware that serves paths and everything below them under allowed names only."""

    def __init__(self, app: ASGIApp, names: AllowedNames, paths: Iterable[str]) -> None:
        self._app = app
        self._names = names
        self._paths = tuple(f"{path}/" for path in paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, or refuse it."""
        path = f"{scope.get('path')}/"
        ours = scope["type"] == "http" and path.startswith(self._paths)
        refusal = self._names.refusal(scope) if ours else None
        await (refusal or self._app)(scope, receive, send)


def allowed_names(settings: Settings, host: str) -> AllowedNames:
    """Return the Host and Origin headers accepted by a server bound to `host`.

    Raises:
        SettingMistake: the server is bound to every address and no setting names its hosts, or
            a setting names one in a form that no client sends.
    """
    public = _public(settings)
    named = [*allowed_hosts(settings), *([public.host] if public else [])]
    if not named and host in ALL_INTERFACES:
        name = "REASONLOOM_ALLOWED_HOSTS"
        rule = "must name the hosts by which clients reach a server bound to every address"
        raise SettingMistake(f"{name}: {rule}", field=name)
    local = is_loopback(host)
    itself = () if host in ALL_INTERFACES else (f"[{host}]" if ":" in host else host.lower(),)
    own = (*itself, *(LOOPBACK_NAMES if local else ()))
    return AllowedNames(
        hosts=(*(Host(each, None) for each in own), *named),
        origins=(*([public] if public else []), *allowed_origins(settings)),
        own=own if local else (),
    )


def allowed_hosts(settings: Settings) -> list[Host]:
    """Return the configured hosts.

    Raises:
        SettingMistake: one is not a valid host.
    """
    rule = "each must be HOST or HOST:PORT, such as loom.example, without scheme, path or *"
    return _all_read("REASONLOOM_ALLOWED_HOSTS", settings.allowed_hosts, read_host, rule)


def allowed_origins(settings: Settings) -> list[Origin]:
    """Return the configured origins.

    Raises:
        SettingMistake: one is not a valid origin.
    """
    rule = "each must be SCHEME://HOST or SCHEME://HOST:PORT, such as https://app.example, never *"
    given = [each.removesuffix("/") for each in settings.allowed_origins]
    return _all_read("REASONLOOM_ALLOWED_ORIGINS", given, read_origin, rule)


def _public(settings: Settings) -> Origin | None:
    if not settings.public_url:
        return None
    parts = urlsplit(settings.public_url)
    rule = "its host must be in the form that browsers send"
    given = [f"{parts.scheme}://{parts.netloc}"]
    return _all_read("REASONLOOM_PUBLIC_URL", given, read_origin, rule)[0]


def _all_read(
    name: str, given: Iterable[str], read: Callable[[str], Read | None], rule: str
) -> list[Read]:
    found = [read(each) for each in given]
    if None in found:
        raise SettingMistake(f"{name}: {rule}", field=name)
    return [each for each in found if each is not None]


METHODS = ("GET", "POST", "DELETE")
REQUEST_HEADERS = (
    "authorization", "content-type", "last-event-id", "mcp-method", "mcp-name",
    "mcp-protocol-version", "mcp-session-id",
)  # fmt: skip
RESPONSE_HEADERS = ("mcp-session-id", "retry-after", "www-authenticate")
"""Request headers that a page may send, and response headers that it may read."""


def with_cors(app: ASGIApp, settings: Settings) -> ASGIApp:
    """Return the application with CORS for the allowed origins; tokens are still required.

    Raises:
        SettingMistake: an allowed origin is invalid.
    """
    origins = [str(each) for each in allowed_origins(settings)]
    if not origins:
        return app
    return CORSMiddleware(
        app,
        allow_origins=origins,
        allow_methods=METHODS,
        allow_headers=REQUEST_HEADERS,
        expose_headers=RESPONSE_HEADERS,
        allow_private_network=True,
    )
