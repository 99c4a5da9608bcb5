"""What the pages of tools say beside the tables: what a toolset is for, how its forms read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reasonloom.server.envelopes.coded import CODED
from reasonloom.server.envelopes.envelope import Envelope
from reasonloom.server.envelopes.plain_json import PLAIN, TEXT
from reasonloom.server.envelopes.thought import THOUGHT


@dataclass(frozen=True)
class Words:
    """A page's heading, its first paragraph, and the pages that go deeper."""

    title: str
    overview: str
    deeper: tuple[str, ...]


PAGES: Mapping[str, Words] = {
    "thought": Words(
        "Thought",
        "Memory by meaning, and thinking in the open: five tools remember, find, change and "
        "forget; four think a problem through; four look at reasoning that is already written.",
        ("memory", "thinking", "metacognition"),
    ),
    "reasoning": Words(
        "Reasoning",
        "Modes of reasoning over a durable session: step by step, over branches, from several "
        "points of view, in reflection, and as a Graph of Thoughts. Every step is kept as a "
        "thought that can be gone back to.",
        ("reasoning", "treesearch", "plans"),
    ),
    "graph_memory": Words(
        "Graph memory",
        "Memories as nodes with typed edges: what caused what, what corrects what, in which "
        "session. Claims are grounded in what is known, and files of memories are laid side by "
        "side in workspaces.",
        ("graph-memory", "grounding", "workspaces"),
    ),
    "history": Words(
        "History",
        "Past conversations of coding agents, read from their transcripts: found again, listed in "
        "order, and forgotten on request. No language model is asked.",
        ("history", "transcripts"),
    ),
    "mental_models": Words(
        "Mental models",
        "Named models that stand on clusters of memories (basins), with templates of what they "
        "predict, and a record of each revision.",
        ("mental-models", "basins"),
    ),
    "extras": Words(
        "Extras",
        "What goes beyond the references: batches, housekeeping, whole plans of a Graph of "
        "Thoughts, and what mental models predict. They are in neither `default` nor `all`: "
        "serve them with `--toolsets default,extras`, or by name with `--tools`.",
        ("housekeeping", "plans", "mental-models", "basins"),
    ),
}

FORMS: tuple[tuple[Envelope, str, str], ...] = (
    (THOUGHT, "enveloped",
     "The values of an answer are `{success: true, data, metadata}`; the tables below tell the "
     "fields of `data`. `metadata` has the time, the milliseconds it took, the parts used, and "
     "where there are any `notes` of what was estimated, cut or missing. An error is "
     "`{success: false, error, suggestion, metadata}`, with `field` and "
     "`detail` where they are known."),
    (PLAIN, "plain",
     "The values of an answer are the object itself; `notes` are next to it if something was "
     "estimated, cut or missing. An error is the text `Error: ...`, and "
     "`{error: {type, message, field}}` as a value."),
    (TEXT, "text",
     "An answer is a text to read, and the same facts as values. An error is a sentence that "
     "names the tool, and `{error: {tool, type, message, field}}` as a value."),
    (CODED, "coded",
     "The values of an answer are the object itself. An error is "
     "`{success: false, code, message}`, with `field` and `suggestion` where they are known."),
)  # fmt: skip
"""Each form, what the page calls it, and how it reads."""

READING = (
    "Answers here are short, as the combined server gives them: a text to read, and values in "
    "which lists are cut, texts end with their first sentence where they go on (…), and what may "
    "be absent is often left out. A note counts what is missing and names the run, whose resource "
    "has all of it; `REASONLOOM_ANSWERS=full` and `--as` give every answer whole.\n\n"
    "Every example was carried out when this page was made, by a real client one after another "
    "on a database with a few facts at most, without a language model. Ids and times were then "
    "made stable, figures rounded to three places; of a list of more than {items} objects the rest "
    "is only counted, and a text ends in … after {letters} characters. How often a language model "
    "is asked was counted in the same calls with one that always answers."
)

MEANINGS: Mapping[str, str] = {
    "rights": "What they may do there; see docs/spaces.md",
    "spaces": 'Such as `["me", "team/payments"]`; default: the setting',
    "mode": "How to think it through; `auto` chooses",
    "userId": "Whose memories; default: the owner's",
    "asOf": "What was current then; a past date, such as 2025-12-07",
    "as_of": "What was current then; a past date, such as 2025-12-07",
    "explain": "What each score is made of",
    "primarySector": "What kind of memory it is",
    "metadata": "Facts about the memory; in a search, all given ones must match",
    "tags": "Labels of your own",
    "category": "A heading of your own",
    "keywords": "Words that it is found by",
    "importance": "How much it matters; weighs in salience",
    "minStrength": "Leave out what has faded below this",
    "minSalience": "Leave out what stands out less than this",
    "start": "From then on",
    "end": "Until then",
    "limit": "Most that are answered",
    "offset": "How many to pass over",
    "memoryId": "The memory, as remember or recall named it",
    "memoryIds": "The memories, as remember or recall named them",
    "strength": "How firmly it is remembered",
    "salience": "How much it stands out",
    "context": "What must be known of the problem",
    "background": "What is known",
    "constraints": "What must be kept to",
    "goals": "What is to be reached",
    "includeConfidence": "Tell also how far it can be relied on",
    "includeBias": "Look also for biases",
    "includeEmotion": "Tell also what its writer feels",
    "config": "The graph's limits",
    "max_depth": "How many steps away at most",
    "prune_threshold": "Least score that stays, where a pruning names none",
    "graph_id": "The graph, as reasoning_got_init named it",
    "node_id": "The node",
    "node_ids": "The nodes that are merged",
    "k": "How many continuations",
    "content": "The thought that the graph begins with",
    "topic": "What it is about",
    "event_type": "What kind of memory it is",
    "event_types": "Only these kinds",
    "confidence": "How sure it is",
    "target_id": "The memory that the edge leads to",
    "edge_type": "What the memory that is added is to the target",
    "weight": "How strong the tie is",
    "min_confidence": "Leave out what is less sure",
    "max_confidence": "Leave out what is surer",
    "session_ids": "Only these sessions",
    "max_results": "Most that are answered",
    "sort_by": "What comes first",
    "start_id": "The node where the walk begins",
    "direction": "Along the edges, against them, or both",
    "depth": "How many steps around it",
    "query_text": "What to look for; this or query_vec",
    "query": "What to look for",
    "top_k": "Most that are answered",
    "min_similarity": "Leave out what is less alike (cosine)",
    "old_node_id": "The node that is wrong",
    "low_confidence_threshold": "What counts as unsure",
    "stale_decay_threshold": "What counts as stale",
    "max_examples": "Most examples of each finding",
    "name": "What to call it",
    "label": "What to call the file",
    "max_per_context": "Most that are answered of one file",
    "create_episode": "Keep a summary as a memory",
    "memories": "What to remember, each with its sector",
    "olderThanDays": "Only episodes that are older",
    "maxClusters": "Most groups at one call",
    "problem": "What the plan is to solve",
}
"""What an argument means whose contract spares the words: each costs tokens in every agent."""
