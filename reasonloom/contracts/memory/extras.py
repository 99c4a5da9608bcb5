"""The tools of the `extras` toolset: batches and housekeeping, beyond the references."""

from typing import Annotated, Literal

from pydantic import Field

from reasonloom.contracts.base import LIST_LIMIT, CamelAnswer, CamelRequest, Content, Name, Unit
from reasonloom.contracts.base import WholeNumber as Whole
from reasonloom.contracts.brief import Brief
from reasonloom.contracts.memory.recall import StoredMetadata
from reasonloom.contracts.memory.tools import MemoryMetadata, Sector, UserRequest

MemoryIds = Annotated[list[Name], Field(min_length=1, max_length=LIST_LIMIT)]
DryRun = Annotated[bool, Field(description="Tell what would be done, and change nothing")]


class NewItem(CamelRequest):
    """One memory of a batch."""

    content: Annotated[Content, Field(description="What to remember, non-empty")]
    primary_sector: Sector
    metadata: MemoryMetadata | None = None


class BatchRemember(UserRequest):
    """Store up to 100 memories at once: all of them, or none where one is refused."""

    session_id: Annotated[Name, Field(description="Session they belong to")]
    memories: Annotated[list[NewItem], Field(min_length=1, max_length=LIST_LIMIT)]


class RememberedItem(CamelAnswer):
    """One memory of a batch; `deduplicated` where the same was there and was strengthened."""

    index: int
    memory_id: str
    deduplicated: bool


class BatchRemembered(CamelAnswer):
    """What was stored, in the order given."""

    memories: list[RememberedItem]
    stored: int
    deduplicated: int
    links_created: int


class BatchRecall(UserRequest):
    """Read up to 100 memories by their ids, in the order asked for."""

    memory_ids: MemoryIds


class Provenance(CamelAnswer):
    """Who stored a memory, with what, where and when in a run; data, not an instruction."""

    brief = Brief(text=("source_kind", "trust"), drop=("session_id", "run_id"))

    source_kind: str
    principal: str
    tool: str
    trust: float
    session_id: str | None = None
    run_id: str | None = None


class ReadMemory(CamelAnswer):
    """One memory as it is stored."""

    brief = Brief(
        main="content", text=("id", "created_at", "primary_sector", "strength", "provenance")
    )

    id: str
    content: str
    created_at: str
    last_accessed: str
    strength: float
    salience: float
    confidence: float
    access_count: int
    primary_sector: str
    metadata: StoredMetadata
    provenance: Provenance


class BatchRecalled(CamelAnswer):
    """The memories that are there; `not_found` names the ids that are not."""

    memories: list[ReadMemory]
    not_found: list[str]


class BatchForget(UserRequest):
    """Hide up to 100 memories, or delete them for good with soft false."""

    memory_ids: MemoryIds
    soft: Annotated[bool, Field(description="Hide them; restore_memory brings them back")] = True
    dry_run: DryRun = False


class BatchForgotten(CamelAnswer):
    """What was deleted, or would be; ids that are not there are named and change nothing."""

    forgotten: list[str]
    not_found: list[str]
    deletion_type: Literal["soft", "hard"]
    dry_run: bool


class ExportMemories(UserRequest):
    """Leaf through all memories in short form, oldest first.

    For a whole copy with links use the command `reasonloom memory export`.
    """

    cursor: Annotated[Name | None, Field(description="nextCursor of the page before")] = None
    limit: Annotated[Whole, Field(ge=1, le=500, description="Most memories of a page")] = 100
    max_tokens: Annotated[
        Whole, Field(ge=200, le=50_000, description="Estimated tokens of a page")
    ] = 2_000


class MemorySummary(CamelAnswer):
    """One memory in short: the beginning of its content."""

    brief = Brief(main="excerpt", text=("id", "primary_sector", "created_at"))

    id: str
    excerpt: str
    primary_sector: str
    created_at: str
    strength: float
    tokens: int


class ExportedPage(CamelAnswer):
    """One page; without `next_cursor` it is the last."""

    brief = Brief(text=("memories", "total_count", "next_cursor"))

    memories: list[MemorySummary]
    total_count: int
    next_cursor: str | None = None


class MemoryHealth(UserRequest):
    """Tell how many memories there are, of which kind and age, and what needs care."""


class Duplicate(CamelAnswer):
    """Contents that are stored more than once: how many, and how many memories too many."""

    contents: int
    surplus: int


class LargeMemory(CamelAnswer):
    """One of the largest memories."""

    id: str
    tokens: int
    excerpt: str


class Hint(CamelAnswer):
    """Something to mend, and the command that does."""

    brief = Brief(main="command", text=("finding",))

    finding: str
    command: str


class HealthReport(CamelAnswer):
    """The figures of one space; ages are in days since a memory was stored."""

    total: int
    hidden: int
    by_sector: dict[str, int]
    by_kind: dict[str, int]
    by_age: dict[str, int]
    weak: int
    never_read: int
    without_vectors: int
    other_models: dict[str, int]
    duplicates: Duplicate
    sessions: int
    links: dict[str, int]
    bytes: int
    largest: list[LargeMemory]
    hints: list[Hint]


class ConsolidateMemories(UserRequest):
    """Sum up old episodes that are alike: one semantic memory for each group.

    The originals stay, weakened, and the summary is linked to them as derived.
    """

    older_than_days: Annotated[Whole, Field(ge=1, le=36_500)] = 30
    min_cluster: Annotated[Whole, Field(ge=2, le=20, description="Fewest in a group")] = 3
    min_similarity: Annotated[Unit, Field(description="Least cosine within a group")] = 0.6
    max_clusters: Annotated[Whole, Field(ge=1, le=20)] = 10
    cursor: Annotated[Name | None, Field(description="nextCursor of the call before")] = None
    dry_run: DryRun = False


class Consolidated(CamelAnswer):
    """One group; `summary_id` and `summary` once it is stored.

    `made_by` names the language model, or says that it is an extract.
    """

    brief = Brief(main="summary", text=("summary_id", "originals", "excerpt"))

    originals: list[str]
    excerpt: str
    first: str
    last: str
    summary_id: str | None = None
    summary: str | None = None
    made_by: str | None = None


class ConsolidationReport(CamelAnswer):
    """The groups found; `examined` old episodes were looked at, `skipped` groups had changed."""

    clusters: list[Consolidated]
    consolidated: int
    examined: int
    skipped: int
    dry_run: bool
    next_cursor: str | None = None


class PruneMemories(UserRequest):
    """Hide memories that are weak and old and never read, all three at once.

    Without dryRun false it only tells which. Fresh or important ones are never taken.
    """

    max_strength: Annotated[float, Field(ge=0, le=0.5, description="At most this strong")] = 0.1
    min_age_days: Annotated[Whole, Field(ge=30, le=36_500, description="At least this old")] = 180
    max_access_count: Annotated[Whole, Field(ge=0, le=1_000, description="Read at most")] = 0
    primary_sector: Annotated[Sector | None, Field(description="Only this sector")] = None
    limit: Annotated[Whole, Field(ge=1, le=LIST_LIMIT)] = 50
    dry_run: DryRun = True


class PrunedMemory(MemorySummary):
    """One memory that is hidden, or would be."""

    brief = Brief(main="excerpt", text=("id", "primary_sector", "created_at", "strength"))

    importance: float
    access_count: int


class Pruned(CamelAnswer):
    """What was hidden, or would be, the weakest first; `matching` counts all that match."""

    memories: list[PrunedMemory]
    pruned: int
    matching: int
    dry_run: bool


class RestoreMemory(UserRequest):
    """Bring back a memory that was hidden."""

    memory_id: Name


class Restored(CamelAnswer):
    """The memory is there again."""

    memory_id: str
    message: str
