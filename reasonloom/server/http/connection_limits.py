"""How much all connections of a server may hold together, and how long each."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

from reasonloom.server.http.tally import Tally
from reasonloom.server.json_rpc import LONGEST

log = logging.getLogger(__name__)
HEAD, BODY = "head", "body"


@dataclass(frozen=True, slots=True)
class Limits:
    """Connections at once; seconds until a request's head, and then its body, must be there.

    A body has as much more time as it takes at `body_rate` bytes a second, and what is written has
    the same time until it is read. `head_bytes` are counted from a head's second packet on,
    `rest_bytes` from there to the end of the request; h11 has a lower bound of its own for heads,
    and refuses what comes behind a body.
    """

    most: int
    head: float = 10.0
    body: float = 60.0
    body_rate: float = 8_192.0
    head_bytes: int = 65_536
    rest_bytes: int = 2 * LONGEST


class Crowd:
    """All connections of a server, and which of them wait for a request."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.seconds = {HEAD: limits.head, BODY: limits.body}
        self.waiting: dict[Any, None] = {}
        self.crowded = Tally(log, f"connections closed, more than {limits.most} at once")
        self.late = Tally(log, "connections closed, a request did not come whole in time")
        self.unread = Tally(log, "connections closed, an answer was not read in time")

    def make_room(self, newest: Any) -> None:
        """Close the one that has waited longest for a request, the newest where none waits."""
        self.crowded.count()
        closed = next(iter(self.waiting), newest)
        self.waiting.pop(closed, None)
        closed.transport.abort()
