"""Headers of every answer: a browser that obeys them fetches nothing from anywhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import MutableHeaders

if TYPE_CHECKING:
    from starlette.types import Message, Send

POLICY = "; ".join(
    (
        "default-src 'self'",
        # The library compiles its templates in the browser and writes its start into the page.
        "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'self'",
    )
)
ALWAYS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "SAMEORIGIN",
    # With `no-referrer` a browser sends its own form as from the origin `null`, which is refused.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}


def with_headers(send: Send) -> Send:
    """Return `send` with our headers on the beginning of each answer."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in ALWAYS.items():
                headers[name] = value
            if headers.get("content-type", "").startswith("text/html"):
                headers["cache-control"] = "no-store"
        await send(message)

    return sent
