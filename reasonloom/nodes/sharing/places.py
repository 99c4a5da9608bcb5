"""Opens the spaces that a call names, as far as the caller has a right there."""

from collections.abc import Sequence
from dataclasses import replace

from reasonloom.contracts.caller import DEFAULT_SPACE, Caller
from reasonloom.contracts.places import HOME, ME, MOST_PLACES, Place, parse_place, split_id
from reasonloom.errors import InvalidArgument, MemoryNotFound, NotPermitted, UnknownName
from reasonloom.nodes.execution import Execution
from reasonloom.stores.database import Transaction
from reasonloom.stores.pipelines import together
from reasonloom.stores.sharing import audit, grants
from reasonloom.stores.sharing.audit import AuditEntry
from reasonloom.stores.sharing.grants import Right, permits

UNKNOWN = "{field}: there is no space {name} that you may read; space_list names those there are"
MISSING = "{field}: you may read {name}, and need the right {right} for this; ask who granted it"
IN_OWN = ("admin",)


async def open_places(
    execution: Execution, names: Sequence[str], right: Right, *, field: str
) -> list[Execution]:
    """Return the execution in each named space, in order, without duplicates.

    Raises:
        InvalidArgument: a name has another form, or there are too many.
        UnknownName: there is no such space, or the caller may not read it.
        NotPermitted: the caller may read a space and lacks the right.
    """
    places = list(dict.fromkeys(parse_place(each, field) for each in names))
    if not 0 < len(places) <= MOST_PLACES:
        raise InvalidArgument(
            f'{field}: must name 1 to {MOST_PLACES} spaces, such as ["me", "team/payments"]',
            field=field,
        )
    found = [_at(execution, each) for each in places]
    await _require(execution, found, right, field)
    return found


async def open_read(execution: Execution, names: Sequence[str] | None) -> list[Execution]:
    """Return the execution in each space that a call reads, by default those of the setting.

    A space of the setting that the caller may not read is left out; raises as `open_places`.
    """
    if names is not None:
        return await open_places(execution, names, "read", field="spaces")
    caller = execution.caller
    usual = (ME,) if caller.space != DEFAULT_SPACE else caller.spaces
    places = dict.fromkeys(parse_place(each, "REASONLOOM_SPACES") for each in usual)
    placed = [_at(execution, each) for each in places]
    held = await _rights(execution, placed)
    found = [each for each in placed if permits(held.get(each.caller, IN_OWN), "read")]
    _note_hosts(execution, found)
    return found or [execution]


async def open_place(
    execution: Execution, name: str | None, right: Right, *, field: str = "space"
) -> Execution:
    """Return the execution in a named space, unchanged without a name; raises as `open_places`."""
    return (await open_places(execution, [name], right, field=field))[0] if name else execution


async def locate(
    execution: Execution, memory_id: str, right: Right, *, field: str = "memoryId"
) -> tuple[Execution, str]:
    """Return the execution in the space of an id such as `team/payments:mem-42`, and `mem-42`.

    Raises:
        MemoryNotFound: there is no such space, or the caller may not read it.
        NotPermitted: the caller may read the space and lacks the right.
    """
    try:
        place, plain = split_id(memory_id, field)
        placed = _at(execution, place)
        await _require(execution, [placed], right, field)
    except (InvalidArgument, UnknownName):
        raise MemoryNotFound(memory_id, field=field) from None
    return placed, plain


def _at(execution: Execution, place: Place) -> Execution:
    """Return the execution in a space; the caller's own default one is where it already is."""
    caller = execution.caller
    if place.owner == caller.owner:
        place = Place(None, place.space)
    if place == HOME:
        return execution
    return replace(execution, caller=caller.at(place.owner, place.space, place.name()))


async def _require(
    execution: Execution, placed: Sequence[Execution], right: Right, field: str
) -> None:
    """Require a right in every space of another owner."""
    for each, rights in (await _rights(execution, placed)).items():
        if not permits(rights, "read"):
            raise UnknownName(UNKNOWN.format(field=field, name=each.address), field=field)
        if not permits(rights, right):
            reason = MISSING.format(field=field, name=each.address, right=right)
            raise NotPermitted(reason, field=field)
    if right == "read":
        _note_hosts(execution, placed)


def _note_hosts(execution: Execution, placed: Sequence[Execution]) -> None:
    hosts = execution.run.hosts
    hosts.extend(each.caller.address for each in placed if each.caller.host)


async def _rights(execution: Execution, placed: Sequence[Execution]) -> dict[Caller, Sequence[str]]:
    """Return the caller's rights in each space of another owner, all in one round trip."""
    hosted = [each.caller for each in placed if each.caller.host]
    if not hosted:
        return {}
    caller, at = execution.caller, execution.loom.clock()
    wanted = [(each.host_or_owner, each.space) for each in hosted]
    async with execution.loom.database.begin(hosted[0], once=True) as tx:
        _, held = await together(
            grants.admit(tx, caller.owner, caller.groups, at), grants.rights_on(tx, wanted)
        )
    return dict(zip(hosted, held, strict=True))


async def log_use(
    tx: Transaction, execution: Execution, action: str, memories: Sequence[int]
) -> None:
    """Log what the caller did in another owner's space; in a space of its own nothing."""
    if execution.caller.host:
        await audit.record(tx, entry_of(execution, action, memories))


async def log_read(execution: Execution, memories: Sequence[int]) -> None:
    """Log what the caller was given of another owner's space; in a space of its own nothing."""
    if execution.caller.host:
        async with execution.loom.database.begin(execution.caller, once=True) as tx:
            await audit.record_read(tx, entry_of(execution, "read", memories))


def entry_of(execution: Execution, action: str, memories: Sequence[int] = ()) -> AuditEntry:
    """Return the log's entry for what the run does in the caller's space."""
    caller = execution.caller
    return AuditEntry(
        execution.loom.clock(), caller.owner, action, execution.run.tool, caller.space,
        sorted(memories),
    )  # fmt: skip
