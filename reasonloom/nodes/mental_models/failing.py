"""Finds the revisions that a model's record calls for: basins where it keeps failing, or all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from reasonloom.nodes.mental_models.accuracy import wilson
from reasonloom.stores.mental_models.model_proposals import Failing
from reasonloom.stores.mental_models.models import ModelRow

LEAST = 5
"""Resolved predictions from which a record can be called one of failure."""

FAILED = 0.5
"""A record fails persistently where even the upper end of its interval (95 %) is below."""

OF_BASIN = "{wrong} of {resolved} predictions near this basin did not hold"
OF_MODEL = "{wrong} of {resolved} predictions did not hold"
GONE = "these basins are gone"


@dataclass(frozen=True, slots=True)
class Change:
    """A change to a model that could be made; `basins` are those to remove, none to deprecate."""

    model: ModelRow
    basins: list[UUID]
    why: str
    predictions: list[UUID]


def changes(rows: Sequence[ModelRow], records: Iterable[Failing]) -> list[Change]:
    """Return the changes that models call for, at most one for each."""
    by_model: dict[UUID, list[Failing]] = {}
    for each in records:
        by_model.setdefault(each.model, []).append(each)
    found = (_change(row, by_model.get(row.id, [])) for row in rows)
    return [each for each in found if each is not None]


def _change(row: ModelRow, records: list[Failing]) -> Change | None:
    if row.missing and len(row.missing) < len(row.basins):
        return Change(row, row.missing, GONE, [])
    failing = [each for each in records if each.basin in row.basins and _fails(each)]
    if failing and len(failing) < len(row.basins):
        basins = [each.basin for each in failing if each.basin is not None]
        return Change(row, basins, _told(OF_BASIN, failing), _wrong(failing))
    whole = Failing(row.id, None, *_sums(records), None)
    if _fails(whole):
        return Change(row, [], _told(OF_MODEL, [whole]), _wrong(records))
    return None


def _fails(record: Failing) -> bool:
    if record.resolved < LEAST:
        return False
    return wilson(record.correct, record.resolved)[1] < FAILED


def _sums(records: Iterable[Failing]) -> tuple[int, int]:
    some = list(records)
    return sum(each.resolved for each in some), sum(each.correct for each in some)


def _told(text: str, records: Iterable[Failing]) -> str:
    resolved, correct = _sums(records)
    return text.format(wrong=resolved - correct, resolved=resolved)


def _wrong(records: Iterable[Failing]) -> list[UUID]:
    return [key for each in records for key in each.wrong or ()]
