"""Serves the reports that eval pages display in a frame."""

import asyncio

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from reasonloom.errors import ReasonloomError
from reasonloom.evals.reporting.html import render_html
from reasonloom.evals.reporting.report import build_report
from reasonloom.evals.reporting.saved_runs import path_in
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.studio.auth.guard import VISITOR
from reasonloom.studio.page_context import PageContext, eval_folder

MAX_REPORTS = 4
"""Runs of one report."""


class Reports:
    """Serves the report of the runs named in the address, the base first."""

    def __init__(self, lifespan: EngineLifespan) -> None:
        self._lifespan = lifespan

    async def answer(self, request: Request) -> Response:
        """Return the report, or the reason why there is none."""
        context = PageContext(self._lifespan, request.scope[VISITOR], "all")
        try:
            folder = await eval_folder(context)
            runs = request.query_params.getlist("run")[:MAX_REPORTS]
            paths = [path_in(folder, run) for run in runs]
            page = await asyncio.to_thread(lambda: render_html(build_report(*paths)))
            return HTMLResponse(page)
        except ReasonloomError as error:
            return PlainTextResponse(error.message, status_code=404)
