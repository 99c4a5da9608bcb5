"""Every page, in the order of the navigation."""

from __future__ import annotations

from reasonloom.studio import home, missing
from reasonloom.studio.evals import eval_pages, eval_report
from reasonloom.studio.history import chain_page, project_pages, transcript_page
from reasonloom.studio.memory import list_page, memory_page, recall_page
from reasonloom.studio.mental_models import basins, model_lists, model_page
from reasonloom.studio.runs import run_pages, runs
from reasonloom.studio.sessions import session_pages, sessions
from reasonloom.studio.thinking import ponder, ponder_pages
from reasonloom.studio.thought_graph import graph_pages, graphs

PAGES = (
    home.PAGE,
    sessions.PAGE,
    session_pages.PAGE,
    runs.PAGE,
    run_pages.PAGE,
    graphs.PAGE,
    graph_pages.PAGE,
    ponder.PAGE,
    ponder_pages.PAGE,
    list_page.PAGE,
    memory_page.PAGE,
    recall_page.PAGE,
    project_pages.PAGE,
    chain_page.PAGE,
    transcript_page.PAGE,
    project_pages.PROJECT,
    model_lists.PAGE,
    model_page.PAGE,
    basins.PAGE,
    eval_pages.PAGE,
    eval_report.COMPARISON,
    eval_report.PAGE,
    missing.PAGE,
)
"""The last one takes every address that no other does."""
