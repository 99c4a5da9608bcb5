"""Removes names that tag many memories from a question before it is embedded.

If all memories are about a few people, every question names one of them, and vector similarity
would favour greetings; the names still count in the word and tag signals. A tag of only a few
memories, such as "address", is the topic of the question and is not removed.
"""

import re
from collections.abc import Iterable, Set


def tags_named(query: str, tags: Iterable[str]) -> frozenset[str]:
    """Return the `tags` that occur in `query` as whole words, ignoring case."""
    return frozenset(tag for tag in tags if _name_pattern(tag).search(query))


def without_names(query: str, names: Set[str]) -> str:
    """Return `query` without `names`; unchanged if nothing else would remain."""
    rest = query
    for name in sorted(names, key=len, reverse=True):
        rest = _name_pattern(name).sub(" ", rest)
    return rest if any(character.isalnum() for character in rest) else query


def _name_pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?:['’]s)?(?!\w)", re.IGNORECASE)
