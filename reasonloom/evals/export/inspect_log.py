"""Writes a run as an Inspect log (extra `inspect`) for Inspect's tools and viewer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, uuid5

import numpy as np

from reasonloom.errors import Conflict, InvalidArgument, SettingMistake
from reasonloom.evals.comparison.statistics import cluster_sums
from reasonloom.evals.core.way import text_of
from reasonloom.evals.reporting.report import method_of

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog as InspectLog
    from inspect_ai.log import EvalSample, EvalScore, EvalSpec
    from inspect_ai.model import ChatMessage, ModelUsage
    from inspect_ai.scorer import Score

    from reasonloom.evals.log import EvalLog, Record


Usage = Mapping[str, float]
JUDGE = "grader"
"""Inspect's name for the role of a judge."""

FIGURE = "/"
"""Separates a scorer's name from the name of a further figure."""


def sample_of(record: Record, number: str, model: str, judge: str) -> EvalSample:
    """Convert a record of a run (`number`) to a sample; Inspect counts epochs from 1."""
    from inspect_ai.log import EvalError, EvalSample
    from inspect_ai.model import ModelOutput

    output = "" if record.output is None else text_of(record.output)
    error = EvalError(message=record.error, traceback="", traceback_ansi="")
    return EvalSample(
        id=record.item,
        epoch=record.epoch + 1,
        input=text_of(record.input),
        target=_target(record.target),
        messages=_messages(record.calls, model),
        output=ModelOutput.from_content(model, output),
        scores=_scores(record, output),
        metadata=_metadata(record),
        model_usage=usage_of([record.usage], model, judge),
        role_usage=_judged([record.usage]),
        total_time=record.latency_ms / 1000,
        uuid=str(uuid5(NAMESPACE_URL, f"{number}/{record.epoch}/{record.item}")),
        error=error if record.error else None,
    )


def usage_of(usages: Sequence[Usage], model: str, judge: str) -> dict[str, ModelUsage]:
    """Return usage by language model, without models that were not called."""
    found = {model: _sum(usages, "")} if any("calls" in usage for usage in usages) else {}
    for spent in _judged(usages).values():
        found[judge] = found[judge] + spent if judge in found else spent
    return found


def _judged(usages: Sequence[Usage]) -> dict[str, ModelUsage]:
    called = any("judge_calls" in usage for usage in usages)
    return {JUDGE: _sum(usages, "judge_")} if called else {}


def _sum(usages: Sequence[Usage], whose: str) -> ModelUsage:
    from inspect_ai.model import ModelUsage

    def total(name: str) -> float:
        return sum(usage.get(f"{whose}{name}", 0.0) for usage in usages)

    tokens_in, tokens_out = int(total("tokens_in")), int(total("tokens_out"))
    return ModelUsage(
        input_tokens=tokens_in,
        output_tokens=tokens_out,
        total_tokens=tokens_in + tokens_out,
        total_cost=total("usd"),
    )


def _messages(calls: Sequence[Mapping[str, Any]], model: str) -> list[ChatMessage]:
    """Return the calls' messages in order; metadata has the call that each belongs to."""
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

    kinds = {"system": ChatMessageSystem, "assistant": ChatMessageAssistant}
    found: list[ChatMessage] = []
    for place, call in enumerate(calls, 1):
        about = {"call": place, "sample": call.get("sample")}
        for message in call["asked"]:
            kind = kinds.get(message["role"], ChatMessageUser)
            found.append(kind(content=text_of(message["content"]), metadata=about))
        found.append(ChatMessageAssistant(content=call["said"], model=model, metadata=about))
    return found


def _scores(record: Record, output: str) -> dict[str, Score]:
    """Return the scores; a scorer's further figures go into its metadata."""
    from inspect_ai.scorer import Score

    found: dict[str, Score] = {}
    for name, value in sorted(record.scores.items(), key=lambda each: FIGURE in each[0]):
        scorer, _, figure = name.partition(FIGURE)
        if figure and scorer in found:
            found[scorer].metadata = {**(found[scorer].metadata or {}), figure: value}
        else:
            why = record.said.get(name) or None
            found[name] = Score(value=value, answer=output, explanation=why)
    return found


def _metadata(record: Record) -> dict[str, Any]:
    """Return what Inspect has no field for, with non-text values unchanged."""
    values: dict[str, Any] = {
        "cluster": record.cluster,
        "group": record.group,
        "digest": record.of,
        "run": record.run,
        "calls": int(record.usage.get("calls", 0)),
    }
    for name in ("input", "target", "output"):
        value = getattr(record, name)
        values[name] = None if isinstance(value, str) else value
    return {name: value for name, value in values.items() if value not in (None, "")}


def _target(target: Any) -> str | list[str]:
    if target is None:
        return ""
    return [text_of(each) for each in target] if isinstance(target, list) else text_of(target)


ENDINGS = (".eval", ".json")
NOBODY = "none"
"""The model of a run that uses none, as an Inspect log must name one."""


def write_inspect_log(log: EvalLog, to: Path, *, force: bool = False) -> int:
    """Write a run as an Inspect log and return the number of samples.

    SettingMistake if Inspect is not installed, Conflict if the file exists and `force` is not set.
    """
    if find_spec("inspect_ai") is None:
        raise SettingMistake(
            'export: needs Inspect; pip install "reasonloom[inspect]"', field="export"
        )
    if to.suffix not in ENDINGS:
        raise InvalidArgument(f"to: {to.name}: must end with {' or '.join(ENDINGS)}", field="to")
    if not to.parent.is_dir():
        raise InvalidArgument(f"to: the folder of {to.name} does not exist", field="to")
    if to.exists() and not force:
        raise Conflict(f"to: {to.name} is there already; --force writes over it")
    from inspect_ai.log import write_eval_log

    write_eval_log(inspect_log(log), str(to.resolve()))
    return len(log.records)


def inspect_log(log: EvalLog) -> InspectLog:
    """Convert a run to Inspect's log; whatever has no field there goes into metadata."""
    from inspect_ai.log import EvalLog as InspectLog
    from inspect_ai.log import EvalPlan, EvalPlanStep, EvalResults, EvalStats

    system = log.head.get("system", {})
    model = str(system.get("llm") or log.head.get("llm") or NOBODY)
    judge = str(log.head.get("judge") or model)
    wanted = int(log.head.get("items", 0)) * int(log.head.get("epochs", 1))
    records = sorted(log.records, key=lambda record: (record.epoch, record.item))
    usages = [record.usage for record in records]
    return InspectLog(
        status="success" if len(records) >= wanted else "cancelled",
        eval=_spec(log, model),
        plan=EvalPlan(steps=[EvalPlanStep(solver=_solver(log), params=system)]),
        results=EvalResults(
            total_samples=max(wanted, len(records)),
            completed_samples=len(records),
            scores=[_score(log, name) for name in _names(log)],
        ),
        stats=EvalStats(model_usage=usage_of(usages, model, judge)),
        samples=[sample_of(record, _number(log), model, judge) for record in records],
    )


def _spec(log: EvalLog, model: str) -> EvalSpec:
    from inspect_ai.log import EvalConfig, EvalDataset, EvalSpec
    from inspect_ai.log._log import EvalScorer

    head, number = log.head, _number(log)
    ids = sorted({record.item for record in log.records})
    written = datetime.fromtimestamp(log.path.stat().st_mtime, UTC).isoformat()
    scorers = [each for each in head.get("scorers", []) if isinstance(each, dict)]
    return EvalSpec(
        eval_id=number,
        run_id=number,
        created=written,
        task=str(head.get("eval", log.path.stem)),
        task_id=f"{head.get('eval', log.path.stem)}@{number}",
        solver=_solver(log),
        dataset=EvalDataset(name=str(head.get("eval", "")), samples=len(ids), sample_ids=ids),
        model=model,
        config=EvalConfig(epochs=int(head.get("epochs", 1)), epochs_reducer=["mean"]),
        packages={"reasonloom": str(head.get("reasonloom", ""))},
        scorers=[
            EvalScorer(
                name=str(each.get("scorer")),
                options={name: value for name, value in each.items() if name != "scorer"},
            )
            for each in scorers
        ],
        metadata={"file": log.path.name, "created_is": "when the run's file was written", **head},
    )


def _score(log: EvalLog, name: str) -> EvalScore:
    """Return the mean of a score over items, with its standard error over clusters."""
    from inspect_ai.log import EvalMetric, EvalScore

    items: dict[str, list[float]] = {}
    clusters: dict[str, str] = {}
    for record in log.records:
        if name in record.scores:
            items.setdefault(record.item, []).append(record.scores[name])
            clusters[record.item] = record.cluster
    means = np.array([fmean(each) for each in items.values()], dtype=np.float64)
    found = cluster_sums(means, list(clusters.values()))
    figures = {"mean": found.mean, "stderr": found.error}
    return EvalScore(
        name=name,
        scorer=name,
        reducer="mean",
        scored_samples=len(items),
        metrics={each: EvalMetric(name=each, value=value) for each, value in figures.items()},
    )


def _names(log: EvalLog) -> Sequence[str]:
    """Return the score names, scorers first, then further figures."""
    scorers = [str(each.get("scorer")) for each in log.head.get("scorers", [])]
    found = dict.fromkeys(name for record in log.records for name in record.scores)
    return [
        *(each for each in scorers if each in found),
        *(each for each in found if each not in scorers),
    ]


def _solver(log: EvalLog) -> str:
    return method_of(log.head) or "reasonloom"


def _number(log: EvalLog) -> str:
    return str(log.head.get("number") or log.path.stem)
