"""Counts tokens with the o200k vocabulary, offline; estimates if it is missing."""

import base64
import binascii
import hashlib
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

BYTES_PER_TOKEN = 4
"""Average UTF-8 bytes per token in any language, for estimates."""

TABLE = "litellm_core_utils/tokenizers/fb374d419588a4632f3f557e76b4b70aebbca790"
"""Path of the vocabulary within the litellm package, under tiktoken's cache file name."""

SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
"""The digest that tiktoken expects for the file."""

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
"""The pattern by which o200k splits text before merging bytes (tiktoken's `openai_public`)."""

TokenCounter = Callable[[str], int]
"""A function that returns the number of tokens of a text; 0 for an empty one."""


def count_tokens(text: str) -> int:
    """Return the number of o200k tokens of `text`; an estimate unless `counts_exactly`."""
    return _counter()[0](text)


def counts_exactly() -> bool:
    """Return whether `count_tokens` is exact; False if the vocabulary is missing."""
    return _counter()[1]


def estimate_tokens(text: str) -> int:
    """Estimate the number of tokens of `text` from its UTF-8 length."""
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
    """Return the vocabulary; empty if the file is missing or its digest differs."""
    spec = find_spec("litellm")  # locates the folder without the import, which takes seconds
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
