"""The heading of a page, and what the browser calls it."""

from __future__ import annotations

from nicegui import context

from reasonloom.studio.widgets.tag import tag


def heading(title: str, lead: str = "") -> None:
    """Head the page that is being built; `lead` says in a sentence what it shows."""
    context.client.title = f"{title} · reasonloom"
    tag("h1", title, "studio-title")
    if lead:
        tag("p", lead, "studio-lead")
