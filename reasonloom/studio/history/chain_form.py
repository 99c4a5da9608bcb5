"""The form that asks what led to something, or what came next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reasonloom.studio.widgets.form import choice, field, form

if TYPE_CHECKING:
    from reasonloom.studio.page import Visit

WAYS = {"back": "what led to it", "on": "what comes next"}
MOST_PROJECTS = 300


def chain_form(visit: Visit, projects: Sequence[str], project: str = "") -> None:
    """Draw it with what the address holds."""
    named = project or visit.query.get("project", "")
    names = dict.fromkeys([*([named] if named else []), *projects[:MOST_PROJECTS]])
    with form("/history/chain", "Ask the past", button="Tell"):
        field(
            "q",
            "What happened",
            visit.query.get("q", ""),
            search=True,
            hint="How was the login mended?",
        )
        way = visit.query.get("way", "back")
        choice("way", "Tell", way if way in WAYS else "back", WAYS)
        choice("project", "Project", named, {"": "every", **{name: name for name in names}})
