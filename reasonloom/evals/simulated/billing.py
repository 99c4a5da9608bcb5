"""What the simulated language models charge: tokens by a table, dollars by a published price."""

from __future__ import annotations

from dataclasses import dataclass

from reasonloom.llm.port import Usage


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for one token of the question and one of the answer."""

    usd_in: float
    usd_out: float

    def usage(self, tokens_in: float, tokens_out: float) -> Usage:
        """Return what a call costs; its tokens are counts of a table, hence `estimated`.

        The question is paid once a call, however many samples its answer holds: add up the
        samples in `tokens_out`, and call once.
        """
        asked, answered = round(tokens_in), round(tokens_out)
        cost = asked * self.usd_in + answered * self.usd_out
        return Usage(tokens_in=asked, tokens_out=answered, cost_usd=cost, estimated=True)


GPT_4 = Price(3e-5, 6e-5)
"""The price of the published Game of 24 figures (GPT-4 with 8k of context, 2023)."""

GPT_35 = Price(1.5e-6, 2.0e-6)
"""The price of the published Graph of Thoughts figures (GPT-3.5 with 4k of context, 2023)."""
