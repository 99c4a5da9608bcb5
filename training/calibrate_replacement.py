"""Fits the calibration of replaced memories: `python training/calibrate_replacement.py`.

The log-odds of the reader's probability times that of the same matter, against whether the newer
memory replaces the older. It is fitted on cases that the reader is not taught and no figure is
measured on; recall and precision at several bars are printed for each of their files.
"""

from __future__ import annotations

import asyncio
import json
import math
import sys
from pathlib import Path

import numpy as np
from calibrate_answers import fit

from reasonloom.llm.classifier import replaces
from reasonloom.llm.encoder.encoder import encode
from reasonloom.nodes.memory.replacement import LEAST_COSINE, same_matter

CASES = Path(__file__).parent / "cases"
FITTED = ("changes-1", "changes-2")
BARS = (0.4, 0.45, 0.5, 0.55, 0.6)
SURE = (0.82, 0.83, 0.84, 0.85)
TINY = 1e-4


async def log_odds(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the log-odds of each pair of a file, and whether it replaces.

    Pairs that are too unlike to be compared have those of `TINY`.
    """
    lines = (CASES / f"{name}.jsonl").read_text("utf-8").splitlines()
    pairs = [json.loads(line) for line in lines]
    older, newer = (np.array(encode([each[n] for each in pairs])) for n in ("older", "newer"))
    read = await replaces([(each["older"], each["newer"]) for each in pairs])
    products = [
        replaced * same_matter(cosine, each["older"], each["newer"])
        if cosine >= LEAST_COSINE
        else 0.0
        for each, cosine, replaced in zip(pairs, np.sum(older * newer, axis=1), read, strict=True)
    ]
    odds = [math.log(max(p, TINY) / max(1 - p, TINY)) for p in products]
    return np.array(odds), np.array([float(each["replaces"]) for each in pairs])


async def main() -> None:
    """Print the slope and the shift, then recall and precision at each bar."""
    found = {name: await log_odds(name) for name in FITTED}
    odds, replaced = (np.concatenate([each[n] for each in found.values()]) for n in (0, 1))
    compared = odds > math.log(TINY / (1 - TINY))
    slope, shift = fit(odds[compared, None], replaced[compared], np.ones(compared.sum()))
    sys.stdout.write(f"slope {slope:.2f}\nshift {shift:.2f}\n")
    for name, (each, has) in found.items():
        likely = 1 / (1 + np.exp(-(slope * each + shift)))
        for bar in BARS:
            named = likely >= bar
            recall, precision = named[has == 1].mean(), has[named].mean()
            sys.stdout.write(f"{name} {bar}: recall {recall:.1%}, precision {precision:.1%}\n")
        for bar in SURE:
            right, wrong = (likely[has == of] >= bar for of in (1, 0))
            sys.stdout.write(f"{name} {bar}: sure {right.mean():.1%}, wrongly {wrong.mean():.1%}\n")


if __name__ == "__main__":
    asyncio.run(main())
