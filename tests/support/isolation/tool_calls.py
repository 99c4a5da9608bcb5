"""One use of every tool: the arguments of a call, and which ids its answer tells.

Whoever makes all calls in order has something of every kind; made with the ids of somebody else,
the same calls reach for what is not theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

TOPIC = "the amber lantern in the harbour office"
SECTOR = "semantic"
LATEST = 4_000_000_000_000_000


@dataclass
class Known:
    """What the calls are made with: a name for `userId`, words for every text, ids by kind."""

    user: str
    words: str
    ids: dict[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """A sentence about the common topic, with this caller's own words."""
        return f"Who keeps {TOPIC}? {self.words} keeps it."

    def __getitem__(self, kind: str) -> Any:
        return self.ids[kind]


@dataclass(frozen=True)
class Use:
    """How a tool is called, and where in its structured answer an id of which kind stands."""

    arguments: Callable[[Known], dict[str, Any]]
    tells: Mapping[str, str] = field(default_factory=dict)


def _memory(k: Known) -> dict[str, Any]:
    names = [k.words.split()[0], "lantern"]
    metadata = {"keywords": names, "tags": names, "category": k.words, "context": k.text}
    return {"content": k.text, "primarySector": SECTOR, "metadata": metadata}


def _context(k: Known) -> dict[str, Any]:
    return {"background": k.text, "constraints": [k.text], "goals": [k.text]}


def _name_arguments(k: Known) -> dict[str, Any]:
    names = [k.words.split()[0]]
    return {
        "userId": k.user, "text": k.text, "limit": 100, "explain": True,
        "metadata": {"keywords": [*names, "lantern"]},
    }  # fmt: skip


def _template(k: Known) -> dict[str, str]:
    return {"trigger": k.text, "predict": k.text, "suggest": k.text}


THOUGHT: dict[str, Use] = {
    "remember": Use(
        lambda k: {"userId": k.user, "sessionId": f"diary {k.words}", **_memory(k)},
        {"memory": "data.memoryId"},
    ),
    "recall": Use(_name_arguments),
    "search": Use(_name_arguments),
    "update_memory": Use(
        lambda k: {"userId": k.user, "memoryId": k["memory"], "content": f"{k.text} Again."}
    ),
    "think": Use(lambda k: {"problem": k.text, "mode": "analytical", "context": _context(k)}),
    "analyze": Use(lambda k: {"problem": k.text, "context": _context(k)}),
    "ponder": Use(lambda k: {"problem": k.text, "context": _context(k)}),
    "breakdown": Use(
        lambda k: {"problem": k.text, "context": {"background": k.text, "constraints": [k.text]}}
    ),
    "assess_confidence": Use(
        lambda k: {"reasoning": k.text, "evidence": [k.text], "context": k.text}
    ),
    "detect_bias": Use(
        lambda k: {"reasoning": k.text, "context": k.text, "monitorContinuously": True}
    ),
    "detect_emotion": Use(lambda k: {"text": k.text, "context": k.text}),
    "evaluate": Use(lambda k: {"reasoning": k.text, "context": k.text, "includeEmotion": True}),
}
SESSION = {"session": "session_id"}
REASONING: dict[str, Use] = {
    "reasoning_linear": Use(lambda k: {"content": k.text}, {**SESSION, "thought": "thought_id"}),
    "reasoning_tree": Use(
        lambda k: {"content": k.text, "session_id": k["session"], "max_branches": 2},
        {"branch": "branches.0.id"},
    ),
    "reasoning_tree_focus": Use(lambda k: {"session_id": k["session"], "branch_id": k["branch"]}),
    "reasoning_tree_list": Use(lambda k: {"session_id": k["session"]}),
    "reasoning_tree_complete": Use(
        lambda k: {"session_id": k["session"], "branch_id": k["branch"], "state": "completed"}
    ),
    "reasoning_divergent": Use(
        lambda k: {"content": k.text, "num_perspectives": 2, "constraints": [k.text]}
    ),
    "reasoning_reflection": Use(
        lambda k: {"thought_id": k["thought"], "focus_areas": [k.words.split()[0]]}
    ),
    "reasoning_reflection_evaluate": Use(lambda k: {"session_id": k["session"]}),
    "reasoning_auto": Use(
        lambda k: {"content": k.text, "session_id": k["session"], "execute": True}
    ),
    "reasoning_checkpoint_create": Use(
        lambda k: {"session_id": k["session"], "name": k.words, "description": k.text},
        {"checkpoint": "id"},
    ),
    "reasoning_checkpoint_list": Use(lambda k: {"session_id": k["session"]}),
    "reasoning_backtrack": Use(
        lambda k: {"checkpoint_id": k["checkpoint"], "new_direction": k.text}
    ),
    "reasoning_got_init": Use(
        lambda k: {"content": k.text, "problem": k.text, "session_id": k["session"]},
        {"graph": "graph_id", "node": "root_node_id"},
    ),
    "reasoning_got_generate": Use(
        lambda k: {"graph_id": k["graph"], "node_id": k["node"], "k": 2},
        {"one": "nodes.0.id", "two": "nodes.1.id"},
    ),
    "reasoning_got_score": Use(lambda k: {"graph_id": k["graph"], "node_id": k["one"]}),
    "reasoning_got_aggregate": Use(
        lambda k: {"graph_id": k["graph"], "node_ids": [k["one"], k["two"]]}
    ),
    "reasoning_got_refine": Use(lambda k: {"graph_id": k["graph"], "node_id": k["one"]}),
    "reasoning_got_prune": Use(lambda k: {"graph_id": k["graph"], "preview": True}),
    "reasoning_got_state": Use(lambda k: {"graph_id": k["graph"]}),
    "reasoning_got_finalize": Use(
        lambda k: {"graph_id": k["graph"], "terminal_node_ids": [k["two"]]}
    ),
    "reason": Use(
        lambda k: {
            "text": k.text,
            "sessionId": k["session"],
            "mode": "divergent",
            "options": {"constraints": [k.text]},
        }
    ),
    "reasoning_got_run": Use(lambda k: {"problem": k.text, "session_id": k["session"]}),
    "reasoning_feedback": Use(lambda k: {"thought_id": k["thought"], "outcome": "right"}),
}
GRAPH_MEMORY: dict[str, Use] = {
    "session_start": Use(lambda k: {"metadata": {"note": k.text}}, {"number": "session_id"}),
    "conversation_log": Use(
        lambda k: {"user_message": k.text, "agent_response": k.text, "topic": k.words}
    ),
    "memory_add": Use(
        lambda k: {
            "event_type": "decision",
            "content": k.text,
            "edges": [{"target_id": int(k["memory"][4:]), "edge_type": "derived_from"}],
        },
        {"fact": "node_id"},
    ),
    "memory_query": Use(lambda _: {"max_results": 500}),
    "memory_traverse": Use(lambda k: {"start_id": k["fact"], "direction": "both"}),
    "memory_context": Use(lambda k: {"node_id": k["fact"], "depth": 5}),
    "memory_similar": Use(lambda k: {"query_text": k.text, "min_similarity": 0, "top_k": 500}),
    "memory_correct": Use(
        lambda k: {"old_node_id": k["fact"], "new_content": f"{k.text} No.", "reason": k.text}
    ),
    "memory_resolve": Use(lambda k: {"node_id": k["fact"]}),
    "memory_causal": Use(lambda k: {"node_id": k["fact"]}),
    "memory_temporal": Use(
        lambda k: {
            "range_a": {"type": "session", "session_id": k["number"]},
            "range_b": {"type": "time_window", "start": 0, "end": LATEST},
        }
    ),
    "memory_quality": Use(lambda _: {"max_examples": 500, "low_confidence_threshold": 1}),
    "memory_stats": Use(lambda _: {}),
    "memory_ground": Use(lambda k: {"claim": k.text, "threshold": 0}),
    "memory_evidence": Use(lambda k: {"query": k.text, "max_results": 500}),
    "memory_suggest": Use(lambda k: {"query": k.words[:6], "limit": 500}),
    "memory_workspace_create": Use(lambda k: {"name": k.words}, {"workspace": "workspace_id"}),
    "memory_workspace_add": Use(
        lambda k: {"workspace_id": k["workspace"], "path": "common.jsonl", "label": k.words}
    ),
    "memory_workspace_list": Use(lambda k: {"workspace_id": k["workspace"]}),
    "memory_workspace_query": Use(lambda k: {"workspace_id": k["workspace"], "query": k.text}),
    "memory_workspace_compare": Use(lambda k: {"workspace_id": k["workspace"], "item": k.text}),
    "memory_workspace_xref": Use(lambda k: {"workspace_id": k["workspace"], "item": k.text}),
    "memory_session_resume": Use(lambda _: {"limit": 500}),
    "session_end": Use(lambda k: {"session_id": k["number"], "summary": k.text}),
}
HISTORY: dict[str, Use] = {
    "history_search": Use(lambda k: {"query": k.text}),
    "history_recall": Use(lambda k: {"query": k.text, "project": k["project"]}),
    "history_predict": Use(lambda k: {"context": k.text}),
    "history_list_projects": Use(lambda _: {}),
    "history_list_sessions": Use(lambda k: {"project": k["project"]}),
    "history_reconstruct": Use(lambda k: {"project": k["project"], "session_id": k["talk"]}),
    "history_hook_status": Use(lambda _: {}),
    "history_stats": Use(lambda _: {}),
    "history_forget": Use(
        lambda k: {"project": k["project"], "session_id": k["doomed"], "dry_run": False}
    ),
}
MODELS: dict[str, Use] = {
    "list_basins": Use(lambda _: {"limit": 100, "memories": 20}),
    "propose_models": Use(lambda _: {"limit": 20, "keep_drafts": True}),
    "create_model": Use(
        lambda k: {
            "name": k.words,
            "domain": "user",
            "basin_ids": [k["basin"]],
            "description": k.text,
            "prediction_templates": [_template(k)],
        },
        {"model": "model_id"},
    ),
    "predict_with_model": Use(
        lambda k: {"model_id": k["model"], "message": k.text}, {"prediction": "prediction.id"}
    ),
    "resolve_prediction": Use(lambda k: {"prediction_id": k["prediction"], "observation": k.text}),
    "list_models": Use(lambda _: {"limit": 100}),
    "get_model": Use(
        lambda k: {"model_id": k["model"], "include_predictions": True, "include_revisions": True}
    ),
    "revise_model": Use(
        lambda k: {
            "model_id": k["model"],
            "trigger_description": k.text,
            "add_basins": [k["spare"]],
        }
    ),
    "activate_model": Use(lambda k: {"model_id": k["model"], "status": "deprecated"}),
}
BATCHES: dict[str, Use] = {
    "batch_remember": Use(
        lambda k: {
            "userId": k.user,
            "sessionId": f"diary {k.words}",
            "memories": [_memory(k), _memory(k)],
        }
    ),
    "batch_recall": Use(lambda k: {"userId": k.user, "memoryIds": [k["memory"]]}),
    "export_memories": Use(lambda k: {"userId": k.user, "maxTokens": 50_000}),
    "memory_health": Use(lambda k: {"userId": k.user}),
    "consolidate_memories": Use(lambda k: {"userId": k.user, "olderThanDays": 1, "dryRun": True}),
    "prune_memories": Use(lambda k: {"userId": k.user, "limit": 100}),
    "forget": Use(lambda k: {"userId": k.user, "memoryId": k["memory"], "soft": True}),
    "restore_memory": Use(lambda k: {"userId": k.user, "memoryId": k["memory"]}),
    "memory_promote": Use(lambda k: {"memoryId": k["memory"], "space": "me/kept"}),
    "space_list": Use(lambda _: {}),
    "eval_compare": Use(lambda _: {}),
    "space_grant": Use(lambda _: {"space": "me/kept", "to": "guest", "rights": ["read"]}),
    "space_revoke": Use(lambda _: {"space": "me/kept", "from": "guest"}),
    "batch_forget": Use(lambda k: {"userId": k.user, "memoryIds": [k["memory"]], "dryRun": True}),
}
USES: dict[str, Use] = {**THOUGHT, **REASONING, **GRAPH_MEMORY, **HISTORY, **MODELS, **BATCHES}
"""By tool, in an order in which each finds what it is called with."""


def value_at(answer: Any, path: str) -> Any:
    """Return what stands at a dotted path of a structured answer."""
    for step in path.split("."):
        answer = answer[int(step)] if step.isdigit() else answer[step]
    return answer
