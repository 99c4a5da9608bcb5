"""Summarises runs: means by group with latencies, and scores with intervals and usage."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from reasonloom.evals.comparison.pairs import FIGURES, reducer, side
from reasonloom.evals.comparison.statistics import cluster_sums, interval, no_difference
from reasonloom.evals.core.run import RunResult
from reasonloom.evals.log import EvalLog, Record
from reasonloom.text.plurals import counted

OFFLINE, SIMULATED = "offline", "simulated:"


def means_by_group(records: Sequence[Record], *, excluded: Sequence[str] = ()) -> dict[str, Any]:
    """Return `overall` (without the `excluded` groups) and `groups`, each of means in 0..1.

    If outputs contain scores `without` single signals, `without` has the overall means for each
    signal left out.
    """
    groups = sorted({record.group for record in records})
    counted = [record for record in records if record.group not in excluded]
    ablated = [
        each for each in counted if isinstance(each.output, dict) and "without" in each.output
    ]
    signals = list(ablated[0].output["without"]) if ablated else []
    without = {
        name: means([replace(each, scores=each.output["without"][name]) for each in ablated])
        for name in signals
    }
    return {
        "overall": means(counted),
        **({"without": without} if without else {}),
        "groups": {
            group: means([record for record in records if record.group == group])
            for group in groups
        },
        "latency_ms": latency([record.latency_ms for record in records]),
    }


def means(records: Sequence[Record]) -> dict[str, float]:
    """Return the number of records and the mean of each score."""
    names = list(records[0].scores) if records else []
    found = {name: statistics.fmean(record.scores[name] for record in records) for name in names}
    return {"n": len(records), **{name: round(mean, 4) for name, mean in found.items()}}


def latency(times: Sequence[float]) -> dict[str, float]:
    """Return the median and 95th percentile; empty for fewer than two times."""
    if len(times) < 2:  # noqa: PLR2004
        return {}
    cuts = statistics.quantiles(times, n=20, method="inclusive")
    return {"p50": round(statistics.median(times), 2), "p95": round(cuts[-1], 2)}


def run_summary(ran: RunResult, how: str = "mean") -> dict[str, Any]:
    """Return the head without prompt texts, scores with 95 % intervals, and usage."""
    log = ran.log
    head = {name: value for name, value in log.head.items() if name != "texts"}
    names = dict.fromkeys(name for record in log.records for name in record.scores)
    return {
        **head,
        "log": log.path.name,
        "done": len(log.records),
        "of": head["items"] * head["epochs"],
        "scores": {name: _score(log, name, how) for name in names if "/" not in name},
        "figures": {  # means over the records that have them
            name: float(np.mean(sorted(r.scores[name] for r in log.records if name in r.scores)))
            for name in names
            if "/" in name
        },
        "usage": {  # sorted, so that the order in which items end changes no last digit
            name: sum(sorted(record.usage.get(name, 0.0) for record in log.records))
            for name in FIGURES
        },
        "latency_ms": latency([record.latency_ms for record in log.records]),
        "notes": ran.notes(),
        "incomplete": incomplete(ran),
    }


def incomplete(ran: RunResult) -> str:
    """Return how many answers a run lacks and why; empty if it has all."""
    wanted = ran.log.head["items"] * ran.log.head["epochs"]
    missing = wanted - len(ran.log.records)
    if not missing:
        return ""
    why = ran.stopped or next(iter(ran.failed), "the run was interrupted")
    return f"{missing} of {counted(wanted, 'answer')} missing: {why}"


def llm_of(head: Mapping[str, Any]) -> str:
    """Return the language model that a run's head names; empty if none was needed."""
    return str((head.get("system") or {}).get("llm") or "")


def model_note(llm: str) -> str:
    """Return a note if a run's language model is none, or a simulated one; empty otherwise."""
    if llm.rpartition(":")[2] == OFFLINE:
        return (
            "no language model was called; to evaluate one, set REASONLOOM_LLM, such as"
            " litellm:openai/gpt-5"
        )
    if is_simulated(llm):
        return f"{llm} is a simulated language model: its answers, tokens and costs are simulated"
    return ""


def is_simulated(llm: str) -> bool:
    """Return whether a language model is a simulated one, so that no money was spent."""
    return SIMULATED in llm


def _score(log: EvalLog, name: str, how: str) -> dict[str, Any]:
    grouped = side(log, name, reducer(how))
    scores = np.array(list(grouped.scores.values()), dtype=np.float64)
    found = cluster_sums(scores, [grouped.records[key][0].cluster for key in grouped.scores])
    low, high = interval(found)
    if low == high:  # no resample varies, as with two items or equal scores
        reach = no_difference(found.count)
        low, high = found.mean - reach, found.mean + reach
    least, most = min(0.0, *scores), max(1.0, *scores)
    return {
        "mean": found.mean,
        "interval": [max(least, low), min(most, high)],
        "reducer": how,
        "items": len(scores),
        "clusters": found.count,
    }
