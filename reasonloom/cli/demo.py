"""Stub."""
def demo() -> None:
    """."""
