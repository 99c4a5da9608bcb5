"""Reads hosts and origins as browsers write them: small letters, no port that goes without saying.

Whole names are compared, never their beginnings: `127.0.0.1:80.evil.example` is a stranger's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?)(?::([0-9]{1,5}))?")
ORIGIN = re.compile(r"([a-z][a-z0-9+.-]*)://([^/]*)")
PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Host:
    """A name with its port; None where none is told."""

    name: str
    port: int | None

    def fits(self, other: Host) -> bool:
        """Tell whether this, as it is allowed, stands for another: without a port for every one."""
        plain = other.port is None and self.port in PORTS.values()
        return self.name == other.name and (self.port in (None, other.port) or plain)


@dataclass(frozen=True, slots=True)
class Origin:
    """The scheme and the host of a page; a port that the scheme says already is left out."""

    scheme: str
    host: Host

    def __str__(self) -> str:
        port = "" if self.host.port is None else f":{self.host.port}"
        return f"{self.scheme}://{self.host.name}{port}"


def read_host(text: str) -> Host | None:
    """Return the host of `NAME` or `NAME:PORT`, None where it is neither."""
    found = HOST.fullmatch(text.lower())
    if found is None or text.count("..") > 0:
        return None
    return Host(found[1], int(found[2]) if found[2] else None)


def read_origin(text: str) -> Origin | None:
    """Return the origin of `SCHEME://NAME` or `SCHEME://NAME:PORT`, None where it is neither."""
    found = ORIGIN.fullmatch(text.lower())
    host = read_host(found[2]) if found else None
    if found is None or host is None:
        return None
    usual = host.port == PORTS.get(found[1])
    return Origin(found[1], Host(host.name, None) if usual else host)
