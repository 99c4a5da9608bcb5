"""Stub."""


def bench() -> None:
    """."""
