"""Tells another program how to start this very installation, and what it needs around it."""

from __future__ import annotations

import sys
from pathlib import Path


def own_program() -> list[str]:
    """Return the words that start this installation, by its whole path."""
    beside = running()
    return [beside] if beside else [sys.executable, "-m", "reasonloom"]


def running() -> str | None:
    """Return the program that belongs to this very installation."""
    beside = Path(sys.executable).absolute().parent / "reasonloom"
    return str(beside) if beside.is_file() else None


def needed(where: str, given: frozenset[str] = frozenset()) -> list[str]:
    """Return what to tell of settings that are known in this terminal, and perhaps nowhere else.

    Args:
        where: the host that will start us, such as `Claude Code`.
        given: variables that it is told.
    """
    from reasonloom.settings import Settings, environment, variables_of  # noqa: PLC0415

    known = environment()
    names = {v for field in Settings.model_fields for v in variables_of(field) if known.get(v)}
    if not names - given:
        return []
    return [f"Set here, and needed where {where} runs: {', '.join(sorted(names - given))}."]
