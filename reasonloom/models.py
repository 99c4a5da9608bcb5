"""The models of answers, and of objects in requests; written by `make snapshots`."""

from reasonloom.contracts.graph_memory.grounding import EvidenceFound, Grounded
from reasonloom.contracts.graph_memory.nodes import (
    MemoryAdded,
    MemoryCorrected,
    MemoryResolved,
    NewEdge,
)
from reasonloom.contracts.graph_memory.queries import (
    Compared,
    GraphStats,
    Impact,
    OneSession,
    QualityReport,
    SomeSessions,
    TimeWindow,
    Walked,
)
from reasonloom.contracts.graph_memory.sessions import (
    ConversationLogged,
    SessionEnded,
    SessionResumed,
    SessionStarted,
)
from reasonloom.contracts.graph_memory.shared import NodesFound, NodesScored
from reasonloom.contracts.graph_memory.workspaces import (
    ContextAdded,
    ContextsListed,
    CrossReferenced,
    WorkspaceCompared,
    WorkspaceCreated,
    WorkspaceFound,
)
from reasonloom.contracts.history import (
    HistoryCounted,
    HistoryForgotten,
    HistoryFound,
    HookStatus,
    ProjectsListed,
    Reconstructed,
    SessionsListed,
)
from reasonloom.contracts.memory.extras import (
    BatchForgotten,
    BatchRecalled,
    BatchRemembered,
    ConsolidationReport,
    ExportedPage,
    HealthReport,
    NewItem,
    Pruned,
    Restored,
)
from reasonloom.contracts.memory.recall import DateRange, MetadataFilter, Recalled, SearchResult
from reasonloom.contracts.memory.sharing import (
    MemoryPromoted,
    SpaceGranted,
    SpaceRevoked,
    SpacesListed,
)
from reasonloom.contracts.memory.tools import (
    Forgotten,
    MemoryMetadata,
    MetadataChange,
    Remembered,
    UpdatedMemory,
)
from reasonloom.contracts.mental_models.extras import (
    Activated,
    BasinsListed,
    Predicted,
    Proposals,
    Resolved,
)
from reasonloom.contracts.mental_models.models import (
    ModelCreated,
    ModelGot,
    ModelRevised,
    ModelsListed,
    PredictionTemplate,
)
from reasonloom.contracts.metacognition import (
    BiasesJudged,
    ConfidenceAssessed,
    EmotionDetected,
    Judged,
)
from reasonloom.contracts.reasoning.auto import Recommendation
from reasonloom.contracts.reasoning.divergent import DivergentThought
from reasonloom.contracts.reasoning.linear import (
    Backtracked,
    BranchList,
    ChangedBranch,
    CheckpointsListed,
    LinearThought,
    SetCheckpoint,
)
from reasonloom.contracts.reasoning.reason import Reasoned
from reasonloom.contracts.reasoning.reflection import Evaluation, Reflection
from reasonloom.contracts.reasoning.tree import ExploredTree
from reasonloom.contracts.runs import EvalCompared, FeedbackStored, NeedsAnswers
from reasonloom.contracts.thinking.analyze import Analyzed
from reasonloom.contracts.thinking.breakdown import BreakdownContext, BrokenDown
from reasonloom.contracts.thinking.think import Context, Deliberated, Thinking
from reasonloom.contracts.thought_graph.plans import RunGraph
from reasonloom.contracts.thought_graph.tools import (
    AggregatedNode,
    BegunGraph,
    FinalizedGraph,
    GeneratedNodes,
    GotConfig,
    GraphState,
    PrunedGraph,
    RefinedNode,
    ScoredNode,
)

__all__ = [
    "Activated",
    "AggregatedNode",
    "Analyzed",
    "Backtracked",
    "BasinsListed",
    "BatchForgotten",
    "BatchRecalled",
    "BatchRemembered",
    "BegunGraph",
    "BiasesJudged",
    "BranchList",
    "BreakdownContext",
    "BrokenDown",
    "ChangedBranch",
    "CheckpointsListed",
    "Compared",
    "ConfidenceAssessed",
    "ConsolidationReport",
    "Context",
    "ContextAdded",
    "ContextsListed",
    "ConversationLogged",
    "CrossReferenced",
    "DateRange",
    "Deliberated",
    "DivergentThought",
    "EmotionDetected",
    "EvalCompared",
    "Evaluation",
    "EvidenceFound",
    "ExploredTree",
    "ExportedPage",
    "FeedbackStored",
    "FinalizedGraph",
    "Forgotten",
    "GeneratedNodes",
    "GotConfig",
    "GraphState",
    "GraphStats",
    "Grounded",
    "HealthReport",
    "HistoryCounted",
    "HistoryForgotten",
    "HistoryFound",
    "HookStatus",
    "Impact",
    "Judged",
    "LinearThought",
    "MemoryAdded",
    "MemoryCorrected",
    "MemoryMetadata",
    "MemoryPromoted",
    "MemoryResolved",
    "MetadataChange",
    "MetadataFilter",
    "ModelCreated",
    "ModelGot",
    "ModelRevised",
    "ModelsListed",
    "NeedsAnswers",
    "NewEdge",
    "NewItem",
    "NodesFound",
    "NodesScored",
    "OneSession",
    "Predicted",
    "PredictionTemplate",
    "ProjectsListed",
    "Proposals",
    "Pruned",
    "PrunedGraph",
    "QualityReport",
    "Reasoned",
    "Recalled",
    "Recommendation",
    "Reconstructed",
    "RefinedNode",
    "Reflection",
    "Remembered",
    "Resolved",
    "Restored",
    "RunGraph",
    "ScoredNode",
    "SearchResult",
    "SessionEnded",
    "SessionResumed",
    "SessionStarted",
    "SessionsListed",
    "SetCheckpoint",
    "SomeSessions",
    "SpaceGranted",
    "SpaceRevoked",
    "SpacesListed",
    "Thinking",
    "TimeWindow",
    "UpdatedMemory",
    "Walked",
    "WorkspaceCompared",
    "WorkspaceCreated",
    "WorkspaceFound",
]
