"""Score thoughts of a graph by blind ballots over labelled thoughts, and by computed measures.

The score is the weighted mean of four parts, each 0..1. Relevance, validity and depth are the
means of the ballots; novelty is 1 - the highest similarity to any other active thought of the
graph. Without ballots all four are computed, and the check is named `local check`.

Ballots on the same thoughts use different orders, and each thought comes first as often as last. A
thought judged alone gets one ballot, since a second would repeat the same question.
"""

from collections import defaultdict
from collections.abc import Sequence
from operator import add
from statistics import fmean
from typing import Annotated, Any, NamedTuple, TypedDict
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.nodes.execution import Execution
from reasonloom.nodes.judging.ballots import balanced_orders, label
from reasonloom.nodes.runs.llm_call import OptionalReply, Question, ask_or_note
from reasonloom.nodes.similarity import Similarity, similarity_of
from reasonloom.nodes.thought_graph.graph import ThoughtGraph
from reasonloom.nodes.thought_graph.state import GotToolState, Place
from reasonloom.stores.thought_graph.graph_edges import NewEdge
from reasonloom.stores.thought_graph.graph_nodes import NodeRow, Scored
from reasonloom.text.contradiction import contradiction
from reasonloom.text.shortening import shortened
from reasonloom.text.words import words_in

BALLOTS = 3
"""Maximum ballots on thoughts that are compared, limited to one per thought."""

ON_ONE = 8
"""Maximum thoughts per ballot."""

WEIGHTS = {"relevance": 0.4, "validity": 0.55, "depth": 0.03, "novelty": 0.02}
"""Depth and novelty only break ties: relevance and validity together weigh 0.95."""

JUDGED = ("relevance", "validity", "depth")
UNKNOWN = 0.5
"""Validity if nobody judged it."""

JUDGE, LOCAL = "judge", "local check"
LOST = "{lost} of {count} ballots failed"
ONE_NUMBER = "a ballot gave its confidence alone, as relevance, validity and depth: {reason}"
UNJUDGED = "not judged: relevance, depth and novelty were computed, validity 0.5 means unknown"


class Candidate(TypedDict):
    """A thought to be scored: its id, its content, and the thoughts it is based on."""

    id: str
    content: str
    rests_on: list[str]


class Ballot(TypedDict):
    """One ballot: its number, its thoughts in display order, and others to relate them to."""

    number: int
    task: str
    place: Place
    memories: list[dict[str, Any]]
    candidates: list[Candidate]
    others: list[dict[str, str]]


class CastBallot(TypedDict):
    """The result of a ballot: score parts by thought, and relations (thought, kind, other, why)."""

    number: int
    scores: dict[str, dict[str, float]]
    relations: list[list[str]]


class ScoringState(GotToolState, total=False):
    """The fields that scoring adds to an operation's state."""

    candidates: list[Candidate]
    others: list[dict[str, str]]
    cast: Annotated[list[CastBallot], add]


def as_candidate(graph: ThoughtGraph, node: NodeRow) -> Candidate:
    """Return a node as shown on ballots, with its parents."""
    parents = [graph.by_id[parent] for parent in graph.parents[node.id]]
    return Candidate(
        id=str(node.id), content=node.content, rests_on=[each.content for each in parents]
    )


def make_ballots(state: ScoringState) -> list[Ballot]:
    """Return the ballots on the state's candidates, in balanced orders stable across replays."""
    by_id = {each["id"]: each for each in state["candidates"]}
    ids = list(by_id)
    batches = [ids[at : at + ON_ONE] for at in range(0, len(ids), ON_ONE)]
    return [
        Ballot(
            number=number,
            task=f"{place}.{number}",
            place=state["place"],
            memories=state["memories"],
            candidates=[by_id[each] for each in order],
            others=state.get("others", []),
        )
        for place, batch in enumerate(batches)
        for number, order in enumerate(balanced_orders(batch, BALLOTS, ".".join(batch)))
    ]


async def cast_ballot(state: Ballot, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Cast one ballot; an unreadable reply is dropped with a note."""
    execution = runtime.context
    if execution.loom.llm.offline:
        return {"cast": []}
    labels = {label(place): each["id"] for place, each in enumerate(state["candidates"])}
    candidates = [
        {"label": name, "content": each["content"], "rests_on": each["rests_on"]}
        for name, each in zip(labels, state["candidates"], strict=True)
    ]
    question = Question(
        node="cast_ballot",
        prompt="got/judge",
        blind=True,
        variables={
            "problem": state["place"]["problem"],
            "memories": state["memories"],
            "candidates": candidates,
            "others": state["others"],
        },
        pipe="got_score",
        task=state["task"],
        sample=state["number"],
    )
    heard = await ask_or_note(execution, question, "a ballot")
    if heard.parsed is None:
        cast = _cast_confidence(state, heard)
        notes = [ONE_NUMBER.format(reason=shortened(heard.text))] if cast else []
        return {"cast": cast, "notes": [*heard.notes, *notes]}
    return {"cast": [_cast(state, labels, heard.parsed)], "notes": heard.notes}


def _cast_confidence(state: Ballot, heard: OptionalReply) -> list[CastBallot]:
    """Return a ballot from a reply with only a confidence, if it is about a single thought."""
    if heard.confidence is None or len(state["candidates"]) > 1:
        return []
    scores = {state["candidates"][0]["id"]: dict.fromkeys(JUDGED, heard.confidence)}
    return [CastBallot(number=state["number"], scores=scores, relations=[])]


def _cast(state: Ballot, labels: dict[str, str], parsed: dict[str, Any]) -> CastBallot:
    """Return a ballot with its labels mapped back to ids; unknown labels are ignored."""
    others = {str(number): each["id"] for number, each in enumerate(state["others"], 1)}
    return CastBallot(
        number=state["number"],
        scores={
            labels[each["label"]]: {part: float(each[part]) for part in JUDGED}
            for each in parsed["scores"]
            if each["label"] in labels
        },
        relations=[
            [labels[each["label"]], each["kind"], others[each["other"]], each["why"]]
            for each in parsed.get("relations", [])
            if each["label"] in labels and each["other"] in others
        ],
    )


async def score_candidates(
    execution: Execution, state: ScoringState, graph: ThoughtGraph
) -> tuple[dict[str, Scored], list[str]]:
    """Return the score of each candidate by id, and notes on the scoring."""
    candidates = state["candidates"]
    around = [*(node.content for node in graph.active), state["place"]["problem"]]
    texts = [*around, *(each["content"] for each in candidates)]
    likeness = await similarity_of(execution.loom.embedder, texts)
    scores = {each["id"]: _scored(state, graph, each, likeness) for each in candidates}
    unjudged = any(each.check == LOCAL for each in scores.values())
    return scores, [*likeness.notes, *([UNJUDGED] if unjudged else [])]


def _scored(
    state: ScoringState, graph: ThoughtGraph, of: Candidate, likeness: Similarity
) -> Scored:
    cast = ballot_scores(state, of["id"])
    others = [
        node.content
        for node in graph.active
        if str(node.id) != of["id"] and node.content != of["content"]
    ]
    novelty = 1 - max((likeness.of(of["content"], other) for other in others), default=0.0)
    if cast:
        parts = {part: fmean(each[part] for each in cast) for part in JUDGED}
    else:
        parts = _computed(state["place"]["problem"], of, likeness)
    parts["novelty"] = novelty
    return Scored(
        score=total_score(parts), parts=parts, check=JUDGE if cast else LOCAL
    )  # fmt: skip


def ballot_scores(state: ScoringState, candidate_id: str) -> list[dict[str, float]]:
    """Return a thought's score parts on each ballot, in ballot order."""
    cast = sorted(state.get("cast", []), key=lambda each: each["number"])
    return [each["scores"][candidate_id] for each in cast if candidate_id in each["scores"]]


def total_score(parts: dict[str, float]) -> float:
    """Return the weighted mean of the given parts, 0..1."""
    weight = sum(WEIGHTS[part] for part in parts)
    return sum(WEIGHTS[part] * value for part, value in parts.items()) / weight


LEAST_GAIN = 1e-9
"""Smaller differences between means may be rounding errors."""


class Verdict(NamedTuple):
    """Whether the new thought is preferred, the ballots that agree, all ballots cast, the rival."""

    better: bool
    votes: int
    cast: int
    rival: str


def contest(state: ScoringState, new: str, rivals: Sequence[str]) -> Verdict | None:
    """Compare a new thought with its best rival; None if no ballot judged both.

    `new` and `rivals` are ids; ties between rivals go to the first.
    """
    cast = {rival: _totals(state, rival, new) for rival in rivals}
    judged = [rival for rival in rivals if cast[rival]]
    if not judged:
        return None
    rival = max(judged, key=lambda each: fmean(before for before, _ in cast[each]))
    pairs = cast[rival]
    better = beats(pairs)
    votes = sum((after > before) is better for before, after in pairs)
    return Verdict(better, votes, len(pairs), rival)


def _totals(state: ScoringState, old: str, new: str) -> list[tuple[float, float]]:
    """Return the total scores, without novelty, from each ballot that judged both thoughts."""
    cast = (each["scores"] for each in state.get("cast", []))
    return [
        (total_score(each[old]), total_score(each[new]))
        for each in cast
        if old in each and new in each
    ]


def beats(pairs: Sequence[tuple[float, float]]) -> bool:
    """Return whether the second thought of each pair of totals beats the first overall.

    It does if more ballots prefer it, or equally many and its mean total is higher; a draw is no
    win.
    """
    wins = sum(after > before for before, after in pairs)
    losses = sum(after < before for before, after in pairs)
    gain = fmean(after for _, after in pairs) - fmean(before for before, _ in pairs)
    return wins > losses or (wins == losses and gain > LEAST_GAIN)


def without_novelty(scored: Scored) -> float:
    """Return the score without novelty, since a derived thought is always similar to its source."""
    return total_score({part: value for part, value in scored.parts.items() if part != "novelty"})


def agreement(cast: list[dict[str, float]]) -> float | None:
    """Return 1 - (highest - lowest total) over the ballots, or None for fewer than two."""
    totals = [total_score(each) for each in cast]
    return round(1 - (max(totals) - min(totals)), 4) if len(totals) > 1 else None


def _computed(problem: str, of: Candidate, likeness: Similarity) -> dict[str, float]:
    """Return the score parts without a judge, except novelty.

    Relevance is the similarity to the problem; depth is the share of the thought's words that occur
    neither in the problem nor in the thoughts it is based on.
    """
    known = {word for text in (problem, *of["rests_on"]) for word in words_in(text)}
    words = words_in(of["content"])
    return {
        "relevance": likeness.of(of["content"], problem),
        "validity": UNKNOWN,
        "depth": sum(word not in known for word in words) / len(words) if words else 0.0,
    }


def lost_ballots_note(execution: Execution, state: ScoringState) -> list[str]:
    """Return a note on ballots that were not received."""
    count, cast = len(make_ballots(state)), len(state.get("cast", []))
    if execution.loom.llm.offline or cast >= count:
        return []
    return [LOST.format(lost=count - cast, count=count)]


MOST_OTHERS = 5
"""Maximum other thoughts shown on a ballot about one thought: the most similar ones."""

BY_WORDS = 0.5
"""Weight of a contradiction found by word matching alone."""


def relations_by_ballots(cast: list[CastBallot]) -> dict[tuple[str, str, str], tuple[float, str]]:
    """Return the relations seen by most ballots: (thought, kind, other) -> (share, reason)."""
    seen: dict[tuple[str, str, str], dict[int, str]] = defaultdict(dict)
    for each in cast:
        for thought, kind, other, why in each["relations"]:
            seen[thought, kind, other].setdefault(each["number"], why)
    return {
        relation: (len(whys) / len(cast), whys[min(whys)])
        for relation, whys in seen.items()
        if 2 * len(whys) > len(cast)
    }


def relations_by_words(
    node: NodeRow, others: list[NodeRow]
) -> dict[tuple[str, str, str], tuple[float, str]]:
    """Return the contradictions between a thought and others found by word matching."""
    found = {other.id: contradiction(node.content, other.content) for other in others}
    return {
        (str(node.id), "contradicts", str(other)): (BY_WORDS, why)
        for other, why in found.items()
        if why
    }


def relation_edges(
    execution: Execution, graph_id: UUID, found: dict[tuple[str, str, str], tuple[float, str]]
) -> list[NewEdge]:
    """Convert relations to edges from the scored thought."""
    return [
        NewEdge(
            id=execution.run.effect("relation", f"{thought}.{kind}.{other}"),
            graph_id=graph_id,
            from_node=UUID(thought),
            to_node=UUID(other),
            edge_type=kind,
            weight=weight,
            run_id=execution.run.id,
            reason=why,
        )
        for (thought, kind, other), (weight, why) in found.items()
    ]
