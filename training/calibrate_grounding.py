"""Counts verdicts of grounding at several thresholds: `python training/calibrate_grounding.py`.

On claims that the reader is not taught and no figure is measured on. One threshold varies at a
time, the others are those of `confirmation.py`.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from reasonloom.llm.classifier import Entailment, entail
from reasonloom.nodes.graph_memory.grounding import confirmation
from reasonloom.nodes.graph_memory.grounding.verdict import weigh_evidence

CASES = Path(__file__).parent / "cases"
CLAIMS = ("grounds-1", "claims-1")
BARS = {
    "DOUBTED": (0.0, 0.05, 0.1, 0.15, 0.2, 0.3),
    "CONFIRMED": (0.1, 0.2, 0.3, 0.4, 0.5),
    "PARAPHRASED": (0.8, 0.85, 0.88, 0.9, 0.92, 0.94, 0.96),
    "DENIED": (0.6, 0.7, 0.8, 0.85, 0.9, 0.95),
    "DENIED_ALONE": (0.3, 0.5, 0.7),
}
READ: dict[tuple[str, str], Entailment] = {}


async def entail_once(pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
    """Return what the reader says of each pair, read a single time."""
    new = [pair for pair in dict.fromkeys(pairs) if pair not in READ]
    READ.update(zip(new, await entail(new), strict=True))
    return [READ[pair] for pair in pairs]


async def counted(name: str, bars: Mapping[str, float]) -> Counter[str]:
    """Count the verdicts on the claims of a file by whether they are right."""
    for bar, value in bars.items():
        setattr(confirmation, bar, value)
    found: Counter[str] = Counter()
    for line in (CASES / f"{name}.jsonl").read_text("utf-8").splitlines():
        case = json.loads(line)
        notes = dict(enumerate(case["notes"]))
        words = weigh_evidence(case["claim"], notes, {}, threshold=0.5)
        verdict = await confirmation.confirm_verdict(words, case["claim"], notes)
        status = "contradicted" if verdict.contradicted else verdict.status
        if status in ("verified", "contradicted"):
            found[f"{status} {'rightly' if status == case['label'] else 'wrongly'}"] += 1
    return found


async def main() -> None:
    """Print the counts at each value of each threshold."""
    vars(confirmation)["entail"] = entail_once
    chosen = {bar: getattr(confirmation, bar) for bar in BARS}
    for bar, values in BARS.items():
        for value in values:
            for name in CLAIMS:
                found = await counted(name, {**chosen, bar: value})
                counts = ", ".join(f"{kind} {found[kind]}" for kind in sorted(found))
                sys.stdout.write(f"{bar} {value} on {name}: {counts}\n")


if __name__ == "__main__":
    asyncio.run(main())
