"""Reads the basins that a request names: each once, in their order, all of them there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING
from uuid import UUID

from reasonloom.errors import InvalidBasin
from reasonloom.stores.identifiers import parse_uuid
from reasonloom.stores.mental_models import model_basins

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

MOST_SUGGESTED = 10
KNOWN = "Known basins: {basins}"
MORE = "{basins}, and {more} more (list_basins)"
NONE_KNOWN = "There are no basins yet: they form as memories are stored (list_basins)"
OWN = "Basins of the model: {basins}"


async def require(tx: Transaction, given: Sequence[str], *, field: str) -> list[UUID]:
    """Return basins that are there, each once; they stay until the transaction ends.

    Raises:
        InvalidBasin: one is not there, or its id is no uuid.
    """
    wanted = distinct(given)
    ids = [each for each in wanted if each is not None]
    known = await model_basins.known(tx, ids)
    if len(ids) < len(wanted) or not known.issuperset(ids):
        raise InvalidBasin(await _suggestion(tx), field=field)
    return ids


async def members(
    tx: Transaction, given: Sequence[str], own: Sequence[UUID], *, field: str
) -> list[UUID]:
    """Return those of a model's `own` basins that are named, each once.

    Raises:
        InvalidBasin: one is not the model's, or its id is no uuid.
    """
    wanted = distinct(given)
    ids = [each for each in wanted if each in own and each is not None]
    if len(ids) < len(wanted):
        named = await model_basins.names(tx, own)
        raise InvalidBasin(OWN.format(basins=_listed(named, own)), field=field)
    return ids


def distinct(given: Iterable[str]) -> list[UUID | None]:
    """Return ids in their order, each once; None stands for all that are no uuid."""
    return list(dict.fromkeys(parse_uuid(each) for each in given))


async def _suggestion(tx: Transaction) -> str:
    found = await model_basins.largest(tx, MOST_SUGGESTED)
    if not found:
        return NONE_KNOWN
    listed = _listed({each.id: each.name for each in found}, [each.id for each in found])
    more = found[0].total - len(found)
    return KNOWN.format(basins=MORE.format(basins=listed, more=more) if more else listed)


def _listed(named: Mapping[UUID, str], ids: Sequence[UUID]) -> str:
    some = ids[:MOST_SUGGESTED]
    listed = ", ".join(f"{each} ({named[each]})" if each in named else str(each) for each in some)
    return f"{listed}, and {len(ids) - len(some)} more" if len(ids) > len(some) else listed
