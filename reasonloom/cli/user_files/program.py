"""The program that hosts start: this installation."""

import sys
from pathlib import Path

from reasonloom.settings import Settings, environment, variables_of

NAME = "reasonloom"
"""Our name in a host's configuration."""


def start_command() -> list[str]:
    """Return the command that starts this installation, with its absolute path."""
    script = installed_script()
    return [script] if script else [sys.executable, "-m", "reasonloom"]


def installed_script() -> str | None:
    """Return the script of this installation, None if it has none."""
    script = Path(sys.executable).absolute().parent / "reasonloom"
    return str(script) if script.is_file() else None


CACHES = frozenset({".cache", "archive-v0"})
"""Names of folders in which `uvx` and `pipx run` keep programs until they clean up."""


def cache_hint(prefix: Path = Path(sys.prefix)) -> list[str]:
    """Return a hint if the installation at `prefix` is in a cache, so that it may disappear."""
    if CACHES.isdisjoint(prefix.parts):
        return []
    return [
        "This command runs from a cache that may be emptied, after which the host finds no program:"
        " install reasonloom with `uv tool install` or `pipx install`, and run this again."
    ]


def missing_settings(where: str, given: frozenset[str] = frozenset()) -> list[str]:
    """Return a hint on settings that are set in this terminal, and perhaps nowhere else.

    Args:
        where: the host that will start us, such as `Claude Code`.
        given: variables that the host sets.
    """
    known = environment()
    names = {v for field in Settings.model_fields for v in variables_of(field) if known.get(v)}
    if not names - given:
        return []
    return [f"Set here, and needed where {where} runs: {', '.join(sorted(names - given))}."]
