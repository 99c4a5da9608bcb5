"""What goes wrong when the simulated model intersects, frozen before any controller was written.

Source: the success table that Reinforced Graph of Thoughts (Riesen) measured with GPT-3.5
(gpt-3.5-turbo-0125) for two sets of the same size, one answer each.
"""

from __future__ import annotations

from typing import Final

SUCCESS: Final = {16: 0.92, 24: 0.46, 28: 0.29, 32: 0.18}
"""The share of answers without an error, by the size of either set. Measured."""

SLIP: Final = {0: 0.0} | {size: 1 - share ** (1 / size) for size, share in SUCCESS.items()}
"""The chance of a slip for each number that is looked up, by size. Solved from `SUCCESS`.

Assumed: the numbers of the shorter set are looked up, one by one and each by its own chance; a
common one is missed as often as another is invented, so that success is the same whatever the
sets share. The one worked example published with the task (10 answers) has misses only, 5 of 45,
and repeats, which are not simulated. Samples are independent: how alike answers about one pair are
was not published, so that sampling gains more here than it may with a real model.
Between the sizes the rate is straight. Beyond 32 nothing was measured: it goes on with the slope
between 28 and 32 (.124 at 64, .267 at 128), at most `MOST_SLIP`.
For sets of two sizes their mean counts. Assumed; that worked example, 32 numbers against 16, has 6
of 10 answers right, where this gives .60.
"""

MOST_SLIP: Final = 0.5
"""A number is never more likely to be wrong than right. Assumed."""

UNION_SUCCESS: Final = 0.99
"""The share of faultless answers that write 32 numbers of two lists as one.

Measured, but in the same source's table for merging sorted lists: there is none for unions.
"""

UNION_SIZE: Final = 32

UNION_SLIP: Final = 1 - UNION_SUCCESS ** (1 / UNION_SIZE)
"""The chance that a union leaves out a number, at any size. Solved; no growth with size known."""

TOKENS: Final = 3
"""Tokens of one number in a list, with its comma and brackets. Measured."""

PROMPT_TOKENS: Final = {"intersect": 845, "union": 57}
"""Tokens of the published prompts without their lists (cl100k). Measured."""

SPLIT_TOKENS: Final = {32: 341, 64: 600, 128: 1100}
"""Tokens of the published split prompts, by the size of the set to split.

32 is measured. 64 and 128 are those of the sorting prompts, of the same form, and as many tokens
more as 32 has.
"""
