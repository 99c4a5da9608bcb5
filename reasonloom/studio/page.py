"""What a page declares, and what it is given when somebody visits it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reasonloom.studio.page_context import Desk


@dataclass(frozen=True, slots=True)
class Visit:
    """One visit of a page: the desk, the parts of its address, and what follows the `?`."""

    desk: Desk
    parts: Mapping[str, str]
    query: Mapping[str, str]

    @property
    def id(self) -> str:
        """The id in the page's address."""
        return self.parts["id"]


@dataclass(frozen=True, slots=True)
class StudioPage:
    """One page.

    Attributes:
        path: its address below the studio's, such as `/session/{id}`.
        title: what it is called, in the browser's title and as its heading.
        toolset: whose data it shows, which says what a token must allow; `all` is any.
        build: draws it, within the frame that every page has; what it raises is told there.
        place: the path of the page in the navigation that it belongs to.
        icon: its sign in the navigation; None for a page that does not stand there.
    """

    path: str
    title: str
    toolset: str
    build: Callable[[Visit], Awaitable[None]]
    place: str
    icon: str | None = None
