"""`reasonloom://memory/{id}`: a memory as a page with what it is linked to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasonloom.server.resources.kind import Kind, Listed, titled

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.engine import Engine

MOST_LINKS = 20
"""Links of a page each way, the heaviest."""

LONGEST_NUMBER = 15
PREFIX = "mem-"


async def read(engine: Engine, caller: Caller, identifier: str) -> str:
    """Return the page of a memory.

    Raises:
        MemoryNotFound: this caller has none such.
    """
    from reasonloom.errors import MemoryNotFound  # noqa: PLC0415 - tools are listed first
    from reasonloom.server.resources.pages.memory_page import memory_page  # noqa: PLC0415
    from reasonloom.stores.graph_memory import evidence  # noqa: PLC0415
    from reasonloom.stores.memory import memories  # noqa: PLC0415

    number = number_in(identifier)
    if number is None:
        raise MemoryNotFound(identifier)
    async with engine.loom.database.begin(caller) as tx:
        found = await memories.read_many(tx, [number])
        if number not in found:
            raise MemoryNotFound(identifier)
        edges = await evidence.edges_of(tx, [number], read=MOST_LINKS)
        near = await memories.read_many(tx, list({edge.source_id for edge in edges}
                                         | {edge.target_id for edge in edges}))  # fmt: skip
    return memory_page(found[number], edges, near)


def number_in(identifier: str) -> int | None:
    """Return the number of `mem-42` or of `42`, None where it is neither."""
    digits = identifier.removeprefix(PREFIX)
    fits = digits.isascii() and digits.isdigit() and len(digits) <= LONGEST_NUMBER
    return int(digits) if fits else None


async def newest(engine: Engine, caller: Caller, most: int) -> list[Listed]:
    """Return the memories that were stored last, newest first."""
    from reasonloom.stores import overview  # noqa: PLC0415

    async with engine.loom.database.begin(caller) as tx:
        return titled(await overview.latest_memories(tx, most))


MEMORY = Kind(
    name="memory",
    title="A memory",
    description="What one memory says, where it comes from, and what it is linked to, drawn.",
    mime_type="text/markdown",
    toolset="all",
    read=read,
    newest=newest,
)
