"""Stub."""
def doctor() -> None:
    """."""
