"""Looks at what a server was told before it serves: a value that cannot be used stops the start."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from reasonloom.settings import Settings


async def require_usable(settings: Settings) -> None:
    """See that tools, llm, embedder, database and prompts can be chosen as the settings say.

    What is not set is not looked at, no model loaded, nothing connected to: clients give up on
    servers that start slowly. Whether the database answers, a provider knows the model and each
    template is well-formed shows later.

    Raises:
        SettingMistake: a setting cannot be used; names it.
    """
    from reasonloom.server.catalogue.selection import choose  # noqa: PLC0415 - other commands start faster

    choose(settings)
    if settings.llm not in (None, "offline"):
        from reasonloom.llm.choose import choose_llm  # noqa: PLC0415 - only if chosen

        await choose_llm(settings).close()
    if "embedder" in settings.model_fields_set:
        from reasonloom.llm.embedding.choose import choose_embedder  # noqa: PLC0415

        await choose_embedder(settings).close()
    if settings.database_url:
        from reasonloom.stores.access import find_access  # noqa: PLC0415 - imports psycopg

        await find_access(settings)
    _require_folder(settings.prompts)


def _require_folder(prompts: Path | None) -> None:
    """Let the registry refuse what is no folder; what is one takes it long to load."""
    if prompts and not os.path.isdir(prompts):  # noqa: PTH112 - never raises, whatever it is
        from reasonloom.prompts.registry import PromptRegistry  # noqa: PLC0415

        PromptRegistry(prompts)
