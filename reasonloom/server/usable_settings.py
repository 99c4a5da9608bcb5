"""Checks what an engine is built from, before anything of it is loaded."""

import os
from pathlib import Path

from reasonloom.settings import Settings


async def require_usable_parts(settings: Settings) -> None:
    """Require valid settings for llm, embedder, database and prompts.

    Only settings that are set are checked; no model is loaded and no connection opened, as clients
    give up on servers that start slowly. For the same reason, each part is imported only if
    checked.

    Raises:
        SettingMistake: a setting is invalid; names it.
    """
    if settings.llm not in (None, "offline"):
        from reasonloom.llm.from_settings import choose_llm

        await choose_llm(settings).close()
    if settings.judge_llm:
        from reasonloom.llm.from_settings import choose_judge

        if judge := choose_judge(settings):
            await judge.close()
    if "embedder" in settings.model_fields_set:
        from reasonloom.llm.embedding.from_settings import choose_embedder

        await choose_embedder(settings).close()
    if settings.databases:
        from reasonloom.stores.servers.layout import load_layout

        load_layout(settings)
    elif settings.database_url:
        from reasonloom.stores.access import find_access

        await find_access(settings)
    _require_folder(settings.prompts)


def _require_folder(prompts: Path | None) -> None:
    """Let the registry refuse a path that is not a folder; loading a real folder takes too long."""
    if prompts and not os.path.isdir(prompts):  # noqa: PTH112 - never raises, whatever it is
        from reasonloom.prompts.registry import PromptRegistry

        PromptRegistry(prompts)
