"""The `extras` toolset: batches and housekeeping, beyond the references; asked for by name."""

from reasonloom import __version__
from reasonloom.contracts.memory import extras
from reasonloom.contracts.mental_models import extras as mental_models_extras
from reasonloom.contracts.thought_graph import plans
from reasonloom.server.envelopes.coded import CODED
from reasonloom.server.envelopes.plain import PLAIN
from reasonloom.server.envelopes.thought import THOUGHT
from reasonloom.server.toolsets.toolset import Effect, ToolLine, Toolset

TOOLSET = Toolset(
    name="extras",
    reference="reasonloom",
    version=__version__,
    form=THOUGHT,
    advice=("Up to a hundred memories at once: {batch_remember}, {batch_recall}, {batch_forget}.",),
    tools=(
        ToolLine(
            "batch_remember",
            "Remember many",
            extras.BatchRemember,
            extras.BatchRemembered,
            "batch_remember",
            Effect.ADDS,
        ),
        ToolLine(
            "batch_recall",
            "Read by id",
            extras.BatchRecall,
            extras.BatchRecalled,
            "batch_recall",
            Effect.READS,
        ),
        ToolLine(
            "batch_forget",
            "Forget many",
            extras.BatchForget,
            extras.BatchForgotten,
            "batch_forget",
            Effect.DESTROYS,
        ),
        ToolLine(
            "export_memories",
            "Leaf through memories",
            extras.ExportMemories,
            extras.ExportedPage,
            "export_memories",
            Effect.READS,
        ),
        ToolLine(
            "memory_health",
            "Memory health",
            extras.MemoryHealth,
            extras.HealthReport,
            "memory_health",
            Effect.READS,
        ),
        ToolLine(
            "consolidate_memories",
            "Consolidate memories",
            extras.ConsolidateMemories,
            extras.ConsolidationReport,
            "consolidate_memories",
            Effect.CHANGES,
            open_world=True,
        ),
        ToolLine(
            "prune_memories",
            "Prune memories",
            extras.PruneMemories,
            extras.Pruned,
            "prune_memories",
            Effect.DESTROYS,
        ),
        ToolLine(
            "restore_memory",
            "Restore memory",
            extras.RestoreMemory,
            extras.Restored,
            "restore_memory",
            Effect.CHANGES,
        ),
    ),
)

REASONING = Toolset(
    name="extras",
    reference="reasonloom",
    version=__version__,
    form=PLAIN,
    tools=(
        ToolLine(
            "reasoning_got_run",
            "Run a plan",
            plans.GotRun,
            plans.RunGraph,
            "got_run",
            Effect.ADDS,
            open_world=True,
        ),
    ),
)
"""What goes beyond the `reasoning` reference answers in that reference's form."""

MENTAL_MODELS = Toolset(
    name="extras",
    reference="reasonloom",
    version=__version__,
    form=CODED,
    tools=(
        ToolLine(
            "predict_with_model",
            "Predict with a mental model",
            mental_models_extras.PredictWithModel,
            mental_models_extras.Predicted,
            "predict_with_model",
            Effect.ADDS,
        ),
        ToolLine(
            "resolve_prediction",
            "Tell what came of it",
            mental_models_extras.ResolvePrediction,
            mental_models_extras.Resolved,
            "resolve_prediction",
            Effect.CHANGES,
            open_world=True,
        ),
        ToolLine(
            "list_basins",
            "List basins",
            mental_models_extras.ListBasins,
            mental_models_extras.BasinsListed,
            "list_basins",
            Effect.READS,
        ),
        ToolLine(
            "propose_models",
            "Propose mental models",
            mental_models_extras.ProposeModels,
            mental_models_extras.Proposals,
            "propose_models",
            Effect.ADDS,
        ),
        ToolLine(
            "activate_model",
            "Activate a mental model",
            mental_models_extras.ActivateModel,
            mental_models_extras.Activated,
            "activate_model",
            Effect.CHANGES,
        ),
    ),
)
