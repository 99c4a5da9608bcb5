"""`/recall`: try a recall, and see what each memory's score is made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nicegui import ui

from reasonloom.contracts.memory.tools import SECTORS, ExplainedRecall, Explanation
from reasonloom.contracts.validation import read
from reasonloom.nodes.sessions.picture import shortened
from reasonloom.studio.memory.shares import bar, shares_of
from reasonloom.studio.page import StudioPage, Visit
from reasonloom.studio.widgets.elements import mark
from reasonloom.studio.widgets.empty import empty
from reasonloom.studio.widgets.form import LONGEST, choice, field, form
from reasonloom.studio.widgets.heading import heading
from reasonloom.studio.widgets.later import later
from reasonloom.studio.widgets.tag import tag

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reasonloom.graphs.runs.graphs_call import Outcome

EXCERPT = 420
COUNTS = {each: each for each in ("5", "10", "20", "50")}
LEAD = (
    "A question as an agent would ask it, and why each memory is found. It is a call of the tool "
    "recall: recorded as a run, and what it finds counts as accessed."
)


async def build(visit: Visit) -> None:
    """Draw the form; the recall itself happens once the page is seen."""
    words = visit.query.get("q", "").replace("\x00", "").strip()[:LONGEST]
    sector = visit.query.get("sector", "")
    limit = visit.query.get("limit", "")
    heading("Recall", LEAD)
    with form("/recall", "Try a recall", button="Recall"):
        field("q", "Question", words, search=True, hint="Who must avoid nuts?")
        choice("sector", "Sector", sector, {"": "every", **{each: each for each in SECTORS}})
        choice("limit", "At most", limit or "10", COUNTS)
    if not words:
        empty("Ask something", "Such as: what does Anna keep? Every signal's share is then shown.")
        return

    async def load() -> Callable[[], None]:
        owner = (await visit.desk.caller()).owner
        request = _request(owner, words, sector, limit)
        outcome = await visit.desk.call("recall", request, reads=True)
        return lambda: _answer(outcome)

    later(load, "recalling…")


def _request(owner: str, words: str, sector: str, limit: str) -> ExplainedRecall:
    given: dict[str, Any] = {"userId": owner, "text": words, "explain": True}
    if sector in SECTORS:
        given["primarySector"] = sector
    if limit in COUNTS:
        given["limit"] = int(limit)
    return read(ExplainedRecall, given)


def _answer(outcome: Outcome) -> None:
    found = outcome.answer["memories"]
    for note in outcome.notes:
        tag("p", note, "studio-note", role="note", dir="auto")
    with ui.element("p").classes("studio-row"):
        total = outcome.answer["totalCount"]
        tag("span", f"{len(found):,} of {total:,} candidates, the best first.", "studio-quiet")
        ui.link("its run", f"/run/{outcome.run_id}")
    if not found:
        empty("Nothing is relevant", "No memory shares a word with it or is near enough to it.")
        return
    with ui.element("ol").classes("studio-found"):
        for place, memory in enumerate(found, start=1):
            _found(place, memory)
    tag("h2", "How to read the bars")
    tag("p", READING, "studio-quiet studio-small")


READING = (
    "A whole bar is a score of 1. With a question a score is 0.6 similarity + 0.2 salience + 0.1 "
    "recency + 0.1 link. Similarity is what the signals add up to, squashed: cosine (likeness of "
    "vectors), words (shared words), tag, date, session (the best of its session), before and "
    "after (its neighbours). Asking and suspicion take away; they are told as numbers alone, so "
    "that a bar may then be longer than its score."
)


def _found(place: int, memory: Mapping[str, Any]) -> None:
    with ui.element("li").classes("studio-card"):
        with ui.element("div").classes("studio-row"):
            tag("strong", f"{place}.")
            ui.link(memory["id"], f"/memory/{memory['id'].removeprefix('mem-')}")
            mark(memory["primarySector"], "own")
            tag("span", f"score {memory['score']:.3f}", "studio-number")
        tag("p", shortened(memory["content"], EXCERPT), "studio-cell", dir="auto")
        bar(shares_of(Explanation.model_validate(memory["explanation"])))


PAGE = StudioPage("/recall", "Recall", "thought", build, "/recall", icon="manage_search")
