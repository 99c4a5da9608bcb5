"""Searches all files of a workspace with one question, for the tools that search."""

from dataclasses import dataclass, field, replace

from reasonloom.contracts.graph_memory.workspaces import ContextCount, ContextMatch
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.graph_memory.rendering import DIGITS, to_microseconds
from reasonloom.nodes.graph_memory.workspaces.cache import ReadFile, read_workspace, unread_notes
from reasonloom.nodes.graph_memory.workspaces.matching import (
    ROLE_FACTORS,
    Match,
    WorkspaceQuery,
    embed_for,
    matches,
    parse_workspace_query,
)


@dataclass(frozen=True, slots=True)
class Searched:
    """A file and its matches, best first."""

    file: ReadFile
    matches: list[Match]

    def render(self, match: Match) -> ContextMatch:
        """Return a match for answers, with its score weighted by the file's role."""
        row, held = self.file.row, match.held
        return ContextMatch(
            context_id=row.id,
            label=row.label,
            node_id=held.node_id,
            event_type=held.event_type,
            content=held.content,
            confidence=held.confidence,
            created_at=to_microseconds(held.created_at) if held.created_at else None,
            similarity=round(match.similarity, DIGITS),
            score=round(self.score(match), DIGITS),
        )

    def score(self, match: Match) -> float:
        """Return the similarity, weighted by the file's role."""
        return match.similarity * ROLE_FACTORS[self.file.row.role]

    def counted(self) -> ContextCount:
        """Return the file for answers, with its number of matches."""
        return ContextCount(**self.file.identity(), matches=len(self.matches))


@dataclass(frozen=True, slots=True)
class Survey:
    """A question, the matches of every file, and notes."""

    question: WorkspaceQuery
    files: list[Searched]
    notes: list[str] = field(default_factory=list)


async def survey_workspace(execution: Execution, workspace_id: str, text: str) -> Survey:
    """Search all files of a workspace.

    If the embedder fails on one file, only words count in all files, to keep scores comparable.

    Raises:
        WorkspaceNotFound: this owner has no such workspace.
    """
    _, files = await read_workspace(execution, workspace_id)
    embedder = execution.loom.embedder
    question = await parse_workspace_query(embedder, text)
    notes = [*unread_notes(files), *question.notes]
    for file in files:
        if file.parsed is None:
            continue
        embedded, more = await embed_for(embedder, file.parsed, question, label=file.row.label)
        notes += more
        if not embedded:
            question = replace(question, vector=None)
    searched = [
        Searched(file, await matches(file.parsed, question) if file.parsed else [])
        for file in files
    ]
    return Survey(question, searched, notes)
