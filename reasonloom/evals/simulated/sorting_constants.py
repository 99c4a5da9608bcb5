"""What the simulated sorter's slips and prices are, frozen before any controller was written.

"Fitted": chosen so that the figures of the Graph of Thoughts poster (GPT-3.5, temperature 1.0,
lists of 64, vector coordinates of its box plot) come out: median errors 40.5 for one answer, 20
for a chain, 16 for a tree, 7 for the graph. They were picked from a grid by the 64-element
quartiles, with rows of 32 and 128 in view, so that errors at 128 are weak evidence.
"Measured": counted on the published prompts. Prices were never fitted.
"""

from __future__ import annotations

from typing import Final

SORT_HALF: Final = 50.0
"""The length at which half of the digits slip in one answer. Fitted."""

SORT_STEEPNESS: Final = 3.0
"""How fast slips grow with the length around `SORT_HALF`. Fitted."""

SORT_SHAPE: Final = 6.0
"""The gamma shape of an answer's slips. Fitted to the quartiles 28 and 55; gives 29 and 50."""

CHAIN_SHARE: Final = 0.48
"""Slips of a chain as a share of one answer's: it sorts short parts. Fitted."""

CHAIN_SHAPE: Final = 9.0
"""The gamma shape of a chain's slips. Fitted to the quartiles 16 and 25."""

CHAIN_PART: Final = 16
"""Digits in a part of the chain. The published prompt's."""

MERGE_AT_64: Final = 11.5
"""Mean slips of one merge into 64 digits. Fitted."""

MERGE_POWER: Final = 1.25
"""How a merge's slips grow with its length. Fitted, with 128 in view."""

MERGE_SHAPE: Final = 4.5
"""The gamma shape of a merge's slips. Fitted."""

MENDED: Final = 0.10
"""The share of an answer's wrong counts that a repair mends; each by its own chance. Fitted."""

FRESH: Final = 1.0
"""New slips of a repair, as a share of those of sorting anew. Fitted."""

TOO_OFTEN: Final = 2 / 3
"""The chance that an answer has a digit too often where it slips, not too rarely. Assumed."""

TOKENS: Final = 3
"""Tokens of one number in a list. Measured."""

PROMPT_TOKENS: Final = {"sort": 739, "chain": 1510, "repair": 1271, "merge": 171}
"""Tokens of the published prompts without their lists. Measured."""

SPLIT_TOKENS: Final = {32: 333, 64: 592, 128: 1092}
"""Tokens of the published split prompts, by the length of the list to split. Measured."""
