"""The frame of every page: header, navigation, colour scheme, error messages."""

import logging
from collections.abc import Sequence
from copy import copy

from nicegui import ui
from starlette.requests import Request

from reasonloom.errors import NotFound, ReasonloomError, ServiceFault
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.studio.auth.guard import VISITOR
from reasonloom.studio.auth.sign_in import SIGN_OUT
from reasonloom.studio.page_context import BASE_PATH, PageContext, StudioPage, Visit
from reasonloom.studio.widgets.elements import empty_state, tag
from reasonloom.studio.widgets.forms import MAX_FIELD

log = logging.getLogger(__name__)
LIGHT = "studio_light"
"""The cookie with a visitor's choice: `light`, `dark`, or absent for the system's."""

PAGE_TIMEOUT = 30.0
"""Seconds until the library gives up on a page."""


def register(page: StudioPage, pages: Sequence[StudioPage], lifespan: EngineLifespan) -> None:
    """Serve a page at its address."""

    async def built(request: Request) -> None:
        context = PageContext(lifespan, request.scope[VISITOR], page.toolset)
        visit = Visit(context, request.path_params, request.query_params)
        _head(page, pages, request)
        main = ui.element("div").classes("studio-main")
        ui.skip_link("Skip to content", target=main)
        with main:
            await error_page(page, visit)

    ui.page(page.path, title=f"{page.title} · reasonloom", response_timeout=PAGE_TIMEOUT)(built)


async def error_page(page: StudioPage, visit: Visit) -> None:
    """Draw a page, or its error instead."""
    try:
        await page.build(visit)
    except NotFound as error:
        ui.context.client.status_code = 404
        empty_state(
            "Not found", error.message, "It may have been forgotten, or belong to someone else."
        )
    except ServiceFault as error:
        ui.context.client.status_code = 503
        empty_state("Not now", error.message, "Reload the page in a moment.")
    except ReasonloomError as error:
        empty_state("This cannot be shown", error.message)
    except Exception:
        log.exception("the page %s failed", page.path)
        empty_state("This page failed", "The server's log has the details.")


def _with_colour_scheme(choice: str) -> None:
    # The library's own element would undo a later choice on each redraw.
    client = ui.context.client
    client.page = copy(client.page)
    client.page.dark = {"dark": True, "light": False}.get(choice)


def _head(page: StudioPage, pages: Sequence[StudioPage], request: Request) -> None:
    _with_colour_scheme(request.cookies.get(LIGHT, ""))
    with ui.header(elevated=False).classes("studio-header"):
        menu = ui.button(icon="menu").props('flat dense aria-label="Navigation"')
        menu.classes("studio-menu")
        ui.link("reasonloom", "/").classes("studio-name")
        with ui.element("form").classes("studio-search") as search:
            tag(
                "input",
                name="q",
                type="search",
                placeholder="Search ( / )",
                maxlength=MAX_FIELD,
                aria_label="Search everything",
            )
        search.props.update({"method": "get", "action": f"{BASE_PATH}/search", "role": "search"})
        ui.html(
            '<button type="button" class="studio-light" data-studio="light" '
            'aria-label="Light or dark">◐</button>',
            sanitize=False,
        )
        if request.scope[VISITOR].verifier is not None:
            ui.link("Sign out", SIGN_OUT).classes("studio-out")
    # Without a value, the library queries the browser for one, and logs an error if the visitor has
    # already left.
    drawer = ui.left_drawer(value=False, bordered=True, elevated=False).classes("studio-drawer")
    drawer.props("width=210 breakpoint=900 role=presentation show-if-above")
    menu.on_click(drawer.toggle)
    with drawer, ui.element("nav").props('aria-label="Pages"'):
        for each in pages:
            if each.icon:
                _entry(each, here=each.path == page.place)


def _entry(page: StudioPage, *, here: bool) -> None:
    link = ui.link(target=page.path).classes("studio-entry")
    if here:
        link.props("aria-current=page")
    with link:
        ui.icon(str(page.icon)).props("aria-hidden=true")
        ui.label(page.title)
