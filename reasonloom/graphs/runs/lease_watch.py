"""Detects expired leases by locally elapsed time, regardless of changes to system clocks."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from reasonloom.stores.runs.active_runs import Lease


@dataclass(frozen=True, slots=True)
class _Seen:
    until: datetime
    expires: float
    """A reading of the watch's own clock."""


class LeaseWatch:
    """The leases that a process saw at its last check.

    The database's clock may be changed during a lease. What counts is therefore the time that was
    left when the lease was first seen; a renewed lease counts as a new one.
    """

    def __init__(self, longest: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Take the duration of this process's leases in seconds, and a monotonic clock."""
        self._longest = longest
        self._clock = clock
        self._seen: dict[UUID, _Seen] = {}
        self._offset: float | None = None

    def expired(self, leases: Sequence[Lease]) -> list[Lease]:
        """Return the expired ones of `leases`, which must be all current leases."""
        now = self._clock()
        jump = self._jump(leases[0].now.timestamp() - now) if leases else 0.0
        before, self._seen = self._seen, {}
        for lease in leases:
            known = before.get(lease.run_id)
            if known is None or known.until != lease.until:
                known = _Seen(lease.until, now + self._left(lease, jump))
            self._seen[lease.run_id] = known
        return [lease for lease in leases if self._seen[lease.run_id].expires < now]

    def _jump(self, offset: float) -> float:
        """Return by how many seconds the database's clock was set since the last look."""
        jump = 0.0 if self._offset is None else offset - self._offset
        self._offset = offset
        return jump

    def _left(self, lease: Lease, jump: float) -> float:
        """Return the seconds left of a lease, corrected for a jump of the database's clock."""
        left = (lease.until - lease.now).total_seconds()
        if jump > 0 > left:
            return min(left + jump, self._longest)
        return left + jump if left > -jump > 0 else left
