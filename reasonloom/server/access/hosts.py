"""Which names a server answers to: a page in a browser must not reach it by a name of its own."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mcp.server.transport_security import TransportSecuritySettings

from reasonloom.errors import SettingMistake

if TYPE_CHECKING:
    from reasonloom.settings import Settings

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def is_loopback(host: str) -> bool:
    """Tell whether only this machine reaches a host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def allowed(settings: Settings, host: str) -> TransportSecuritySettings:
    """Return the Host and Origin headers that are answered by a server bound to `host`.

    Raises:
        SettingMistake: it is bound to every address, and no setting says what it is called.
    """
    named = [*settings.allowed_hosts, *_public(settings)]
    if not named and host in ("0.0.0.0", "::"):  # noqa: S104 - compared, not bound
        name = "REASONLOOM_ALLOWED_HOSTS"
        said = "must name the hosts by which clients reach a server bound to every address"
        raise SettingMistake(f"{name}: {said}", field=name)
    own = [f"[{host}]" if ":" in host else host]
    names = [*dict.fromkeys([*own, *(LOOPBACK if is_loopback(host) else ())])]
    origins = [f"http://{each}:*" for each in names] if is_loopback(host) else []
    if settings.public_url:
        parts = urlsplit(settings.public_url)
        origins.append(f"{parts.scheme}://{parts.netloc}")
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[form for each in [*names, *named] for form in _forms(each)],
        allowed_origins=[*origins, *settings.allowed_origins],
    )


def _public(settings: Settings) -> list[str]:
    return [urlsplit(settings.public_url).netloc] if settings.public_url else []


def _forms(name: str) -> tuple[str, ...]:
    """Return a host with its port as it is; one without a port stands for every port."""
    bare = name.endswith("]") or ":" not in name
    return (name, f"{name}:*") if bare else (name,)
