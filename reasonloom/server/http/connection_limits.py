"""Limits on the number of a server's connections, and on the time of each."""

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from reasonloom.server.json_rpc import MAX_MESSAGE_BYTES

MINUTE = 60.0


class ThrottledWarning:
    """Warns of repeated events: immediately, then at most once a minute, with their count."""

    def __init__(
        self, log: logging.Logger, text: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Warn on `log` with `text` and the number of events since the last warning."""
        self._log = log
        self._text = text
        self._clock = clock
        self._quiet_until = float("-inf")
        self._times = 0

    def count(self) -> None:
        """Count one event."""
        self._times += 1
        now = self._clock()
        if now < self._quiet_until:
            return
        self._log.warning("%s: %d since this was last logged", self._text, self._times)
        self._times, self._quiet_until = 0, now + MINUTE


@dataclass(slots=True)
class WriteTimeout:
    """Limits how long written data may remain unread.

    The limit is `seconds` plus the time its bytes take at `rate` bytes per second; after that,
    `late` is called and the connection is aborted.
    """

    loop: asyncio.AbstractEventLoop
    transport: asyncio.WriteTransport
    seconds: float
    rate: float
    late: Callable[[], None]
    _timer: asyncio.TimerHandle | None = field(default=None, init=False)

    def begin(self) -> None:
        """Start the timer for buffered data, unless it is running."""
        held = self.transport.get_write_buffer_size()
        if held and self._timer is None:
            self._timer = self.loop.call_later(self.seconds + held / self.rate, self._give_up)

    def end(self) -> None:
        """Stop the timer: the data was read, or the connection is gone."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        self.late()
        self.transport.abort()


log = logging.getLogger(__name__)
HEAD, BODY = "head", "body"


@dataclass(frozen=True, slots=True)
class Limits:
    """Maximum concurrent connections, and the limits of each request.

    `head` and `body` are the seconds until a request's head, and then its body, must have arrived.
    A body gets extra time at `body_rate` bytes per second, and written data has the same time to
    be read. `head_bytes` are counted from a head's second packet on, `rest_bytes` from there to
    the end of the request; h11 has a lower limit of its own for heads, and rejects data after a
    body.
    """

    most: int
    head: float = 10.0
    body: float = 60.0
    body_rate: float = 8_192.0
    head_bytes: int = 65_536
    rest_bytes: int = 2 * MAX_MESSAGE_BYTES


class ConnectionLimits:
    """The connections of a server, and those of them that are waiting for a request."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.seconds = {HEAD: limits.head, BODY: limits.body}
        self.waiting: dict[Any, None] = {}
        self.crowded = ThrottledWarning(log, f"connections closed, more than {limits.most} at once")
        self.late = ThrottledWarning(log, "connections closed, a request was not complete in time")
        self.unread = ThrottledWarning(log, "connections closed, an answer was not read in time")

    def make_room(self, newest: Any) -> None:
        """Close the connection that has waited longest for a request, else the newest."""
        self.crowded.count()
        closed = next(iter(self.waiting), newest)
        self.waiting.pop(closed, None)
        closed.transport.abort()
