"""Implements `search`: memories by exact words, or all that pass the filters.

`sectors` matches a memory's own sector; `primarySector` narrows the result further.
"""

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.memory.tools import (
    ExplainedSearch,
    MatchedMemory,
    SearchResult,
    TermRanks,
)
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.memory.injection.detection import injection_notes
from reasonloom.nodes.memory.recall import memory_fields
from reasonloom.nodes.memory.retrieval.retrieve import (
    DIGITS,
    explain_score,
    retrieve,
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
from reasonloom.nodes.state import ToolState
from reasonloom.stores.memory.search import fulltext
from reasonloom.stores.memory.search.fulltext import MOST_RANKED, Hit, Hits
from reasonloom.stores.memory.search.scope import Scope

CUT = f"only the first {MOST_TERMS} terms and {LONGEST_QUERY} characters of the text were read"
EMPTY_REQUEST = "the text asks for nothing: it holds no word, only operators or marks"
UNREAD = "not searched, for they hold no word or only words that stand everywhere: {terms}"
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
    answer, notes = await answered(execution, request, scope)
    contents = {each.id: each.content for each in answer.memories}
    warnings = injection_notes(contents) if execution.loom.settings.suspicion else []
    empty: list[str] = []
    if not answer.total_count:
        empty += await empty_space_notes(execution)
        empty += await too_early_notes(execution, request)
    return {"answer": answer.wire(), "notes": [*notes, *warnings, *empty]}


async def _by_words(
    execution: Execution, request: ExplainedSearch, scope: Scope
) -> tuple[SearchResult, list[str]]:
    query = parse_query(request.text or "")
    hits = Hits()
    if query.tree is not None:
        async with execution.loom.database.begin(execution.caller, searching=True) as tx:
            hits = await fulltext.matches(
                tx, query.tree, scope=scope, limit=request.limit, offset=request.offset
            )
    answer = SearchResult(
        memories=[_matched_memory(hit, explain=request.explain) for hit in hits.page],
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


async def _by_filters(
    execution: Execution, request: ExplainedSearch, scope: Scope
) -> tuple[SearchResult, list[str]]:
    finding = await retrieve(
        execution, None, scope=scope, offset=request.offset, limit=request.limit
    )
    answer = SearchResult(
        memories=[_filtered_memory(each, explain=request.explain) for each in finding.page],
        total_count=finding.total,
        search_type="metadata",
    )
    return answer, finding.notes


def _matched_memory(hit: Hit, *, explain: bool) -> MatchedMemory:
    terms = zip(hit.held, hit.alone, strict=True)
    ranks = TermRanks(terms={term.text: round(rank, DIGITS) for term, rank in terms})
    return MatchedMemory(
        **memory_fields(hit),
        rank=round(hit.rank, DIGITS),
        highlight=highlight(hit.marked, [term.text for term in hit.held if term.spelled]),
        matched_terms=[term.text for term in hit.held],
        **({"explanation": ranks} if explain else {}),
    )


def _filtered_memory(scored: ScoredMemory, *, explain: bool) -> MatchedMemory:
    return MatchedMemory(
        **memory_fields(scored.memory),
        rank=round(scored.score, DIGITS),
        highlight=highlight(scored.memory.content, []),
        matched_terms=[],
        **({"explanation": explain_score(scored)} if explain else {}),
    )
