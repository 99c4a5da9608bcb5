"""One summary of a group of episodes: by the language model, or honestly by extract."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from reasonloom.contracts.base import CONTENT_LIMIT
from reasonloom.nodes.memory.cleaning import strip_hidden_fields
from reasonloom.nodes.memory.dates import date_terms
from reasonloom.nodes.memory.embedding import ViewSource, embed_views, sector_views
from reasonloom.nodes.memory.new_memory import DECAY_PER_DAY, estimated_tokens, keywords
from reasonloom.nodes.runs.llm_call import Question, ask
from reasonloom.stores.memory.memories import NewMemory
from reasonloom.text.extraction import extractive_summary

if TYPE_CHECKING:
    from uuid import UUID

    from reasonloom.nodes.loom import Execution
    from reasonloom.stores.memory.consolidation import Episode

EXTRACT = "extract"
EXTRACT_TAG = "extractive-summary"
SUMMARY_TAG = "consolidated"
OFFLINE = (
    "no language model is configured: summaries are extracts, sentences of the episodes as they "
    "were written; set REASONLOOM_LLM for better ones"
)
NOT_JSON = "an answer of the language model was not the JSON asked for and was taken as it was"
LONGEST_EPISODE = 4_000
"""Characters of one episode that the language model reads."""


@dataclass(frozen=True, slots=True)
class EpisodeSummary:
    """What a group comes to; `made_by` is the model's name, or `extract`."""

    content: str
    confidence: float
    made_by: str
    notes: list[str] = field(default_factory=list)


async def summarize_episodes(
    execution: Execution, episodes: Sequence[Episode], place: int
) -> EpisodeSummary:
    """Return the summary of a group; `place` is its number in the run.

    Raises:
        BudgetExceeded, LlmUnavailable, LlmRefused, TimedOut: as `ask`; nothing is stored.
    """
    if execution.loom.llm.offline:
        sure = min(each.confidence for each in episodes)
        return EpisodeSummary(extractive_summary(episodes), sure, EXTRACT, [OFFLINE])
    question = Question(
        node="summarise_group",
        prompt="consolidate/summarise",
        variables={"episodes": [_render_episode(each) for each in episodes]},
        pipe="linear",
        task=str(place),
    )
    reply = await ask(execution, question)
    if reply.parsed is None:
        sure = min(each.confidence for each in episodes)
        return EpisodeSummary(reply.text, sure, reply.model, [NOT_JSON])
    return EpisodeSummary(reply.parsed["summary"], reply.parsed["confidence"], reply.model)


def _render_episode(episode: Episode) -> dict[str, str]:
    return {
        "date": episode.created_at.date().isoformat(),
        "content": episode.content[:LONGEST_EPISODE],
    }


async def summary_memory(
    execution: Execution, episodes: Sequence[Episode], summed: EpisodeSummary, effect: UUID
) -> tuple[NewMemory, list[str]]:
    """Return a summary as a memory to be stored, embedded, and what to say of that.

    Its kind of source is `tool`: it is what a tool wrote, and `recall` must find it in the
    place of the episodes; `derived` memories are kept from recall.
    """
    content, _ = strip_hidden_fields(summed.content[:CONTENT_LIMIT])
    content = content if content.strip() else extractive_summary(episodes)
    context, tags = _context(episodes, summed), _tags(episodes, summed)
    now = execution.loom.clock()
    vectors, notes = await embed_views(
        execution.loom.embedder,
        sector_views(ViewSource(content, now, context=context, tags=tuple(tags))),
    )
    sessions = {each.session_id for each in episodes}
    memory = NewMemory(
        effect=effect,
        content=content,
        sector="semantic",
        event_type="fact",
        source_kind="tool",
        principal=execution.caller.owner,
        tool=execution.run.tool,
        salience=max(each.salience for each in episodes),
        importance=max(each.importance for each in episodes),
        decay_rate=DECAY_PER_DAY["semantic"],
        token_count=estimated_tokens(content),
        created_at=now,
        session_id=sessions.pop() if len(sessions) == 1 else None,
        project=episodes[0].project,
        confidence=summed.confidence,
        keywords=keywords(content),
        tags=tags,
        dates=date_terms(content, context, now.date()),
        context=context,
        run_id=execution.run.id,
        vectors=cast("dict[str, list[float]]", vectors),
        model=execution.loom.embedder.model if vectors else None,
    )
    return memory, notes


def _context(episodes: Sequence[Episode], summed: EpisodeSummary) -> str:
    days = sorted(each.created_at.date() for each in episodes)
    how = (
        "extract of their sentences, no language model"
        if summed.made_by == EXTRACT
        else f"by {summed.made_by}"
    )
    return f"summary of {len(days)} episodes from {days[0]} to {days[-1]}, {how}"


def _tags(episodes: Sequence[Episode], summed: EpisodeSummary) -> list[str]:
    """Return the tags that every episode has, and those that tell what this is."""
    shared = [tag for tag in episodes[0].tags if all(tag in each.tags for each in episodes)]
    own = [SUMMARY_TAG, *([EXTRACT_TAG] if summed.made_by == EXTRACT else [])]
    return list(dict.fromkeys([*shared, *own]))
