"""`reasonloom memory restore`: bring back what was forgotten softly."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from reasonloom.cli.engine import counted, with_engine
from reasonloom.errors import InvalidArgument, MissingArgument

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.engine import Engine


def restore(
    memories: Annotated[
        list[str] | None, typer.Argument(help="The memories' ids, such as mem-42.")
    ] = None,
    user: Annotated[str | None, typer.Option(help="Whose it is, if not the owner's.")] = None,
    hidden_at: Annotated[
        str | None, typer.Option(help="All that was hidden together then, as rollback tells.")
    ] = None,
) -> None:
    """Bring back memories that were forgotten softly: all of those named, or none."""
    if bool(memories) == bool(hidden_at):
        raise MissingArgument("name memories, or --hidden-at TIME", field="memories")
    if hidden_at:
        count = _restore_together(_moment(hidden_at), user)
        typer.echo(f"restored {counted(count, 'memory')}")
        raise typer.Exit(0 if count else 1)
    _restore(memories or [], user)
    for memory in memories or []:
        typer.echo(f"restored {memory}")


def _restore(memories: list[str], user: str | None) -> None:
    from reasonloom.errors import MemoryNotFound  # noqa: PLC0415
    from reasonloom.nodes.memory.forget import memory_number  # noqa: PLC0415
    from reasonloom.stores.memory import memories as stored  # noqa: PLC0415

    numbers = {memory: memory_number(memory) for memory in memories}

    async def work(engine: Engine, caller: Caller) -> None:
        async with engine.loom.database.begin(caller) as tx:
            for memory, number in numbers.items():
                if not await stored.restore(tx, number):
                    raise MemoryNotFound(memory, field="memory")

    with_engine(work, user)


def _restore_together(at: datetime, user: str | None) -> int:
    async def work(engine: Engine, caller: Caller) -> int:
        from reasonloom.stores.memory import by_id  # noqa: PLC0415

        async with engine.loom.database.begin(caller) as tx:
            return await by_id.restore_hidden_at(tx, at)

    return with_engine(work, user)


def _moment(said: str) -> datetime:
    from reasonloom.contracts.base import parse_moment  # noqa: PLC0415

    try:
        return parse_moment(said)
    except ValueError:
        raise InvalidArgument(
            "--hidden-at: must be the time that rollback told", field="hidden_at"
        ) from None
