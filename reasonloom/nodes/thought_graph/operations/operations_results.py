"""Reads what came back: results that can be used, or the reason why there are none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reasonloom.nodes.reasoning.tree_search.settings import is_number
from reasonloom.nodes.thought_graph.operations.results import NOTHING
from reasonloom.nodes.thought_graph.operations.state import Pending, Received

MOST_FAULT = 200


def read(pending: Pending, result: object) -> Received:
    """Return a result as the machine keeps it; nonsense becomes a fault, never an exception.

    A result is a mapping with `candidates` (mappings with `text`, and perhaps `data` and
    `confidence`), `ballot` (for an order of kind judge: thought id -> parts of its score, with
    `total`; and `check` where that was no judge), or `error`; and beside it perhaps `tokens`,
    `usd`, and `at` (seconds since the plan began).
    """
    told: Mapping[str, Any] = result if isinstance(result, Mapping) else {}
    reader = _ballot if pending["kind"] == "judge" else _candidates
    given = [] if told.get("error") else reader(pending, told)
    return Received(
        given=given,
        fault=None if given else str(told.get("error") or NOTHING)[:MOST_FAULT],
        tokens=_cost(told.get("tokens")),
        usd=_cost(told.get("usd")),
        at=_cost(told.get("at")),
    )


def _cost(given: object) -> float:
    return max(0.0, given) if isinstance(given, int | float) and is_number(given) else 0.0


def _candidates(pending: Pending, told: Mapping[str, Any]) -> list[dict[str, Any]]:
    given = told.get("candidates")
    found = [each for each in given if isinstance(each, Mapping)] if isinstance(given, list) else []
    return [
        {
            "text": each["text"],
            "data": each.get("data"),
            "confidence": each.get("confidence") if is_number(each.get("confidence")) else None,
        }
        for each in found
        if isinstance(each.get("text"), str) and each["text"].strip()
    ]


def _ballot(pending: Pending, told: Mapping[str, Any]) -> list[dict[str, Any]]:
    said = told.get("ballot")
    if not isinstance(said, Mapping):
        return []
    return [
        {"thought": each, "scores": dict(said[each]), "check": told.get("check", "judge")}
        for each in pending["thoughts"]
        if isinstance(said.get(each), Mapping) and is_number(said[each].get("total"))
    ]
