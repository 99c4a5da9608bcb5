"""The scope of a search, and the vector that its results should be near."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from reasonloom.stores.vectors import EVERY_SECTOR, bits, vector_literal

VISIBLE = "m.owner = :owner AND m.deleted_at IS NULL AND m.source_kind = ANY(:kinds)"
CURRENT = "m.superseded_by IS NULL"
VALID_BEFORE = "m.valid_from <= :held_to"
NOT_REPLACED_BY = """NOT EXISTS (SELECT FROM memories s
    WHERE s.owner = m.owner AND s.id = m.superseded_by AND s.valid_from <= :held_from)"""
"""Not superseded by a memory that was said by then."""

FILTERS = {
    "sector": "m.sector = :sector",
    "own_sectors": "m.sector = ANY(:own_sectors)",
    "min_strength": "m.strength >= :min_strength",
    "min_salience": "m.salience >= :min_salience",
    "after": "m.created_at >= :after",
    "before": "m.created_at <= :before",
    "keywords": "m.keywords && CAST(:keywords AS text[])",
    "tags": "m.tags && CAST(:tags AS text[])",
    "category": "m.category = :category",
    "other_metadata": "m.other_metadata @> CAST(:other_metadata AS jsonb)",
    "event_types": "m.event_type = ANY(:event_types)",
    "project": "m.project = :project",
    "form": """EXISTS (SELECT FROM chunks c JOIN transcripts t
        ON t.owner = c.owner AND t.id = c.transcript
        WHERE c.owner = m.owner AND c.memory_id = m.id AND t.form = :form)""",
    "valid_since": "m.valid_from >= :valid_since",
    "held_to": VALID_BEFORE,
    "held_from": NOT_REPLACED_BY,
}


@dataclass(frozen=True, slots=True)
class Scope:
    """Limits which memories may be found at all; None sets no condition.

    `other_metadata` is JSON: metadata keys that only callers interpret, with their values. With
    `superseded`, superseded memories are found too; with `held_from` and `held_to`, those that
    were current at some time between them, which may be equal. `valid_since` is the earliest time
    at which a memory was said, `form` the format of the transcript that it is from.
    """

    kinds: Sequence[str] = ("user", "tool")
    sector: str | None = None
    own_sectors: Sequence[str] | None = None
    min_strength: float | None = None
    min_salience: float | None = None
    after: datetime | None = None
    before: datetime | None = None
    keywords: Sequence[str] | None = None
    tags: Sequence[str] | None = None
    category: str | None = None
    other_metadata: str | None = None
    event_types: Sequence[str] | None = None
    project: str | None = None
    form: str | None = None
    superseded: bool = False
    valid_since: datetime | None = None
    held_from: datetime | None = None
    held_to: datetime | None = None

    @property
    def of_transcripts(self) -> bool:
        """Return whether only transcripts are searched, whose words have separate counts."""
        return set(self.kinds) == {"transcript"}

    @property
    def uncounted(self) -> bool:
        """Return whether it includes memories whose words are not in the usual counts."""
        return not self.of_transcripts and bool({"derived", "transcript"}.intersection(self.kinds))

    def where(self) -> str:
        """Return the SQL condition of this scope."""
        chosen = [FILTERS[name] for name in FILTERS if getattr(self, name) is not None]
        current = [] if self.superseded or self.held_to else [CURRENT]
        return " AND ".join([VISIBLE, *current, *self._index_condition(), *chosen])

    def _index_condition(self) -> list[str]:
        """Return the condition that selects the index for the scope: transcripts, or all others."""
        if self.of_transcripts:
            return ["m.source_kind = 'transcript'"]
        return [] if "transcript" in self.kinds else ["m.source_kind <> 'transcript'"]

    @property
    def narrow(self) -> bool:
        """Return whether it excludes anything visible."""
        return any(getattr(self, name) is not None for name in FILTERS)

    def values(self) -> dict[str, Any]:
        """Return the parameters of the condition, without the owner."""
        given = {name: getattr(self, name) for name in FILTERS}
        return {
            "kinds": list(self.kinds),
            **{
                name: value if isinstance(value, str | float | datetime) else list(value)
                for name, value in given.items()
                if value is not None
            },
        }


@dataclass(frozen=True, slots=True)
class Nearness:
    """A search by similarity: a vector of `model` in the views of some sectors."""

    vector: Sequence[float]
    model: str
    sectors: Sequence[str]

    @property
    def everywhere(self) -> bool:
        """Return whether all views are searched, so that no vector is excluded."""
        return bits(self.sectors) == EVERY_SECTOR

    def values(self) -> dict[str, Any]:
        """Return the parameters of the query."""
        return {
            "vector": vector_literal(self.vector),
            "model": self.model,
            "sectors": bits(self.sectors),
        }
