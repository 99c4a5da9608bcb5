"""Stub."""
def bench() -> None:
    """."""
