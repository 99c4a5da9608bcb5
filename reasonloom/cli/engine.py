"""Opens the engine for one command, in the space of the user that it names."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from reasonloom.errors import InvalidArgument

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.engine import Engine

T = TypeVar("T")


def with_engine(
    work: Callable[[Engine, Caller], Awaitable[T]],
    user: str | None = None,
    *,
    llm: str | None = None,
) -> T:
    """Run `work` with an engine that takes up nobody's runs, and with the caller.

    `llm` goes over the setting of that name.

    Raises:
        InvalidArgument: `user` is no name that a tool would take.
    """
    _require_name(user)

    async def run() -> T:
        from reasonloom.compose import open_engine  # noqa: PLC0415
        from reasonloom.contracts.caller import Caller  # noqa: PLC0415
        from reasonloom.settings import load_settings  # noqa: PLC0415

        settings = load_settings(llm=llm)
        async with open_engine(settings, recover=False) as engine:
            caller = Caller(settings.user, client="cli", project=settings.project)
            return await work(engine, caller.within(user))

    return asyncio.run(run())


def _require_name(user: str | None) -> None:
    from reasonloom.contracts.base import NAME_LIMIT  # noqa: PLC0415 - commands start faster

    if user is not None and not (user.strip() and len(user) <= NAME_LIMIT):
        raise InvalidArgument(f"--user: must be 1 to {NAME_LIMIT} characters, not blank")


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int | None], None]]:
    """Yield what draws a bar on stderr, where that is a terminal.

    It is told how much is done, and of how much if that is known.
    """
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import Progress  # noqa: PLC0415

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task: Any = bar.add_task(what, total=None)

        def tell(done: int, total: int | None) -> None:
            bar.update(task, completed=done, total=total)

        yield tell


def counted(number: int, what: str, many: str | None = None) -> str:
    """Return `1 memory`, `2 memories`: a number with its noun; `many` is an odd plural."""
    plural = many or (f"{what[:-1]}ies" if what.endswith("y") else f"{what}s")
    return f"{number:,} {what if number == 1 else plural}"
