"""The filters of memories: parsed from the query string, drawn as a form."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import cast
from uuid import UUID

from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.stores.database import Transaction
from reasonloom.stores.identifiers import parse_uuid
from reasonloom.stores.memory import memory_lists
from reasonloom.stores.memory.memory_lists import HIDDEN, KINDS, MemoryFilter
from reasonloom.studio.page_context import Visit
from reasonloom.studio.widgets.forms import MAX_FIELD, choice, field, form
from reasonloom.text.shortening import shortened

COLOURS = {"sector": "sector", "cluster": "cluster", "project": "project"}
HIDDEN_WORDS = {"no": "without hidden", "also": "hidden too", "only": "hidden alone"}
KIND_WORDS = {"now": "memories", "past": "past conversations", "all": "both"}
DIGITS = 18


@dataclass(frozen=True, slots=True)
class MemoryQuery:
    """The query in the address: filters as entered, and the map's colours."""

    words: str
    sector: str
    project: str
    tag: str
    cluster: str
    hidden: str
    kinds: str
    colour: str

    @property
    def narrow(self) -> bool:
        """Whether any filter is set."""
        plain = self.hidden == "no" and self.kinds == "now"
        return not plain or any((self.words, self.sector, self.project, self.tag, self.cluster))


def query_of(visit: Visit) -> MemoryQuery:
    """Parse the filters; unknown choices are ignored."""

    def given(name: str) -> str:
        return visit.text(name, MAX_FIELD)

    def one_of(name: str, known: Mapping[str, str], default: str) -> str:
        return given(name) if given(name) in known else default

    return MemoryQuery(
        words=given("q"),
        sector=given("sector") if given("sector") in SECTORS else "",
        project=given("project"),
        tag=given("tag"),
        cluster=given("cluster") if parse_uuid(given("cluster")) else "",
        hidden=one_of("hidden", HIDDEN, "no"),
        kinds=one_of("kinds", KINDS, "now"),
        colour=one_of("colour", COLOURS, "sector"),
    )


async def filters_of(tx: Transaction, query: MemoryQuery) -> MemoryFilter:
    """Return the filter; a query without search terms is matched literally."""
    chosen = MemoryFilter(
        sector=query.sector or None,
        project=query.project or None,
        tag=query.tag or None,
        cluster=parse_uuid(query.cluster) if query.cluster else None,
        hidden=cast("memory_lists.Hidden", query.hidden),
        kinds=cast("memory_lists.Kinds", query.kinds),
    )
    if not query.words:
        return chosen
    if (number := _number(query.words)) is not None:
        return replace(chosen, number=number)
    words = await memory_lists.word_query(tx, query.words)
    return replace(chosen, words=words) if words else replace(chosen, letters=query.words)


def _number(words: str) -> int | None:
    digits = words.removeprefix("mem-")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= DIGITS else None


def draw_filters(query: MemoryQuery, basins: Mapping[UUID, str]) -> None:
    """Draw the form."""
    with form("/memory", "Filter memories"):
        field("q", "Words, or a number", query.words, search=True)
        choice("sector", "Sector", query.sector, {"": "every", **{s: s for s in SECTORS}})
        field("project", "Project", query.project)
        field("tag", "Tag", query.tag)
        names = {str(key): shortened(name, 40) for key, name in basins.items()}
        if query.cluster and query.cluster not in names:
            names[query.cluster] = "(the one in the address)"
        if names:
            choice("cluster", "Cluster", query.cluster, {"": "every", **names})
        choice("kinds", "Of", query.kinds, KIND_WORDS)
        choice("hidden", "Hidden", query.hidden, HIDDEN_WORDS)
        choice("colour", "Colour by", query.colour, COLOURS)
