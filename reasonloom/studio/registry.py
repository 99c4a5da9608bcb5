"""Every page, in navigation order."""

from reasonloom.studio import home, search_page
from reasonloom.studio.evals import eval_pages
from reasonloom.studio.history import chain_page, project_pages, transcript_page
from reasonloom.studio.memory import list_page, memory_page, recall_page, review_page
from reasonloom.studio.mental_models import model_lists, model_page
from reasonloom.studio.runs import run_pages
from reasonloom.studio.sessions import session_pages
from reasonloom.studio.sharing import log_page, space_list, space_pages
from reasonloom.studio.thinking import ponder_pages
from reasonloom.studio.thought_graph import graph_pages

PAGES = (
    home.HOME,
    session_pages.SESSIONS,
    session_pages.SESSION,
    run_pages.RUNS,
    run_pages.RUN_COMPARISON,
    run_pages.RUN,
    graph_pages.GRAPHS,
    graph_pages.GRAPH,
    ponder_pages.PONDER_RUNS,
    ponder_pages.PONDER_RUN,
    list_page.MEMORIES,
    review_page.REVIEW,
    memory_page.MEMORY,
    recall_page.RECALL,
    space_list.SPACES,
    space_pages.SPACE,
    log_page.SPACE_LOG,
    project_pages.PROJECTS,
    chain_page.CHAIN,
    transcript_page.TRANSCRIPT,
    project_pages.PROJECT,
    model_lists.MODELS,
    model_page.MODEL,
    model_lists.BASINS,
    eval_pages.EVALS,
    eval_pages.EVAL_COMPARISON,
    eval_pages.EVAL_REPORT,
    search_page.SEARCH,
    home.NOT_FOUND,
)
"""The last one matches every other address."""
