"""What becomes of an operation when all that it asked for has come."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import Any

from reasonloom.nodes.reasoning.tree_search.settings import is_number
from reasonloom.nodes.thought_graph.operations.orders import JUDGE
from reasonloom.nodes.thought_graph.operations.parts import by_part, join_parts, neighbours
from reasonloom.nodes.thought_graph.operations.state import (
    START,
    Pending,
    Received,
    State,
    Step,
    Thought,
)
from reasonloom.nodes.thought_graph.operations.task import Task

NOTHING = "nothing that can be used came back"


def settle_step(state: State, step: Step, came: list[Pending]) -> None:
    """Turn what a step's orders brought, in their own order, into its outputs."""
    if step["operation"]["do"] == "score":
        _score_by_ballots(state, step, came)
        return
    made = {order["key"]: _add_thoughts(state, step, order) for order in came}
    step["outputs"] = OUTPUTS[step["operation"]["do"]](state, step, came, made)


def _add_thoughts(state: State, step: Step, order: Pending) -> list[str]:
    """Add the thoughts that an order brought; return their ids."""
    received = state["arrived"][order["key"]]
    step["fault"] = received["fault"] or step["fault"]
    parents = [state["thoughts"][each] for each in order["thoughts"]]
    made = []
    for number, given in enumerate(received["given"]):
        thought = _thought(state, step, f"{order['key']}.{number}", parents, given)
        state["thoughts"][thought["id"]] = thought
        made.append(thought["id"])
    if step["operation"].get("apart") and made:
        _split_part(state, parents[0]["part"], made)
    return made


def _thought(
    state: State, step: Step, name: str, parents: list[Thought], given: dict[str, Any]
) -> Thought:
    kind = step["operation"]["do"]
    parts = [parent["part"] for parent in parents]
    deepest = max(parent["depth"] for parent in parents)
    return Thought(
        id=name,
        parents=[parent["id"] for parent in parents],
        kind=kind,
        step=step["id"],
        text=given["text"],
        data=given["data"],
        part=join_parts(parts, state["cuts"]) if kind == "aggregate" else parts[0],
        depth=deepest if kind == "refine" else deepest + 1,
        confidence=given["confidence"],
        score=None,
        scores={},
        check="none",
        scored_by=None,
        valid=None,
    )


def _split_part(state: State, part: str, made: list[str]) -> None:
    """Make each thought a part of its own of the part that was cut, perhaps not the first time."""
    cuts = state["cuts"].get(part, [])
    first = sum(len(cut) for cut in cuts)
    pieces = [f"{part}.{first + number}" for number in range(len(made))]
    state["cuts"][part] = [*cuts, pieces]
    for piece, each in zip(pieces, made, strict=True):
        state["thoughts"][each]["part"] = piece


def _generated(
    state: State, step: Step, came: list[Pending], made: dict[str, list[str]]
) -> list[str]:
    """Each thought gives way to those that continue it; one that nothing continues stays."""
    of = {order["thoughts"][0]: made[order["key"]] for order in came}
    return [new for each in step["inputs"] for new in of.get(each) or [each]]


def _refined(
    state: State, step: Step, came: list[Pending], made: dict[str, list[str]]
) -> list[str]:
    """Each thought goes on, with the improved ones behind it."""
    of = {order["thoughts"][0]: made[order["key"]] for order in came}
    return [new for each in step["inputs"] for new in (each, *of.get(each, ()))]


def _aggregated(
    state: State, step: Step, came: list[Pending], made: dict[str, list[str]]
) -> list[str]:
    """Merged thoughts give way to what they were merged into; where nothing came, they stay."""
    of = {tuple(order["thoughts"]): made[order["key"]] for order in came}
    inputs = [state["thoughts"][each] for each in step["inputs"]]
    outputs: list[str] = []
    for group in neighbours(inputs, step["operation"].get("size")):
        ids = tuple(each["id"] for each in group)
        outputs += of.get(ids) or ids
    return outputs


OUTPUTS = {"generate": _generated, "refine": _refined, "aggregate": _aggregated}


def _score_by_ballots(state: State, step: Step, came: list[Pending]) -> None:
    """Give each thought the mean of what its ballots said; those of the same text alike."""
    said: dict[tuple[str, str], list[dict[str, float]]] = {}
    check = "judge"
    for order in came:
        received = state["arrived"][order["key"]]
        step["fault"] = received["fault"] or step["fault"]
        for given in received["given"]:
            check = given["check"]
            thought = state["thoughts"][given["thought"]]
            said.setdefault((thought["part"], thought["text"]), []).append(given["scores"])
    for each in step["inputs"]:
        thought = state["thoughts"][each]
        found = said.get((thought["part"], thought["text"]))
        if found and thought["scored_by"] != JUDGE:
            scores = {name: fmean(one[name] for one in found) for name in found[0]}
            thought.update(
                {"scores": scores, "score": scores["total"], "check": check, "scored_by": JUDGE}
            )
    step["outputs"] = list(step["inputs"])


def score_by_check(state: State, step: Step, task: Task) -> None:
    """Give each thought what a check of the task finds; one that the check fails on has none."""
    name = step["operation"]["by"]
    check, problem = task.check(name), state["thoughts"][f"{START}.0"]
    for each in step["inputs"]:
        thought = state["thoughts"][each]
        if thought["scored_by"] == name:
            continue
        try:
            verdict = check.judge(problem, thought)
        except Exception as fault:  # noqa: BLE001  # a check may raise anything; the plan goes on
            step["fault"] = f"check {name} failed: {type(fault).__name__}"
            continue
        thought.update(
            {
                "score": float(verdict.score),
                "valid": verdict.valid,
                "check": check.kind,
                "scored_by": name,
            }
        )
    step["outputs"] = list(step["inputs"])


def keep_best(state: State, step: Step) -> None:
    """Let the best thoughts go on; ties go by order, what is not scored comes last."""
    inputs = [state["thoughts"][each] for each in step["inputs"]]
    of_all = step["operation"]["of"] == "all"
    kept = [
        each["id"]
        for group in ([inputs] if of_all else by_part(inputs).values())
        for each in sorted(group, key=_rank)[: step["operation"]["n"]]
    ]
    step["outputs"] = kept


def _rank(thought: Thought) -> tuple[bool, float]:
    return thought["score"] is None, -(thought["score"] or 0.0)


def keep_valid(state: State, step: Step, task: Task) -> None:
    """Let the valid thoughts go on, all of them where none is."""
    score_by_check(state, step, task)
    valid = [each for each in step["inputs"] if state["thoughts"][each]["valid"]]
    if not valid:
        step["fault"] = "no thought is valid; all of them go on"
    step["outputs"] = valid or list(step["inputs"])


MOST_FAULT = 200


def read_result(pending: Pending, result: object) -> Received:
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
