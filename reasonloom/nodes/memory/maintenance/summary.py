"""Summarises a group of episodes, by the language model or extractively."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from reasonloom.contracts.base import CONTENT_LIMIT
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.memory.embedding import embed_views, sector_views
from reasonloom.nodes.memory.new_memory import memory_of_run
from reasonloom.nodes.runs.llm_call import Question, ask
from reasonloom.stores.memory.consolidation import Episode
from reasonloom.stores.memory.memories import NewMemory
from reasonloom.text.extraction import extractive_summary
from reasonloom.text.hidden_characters import remove_hidden

EXTRACT = "extract"
EXTRACT_TAG = "extractive-summary"
SUMMARY_TAG = "consolidated"
OFFLINE = (
    "no language model is configured: summaries are extracts, sentences of the episodes as they "
    "were written; set REASONLOOM_LLM for better ones"
)
NOT_JSON = "an answer of the language model was not the requested JSON and was taken as it was"
LONGEST_EPISODE = 4_000
"""Characters of one episode included in the prompt."""


@dataclass(frozen=True, slots=True)
class EpisodeSummary:
    """The summary of a group; `made_by` is the model name or `extract`."""

    content: str
    confidence: float
    made_by: str
    notes: list[str] = field(default_factory=list)


async def summarize_episodes(
    execution: Execution, episodes: Sequence[Episode], place: int
) -> EpisodeSummary:
    """Return the summary of a group; `place` is its index in the run.

    Raises:
        BudgetExceeded, LlmUnavailable, LlmRefused, TimedOut: as for `ask`; nothing is stored.
    """
    least_confidence = min(each.confidence for each in episodes)
    if execution.loom.llm.offline:
        return EpisodeSummary(extractive_summary(episodes), least_confidence, EXTRACT, [OFFLINE])
    question = Question(
        node="summarise_group",
        prompt="consolidate/summarise",
        variables={
            "episodes": [
                {
                    "date": each.created_at.date().isoformat(),
                    "content": each.content[:LONGEST_EPISODE],
                }
                for each in episodes
            ]
        },
        pipe="linear",
        task=str(place),
    )
    reply = await ask(execution, question)
    if reply.parsed is None:
        return EpisodeSummary(reply.text, least_confidence, reply.model, [NOT_JSON])
    return EpisodeSummary(reply.parsed["summary"], reply.parsed["confidence"], reply.model)


async def summary_memory(
    execution: Execution, episodes: Sequence[Episode], summary: EpisodeSummary, effect: UUID
) -> tuple[NewMemory, list[str]]:
    """Return the embedded memory of a summary, ready to store, with the embedder's notes.

    Its source kind is `tool`, because `recall` must find it instead of the episodes and excludes
    `derived` memories.
    """
    content, _ = remove_hidden(summary.content[:CONTENT_LIMIT])
    content = content if content.strip() else extractive_summary(episodes)
    context, tags = _context(episodes, summary), _tags(episodes, summary)
    now = execution.loom.clock()
    views = sector_views(content, context, tags)
    vectors, notes = await embed_views(execution.loom.embedder, views)
    sessions = {each.session_id for each in episodes}
    memory = memory_of_run(
        execution,
        content,
        sector="semantic",
        at=now,
        vectors=vectors,
        effect=effect,
        source_kind="tool",
        salience=max(each.salience for each in episodes),
        importance=max(each.importance for each in episodes),
        session_id=sessions.pop() if len(sessions) == 1 else None,
        project=episodes[0].project,
        confidence=summary.confidence,
        tags=tags,
        context=context,
    )
    return memory, notes


def _context(episodes: Sequence[Episode], summary: EpisodeSummary) -> str:
    days = sorted(each.created_at.date() for each in episodes)
    how = f"by {summary.made_by}"
    if summary.made_by == EXTRACT:
        how = "extract of their sentences, no language model"
    return f"summary of {len(days)} episodes from {days[0]} to {days[-1]}, {how}"


def _tags(episodes: Sequence[Episode], summary: EpisodeSummary) -> list[str]:
    """Return the tags shared by all episodes, plus those that mark a summary."""
    shared = [tag for tag in episodes[0].tags if all(tag in each.tags for each in episodes)]
    own = [SUMMARY_TAG, *([EXTRACT_TAG] if summary.made_by == EXTRACT else [])]
    return list(dict.fromkeys([*shared, *own]))
