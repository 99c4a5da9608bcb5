"""Notes on an owner's spaces: that the one named is empty or new, and which hold memories."""

from reasonloom.contracts.caller import DEFAULT_SPACE, NOWHERE
from reasonloom.nodes.execution import Execution
from reasonloom.stores.memory import statistics

EMPTY = "the space of userId {space!r} has no memories; {others}"
CLOSED = "only {owner!r}, the owner that the token names, is open to this caller; leave userId out"
NO_OTHERS = "no other space does either"
OTHERS = "these do: {names}"
OWN = "{owner!r} (the default)"
NEW = (
    "userId {space!r} is a new space: memory_ground, reasoning and automatic recall read "
    "{owner!r} unless they name it too; leave userId out to store there"
)
MOST_NAMED = 10


async def empty_space_notes(execution: Execution) -> list[str]:
    """Return a note if the named space of the caller is empty, with those that hold memories."""
    caller = execution.caller
    if caller.host or caller.space == DEFAULT_SPACE:
        return []
    async with execution.loom.database.begin(caller, once=True) as tx:
        held = await statistics.spaces(tx, most=MOST_NAMED + 1)
    if caller.space in held:
        return []
    if caller.space == NOWHERE:
        return [CLOSED.format(owner=caller.owner)]
    names = [
        OWN.format(owner=caller.owner) if each == DEFAULT_SPACE else repr(each) for each in held
    ]
    others = OTHERS.format(names=", ".join(names[:MOST_NAMED])) if names else NO_OTHERS
    return [EMPTY.format(space=caller.space, others=others)]


async def new_space_notes(execution: Execution) -> list[str]:
    """Return a note if the named space is new, with the tools that do not read it by default."""
    caller = execution.caller
    if caller.space == DEFAULT_SPACE:
        return []
    async with execution.loom.database.begin(caller, once=True) as tx:
        held = await statistics.space_exists(tx)
    return [] if held else [NEW.format(space=caller.space, owner=caller.owner)]
