"""Finds mentions of files, error lines and names with cheap patterns."""

import re
from collections.abc import Iterable

FILES, ERRORS, NAMES = 24, 6, 40
"""Maximum number of each in a part or chunk."""

ERROR_LENGTH = 200
LOOKED_LENGTH = 60_000
"""Maximum characters of a text that are searched."""

SUFFIX = re.compile(r"\.([A-Za-z]\w{0,9})(?![\w/\\]|\.\w)")
BETWEEN = re.compile(r"[^\w./~@+\\:-]")
PATH_LENGTH = 300

_SUFFIXES = """
py pyi ts tsx js jsx mjs rs go java kt c h cc cpp hpp cs rb php swift scala sh sql html css scss
vue json jsonl yaml yml toml ini cfg md rst txt csv xml lock proto ipynb tf gradle log
"""
SUFFIXES = frozenset(_SUFFIXES.split())
"""File suffixes that are recognised even without a folder."""

ERROR_HINTS = (
    *("rror", "xception", "anic", "ERROR", "FAILED", "fatal:", "Segmentation", "not found"),
    *("No such file", "undefined reference", "exit code"),
)
"""Substrings, one of which is in every match of `ERROR`; a cheap prefilter."""

ERROR = re.compile(
    r"\b[A-Z]\w{0,60}(?:Error|Exception|Panic)\b|\b[Ee]rror(?:\[\w+\])?:|\bERROR\b|\bFAILED\b"
    r"|\bfatal:|\bpanicked at\b|\bSegmentation fault\b|\bcommand not found\b|\bNo such file\b"
    r"|\bundefined reference\b|\bexit code [1-9]"
)

NAME = re.compile(
    r"`([^`\n]{2,60})`"
    r"|\b([A-Za-z]\w{0,60}_\w{1,60}|[a-z]{2,30}[A-Z]\w{1,60}|[A-Z][a-z0-9]{1,30}[A-Z]\w{1,60})\b"
    r"|(?<=\w )([^\W\d_a-z]\w{2,40})\b"
)


def files(text: str) -> tuple[str, ...]:
    """Return the distinct paths in `text`, in order."""
    text = text[:LOOKED_LENGTH]
    return distinct((_path(text, match) for match in SUFFIX.finditer(text)), FILES)


def _path(text: str, match: re.Match[str]) -> str:
    """Return the path that ends with a matched suffix, empty if there is none or it is a URL."""
    before = text[max(0, match.start() - PATH_LENGTH) : match.end()]
    known = match[1] in SUFFIXES
    if not known and "/" not in before and "\\" not in before:
        return ""
    path = BETWEEN.split(before)[-1]
    if "://" in path or path.startswith("//"):
        return ""
    drive = path[1:3] == ":\\" and path[0].isalpha()
    path = path if drive else path.rpartition(":")[2]
    return path if known or "/" in path or "\\" in path else ""


def errors(text: str) -> tuple[str, ...]:
    """Return the distinct error lines in `text`, cut to `ERROR_LENGTH`."""
    text = text[:LOOKED_LENGTH]
    if not any(sign in text for sign in ERROR_HINTS):
        return ()
    found: list[str] = []
    end = -1
    for match in ERROR.finditer(text):
        if match.start() < end:
            continue
        start = text.rfind("\n", 0, match.start()) + 1
        end = text.find("\n", match.end())
        end = len(text) if end < 0 else end
        start = max(start, match.start() - ERROR_LENGTH // 2)
        found.append(text[start : min(end, start + ERROR_LENGTH)].strip())
        if len(found) >= 4 * ERRORS:
            break
    return distinct(found, ERRORS)


def names(text: str) -> tuple[str, ...]:
    """Return the distinct identifiers, backquoted texts and capitalised words in `text`."""
    found = (m.groups() for m in NAME.finditer(text[:LOOKED_LENGTH]))
    return distinct((a or b or (c if c[:1].isupper() else "") for a, b, c in found), NAMES)


def distinct(items: Iterable[str], limit: int) -> tuple[str, ...]:
    """Return the first `limit` distinct non-empty items."""
    kept: dict[str, None] = {}
    for item in items:
        if item and item not in kept:
            kept[item] = None
            if len(kept) >= limit:
                break
    return tuple(kept)
