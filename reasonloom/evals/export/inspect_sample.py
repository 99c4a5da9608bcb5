"""One item in one epoch as a sample of Inspect: messages, answer, scores, and what it took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, uuid5

from reasonloom.evals.core.way import text_of

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample
    from inspect_ai.model import ChatMessage, ModelUsage
    from inspect_ai.scorer import Score

    from reasonloom.evals.log import Record

Usage = Mapping[str, float]
JUDGE = "grader"
"""Inspect's name for the role of whoever judges."""

FIGURE = "/"
"""What stands between a scorer and a further figure of its own."""


def sample_of(record: Record, number: str, model: str, judge: str) -> EvalSample:
    """Return a record as a sample; epochs are counted from 1.

    Args:
        record: the record.
        number: of the run.
        model, judge: who answered and who judged.
    """
    from inspect_ai.log import EvalError, EvalSample  # noqa: PLC0415
    from inspect_ai.model import ModelOutput  # noqa: PLC0415

    said = "" if record.output is None else text_of(record.output)
    error = EvalError(message=record.error, traceback="", traceback_ansi="")
    return EvalSample(
        id=record.item,
        epoch=record.epoch + 1,
        input=text_of(record.input),
        target=_target(record.target),
        messages=_messages(record.calls, model),
        output=ModelOutput.from_content(model, said),
        scores=_scores(record, said),
        metadata=_metadata(record),
        model_usage=usage_of([record.usage], model, judge),
        role_usage=_judged([record.usage]),
        total_time=record.latency_ms / 1000,
        uuid=str(uuid5(NAMESPACE_URL, f"{number}/{record.epoch}/{record.item}")),
        error=error if record.error else None,
    )


def usage_of(usages: Sequence[Usage], model: str, judge: str) -> dict[str, ModelUsage]:
    """Return tokens and US dollars by language model; of one that was not asked nothing."""
    found = {model: _sum(usages, "")} if any("calls" in usage for usage in usages) else {}
    for spent in _judged(usages).values():
        found[judge] = found[judge] + spent if judge in found else spent
    return found


def _judged(usages: Sequence[Usage]) -> dict[str, ModelUsage]:
    asked = any("judge_calls" in usage for usage in usages)
    return {JUDGE: _sum(usages, "judge_")} if asked else {}


def _sum(usages: Sequence[Usage], whose: str) -> ModelUsage:
    from inspect_ai.model import ModelUsage  # noqa: PLC0415

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
    """Return what was asked and said, one call after the other; each message tells which call."""
    from inspect_ai.model import (  # noqa: PLC0415
        ChatMessageAssistant,
        ChatMessageSystem,
        ChatMessageUser,
    )

    kinds = {"system": ChatMessageSystem, "assistant": ChatMessageAssistant}
    found: list[ChatMessage] = []
    for place, call in enumerate(calls, 1):
        told = {"call": place, "sample": call.get("sample")}
        for message in call["asked"]:
            kind = kinds.get(message["role"], ChatMessageUser)
            found.append(kind(content=text_of(message["content"]), metadata=told))
        found.append(ChatMessageAssistant(content=call["said"], model=model, metadata=told))
    return found


def _scores(record: Record, said: str) -> dict[str, Score]:
    """Return the scores; a scorer's further figures stand in the metadata of its score."""
    from inspect_ai.scorer import Score  # noqa: PLC0415

    found: dict[str, Score] = {}
    for name, value in sorted(record.scores.items(), key=lambda each: FIGURE in each[0]):
        scorer, _, figure = name.partition(FIGURE)
        if figure and scorer in found:
            found[scorer].metadata = {**(found[scorer].metadata or {}), figure: value}
        else:
            why = record.said.get(name) or None
            found[name] = Score(value=value, answer=said, explanation=why)
    return found


def _metadata(record: Record) -> dict[str, Any]:
    """Return what Inspect has no place for; values that are no text as they were."""
    told = {
        "cluster": record.cluster,
        "group": record.group,
        "digest": record.of,
        "run": record.run,
        "calls": int(record.usage.get("calls", 0)),
        "input": None if isinstance(record.input, str) else record.input,
        "target": None if isinstance(record.target, str) else record.target,
        "output": None if isinstance(record.output, str) else record.output,
    }
    return {name: value for name, value in told.items() if value not in (None, "")}


def _target(target: Any) -> str | list[str]:
    if target is None:
        return ""
    return [text_of(each) for each in target] if isinstance(target, list) else text_of(target)
