"""A place on the page whose content is drawn anew as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from nicegui import ui


class Region:
    """Stands where it is made."""

    def __init__(self, look: str = "studio-stack") -> None:
        self._box = ui.element("div").classes(look)

    @contextmanager
    def anew(self) -> Iterator[None]:
        """Empty it; what is drawn within stands in it."""
        self._box.clear()
        with self._box:
            yield
