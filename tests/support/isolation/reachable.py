"""All that one owner is told: by own calls, by calls for what is another's, and by asking around.

What is told must be the same whether the other owner is there or not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from reasonloom.graphs.graph import load_graph
from reasonloom.server.resources.table import KINDS
from reasonloom.server.toolsets.table import EXTRA_TOOLSETS, TOOLSETS
from reasonloom.server.toolsets.toolset import Effect
from tests.support.isolation.owners import Bearer
from tests.support.isolation.tool_calls import TOPIC, USES, Known, value_at

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
CHANCE = re.compile(
    rf"{UUID.pattern}|\b[0-9a-f]{{8}}\b|\d{{4}}-\d\d-\d\dT[\d:.]+(\+00:00|Z)?"
    r'|\\?"processingTime\\?": [\d.]+'
)
"""What differs between two equal answers: ids, moments, and how long it took."""

THINKING = frozenset(
    line.name
    for toolset in (*TOOLSETS, *EXTRA_TOOLSETS)
    for line in toolset.tools
    if line.effect is not Effect.READS and load_graph(line.graph).saved
)
PASSING = frozenset(
    {
        "access_count", "accessCount", "created_at", "detectionTime", "neverRead", "stale",
        "reasons", "hints", "bytes", "file_size_bytes",
    }
)  # fmt: skip
"""Figures that hang on the moment: what was read is counted in batches, what fades does so, and
the bytes of a row hang on the digits of its times and scores."""


@dataclass
class OwnerView:
    """What was asked and what was answered, by a label."""

    answers: dict[str, tuple[Any, Any]] = field(default_factory=dict)

    def holding(self, words: str) -> list[str]:
        """Return the labels of the answers in which words stand that were not in the question."""
        return [
            label
            for label, (asked, answer) in self.answers.items()
            if words in _written(answer) and words not in _written(asked)
        ]

    def ids(self) -> set[str]:
        """Return every id of 128 bits that was told."""
        return {each for _, answer in self.answers.values() for each in UUID.findall(str(answer))}

    def outlines(self) -> dict[str, Any]:
        """Return the outline of each answer: errors word for word, else what is counted.

        How far a mode thinks hangs on the time it has, so that of its success no more is told.
        """
        return {
            label: outline(answer, counts=label.split(",")[0] not in THINKING)
            for label, (_, answer) in self.answers.items()
        }


def differing(told: OwnerView, other: OwnerView) -> dict[str, tuple[Any, Any]]:
    """Return the outlines that differ, or stand on one side alone, by their labels."""
    one, two = told.outlines(), other.outlines()
    return {
        label: (one.get(label), two.get(label))
        for label in one.keys() | two.keys()
        if one.get(label) != two.get(label)
    }


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def outline(answer: Any, *, counts: bool = True) -> Any:
    """Return an error's words, without what is chance; of a success its numbers and lengths."""
    if isinstance(answer, list):
        return len(answer)
    if not isinstance(answer, dict):
        return answer
    if answer.get("isError") or "error" in answer:
        return CHANCE.sub("…", _written(answer))
    if not counts:
        return "success"
    counted = (dict, list, int)
    return {
        key: outline(value)
        for key, value in answer.items()
        if key not in PASSING and isinstance(value, counted)
    }


def live(
    own: Bearer,
    known: Known,
    tools: Iterable[str] = USES,
    *,
    key: str = "the same",
    more: Mapping[str, Any] = MappingProxyType({}),
) -> OwnerView:
    """Call every tool once, or those named, each with what the earlier ones told.

    Fills in `known`. Every owner's calls carry the same idempotency keys; `more` are arguments of
    every call.
    """
    done = OwnerView()
    for tool in tools:
        use = USES[tool]
        arguments = {**use.arguments(known), **more}
        result = own.call(tool, arguments, f"{key} {tool}")
        assert not result["isError"], (tool, result["content"])
        done.answers[f"{tool}, own"] = (arguments, result)
        for kind, path in use.tells.items():
            known.ids[kind] = value_at(result["structuredContent"], path)
    return done


def reach(own: Bearer, known: Known, other: Known) -> OwnerView:
    """Call every tool with another's ids and words, then in the other's name where it has one."""
    done = OwnerView()
    foreign = replace(known, words=f"{other.words.split()[0]} {known.words}", ids=other.ids)
    named = replace(foreign, user=other.user)
    for tool, use in USES.items():
        for how, given in (("foreign", foreign), ("in the other's name", named)):
            arguments = use.arguments(given)
            if given is foreign or "userId" in arguments:
                done.answers[f"{tool}, {how}"] = (arguments, own.call(tool, arguments))
    return done


def ask_around(own: Bearer, other: Known, pages: list[str]) -> OwnerView:
    """Read, list, complete and fill in all that is not a tool; `pages` are the other's URIs."""
    asked: list[tuple[str, dict[str, Any]]] = [
        ("resources/list", {}),
        ("resources/templates/list", {}),
        ("prompts/list", {}),
    ]
    asked += [("resources/read", {"uri": page}) for page in pages]
    begun = {str(each)[:6] for each in other.ids.values() if UUID.fullmatch(str(each))}
    for kind in (kind for kind in KINDS if not kind.single):
        for value in ("", TOPIC, other.words.split()[0], *sorted(begun)):
            asked.append(completing({"type": "ref/resource", "uri": kind.template}, "id", value))
    for prompt in own.ask("prompts/list")["result"]["prompts"]:
        given = {each["name"]: other.words.split()[0] for each in prompt["arguments"]}
        asked.append(("prompts/get", {"name": prompt["name"], "arguments": given}))
        ref = {"type": "ref/prompt", "name": prompt["name"]}
        asked += [completing(ref, name, value) for name, value in given.items()]
    return OwnerView({f"{method} {params}": (params, own.ask(method, **params))
                 for method, params in asked})  # fmt: skip


def completing(ref: dict[str, str], name: str, value: str) -> tuple[str, dict[str, Any]]:
    """Return the method and the parameters of asking for a completion."""
    return "completion/complete", {"ref": ref, "argument": {"name": name, "value": value}}
