"""`reasonloom memory decay`: weaken what is not read, as the server does about once a day."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from reasonloom.stores.memory.decay import Weakened


def decay(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what would be, and change nothing.")
    ] = False,
    user: Annotated[
        str | None, typer.Option(help="Only this user's memories; else those of all owners.")
    ] = None,
) -> None:
    """Weaken memories by the time since they were read; none is deleted."""
    weakened = asyncio.run(_decay(dry_run=dry_run, user=user))
    what = "memories that would be weakened" if dry_run else "memories weakened"
    typer.echo(f"{what}: {weakened.memories}")
    if weakened.memories:
        before, after = (total / weakened.memories for total in (weakened.before, weakened.after))
        typer.echo(f"mean strength {before:.4f} before, {after:.4f} after")


async def _decay(*, dry_run: bool, user: str | None) -> Weakened:
    from reasonloom.compose import open_engine  # noqa: PLC0415
    from reasonloom.contracts.caller import Caller  # noqa: PLC0415
    from reasonloom.nodes.memory.maintenance import decay as job  # noqa: PLC0415
    from reasonloom.settings import load_settings  # noqa: PLC0415

    settings = load_settings()
    async with open_engine(settings, recover=False) as engine:
        database, at = engine.loom.database, engine.loom.clock()
        if user is None:
            if dry_run:
                return await job.foresee_all(database, at)
            return await job.weaken_all(database, at=at, due=at)
        caller = Caller(settings.user).within(user)
        if dry_run:
            return await job.foresee_space(database, caller, at)
        return await job.weaken_space(database, caller, at)
