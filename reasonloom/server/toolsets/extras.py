"""The `extras` toolset: batches and housekeeping beyond the references; served only if named."""

from reasonloom import __version__
from reasonloom.contracts import runs
from reasonloom.contracts.memory import extras
from reasonloom.contracts.mental_models import extras as models
from reasonloom.contracts.thought_graph import plans
from reasonloom.server.envelopes.coded import CODED
from reasonloom.server.envelopes.plain_json import PLAIN
from reasonloom.server.envelopes.thought import THOUGHT
from reasonloom.server.toolsets.toolset import Toolset, adds, changes, destroys, reads

TOOLSET: Toolset = Toolset(
    name="extras",
    reference="reasonloom",
    version=__version__,
    envelope=THOUGHT,
    advice=("Up to a hundred memories at once: {batch_remember}, {batch_recall}, {batch_forget}.",),
    tools=(
        adds("batch_remember", "Remember many", extras.BatchRemember, extras.BatchRemembered),
        reads("batch_recall", "Read by id", extras.BatchRecall, extras.BatchRecalled),
        destroys("batch_forget", "Forget many", extras.BatchForget, extras.BatchForgotten),
        reads("export_memories", "Leaf through memories", extras.ExportMemories,
              extras.ExportedPage),
        reads("memory_health", "Memory health", extras.MemoryHealth, extras.HealthReport),
        changes("consolidate_memories", "Consolidate memories", extras.ConsolidateMemories,
                extras.ConsolidationReport, asks_llm=True),
        destroys("prune_memories", "Prune memories", extras.PruneMemories, extras.Pruned),
        changes("restore_memory", "Restore memory", extras.RestoreMemory, extras.Restored),
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
        changes("resolve_prediction", "Tell what came of it", models.ResolvePrediction,
                models.Resolved, asks_llm=True),
        reads("list_basins", "List basins", models.ListBasins, models.BasinsListed),
        adds("propose_models", "Propose mental models", models.ProposeModels, models.Proposals),
        changes("activate_model", "Activate a mental model", models.ActivateModel,
                models.Activated),
    ),
)  # fmt: skip
