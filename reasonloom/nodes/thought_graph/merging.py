"""Merge thoughts: what is retained of each input, and which inputs contradict each other."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple, TypedDict

from reasonloom.llm.interfaces import Reply
from reasonloom.llm.off_schema import DEFAULT_CONFIDENCE
from reasonloom.nodes.judging.ballots import label, shuffled
from reasonloom.nodes.offline import QUOTED_CONFIDENCE
from reasonloom.nodes.similarity import Similarity
from reasonloom.nodes.thought_graph.ballot_scoring import BY_WORDS
from reasonloom.nodes.thought_graph.state import Thought
from reasonloom.text.contradiction import contradiction, is_quoted_from
from reasonloom.text.sentences import sentences_in
from reasonloom.text.shortening import shortened
from reasonloom.text.words import words_in

LONGEST_INPUT = 300
"""Maximum characters per input in the extract used without a language model."""

CLAIMED, SILENT = 0.1, 0.5
"""The share of an input that the merged thought must contain if it is named as used, and if not."""

ENDS = ("first", "second")
EXTRACTED = "no language model has merged them: the beginning of each is used instead"
UNFOUND = "the merger names as used what is not found in it, by number: {numbers}"
UNKNOWN = "the merger names inputs that do not exist: {labels}"
UNQUOTED = (
    "the language model sees a conflict between nodes {first} and {second}, but the words that it "
    "quotes are not in them; it was left out"
)


class Merged(TypedDict):
    """The result of a merger: the thought, the inputs it claims to use, and the conflicts seen.

    A conflict is [first input's id, its words, second input's id, its words].
    """

    content: str
    confidence: float
    used: list[str]
    conflicts: list[list[str]]


class Conflict(NamedTuple):
    """Two inputs that cannot both hold (the older node first), the reason, and its weight, 0..1."""

    first: Thought
    second: Thought
    reason: str
    weight: float


def label_inputs(inputs: Sequence[Thought], seed: str) -> dict[str, Thought]:
    """Return the inputs by label, in an order that depends only on the seed."""
    order = shuffled(list(range(len(inputs))), seed)
    return {label(place): inputs[number] for place, number in enumerate(order)}


def read_merger(reply: Reply, by_label: Mapping[str, Thought]) -> tuple[Merged, list[str]]:
    """Read a merger from a reply, with labels mapped back to ids; return it with notes.

    A reply that is not the requested JSON is used as the thought itself.
    """
    parsed = reply.parsed
    if parsed is None:
        return Merged(
            content=reply.text, confidence=DEFAULT_CONFIDENCE, used=[], conflicts=[]
        ), []  # fmt: skip
    named = [*parsed["used"], *(each[end] for each in parsed["conflicts"] for end in ENDS)]
    unknown = dict.fromkeys(each for each in named if each not in by_label)
    merged = Merged(
        content=parsed["thought"],
        confidence=float(parsed["confidence"]),
        used=list(
            dict.fromkeys(by_label[each]["id"] for each in parsed["used"] if each in by_label)
        ),
        conflicts=[
            [
                by_label[each["first"]]["id"],
                each["first_says"],
                by_label[each["second"]]["id"],
                each["second_says"],
            ]
            for each in parsed["conflicts"]
            if each["first"] in by_label and each["second"] in by_label
        ],
    )
    return merged, [UNKNOWN.format(labels=", ".join([*unknown][:5]))] if unknown else []


def shorten_input(content: str) -> str:
    """Return the beginning of a thought on one line."""
    return shortened(content, LONGEST_INPUT)


def extract_inputs(inputs: Sequence[Thought]) -> Merged:
    """Return the beginning of each input in order, without duplicates."""
    begun = dict.fromkeys(shorten_input(each["content"]) for each in inputs)
    return Merged(
        content="\n".join(begun),
        confidence=QUOTED_CONFIDENCE,
        used=[each["id"] for each in inputs],
        conflicts=[],
    )


def used_inputs(
    merged: Merged, inputs: Sequence[Thought], likeness: Similarity
) -> tuple[list[str], list[str]]:
    """Return the ids of inputs whose content the merged thought retains, and notes on its claims.

    At least 0.1 of an input named as used must be found in it, and 0.5 of any other; see
    `share_found`.
    """
    share = {
        each["id"]: share_found(each["content"], merged["content"], likeness) for each in inputs
    }
    kept = [
        each["id"]
        for each in inputs
        if share[each["id"]] >= (CLAIMED if each["id"] in merged["used"] else SILENT)
    ]
    empty = [each for each in inputs if each["id"] in merged["used"] and each["id"] not in kept]
    numbers = ", ".join(str(each["number"]) for each in empty)
    return kept, [UNFOUND.format(numbers=numbers)] if empty else []


def share_found(text: str, merged: str, likeness: Similarity) -> float:
    """Return how much of a text is found in a merged thought, 0..1.

    The maximum of its similarity to the whole, its similarity to any one sentence, and the share of
    its content words that the merged thought uses.
    """
    words, merged_words = set(words_in(text)), set(words_in(merged))
    shared = len(words & merged_words) / len(words) if words else 0.0
    return max(shared, *(likeness.of(text, each) for each in (merged, *sentences_in(merged))))


def find_conflicts(
    inputs: Sequence[Thought], seen: Sequence[Sequence[str]]
) -> tuple[list[Conflict], list[str]]:
    """Return the pairs of inputs that contradict each other, each once, and notes.

    A conflict reported by a language model counts if its quotes occur in the two inputs; all other
    pairs are checked by `contradiction`.
    """
    ordered = sorted(inputs, key=lambda each: each["number"])
    quoted, notes = _quoted({each["id"]: each for each in ordered}, seen)
    found = []
    for first, second in combinations(ordered, 2):
        if why := quoted.get((first["id"], second["id"])):
            found.append(Conflict(first, second, why, 1.0))
        elif why := contradiction(first["content"], second["content"]):
            found.append(Conflict(first, second, why, BY_WORDS))
    return found, notes


def _quoted(
    by_id: Mapping[str, Thought], seen: Sequence[Sequence[str]]
) -> tuple[dict[tuple[str, str], str], list[str]]:
    """Return the conflicts whose quotes occur in their inputs, by pair, and notes on the others."""
    quoted: dict[tuple[str, str], str] = {}
    notes: dict[str, None] = {}
    for one, one_says, other, other_says in seen:
        ends = [(by_id[one], one_says), (by_id[other], other_says)]
        (first, ours), (second, theirs) = sorted(ends, key=lambda end: end[0]["number"])
        if one == other:
            continue
        if is_quoted_from(ours, first["content"]) and is_quoted_from(theirs, second["content"]):
            quoted.setdefault((first["id"], second["id"]), f"“{ours}” / “{theirs}”")
        else:
            notes[UNQUOTED.format(first=first["number"], second=second["number"])] = None
    return quoted, [*notes]


def describe_conflict(conflict: Conflict) -> str:
    """Return a conflict as a sentence for answers."""
    return f"nodes {conflict.first['number']} and {conflict.second['number']}: {conflict.reason}"


def prompt_inputs(by_label: Mapping[str, Thought]) -> list[dict[str, Any]]:
    """Return the inputs as shown in the prompt, without scores, authors and numbers."""
    return [{"label": name, "content": each["content"]} for name, each in by_label.items()]
