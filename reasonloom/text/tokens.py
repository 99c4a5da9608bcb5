"""Counts tokens by the o200k vocabulary, offline; estimates if the vocabulary is missing."""

import base64
import binascii
import hashlib
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

BYTES_PER_TOKEN = 4
"""UTF-8 bytes per token on average, in any language: the basis of estimates."""

TABLE = "litellm_core_utils/tokenizers/fb374d419588a4632f3f557e76b4b70aebbca790"
"""The vocabulary within litellm's package, under tiktoken's own file name."""

SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
"""The digest that tiktoken expects of the file."""

PATTERN = "|".join(
    (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)
"""How o200k splits text before merging bytes (tiktoken's `openai_public`)."""

TokenCounter = Callable[[str], int]
"""Returns the number of tokens of a text; 0 for the empty text."""


def count_tokens(text: str) -> int:
    """Return the number of o200k tokens of `text`; an estimate unless `counts_exactly`."""
    return _counter()[0](text)


def counts_exactly() -> bool:
    """Return whether `count_tokens` counts; False if it estimates without the vocabulary."""
    return _counter()[1]


def estimate_tokens(text: str) -> int:
    """Return the approximate number of tokens of `text`, by its length in UTF-8."""
    return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)


@cache
def _counter() -> tuple[TokenCounter, bool]:
    """Return a counter and whether it is exact; loads the vocabulary once (0.6 s)."""
    try:
        from tiktoken import Encoding  # noqa: PLC0415 - slow, and only ingestion needs it
    except ImportError:
        return estimate_tokens, False
    ranks = _ranks()
    if not ranks:
        return estimate_tokens, False
    encoding = Encoding("o200k", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={})
    return lambda text: len(encoding.encode_ordinary(text)), True


def _ranks() -> dict[bytes, int]:
    """Return the vocabulary; empty if the file is missing or not the known one."""
    spec = find_spec("litellm")  # looks for the folder without importing, which takes seconds
    for folder in (spec and spec.submodule_search_locations) or ():
        try:
            table = (Path(folder) / TABLE).read_bytes()
            if hashlib.sha256(table).hexdigest() != SHA256:
                continue
            lines = (line.split() for line in table.splitlines())
            return {base64.b64decode(token): int(rank) for token, rank in lines}
        except (OSError, ValueError, binascii.Error):
            continue
    return {}
