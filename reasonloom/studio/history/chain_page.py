"""`/history/chain`: what led to an event, or what came next, as a strip of cards in order."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from itertools import combinations
from typing import Any

from nicegui import ui

from reasonloom.contracts.base import Request
from reasonloom.contracts.history import HistoryPredict, HistoryRecall
from reasonloom.contracts.validation import parse_request
from reasonloom.graphs.runs.call import Outcome
from reasonloom.nodes.memory.forget import memory_number
from reasonloom.stores.history import chunk_links, chunk_lists
from reasonloom.studio.memory.facts import past_link
from reasonloom.studio.page_context import StudioPage, Visit
from reasonloom.studio.widgets.elements import (
    call_summary,
    empty_state,
    facts,
    heading,
    mark,
    prose,
    short_moment,
    tag,
)
from reasonloom.studio.widgets.forms import MAX_FIELD, choice, field, form
from reasonloom.studio.widgets.live import deferred
from reasonloom.text.shortening import shortened

WAYS = {"back": "what led to it", "on": "what comes next"}
MOST_PROJECTS = 300


def chain_form(visit: Visit, projects: Sequence[str], project: str = "") -> None:
    """Draw the form with the values in the address."""
    named = project or visit.query.get("project", "")
    names = dict.fromkeys([*([named] if named else []), *projects[:MOST_PROJECTS]])
    with form("/history/chain", "Search past conversations", button="Search"):
        field(
            "q",
            "What happened",
            visit.query.get("q", ""),
            search=True,
            hint="How was the login fixed?",
        )
        way = visit.query.get("way", "back")
        choice("way", "Find", way if way in WAYS else "back", WAYS)
        choice("project", "Project", named, {"": "every", **{name: name for name in names}})


NO_DIAGNOSIS = "next in time; there is no other link between them"


def chain_strip(
    pieces: Sequence[Mapping[str, Any]], reasons: Sequence[str], *, chain: bool
) -> None:
    """Draw the pieces in order; a chain has reasons between them."""
    with ui.element("ol").classes("studio-strip" if chain else "studio-found"):
        for place, (piece, why) in enumerate(zip(pieces, reasons, strict=True), start=1):
            with ui.element("li").classes("studio-card"):
                if chain and place > 1:
                    tag("p", why or NO_DIAGNOSIS, "studio-why", dir="auto")
                _piece(place, piece)


def _piece(place: int, piece: Mapping[str, Any]) -> None:
    with ui.element("p").classes("studio-row"):
        tag("strong", f"{place}.")
        time = short_moment(datetime.fromisoformat(piece["time"])) if piece["time"] else "undated"
        tag("span", time, "studio-quiet")
        tag("span", shortened(piece["project"], 40), "studio-quiet")
        session = shortened(piece["session_id"], 24)
        ui.link(f"session {session}", past_link(piece["project"], piece["session_id"]))
        ui.link(piece["id"], f"/memory/{piece['id'].removeprefix('mem-')}")
        if piece["score"] is not None:
            tag("span", f"relevance {piece['score']:.2f}", "studio-quiet")
        if piece["cut"]:
            mark("cut", "quiet")
    prose(piece["content"])


def diagnosis(found: Mapping[str, Any] | None) -> None:
    """Draw why there is no chain; nothing if there is one."""
    if found is None:
        return
    tag("h2", "Why there is no chain")
    facts(
        {
            "Reason": found["reason"],
            "Found by search": f"{found['search_results']:,}",
            "Beginnings tried": f"{found['seeds']:,}",
            "Chains tried": f"{found['chains']:,}",
            "Their lengths": ", ".join(map(str, found["lengths"][:20])) or "–",
        }
    )


LEAD = (
    "From problem to solution, the earliest first. It is a call of {tool}, recorded as a run; "
    "a long piece is cut to the budget of an answer."
)
TOOLS = {"back": "history_recall", "on": "history_predict"}


async def build(visit: Visit) -> None:
    """Draw the form; the chain is fetched once the page is displayed."""
    words = visit.text("q", MAX_FIELD)
    project = visit.text("project", MAX_FIELD)
    way = visit.query.get("way", "back")
    way = way if way in WAYS else "back"
    slugs = await visit.context.read(chunk_lists.slugs, searching=True)
    heading(f"History: {WAYS[way]}", LEAD.format(tool=TOOLS[way]))
    chain_form(visit, slugs, project)
    if not words:
        empty_state("Say what happened", "Such as: how was the login page mended?")
        return

    async def load() -> Callable[[], None]:
        outcome = await _request(visit, way, words, project)
        reasons = await _reasons(visit, outcome.answer["chunks"])
        return lambda: _answer(outcome, reasons)

    deferred(load, "searching past conversations…")


async def _request(visit: Visit, way: str, words: str, project: str) -> Outcome:
    where = {"project": project} if project else {}
    request: Request = (
        parse_request(HistoryPredict, {"context": words, **where})
        if way == "on"
        else parse_request(HistoryRecall, {"query": words, **where})
    )
    return await visit.context.call(TOOLS[way], request, reads=True)


async def _reasons(visit: Visit, pieces: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return for each piece the reason that links it to the nearest earlier linked piece."""
    ids = [memory_number(piece["id"]) for piece in pieces]
    pairs = list(combinations(ids, 2))
    async with visit.context.begin(searching=True) as tx:
        reasons = dict(zip(pairs, await chunk_links.reasons_between(tx, pairs), strict=True))
    return [_nearest(ids[:place], key, reasons) for place, key in enumerate(ids)]


def _nearest(before: Sequence[int], key: int, reasons: Mapping[tuple[int, int], str]) -> str:
    known = [
        (earlier, reasons[earlier, key]) for earlier in reversed(before) if reasons[earlier, key]
    ]
    return f"from mem-{known[0][0]}: {known[0][1]}" if known else ""


def _answer(outcome: Outcome, reasons: Sequence[str]) -> None:
    answer = outcome.answer
    found = "a chain of causes" if answer["chain"] else "no chain: what a search found"
    summary = f"{len(answer['chunks']):,} pieces, {answer['tokens']:,} tokens: {found}."
    call_summary(outcome.notes, summary, outcome.run_id)
    if not answer["chunks"]:
        empty_state(
            "No past conversation is about this", "Use other words, or search every project."
        )
    chain_strip(answer["chunks"], reasons, chain=answer["chain"])
    diagnosis(answer["diagnostics"])


CHAIN = StudioPage("/history/chain", "Chain", "history", build, "/history")
