"""The results of orders: parsing them, and deriving their operation's outputs."""

from collections.abc import Mapping
from functools import partial
from statistics import fmean
from typing import Any

from reasonloom.nodes.reasoning.tree_search.orders import as_received
from reasonloom.nodes.reasoning.tree_search.settings import is_number
from reasonloom.nodes.reasoning.tree_search.state import Received
from reasonloom.nodes.thought_graph.ballot_scoring import JUDGE
from reasonloom.nodes.thought_graph.operations.orders import merge_groups, rivals_of
from reasonloom.nodes.thought_graph.operations.parts import by_part, join_parts
from reasonloom.nodes.thought_graph.operations.state import START, Pending, State, Step, Thought
from reasonloom.nodes.thought_graph.operations.task import Task


def settle_step(state: State, step: Step, came: list[Pending]) -> None:
    """Convert the results of a step's orders to its outputs, in the sequence of the orders."""
    if step["operation"]["do"] == "score":
        _score_by_ballots(state, step, came)
        return
    made = {order["key"]: _add_thoughts(state, step, order) for order in came}
    step["outputs"] = OUTPUTS[step["operation"]["do"]](state, step, came, made)


def _add_thoughts(state: State, step: Step, order: Pending) -> list[str]:
    """Add the thoughts of an order's result, and return their ids."""
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
    """Make each thought a separate piece of the part that was cut, which may be cut repeatedly."""
    cuts = state["cuts"].get(part, [])
    first = sum(len(cut) for cut in cuts)
    pieces = [f"{part}.{first + number}" for number in range(len(made))]
    state["cuts"][part] = [*cuts, pieces]
    for piece, each in zip(pieces, made, strict=True):
        state["thoughts"][each]["part"] = piece


def _generated(
    state: State, step: Step, came: list[Pending], made: dict[str, list[str]]
) -> list[str]:
    """Replace each thought by its continuations; thoughts without any are retained."""
    of = {order["thoughts"][0]: made[order["key"]] for order in came}
    return [new for each in step["inputs"] for new in of.get(each) or [each]]


def _refined(
    state: State, step: Step, came: list[Pending], made: dict[str, list[str]]
) -> list[str]:
    """Return each input thought followed by its refinements."""
    of = {order["thoughts"][0]: made[order["key"]] for order in came}
    return [new for each in step["inputs"] for new in (each, *of.get(each, ()))]


def _aggregated(
    state: State, step: Step, came: list[Pending], made: dict[str, list[str]]
) -> list[str]:
    """Replace merged thoughts by the result; groups without a result are retained."""
    of = {tuple(order["thoughts"]): made[order["key"]] for order in came}
    if not any(of.values()):
        return list(step["inputs"])
    groups = [tuple(each["id"] for each in group) for group in merge_groups(state, step)]
    outputs: list[str] = []
    for ids in dict.fromkeys([*groups, *of]):  # an older version may have merged other groups
        outputs += of.get(ids) or (ids if ids in groups else ())
    return outputs


OUTPUTS = {"generate": _generated, "refine": _refined, "aggregate": _aggregated}


def _score_by_ballots(state: State, step: Step, came: list[Pending]) -> None:
    """Score each thought with the mean of its ballots, shared by thoughts with the same text."""
    ballot: dict[tuple[str, str], list[dict[str, float]]] = {}
    check = "judge"
    for order in came:
        received = state["arrived"][order["key"]]
        step["fault"] = received["fault"] or step["fault"]
        for given in received["given"]:
            check = given["check"]
            thought = state["thoughts"][given["thought"]]
            ballot.setdefault((thought["part"], thought["text"]), []).append(given["scores"])
    inputs = [state["thoughts"][each] for each in step["inputs"]]
    rivals = [rival for each in inputs for rival in rivals_of(state, each)]
    for thought in (*inputs, *rivals):
        found = ballot.get((thought["part"], thought["text"]))
        if found:
            scores = {name: fmean(one[name] for one in found) for name in found[0]}
            thought.update(
                {"scores": scores, "score": scores["total"], "check": check, "scored_by": JUDGE}
            )
    step["outputs"] = list(dict.fromkeys(_unbeaten(state, each)["id"] for each in inputs))


def _unbeaten(state: State, thought: Thought) -> Thought:
    """Return a thought, or the best of its sources if it was merged and does not beat that."""
    rival = best_rival(state, thought)
    return thought if rival is None or beats_rival(thought, rival) else rival


def best_rival(state: State, thought: Thought) -> Thought | None:
    """Return the best judged source of a merged thought; None if it is not merged or not judged."""
    if thought["kind"] != "aggregate" or thought["scored_by"] != JUDGE:
        return None
    judged = [each for each in rivals_of(state, thought) if each["scored_by"] == JUDGE]
    return max(judged, key=lambda each: each["score"] or 0.0, default=None)


def beats_rival(thought: Thought, rival: Thought) -> bool:
    """Return whether a merged thought scores higher than the best of its sources."""
    return (thought["score"] or 0.0) > (rival["score"] or 0.0)


def score_by_check(state: State, step: Step, task: Task) -> None:
    """Score each thought with a check; a thought on which the check fails gets no score."""
    name = step["operation"]["by"]
    check, problem = task.check(name), state["thoughts"][f"{START}.0"]
    for each in step["inputs"]:
        thought = state["thoughts"][each]
        if thought["scored_by"] == name:
            continue
        try:
            verdict = check.judge(problem, thought)
        except Exception as fault:  # noqa: BLE001  # a check may raise anything; the plan continues
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


def keep_best(state: State, step: Step, task: Task) -> None:
    """Pass on the best thoughts; ties keep their order, unscored thoughts come last.

    Of equivalent thoughts only the best is passed on, to preserve different ideas.
    """
    inputs = [state["thoughts"][each] for each in step["inputs"]]
    of_all = step["operation"]["of"] == "all"
    step["outputs"] = [
        each["id"]
        for group in ([inputs] if of_all else by_part(inputs).values())
        for each in _different(sorted(group, key=_rank), step["operation"]["n"], task)
    ]


def _different(ranked: list[Thought], most: int, task: Task) -> list[Thought]:
    """Return the first `most` thoughts, skipping those equivalent to an earlier one."""
    kept: list[Thought] = []
    for each in ranked:
        if len(kept) == most:
            break
        if not any(task.same(each, other) for other in kept if other["part"] == each["part"]):
            kept.append(each)
    return kept


def _rank(thought: Thought) -> tuple[bool, float]:
    return thought["score"] is None, -(thought["score"] or 0.0)


def keep_valid(state: State, step: Step, task: Task) -> None:
    """Pass on the valid thoughts, or all thoughts if none is valid."""
    score_by_check(state, step, task)
    valid = [each for each in step["inputs"] if state["thoughts"][each]["valid"]]
    if not valid:
        step["fault"] = "no thought is valid; all of them continue"
    step["outputs"] = valid or list(step["inputs"])


def read_result(pending: Pending, result: object) -> Received:
    """Parse a result into its stored form; invalid results become faults, never exceptions.

    A result is a mapping with `candidates` (mappings with `text`, and optionally `data` and
    `confidence`), `ballot` (for an order of kind judge: thought id -> score parts including
    `total`; with `check` if it is not from a judge), or `error`; and optionally `tokens`, `usd`,
    and `at` (seconds since the plan began).
    """
    judged = pending["kind"] == "judge"
    return as_received(result, partial(_ballot, pending) if judged else _candidates)


def _candidates(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    given = answer.get("candidates")
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


def _ballot(pending: Pending, answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    ballot = answer.get("ballot")
    if not isinstance(ballot, Mapping):
        return []
    return [
        {"thought": each, "scores": dict(ballot[each]), "check": answer.get("check", "judge")}
        for each in pending["thoughts"]
        if isinstance(ballot.get(each), Mapping) and is_number(ballot[each].get("total"))
    ]
