"""`/history/chain`: what led to something, or what came next, as a strip of cards in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from nicegui import ui

from reasonloom.contracts.history import HistoryPredict, HistoryRecall
from reasonloom.contracts.validation import read
from reasonloom.nodes.memory.forget import memory_number
from reasonloom.stores.history import chunk_lists, chunk_reasons
from reasonloom.studio.history.chain_form import WAYS, chain_form
from reasonloom.studio.history.chain_strip import diagnosed, strip
from reasonloom.studio.page import StudioPage, Visit
from reasonloom.studio.widgets.empty import empty
from reasonloom.studio.widgets.form import LONGEST
from reasonloom.studio.widgets.heading import heading
from reasonloom.studio.widgets.later import later
from reasonloom.studio.widgets.tag import tag

if TYPE_CHECKING:
    from reasonloom.graphs.runs.graphs_call import Outcome

LEAD = (
    "From problem to solution, the earliest first. It is a call of {tool}, recorded as a run; "
    "a long piece is cut to the budget of an answer."
)
TOOLS = {"back": "history_recall", "on": "history_predict"}


async def build(visit: Visit) -> None:
    """Draw the form; the chain itself is asked for once the page is seen."""
    words = visit.query.get("q", "").replace("\x00", "").strip()[:LONGEST]
    project = visit.query.get("project", "").replace("\x00", "").strip()[:LONGEST]
    way = visit.query.get("way", "back")
    way = way if way in WAYS else "back"
    async with visit.desk.begin(searching=True) as tx:
        slugs = await chunk_lists.slugs(tx)
    heading(f"History: {WAYS[way]}", LEAD.format(tool=TOOLS[way]))
    chain_form(visit, slugs, project)
    if not words:
        empty("Say what happened", "Such as: how was the login page mended?")
        return

    async def load() -> Callable[[], None]:
        outcome = await _asked(visit, way, words, project)
        reasons = await _reasons(visit, outcome.answer["chunks"])
        return lambda: _answer(outcome, reasons)

    later(load, "walking through the past…")


async def _asked(visit: Visit, way: str, words: str, project: str) -> Outcome:
    where = {"project": project} if project else {}
    if way == "on":
        request = read(HistoryPredict, {"context": words, **where})
        return await visit.desk.call(TOOLS[way], request, reads=True)
    asked = read(HistoryRecall, {"query": words, **where})
    return await visit.desk.call(TOOLS[way], asked, reads=True)


async def _reasons(visit: Visit, pieces: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return for each piece why it follows from the nearest one before it that says so."""
    ids = [memory_number(piece["id"]) for piece in pieces]
    pairs = list(combinations(ids, 2))
    async with visit.desk.begin(searching=True) as tx:
        said = dict(zip(pairs, await chunk_reasons.between(tx, pairs), strict=True))
    return [_nearest(ids[:place], key, said) for place, key in enumerate(ids)]


def _nearest(before: Sequence[int], key: int, said: Mapping[tuple[int, int], str]) -> str:
    known = [(earlier, said[earlier, key]) for earlier in reversed(before) if said[earlier, key]]
    return f"from mem-{known[0][0]}: {known[0][1]}" if known else ""


def _answer(outcome: Outcome, reasons: Sequence[str]) -> None:
    answer = outcome.answer
    for note in outcome.notes:
        tag("p", note, "studio-note", role="note", dir="auto")
    with ui.element("p").classes("studio-row"):
        found = "a chain of causes" if answer["chain"] else "no chain: what a search found"
        said = f"{len(answer['chunks']):,} pieces, {answer['tokens']:,} tokens: {found}."
        tag("span", said, "studio-quiet")
        ui.link("its run", f"/run/{outcome.run_id}")
    if not answer["chunks"]:
        empty("Nothing in the past is about this", "Ask in other words, or of every project.")
    strip(answer["chunks"], reasons, chain=answer["chain"])
    diagnosed(answer["diagnostics"])


PAGE = StudioPage("/history/chain", "Chain", "history", build, "/history")
