"""The tools of `history`: search, recall, predict, and what is known of past conversations.

Every answer has a `text`, which is all that the reference answers, and the same facts as values.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from reasonloom.contracts.base import Answer, Content, Name, Request
from reasonloom.contracts.brief import Brief
from reasonloom.contracts.validity import AsOf, HeldRequest

MOST_DAYS = 36_500
MOST_PERCENT = 100

Slug = Annotated[Name, Field(description="As list-projects names it")]
SomeSlug = Annotated[Name | None, Field(description="As list-projects names it; all if absent")]
Date = Annotated[Name | None, Field(description="ISO 8601; local time where no zone is named")]
Until = Annotated[Name | None, Field(description="ISO 8601; a day without a time is included")]
Days = Annotated[
    float | None,
    Field(
        gt=0, le=MOST_DAYS, description="Days back from now; the narrower of it and from, to holds"
    ),
]
Host = Literal["claude-code", "codex", "gemini"]
OfHost = Annotated[Host | None, Field(description="Only what this host recorded")]
SessionId = Annotated[Name | None, Field(description="A session's id, or how only it begins")]


class HistorySearch(Request):
    """Search past conversations: what was said and done, the most relevant first."""

    query: Annotated[Content, Field(description="What to look for; be specific")]
    project: SomeSlug = None


class HeldHistorySearch(HeldRequest, HistorySearch):
    """Search past conversations: what was said and done, the most relevant first."""

    as_of: Annotated[AsOf | None, Field(description="Said by then")] = None
    host: OfHost = None


class HistoryRecall(Request):
    """Recall what led to something: walks back from it and tells it in order, problem first."""

    query: Annotated[Content, Field(description="What to recall; be specific")]
    project: SomeSlug = None


class HistoryPredict(Request):
    """Show what came next in the past after moments like this one."""

    context: Annotated[Content, Field(description="What is being discussed or done now")]
    project: SomeSlug = None


class HistoryListProjects(Request):
    """List the projects of past conversations, with how many chunks they have and from when."""


class HistoryListSessions(Request):
    """List a project's sessions, the newest first: ids, times, chunks, tokens."""

    project: Slug
    from_: Annotated[Date, Field(alias="from")] = None
    to: Until = None
    days_back: Days = None


class HostListSessions(HistoryListSessions):
    """List a project's sessions, the newest first: ids, hosts, times, chunks, tokens."""

    host: OfHost = None


class HistoryReconstruct(Request):
    """Show what was said and done in a project in order of time: a session, a day, the last one.

    A session that does not fit is an outline; name a time for its words.
    """

    project: Slug
    session_id: SessionId = None
    from_: Annotated[Date, Field(alias="from")] = None
    to: Until = None
    days_back: Annotated[
        float | None, Field(description="Days back from now; the narrower of it and from, to holds")
    ] = None
    previous_session: Annotated[
        bool, Field(description="The session before current_session_id")
    ] = False
    current_session_id: SessionId = None
    keep_newest: Annotated[
        bool, Field(description="Where not all fits: keep the newest, else the oldest")
    ] = True


class HistoryHookStatus(Request):
    """Tell when each hook ran last, and whether it succeeded."""


class HistoryStats(Request):
    """Count the chunks, edges and clusters of past conversations, and each project's."""


class HistoryForget(Request):
    """Forget past conversations of a project by time, session or topic; shows first what it would.

    Set dry_run to false to forget. It can be undone for some days.
    """

    project: Slug
    before: Annotated[Date, Field(description="What is older than this; ISO 8601")] = None
    after: Annotated[Date, Field(description="From this on; ISO 8601")] = None
    session_id: SessionId = None
    query: Annotated[Content | None, Field(description="What is about this, by likeness")] = None
    threshold: Annotated[
        float,
        Field(
            ge=0,
            le=MOST_PERCENT,
            description="Least likeness to query: 0 to 1, or percent above 1",
        ),
    ] = 0.6
    dry_run: Annotated[bool, Field(description="Only show what would be forgotten")] = True


class ReferenceChunk(Answer):
    """A piece of a past conversation; `time` is null if the transcript has none."""

    brief = Brief(gist=("content",))

    id: str
    project: str
    session_id: str
    agent: str | None
    time: str | None
    tokens: int
    score: float | None
    content: str
    cut: bool


class ChunkResult(ReferenceChunk):
    """A piece of a past conversation; `time` is null if the transcript has none.

    `host` is the program that recorded it, null if its file was of no host.
    """

    host: Host | None = None


class Diagnostics(Answer):
    """Why there is no chain: the reference's reason, and what was tried."""

    reason: str
    search_results: int
    seeds: int
    chains: int
    lengths: list[int]


class ReferenceFound(Answer):
    """Pieces in the order of the chain; `tokens` are those of the text.

    `chain` is true where they are a chain of causes, false where a search found them.
    """

    text: str
    chunks: Sequence[ReferenceChunk]
    tokens: int
    chain: bool
    diagnostics: Diagnostics | None


class HistoryFound(ReferenceFound):
    """Pieces in the order of the chain; `tokens` are those of the text.

    `chain` is true where they are a chain of causes, false where a search found them.
    """

    chunks: list[ChunkResult]


class ProjectSummary(Answer):
    """A project: its name here, its folder, and what is kept of it."""

    project: str
    path: str | None
    sessions: int
    chunks: int
    tokens: int
    first: str | None
    last: str | None


class ProjectsListed(Answer):
    """The projects, that with the newest conversation first."""

    text: str
    projects: list[ProjectSummary]


class ReferenceSession(Answer):
    """A session: whole id, when it began and ended, and what is kept of it."""

    session_id: str
    started_at: str | None
    ended_at: str | None
    chunks: int
    tokens: int


class SessionSummary(ReferenceSession):
    """A session: whole id, when it began and ended, what is kept of it, and its host."""

    host: Host | None = None


class ReferenceSessions(Answer):
    """Sessions, the newest first; `total` may be more than are listed."""

    text: str
    project: str
    sessions: Sequence[ReferenceSession]
    total: int


class SessionsListed(ReferenceSessions):
    """Sessions, the newest first; `total` may be more than are listed."""

    sessions: list[SessionSummary]


class ReferenceReconstructed(Answer):
    """Pieces in order of time; `omitted` did not fit. `error` is what the text tells then.

    `outline_of` names the chunks where the text is the outline of a session that does not fit.
    """

    text: str
    chunks: Sequence[ReferenceChunk]
    tokens: int
    omitted: int
    error: str | None
    outline_of: list[str] | None = None


class Reconstructed(ReferenceReconstructed):
    """Pieces in order of time; `omitted` did not fit. `error` is what the text tells then.

    `outline_of` names the chunks where the text is the outline of a session that does not fit.
    """

    chunks: list[ChunkResult]


class HookSummary(Answer):
    """A hook's last run; `ran_at` is null where it never ran."""

    hook: str
    ran_at: str | None
    succeeded: bool | None
    message: str | None
    milliseconds: float | None
    project: str | None


class HookStatus(Answer):
    """Every hook, in the reference's order."""

    text: str
    hooks: list[HookSummary]


class HistoryCounted(Answer):
    """What is kept of past conversations."""

    text: str
    version: str
    chunks: int
    edges: int
    clusters: int
    projects: list[ProjectSummary]


class MatchSummary(Answer):
    """A piece that would be forgotten, with its likeness to the query, 0..1."""

    id: str
    score: float | None
    time: str | None
    preview: str


class Spread(Answer):
    """The likeness of all matches, 0..1."""

    max: float
    min: float
    median: float


class HistoryForgotten(Answer):
    """What was, or would be, forgotten; `undo` is its number while it can be brought back."""

    text: str
    project: str
    dry_run: bool
    matched: int
    forgotten: int
    scores: Spread | None
    matches: list[MatchSummary]
    undo: int | None
    undo_until: str | None
