"""Implements `search`: memories by exact words, or all that pass the filters.

`sectors` matches a memory's own sector; `primarySector` narrows the result further.
"""

from dataclasses import replace
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.memory.recall import (
    ExplainedSearch,
    MatchedMemory,
    SearchResult,
    TermRanks,
)
from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.memory.injection.detection import injection_notes
from reasonloom.nodes.memory.recall import memory_fields, named_space
from reasonloom.nodes.memory.retrieval.across import Places, key_of
from reasonloom.nodes.memory.retrieval.retrieve import (
    DIGITS,
    explain_score,
    scope_of,
)
from reasonloom.nodes.memory.retrieval.scoring import ScoredMemory
from reasonloom.nodes.memory.retrieval.text_query import (
    LONGEST_QUERY,
    MOST_TERMS,
    highlight,
    parse_query,
)
from reasonloom.nodes.memory.spaces import empty_space_notes
from reasonloom.nodes.memory.validity import too_early_notes
from reasonloom.nodes.sharing.places import open_read
from reasonloom.nodes.state import ToolState
from reasonloom.stores.memory.search import fulltext
from reasonloom.stores.memory.search.fulltext import MOST_RANKED, Hit, Hits
from reasonloom.stores.memory.search.fulltext_query import Tree
from reasonloom.stores.memory.search.scope import Scope

CUT = f"only the first {MOST_TERMS} terms and {LONGEST_QUERY} characters of the text were read"
EMPTY_REQUEST = "the text has nothing to search for: no word, only operators or marks"
UNREAD = "not searched, because they have no words or only very common ones: {terms}"
RANKED = f"more than {MOST_RANKED} memories match; the newest {MOST_RANKED} were ranked"
SKIPPED = "too much is stored to be read letter by letter; the oldest memories were left out"
MOST_NAMED = 10
LONGEST_NAMED = 50


async def search(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return one page of the memories that match the request's text and filters."""
    execution = runtime.context
    request = execution.request(ExplainedSearch)
    scope = scope_of(request, now=execution.loom.clock())
    answered = _by_words if request.text else _by_filters
    places = Places(await open_read(execution, request.spaces))
    answer, notes = await answered(places, request, scope)
    contents = {each.id: each.content for each in answer.memories}
    warnings = injection_notes(contents) if execution.loom.settings.suspicion else []
    empty: list[str] = []
    if not answer.total_count:
        empty += await empty_space_notes(places.spaces[0])
        empty += await too_early_notes(execution, request)
    return {"answer": answer.wire(), "notes": [*notes, *warnings, *empty]}


async def _by_words(
    places: Places, request: ExplainedSearch, scope: Scope
) -> tuple[SearchResult, list[str]]:
    query = parse_query(request.text or "")
    hits = Hits()
    if query.tree is not None:
        hits = await _hits(places, query.tree, request, scope)
        await places.log([hit.id for hit in hits.page])
    answer = SearchResult(
        memories=[_matched_memory(hit, places, explain=request.explain) for hit in hits.page],
        total_count=hits.total,
        search_type="full-text",
    )
    unread = ", ".join(term.text[:LONGEST_NAMED] for term in hits.unread[:MOST_NAMED])
    remarks = {
        CUT: query.cut,
        EMPTY_REQUEST: query.tree is None,
        UNREAD.format(terms=unread): bool(unread),
        RANKED: hits.total > MOST_RANKED,
        SKIPPED: hits.skipped,
    }
    return answer, [note for note, applies in remarks.items() if applies]


async def _hits(places: Places, tree: Tree, request: ExplainedSearch, scope: Scope) -> Hits:
    """Return a page of the matches of all spaces, by rank; of equals the newest first."""

    async def matches(space: Execution, limit: int, offset: int) -> Hits:
        async with space.loom.database.begin(space.caller, searching=True) as tx:
            return await fulltext.matches(tx, tree, scope=scope, limit=limit, offset=offset)

    if len(places.spaces) == 1:
        return await matches(places.spaces[0], request.limit, request.offset)
    end = request.offset + request.limit
    found = await places.each(lambda space: matches(space, end, 0))
    page = [
        replace(hit, id=key_of(hit.id, place))
        for place, hits in enumerate(found)
        for hit in hits.page
    ]
    page.sort(key=lambda hit: (-hit.rank, -hit.created_at.timestamp()))
    read_nowhere = [term for term in found[0].unread if all(term in each.unread for each in found)]
    return Hits(
        page[request.offset : end],
        sum(each.total for each in found),
        read_nowhere,
        skipped=any(each.skipped for each in found),
    )


async def _by_filters(
    places: Places, request: ExplainedSearch, scope: Scope
) -> tuple[SearchResult, list[str]]:
    finding = await places.retrieve(
        None, scope=scope, sectors=SECTORS, offset=request.offset, limit=request.limit
    )
    await places.log([each.memory.id for each in finding.page])
    answer = SearchResult(
        memories=[_filtered_memory(each, places, explain=request.explain) for each in finding.page],
        total_count=finding.total,
        search_type="metadata",
    )
    return answer, finding.notes


def _matched_memory(hit: Hit, places: Places, *, explain: bool) -> MatchedMemory:
    terms = zip(hit.held, hit.alone, strict=True)
    ranks = TermRanks(terms={term.text: round(rank, DIGITS) for term, rank in terms})
    return MatchedMemory(
        **memory_fields(hit, places.label(hit.id)),
        **named_space(places, hit),
        rank=round(hit.rank, DIGITS),
        highlight=highlight(hit.marked, [term.text for term in hit.held if term.spelled]),
        matched_terms=[term.text for term in hit.held],
        **({"explanation": ranks} if explain else {}),
    )


def _filtered_memory(scored: ScoredMemory, places: Places, *, explain: bool) -> MatchedMemory:
    return MatchedMemory(
        **memory_fields(scored.memory, places.label(scored.memory.id)),
        **named_space(places, scored.memory),
        rank=round(scored.score, DIGITS),
        highlight=highlight(scored.memory.content, []),
        matched_terms=[],
        **({"explanation": explain_score(scored)} if explain else {}),
    )
