"""Every page, in the order of the navigation."""

from __future__ import annotations

from reasonloom.studio.pages import (
    basins,
    chain,
    eval_report,
    evals,
    graph,
    graphs,
    history,
    home,
    memory,
    missing,
    model,
    models,
    one_memory,
    one_ponder,
    past_session,
    ponder,
    recall,
    run,
    runs,
    session,
    sessions,
)

PAGES = (
    home.PAGE,
    sessions.PAGE,
    session.PAGE,
    runs.PAGE,
    run.PAGE,
    graphs.PAGE,
    graph.PAGE,
    ponder.PAGE,
    one_ponder.PAGE,
    memory.PAGE,
    one_memory.PAGE,
    recall.PAGE,
    history.PAGE,
    chain.PAGE,
    past_session.PAGE,
    history.PROJECT,
    models.PAGE,
    model.PAGE,
    basins.PAGE,
    evals.PAGE,
    eval_report.COMPARISON,
    eval_report.PAGE,
    missing.PAGE,
)
"""The last one takes every address that no other does."""
