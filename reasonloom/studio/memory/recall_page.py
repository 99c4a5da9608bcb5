"""`/recall`: try a recall, and see the parts of each memory's score."""

from collections.abc import Callable, Mapping
from typing import Any

from nicegui import ui

from reasonloom.contracts.memory.recall import ExplainedRecall
from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.contracts.validation import parse_request
from reasonloom.graphs.runs.call import Outcome
from reasonloom.studio.page_context import StudioPage, Visit
from reasonloom.studio.widgets.elements import (
    call_summary,
    drawing,
    empty_state,
    heading,
    mark,
    tag,
)
from reasonloom.studio.widgets.forms import MAX_FIELD, choice, field, form
from reasonloom.studio.widgets.live import deferred
from reasonloom.text.shortening import shortened

EXCERPT = 420
COUNTS = {each: each for each in ("5", "10", "20", "50")}
LEAD = (
    "A question as an agent would ask it, and why each memory is found. It is a call of the tool "
    "recall: recorded as a run, and what it finds counts as accessed."
)


async def build(visit: Visit) -> None:
    """Draw the form; the recall runs once the page is displayed."""
    words = visit.text("q", MAX_FIELD)
    sector = visit.query.get("sector", "")
    limit = visit.query.get("limit", "")
    heading("Recall", LEAD)
    with form("/recall", "Try a recall", button="Recall"):
        field("q", "Question", words, search=True, hint="Who must avoid nuts?")
        choice("sector", "Sector", sector, {"": "every", **{each: each for each in SECTORS}})
        choice("limit", "At most", limit or "10", COUNTS)
    if not words:
        empty_state(
            "Ask something", "Such as: what does Anna keep? Every signal's share is then shown."
        )
        return

    async def load() -> Callable[[], None]:
        owner = (await visit.context.caller()).owner
        request = _request(owner, words, sector, limit)
        outcome = await visit.context.call("recall", request, reads=True)
        return lambda: _answer(outcome)

    deferred(load, "recalling…")


def _request(owner: str, words: str, sector: str, limit: str) -> ExplainedRecall:
    given: dict[str, Any] = {"userId": owner, "text": words, "explain": True}
    if sector in SECTORS:
        given["primarySector"] = sector
    if limit in COUNTS:
        given["limit"] = int(limit)
    return parse_request(ExplainedRecall, given)


def _answer(outcome: Outcome) -> None:
    found = outcome.answer["memories"]
    total = outcome.answer["totalCount"]
    summary = f"{len(found):,} of {total:,} candidates, the best first."
    call_summary(outcome.notes, summary, outcome.run_id)
    if not found:
        empty_state(
            "Nothing is relevant", "No memory shares a word with it or is near enough to it."
        )
        return
    with ui.element("ol").classes("studio-found"):
        for place, memory in enumerate(found, start=1):
            _found(place, memory)
    tag("h2", "How to read the bars")
    tag("p", READING, "studio-quiet studio-small")


READING = (
    "Memories are in order of relevance. Of the best five for a question, one that reads more "
    "like the answer, or is newer, comes before one with a higher score. A whole bar is a score "
    "of 1. With a question a score is 0.6 similarity + 0.2 salience + 0.1 recency + 0.1 link. "
    "Similarity is what the signals add up to, squashed: cosine (likeness of vectors), words "
    "(shared words), context (words shared with it or the two before it), tag, date, and session "
    "(the best of its session). Suspicion is subtracted and shown as a number only, so a bar may "
    "be longer than its score."
)


def _found(place: int, memory: Mapping[str, Any]) -> None:
    with ui.element("li").classes("studio-card"):
        with ui.element("div").classes("studio-row"):
            tag("strong", f"{place}.")
            ui.link(memory["id"], f"/memory/{memory['id'].removeprefix('mem-')}")
            mark(memory["primarySector"], "own")
            if "supersededBy" in memory:
                mark(f"superseded by {memory['supersededBy']}", "warn")
            tag("span", f"score {memory['score']:.3f}", "studio-number")
        tag("p", shortened(memory["content"], EXCERPT), "studio-cell", dir="auto")
        drawing("loom-shares", memory["explanation"])


RECALL = StudioPage("/recall", "Recall", "thought", build, "/recall", icon="manage_search")
