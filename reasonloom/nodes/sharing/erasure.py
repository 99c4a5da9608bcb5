"""Erases what a person wrote in other owners' spaces, and the person from grants and logs."""

from dataclasses import astuple, dataclass
from secrets import token_hex

from reasonloom.contracts.caller import Caller
from reasonloom.errors import OwnerMoved
from reasonloom.nodes.execution import Loom
from reasonloom.stores.memory import decay, memories
from reasonloom.stores.memory.statistics import written_in
from reasonloom.stores.runs.redaction import redact
from reasonloom.stores.sharing.pseudonyms import replace_person


@dataclass(frozen=True, slots=True)
class Erased:
    """What was erased, and the name that stands for the person in logs from now on."""

    memories: int
    grants: int
    memberships: int
    pseudonym: str


async def erase_person(loom: Loom, person: str) -> Erased:
    """End a person's access to spaces of others, then erase what it wrote there.

    The person's own spaces stay. Safe to repeat; interrupted, it continues where it stopped.

    Raises:
        DatabaseUnavailable: one of several databases is away, or somebody in whose data this
            erases something is being moved; repeat it later.
    """
    pseudonym = f"erased-{token_hex(4)}"
    parts = await loom.database.every_part()
    ended = [await replace_person(each.access, person, pseudonym) for each in parts]
    await loom.journal.flush()  # pending accesses must precede the erasure
    erased = 0
    places = [place for part in parts for place in await decay.places(part)]
    for place in places:
        if place.owner == person:
            continue
        caller = Caller(place.owner, place.space)
        try:
            erased += await _erase_in(loom, caller, person)
        except OwnerMoved:  # this process knows only now where to
            erased += await _erase_in(loom, caller, person)
    grants, memberships = (sum(each) for each in zip(*map(astuple, ended), strict=True))
    return Erased(erased, grants, memberships, pseudonym)


async def _erase_in(loom: Loom, caller: Caller, person: str) -> int:
    """Erase what a person wrote in a space; return how many memories."""
    async with loom.database.begin(caller) as tx:
        written = await memories.hold_many(tx, await written_in(tx, person), hidden=True)
        if not written:
            return 0
        await redact(tx, *written)
        return await memories.erase_many(tx, written)
