"""Removes from a question the names that many memories are tagged with, before it is embedded.

Where memories are about a few people, every question names one, and vector similarity would
prefer greetings; the names still count as words and as tags. A tag of few memories, such as
"address", is what the question is about.
"""

import re
from collections.abc import Iterable, Set


def tags_named(query: str, tags: Iterable[str]) -> frozenset[str]:
    """Return those of `tags` that occur in `query` as whole words, whatever their case."""
    return frozenset(tag for tag in tags if _name_pattern(tag).search(query))


def without_names(query: str, names: Set[str]) -> str:
    """Return `query` without `names`; unchanged if it has nothing else."""
    rest = query
    for name in sorted(names, key=len, reverse=True):
        rest = _name_pattern(name).sub(" ", rest)
    return rest if any(character.isalnum() for character in rest) else query


def _name_pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?:['’]s)?(?!\w)", re.IGNORECASE)
