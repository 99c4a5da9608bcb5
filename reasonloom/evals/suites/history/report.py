"""The figures of each form: of all chains, of each kind, and of the moments."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from reasonloom.evals.comparison.report import latency
from reasonloom.evals.log import Record
from reasonloom.evals.suites.history.records import KINDS
from reasonloom.nodes.mental_models.accuracy import wilson

FORMS = ("plain", "noise")
MOMENT = "moment"
"""The group of the moments, beside the kinds of chains."""


def summary(records: Sequence[Record], form: str) -> dict[str, Any]:
    """Return the figures of one form: of all chains, of each kind, and of the moments."""
    own = [record for record in records if record.item.startswith(f"{form}/")]
    chains = [record for record in own if record.group != MOMENT]
    moments = [record for record in own if record.group == MOMENT]
    kinds = {kind: [record for record in chains if record.group == kind] for kind in KINDS}
    return {
        "all": _means(chains),
        "kinds": {kind: _means(some) for kind, some in kinds.items() if some},
        "moments": _means(moments),
        "latency_ms": latency([record.latency_ms for record in own]),
    }


def _means(records: Sequence[Record]) -> dict[str, Any]:
    if not records:
        return {"n": 0}
    names = list(records[0].scores)
    means = {name: statistics.fmean(record.scores[name] for record in records) for name in names}
    told: dict[str, Any] = {"n": len(records), **{k: round(v, 4) for k, v in means.items()}}
    if "right" in means:
        right = sum(record.scores["right"] > 0 for record in records)
        told["interval"] = [round(end, 4) for end in wilson(right, len(records))]
    return told
