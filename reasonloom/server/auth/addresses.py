"""Which addresses may be trusted: what comes over them must be the host's own words."""

from __future__ import annotations

from urllib.parse import urlsplit

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def is_secure(url: str) -> bool:
    """Tell whether nobody in between can answer for `url`: https, or http on loopback.

    A URL with a user or a fragment, or a port that cannot be, is none that names a page.
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    secure = parts.scheme == "https" or (parts.scheme == "http" and host in LOOPBACK)
    return bool(host) and secure and not parts.username and not parts.fragment


def is_local(url: str) -> bool:
    """Tell whether a URL that is secure leads to this machine alone."""
    return urlsplit(url).hostname in LOOPBACK
