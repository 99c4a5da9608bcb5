"""What a caller is told whose call is cut short by the server's end, on either transport."""

from __future__ import annotations

ENDING = -32000
SAID = (
    "The server is ending and did not finish this. Send it again: with the same idempotency key, "
    "where it had one, nothing is done twice"
)
