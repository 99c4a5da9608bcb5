"""A clock that stands until a test moves it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class Clock:
    """Tells `at`, which a test may set or move."""

    def __init__(self) -> None:
        self.at = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.at

    def move(self, **span: float) -> None:
        """Let time pass: `move(days=3)`."""
        self.at += timedelta(**span)
