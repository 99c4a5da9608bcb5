"""The `extras` toolset: batches and housekeeping beyond the references; served only if named."""

from dataclasses import replace

from reasonloom import __version__
from reasonloom.contracts import runs
from reasonloom.contracts.memory import extras, sharing
from reasonloom.contracts.mental_models import extras as models
from reasonloom.contracts.thought_graph import plans
from reasonloom.server.envelopes.coded import CODED
from reasonloom.server.envelopes.plain_json import PLAIN
from reasonloom.server.envelopes.thought import THOUGHT
from reasonloom.server.toolsets.toolset import Toolset, adds, changes, destroys, reads

MOST_NAMED = 20
DELETION = "Delete {count} memories for good? They cannot be restored: {names}."


def deletion_to_confirm(request: extras.BatchForget) -> str | None:
    """Return the question to the user before several memories are deleted for good."""
    named = list(dict.fromkeys(request.memory_ids))
    if request.soft or request.dry_run or len(named) == 1:
        return None
    more = f" and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
    return DELETION.format(count=len(named), names=", ".join(named[:MOST_NAMED]) + more)


TOOLSET: Toolset = Toolset(
    name="extras",
    reference="reasonloom",
    version=__version__,
    envelope=THOUGHT,
    advice=("Up to a hundred memories at once: {batch_remember}, {batch_recall}, {batch_forget}.",),
    tools=(
        adds("batch_remember", "Remember many", extras.BatchRemember, extras.BatchRemembered),
        reads("batch_recall", "Read by id", extras.BatchRecall, extras.BatchRecalled),
        replace(destroys("batch_forget", "Forget many", extras.BatchForget, extras.BatchForgotten),
                confirm=deletion_to_confirm),
        reads("export_memories", "Leaf through memories", extras.ExportMemories,
              extras.ExportedPage),
        reads("memory_health", "Memory health", extras.MemoryHealth, extras.HealthReport),
        changes("consolidate_memories", "Consolidate memories", extras.ConsolidateMemories,
                extras.ConsolidationReport, asks_llm=True),
        destroys("prune_memories", "Prune memories", extras.PruneMemories, extras.Pruned),
        changes("restore_memory", "Restore memory", extras.RestoreMemory, extras.Restored),
        adds("memory_promote", "Share a memory", sharing.MemoryPromote, sharing.MemoryPromoted),
        reads("space_list", "List spaces", sharing.SpaceList, sharing.SpacesListed),
        changes("space_grant", "Share a space", sharing.SpaceGrant, sharing.SpaceGranted),
        changes("space_revoke", "Stop sharing a space", sharing.SpaceRevoke,
                sharing.SpaceRevoked),
    ),
)  # fmt: skip

REASONING: Toolset = Toolset(
    name="extras",
    reference="reasonloom",
    version=__version__,
    envelope=PLAIN,
    tools=(
        adds("reasoning_got_run", "Run a plan", plans.GotRun, plans.RunGraph, asks_llm=True),
        changes("reasoning_feedback", "Report an outcome", runs.ReasoningFeedback,
                runs.FeedbackStored),
        reads("eval_compare", "Compare eval runs", runs.EvalCompare, runs.EvalCompared),
    ),
)  # fmt: skip
"""Tools beyond the `reasoning` reference, which answer in that reference's form."""

MENTAL_MODELS: Toolset = Toolset(
    name="extras",
    reference="reasonloom",
    version=__version__,
    envelope=CODED,
    tools=(
        adds("predict_with_model", "Predict with a mental model", models.PredictWithModel,
             models.Predicted),
        changes("resolve_prediction", "Report the outcome", models.ResolvePrediction,
                models.Resolved, asks_llm=True),
        reads("list_basins", "List basins", models.ListBasins, models.BasinsListed),
        adds("propose_models", "Propose mental models", models.ProposeModels, models.Proposals),
        changes("activate_model", "Activate a mental model", models.ActivateModel,
                models.Activated),
    ),
)  # fmt: skip
