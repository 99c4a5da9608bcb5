"""Counts tokens where a provider does not report them, always marked as estimated."""

from __future__ import annotations

from reasonloom.llm.port import Usage

BYTES_PER_TOKEN = 4
"""UTF-8 bytes that one token of the common vocabularies covers on average, any language."""


def estimate_tokens(text: str) -> int:
    """Return about how many tokens `text` is; 0 for the empty text."""
    return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)


def usage_of(
    reported: tuple[int | None, int | None],
    texts: tuple[str, str],
    *,
    attempts: int = 1,
    cost_usd: float | None = None,
) -> Usage:
    """Return the usage as reported, or estimated where either figure is missing.

    Args:
        reported: tokens in and out as the provider told them, None where it did not.
        texts: the question and the answer, to estimate from.
        attempts: requests sent.
        cost_usd: price in US dollars, None where unknown.
    """
    tokens_in, tokens_out = reported
    estimated = tokens_in is None or tokens_out is None
    return Usage(
        tokens_in=estimate_tokens(texts[0]) if tokens_in is None else tokens_in,
        tokens_out=estimate_tokens(texts[1]) if tokens_out is None else tokens_out,
        cost_usd=cost_usd,
        estimated=estimated,
        attempts=attempts,
    )
