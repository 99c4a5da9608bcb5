"""`reasonloom memory`: look after what is remembered."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

app = typer.Typer(help="Look after what is remembered.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Hold the commands together."""


@app.command()
def restore(
    memory: Annotated[str, typer.Argument(help="The memory's id, such as mem-42.")],
    user: Annotated[str | None, typer.Option(help="Whose it is, if not the owner's.")] = None,
) -> None:
    """Bring back a memory that was forgotten softly."""
    asyncio.run(_restore(memory, user))
    typer.echo(f"restored {memory}")


async def _restore(memory: str, user: str | None) -> None:
    from reasonloom.compose import open_engine  # noqa: PLC0415
    from reasonloom.contracts.caller import Caller  # noqa: PLC0415
    from reasonloom.errors import MemoryNotFound  # noqa: PLC0415
    from reasonloom.nodes.forget import memory_number  # noqa: PLC0415
    from reasonloom.settings import load_settings  # noqa: PLC0415
    from reasonloom.stores import memories  # noqa: PLC0415

    settings = load_settings()
    number = memory_number(memory)
    async with open_engine(settings, recover=False) as engine:
        caller = Caller(settings.user).within(user)
        async with engine.loom.database.begin(caller) as tx:
            if not await memories.restore(tx, number):
                raise MemoryNotFound(memory, field="memory")
