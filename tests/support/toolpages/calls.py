"""The examples on the pages of tools: which calls are made, in which order, from what state."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reasonloom.graphs.runs.engine import Engine
from tests.support.evals.saved import save_versions
from tests.support.history.conversations import ASKED, HARBOUR, tell
from tests.support.memory.clusters import about, cluster, store
from tests.support.memory.housekeeping import as_file, take_in
from tests.support.memory.workspaces import lay
from tests.support.toolpages.player import Prepare, Step

ME = {"userId": "local"}
ALLERGY = "Anna is allergic to peanuts."
RIALTO = "The Rialto fries in peanut oil."
FACTS = (
    ALLERGY,
    RIALTO,
    "The Lotus cooks dinner without peanuts, and is open on Friday.",
    "Anna carries an adrenaline pen to every dinner.",
)
DINNER = "Where shall we eat with Anna on Friday?"
REASONING = (
    "Anna always got ill after eating at the Rialto, so the Rialto must be to blame. "
    "It fries in peanut oil, and Anna is allergic to peanuts."
)
OLD = [
    {"content": f"Anna ran {far} kilometres around the lake this morning and was tired.",
     "sector": "episodic", "created_at": "2025-11-01T08:00:00+00:00"}
    for far in (5, 6, 7)
]  # fmt: skip
FADED = {"content": "The old bakery closes at noon.", "sector": "semantic", "strength": 0.05,
         "created_at": "2025-01-01T08:00:00+00:00"}  # fmt: skip


async def nothing(engine: Engine) -> Mapping[str, Any]:
    """Begin from an empty memory."""
    return {}


async def known(engine: Engine) -> Mapping[str, Any]:
    """Store a few facts that a session recalls."""
    await store(engine, FACTS)
    return {}


async def files(engine: Engine) -> Mapping[str, Any]:
    """Lay two memory files down for workspaces."""
    lay(engine, "kitchen.jsonl", ALLERGY, RIALTO)
    lay(engine, "travel.jsonl", "Anna carries an adrenaline pen because of the peanuts.")
    return {}


async def talks(engine: Engine) -> Mapping[str, Any]:
    """Read three past conversations of one project."""
    with tempfile.TemporaryDirectory() as folder:
        await tell(engine, Path(folder), list(HARBOUR))
    return {"session": HARBOUR[0].session}


async def clusters(engine: Engine) -> Mapping[str, Any]:
    """Store memories about three topics, and form their clusters."""
    for topic in ("dog", "database", "kitchen"):
        await store(engine, about(topic))
    basins = list((await cluster(engine)).answer["basins"])
    return {"basins": [each["id"] for each in basins]}


async def all_kinds(engine: Engine) -> Mapping[str, Any]:
    """Store what batches, housekeeping and mental models work on, and save two eval runs."""
    given = await clusters(engine)
    await take_in(engine, as_file([*OLD, FADED]), keep_strength=True)
    save_versions(engine.loom.settings.home)
    return given


def remember(content: str, sector: str = "semantic", **more: Any) -> Step:
    return Step("remember", {**ME, "content": content, "sessionId": "kitchen",
                             "primarySector": sector, **more})  # fmt: skip


THOUGHT = (
    remember(ALLERGY, metadata={"tags": ["food"], "importance": 0.9}),
    remember(RIALTO),
    Step("recall", {**ME, "text": "Who must avoid nuts?", "limit": 2}),
    Step("search", {**ME, "text": "peanut* AND NOT oil"}),
    Step("update_memory", {**ME, "memoryId": "$remember.data.memoryId",
                           "content": "The Rialto fries in sunflower oil."}),
    Step("think", {"problem": DINNER, "mode": "critical"}),
    Step("analyze", {"problem": "Why was Anna ill after dinner?",
                     "preferredFramework": "root-cause-analysis"}),
    Step("ponder", {"problem": DINNER, "context": {"constraints": ["no peanuts"]}}),
    Step("breakdown", {"problem": "Invite Anna, find a restaurant and book a table.",
                       "maxDepth": 2}),
    Step("assess_confidence", {"reasoning": REASONING, "evidence": ["Anna told us of it."]}),
    Step("detect_bias", {"reasoning": REASONING}),
    Step("detect_emotion", {"text": "I am so glad that Anna is well again!"}),
    Step("evaluate", {"reasoning": REASONING}),
    Step("forget", {**ME, "memoryId": "$remember.data.memoryId", "soft": True}),
)  # fmt: skip
SESSION = {"session_id": "$reasoning_linear.session_id"}
TREE = {"session_id": "$reasoning_tree.session_id", "branch_id": "$reasoning_tree.branches.0.id"}
GRAPH = {"graph_id": "$reasoning_got_init.graph_id"}
NODE = {**GRAPH, "node_id": "$reasoning_got_generate.nodes.0.id"}
REASON = (
    Step("reason", {"text": "How is Anna kept safe at dinner?", "mode": "divergent",
                    "options": {"numPerspectives": 2}}),
    Step("reasoning_linear", {"content": "Anna is allergic to peanuts."}),
    Step("reasoning_checkpoint_create", {**SESSION, "name": "before the choice"}),
    Step("reasoning_checkpoint_list", SESSION),
    Step("reasoning_linear", {**SESSION, "content": "The Rialto fries in peanut oil."}, False),
    Step("reasoning_backtrack", {"checkpoint_id": "$reasoning_checkpoint_create.id",
                                 "new_direction": "Cook at home instead."}),
    Step("reasoning_tree", {"content": DINNER, "max_branches": 2}),
    Step("reasoning_tree_list", {"session_id": TREE["session_id"]}),
    Step("reasoning_tree_focus", TREE),
    Step("reasoning_tree_complete", {**TREE, "state": "completed"}),
    Step("reasoning_divergent", {"content": "How is Anna kept safe at dinner?",
                                 "num_perspectives": 2, "constraints": ["no peanuts"]}),
    Step("reasoning_reflection", {"thought_id": "$reasoning_linear.thought_id"}),
    Step("reasoning_reflection_evaluate", SESSION),
    Step("reasoning_auto", {"content": DINNER, "hints": ["a choice between places"]}),
    Step("reasoning_got_init", {"content": "How is Anna kept safe from peanuts at dinner?"}),
    Step("reasoning_got_generate",
         {**GRAPH, "node_id": "$reasoning_got_init.root_node_id", "k": 2}),
    Step("reasoning_got_score", NODE),
    Step("reasoning_got_refine", NODE),
    Step("reasoning_got_aggregate",
         {**GRAPH, "node_ids": ["$reasoning_got_refine.node_id",
                              "$reasoning_got_generate.nodes.1.id"]}),
    Step("reasoning_got_prune", {**GRAPH, "threshold": 0.1, "preview": True}),
    Step("reasoning_got_state", GRAPH),
    Step("reasoning_got_finalize", GRAPH),
)  # fmt: skip
WORKSPACE = {"workspace_id": "$memory_workspace_create.workspace_id"}
GRAPH_MEMORY = (
    Step("session_start", {"metadata": {"topic": "dinner"}}),
    Step("memory_add", {"event_type": "fact", "content": ALLERGY}),
    Step("memory_add", {"event_type": "decision", "content": "We do not eat at the Rialto.",
                        "edges": [{"target_id": 1, "edge_type": "caused_by"}]}, False),
    Step("conversation_log", {"user_message": "Where do we eat?",
                              "agent_response": "At home.", "topic": "dinner"}),
    Step("memory_query", {"event_types": ["decision"], "max_results": 5}),
    Step("memory_traverse", {"start_id": 2, "max_depth": 2}),
    Step("memory_context", {"node_id": 1, "depth": 1}),
    Step("memory_similar", {"query_text": "Who must avoid peanuts?", "min_similarity": 0.2}),
    Step("memory_causal", {"node_id": 1}),
    Step("memory_ground", {"claim": "Anna is allergic to peanuts."}),
    Step("memory_evidence", {"query": "peanuts", "max_results": 2}),
    Step("memory_suggest", {"query": "allergic", "limit": 2}),
    Step("memory_correct", {"old_node_id": 2, "new_content": "We eat at the Rialto at noon.",
                            "reason": "It fries with butter at noon."}),
    Step("memory_resolve", {"node_id": 2}),
    Step("memory_temporal", {"range_a": {"type": "session", "session_id": 1},
                             "range_b": {"type": "time_window", "start": 0, "end": 1}}),
    Step("memory_quality"),
    Step("memory_stats"),
    Step("memory_workspace_create", {"name": "allergies"}),
    Step("memory_workspace_add", {**WORKSPACE, "path": "kitchen.jsonl", "label": "kitchen"}),
    Step("memory_workspace_add", {**WORKSPACE, "path": "travel.jsonl", "role": "secondary"},
         False),
    Step("memory_workspace_list", WORKSPACE),
    Step("memory_workspace_query", {**WORKSPACE, "query": "peanuts", "max_per_context": 1}),
    Step("memory_workspace_compare", {**WORKSPACE, "item": "peanuts", "max_per_context": 1}),
    Step("memory_workspace_xref", {**WORKSPACE, "item": "adrenaline"}),
    Step("session_end"),
    Step("memory_session_resume", {"limit": 3}),
)  # fmt: skip
HISTORY = (
    Step("history_search", {"query": "deadlock in swap_berths"}),
    Step("history_recall", {"query": ASKED}),
    Step("history_predict", {"context": "CI is red: a deadlock was detected in swap_berths"}),
    Step("history_list_projects"),
    Step("history_list_sessions", {"project": "harbour"}),
    Step("history_reconstruct", {"project": "harbour", "session_id": "$given.session"}),
    Step("history_hook_status"),
    Step("history_stats"),
    Step("history_forget", {"project": "harbour", "query": "the colour of flags"}),
)
MODEL = {"model_id": "$create_model.model_id"}
ANA = {
    "name": "Ana at work", "domain": "user",
    "description": "What occupies her when the database is slow.",
    "prediction_templates": [{"trigger": "the database index slows the SQL query",
                              "predict": "She reads the plan of the query first.",
                              "suggest": "Show her the plan."}],
}  # fmt: skip
MENTAL_MODELS = (
    Step("create_model", {**ANA, "basin_ids": ["$given.basins.0"]}),
    Step("list_models", {"domain": "user"}),
    Step("revise_model", {**MODEL, "trigger_description": "She cooks when she is tired.",
                          "add_basins": ["$given.basins.1"]}),
    Step("get_model", {**MODEL, "include_revisions": True}),
)  # fmt: skip
EXTRAS = (
    Step("batch_remember", {**ME, "sessionId": "kitchen", "memories": [
        {"content": ALLERGY, "primarySector": "semantic"},
        {"content": RIALTO, "primarySector": "semantic"}]}),
    Step("batch_recall", {**ME, "memoryIds": ["$batch_remember.data.memories.0.memoryId"]}),
    Step("batch_forget", {**ME, "memoryIds": ["$batch_remember.data.memories.1.memoryId"]}),
    Step("restore_memory", {**ME, "memoryId": "$batch_remember.data.memories.1.memoryId"}),
    Step("memory_promote", {"memoryId": "$batch_remember.data.memories.1.memoryId",
                            "space": "me/kitchen"}),
    Step("space_grant", {"space": "me/kitchen", "to": "ben", "rights": ["read"]}),
    Step("space_list", {}),
    Step("space_revoke", {"space": "me/kitchen", "from": "ben"}),
    Step("export_memories", {**ME, "limit": 1}),
    Step("memory_health", ME),
    Step("consolidate_memories", {**ME, "minCluster": 3}),
    Step("prune_memories", ME),
    Step("reasoning_got_run", {"problem": "How is Anna kept safe from peanuts at dinner?",
                               "plan": "deepen"}),
    Step("reasoning_linear", {"content": "May Anna eat at the Rialto?"}, False),
    Step("reasoning_feedback", {"run_id": "$reasoning_linear.run_id", "outcome": "right"}),
    Step("eval_compare", {"limit": 1}),
    Step("list_basins", {"limit": 2, "memories": 1}),
    Step("propose_models", {"limit": 1, "keep_drafts": True}),
    Step("activate_model", {"model_id": "$propose_models.models.0.draft_id"}),
    Step("create_model", {**ANA, "basin_ids": ["$list_basins.basins.1.id"]}, False),
    Step("predict_with_model", {"model_id": "$create_model.model_id",
                                "message": "The database index slows the SQL query again."}),
    Step("resolve_prediction", {"prediction_id": "$predict_with_model.prediction.id",
                                "observation": "She read the plan of the query first."}),
)  # fmt: skip


@dataclass(frozen=True)
class Script:
    """A toolset's examples: what is laid down before, and the calls."""

    prepare: Prepare
    steps: tuple[Step, ...]


SCRIPTS: Mapping[str, Script] = {
    "thought": Script(nothing, THOUGHT),
    "reasoning": Script(known, REASON),
    "graph_memory": Script(files, GRAPH_MEMORY),
    "history": Script(talks, HISTORY),
    "mental_models": Script(clusters, MENTAL_MODELS),
    "extras": Script(all_kinds, EXTRAS),
}
