"""The settings and usage of a run, as text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from reasonloom.evals.comparison.summary import is_simulated, llm_of
from reasonloom.evals.core.way import text_of
from reasonloom.evals.reporting.formatting import format_count
from reasonloom.evals.reporting.report import ReportedRun, method_of

COSTS = {
    "calls": "calls", "tokens_in": "tokens asked", "tokens_out": "tokens answered",
    "usd": "US dollars", "latency_ms": "latency, ms",
}  # fmt: skip
"""Names of the cost figures."""

MOST_PROMPTS = 10
"""Prompts whose texts are displayed; a tool may use many more."""


MISSING = "none"
"""Version of a prompt that a run does not have."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts of a run by name, and the texts of its prompts."""

    label: str
    facts: Sequence[tuple[str, str]]
    texts: Sequence[tuple[str, str]]


def run_facts(run: ReportedRun) -> Facts:
    """Return the facts of a run."""
    head, system = run.log.head, run.log.head.get("system") or {}
    values = {
        "file": run.log.path.name,
        "done": f"{format_count(run.summary['done'])} of {format_count(run.summary['of'])} answers",
        "items": f"{format_count(head['items'])}, each asked {times_text(head['epochs'])}",
        "answered by": method_of(head),
        "graph": f"{system['graph']} v{system.get('graph_version')}" if system.get("graph") else "",
        "arguments": text_of(system["arguments"]) if system.get("arguments") else "",
        "language model": str(system.get("llm") or ""),
        "judge": _judge(run),
        "scorers": ", ".join(_scorer(each) for each in head.get("scorers", ())),
        "seed": str(head.get("seed", "")),
        "digest of items": str(head.get("items_sha256", "")),
        "limits of an item": ", ".join(
            f"{value:,} {name}"
            for name, value in (system.get("budget") or {}).items()
            if value is not None
        ),
        "reasonloom": str(head.get("reasonloom", "")),
        "prompts": _prompts(head),
    }
    return Facts(run.label, [pair for pair in values.items() if pair[1]], _texts(head))


def times_text(number: int) -> str:
    """Return a number of times in words."""
    return "once" if number == 1 else f"{number} times"


def usage_facts(run: ReportedRun) -> list[tuple[str, float]]:
    """Return a run's non-zero usage."""
    usage = run.summary["usage"]
    return [(cost_name(name, run), usage[name]) for name in usage if usage[name]]


def cost_name(name: str, *runs: ReportedRun) -> str:
    """Return the name of a cost figure of runs; money is marked as simulated where one's is."""
    simulated = name == "usd" and any(is_simulated(llm_of(run.log.head)) for run in runs)
    return f"{COSTS[name]}, simulated" if simulated else COSTS[name]


def comparison_costs(found: dict[str, Any], *runs: ReportedRun) -> list[tuple[str, dict[str, Any]]]:
    """Return the costs of a comparison of two runs, without those that are zero in both."""
    return [
        (cost_name(name, *runs), each)
        for name, each in found["costs"].items()
        if each["base"] or each["run"]
    ]


def version_text(prompt: dict[str, Any]) -> str:
    """Return a prompt's version and hash, or that it is missing."""
    if not prompt:
        return MISSING
    return f"v{prompt.get('version')} ({str(prompt.get('hash', ''))[:8]})"


def _scorer(about: dict[str, Any]) -> str:
    name = str(about.get("scorer", ""))
    rest = [
        f"{key} {value}"
        for key, value in about.items()
        if key != "scorer" and value not in (None, "", False)
    ]
    return f"{name} ({', '.join(rest)})" if rest else name


def _judge(run: ReportedRun) -> str:
    """Return the judge and its usage, if a scorer called it."""
    spent = {
        name: sum(record.usage.get(f"judge_{name}", 0.0) for record in run.log.records)
        for name in COSTS
    }
    if not spent["calls"]:
        return ""
    usage = ", ".join(f"{value:,.6g} {COSTS[name]}" for name, value in spent.items() if value)
    return f"{run.log.head.get('judge')}: {usage}"


def _prompts(head: dict[str, Any]) -> str:
    prompts = head.get("prompts") or {}
    if len(prompts) > MOST_PROMPTS:
        return f"any of {len(prompts)}"
    return ", ".join(f"{name} {version_text(each)}" for name, each in prompts.items())


def _texts(head: dict[str, Any]) -> list[tuple[str, str]]:
    prompts, texts = head.get("prompts") or {}, head.get("texts") or {}
    if len(prompts) > MOST_PROMPTS:
        return []
    return [
        (f"{name} {version_text(each)}", str(texts.get(each.get("hash"), "")))
        for name, each in prompts.items()
    ]
