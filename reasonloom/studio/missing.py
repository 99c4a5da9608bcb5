"""Any address that is none of ours."""

from __future__ import annotations

from reasonloom.studio.page import StudioPage, Visit
from reasonloom.studio.widgets.empty import empty
from reasonloom.studio.widgets.heading import heading


async def build(visit: Visit) -> None:
    """Say that there is no such page."""
    heading("No such page")
    empty("Nothing stands here", "Choose a page on the left, or go back.")


PAGE = StudioPage("/{rest:path}", "No such page", "all", build, "")
