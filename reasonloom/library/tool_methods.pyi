# Written by `make snapshots` from the contracts.
from typing import Any, Literal

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

class ToolMethods:
    async def remember(
        self,
        content: str,
        *,
        user_id: str | None = None,
        session_id: str | None = None,
        primary_sector: Literal["episodic", "semantic", "procedural", "emotional", "reflective"]
        | None = None,
        metadata: MemoryMetadata | dict[str, Any] | None = None,
        supersede: list[str] | None = None,
        place: str | None = None,
        idempotency_key: str | None = None,
    ) -> Remembered:
        """Store a fact, event, how-to, feeling or insight for later.

        The answer names older memories that it may replace; supersede settles that."""

    async def recall(
        self,
        text: str | None = None,
        *,
        user_id: str | None = None,
        sectors: list[Literal["episodic", "semantic", "procedural", "emotional", "reflective"]]
        | None = None,
        primary_sector: Literal["episodic", "semantic", "procedural", "emotional", "reflective"]
        | None = None,
        min_strength: float | None = None,
        min_salience: float | None = None,
        date_range: DateRange | dict[str, Any] | None = None,
        metadata: MetadataFilter | dict[str, Any] | None = None,
        limit: int | None = None,
        offset: int | None = None,
        as_of: str | None = None,
        between: list[str] | None = None,
        explain: bool | None = None,
        spaces: list[str] | None = None,
        idempotency_key: str | None = None,
    ) -> Recalled:
        """Find memories by meaning and words, best first."""

    async def update_memory(
        self,
        memory_id: str,
        *,
        user_id: str | None = None,
        content: str | None = None,
        strength: float | None = None,
        salience: float | None = None,
        metadata: MetadataChange | dict[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> UpdatedMemory:
        """Change a memory: its content, strength, salience, or parts of its metadata.

        What is not given stays."""

    async def forget(
        self,
        memory_id: str,
        *,
        user_id: str | None = None,
        soft: bool | None = None,
        idempotency_key: str | None = None,
    ) -> Forgotten:
        """Delete a memory: for good, or softly so that it can be restored."""

    async def search(
        self,
        text: str | None = None,
        *,
        user_id: str | None = None,
        sectors: list[Literal["episodic", "semantic", "procedural", "emotional", "reflective"]]
        | None = None,
        primary_sector: Literal["episodic", "semantic", "procedural", "emotional", "reflective"]
        | None = None,
        min_strength: float | None = None,
        min_salience: float | None = None,
        date_range: DateRange | dict[str, Any] | None = None,
        metadata: MetadataFilter | dict[str, Any] | None = None,
        limit: int | None = None,
        offset: int | None = None,
        as_of: str | None = None,
        between: list[str] | None = None,
        explain: bool | None = None,
        spaces: list[str] | None = None,
        idempotency_key: str | None = None,
    ) -> SearchResult:
        """Find memories by exact words: AND, OR, NOT, "a phrase", parentheses.

        Words side by side must all occur, in any form (prefers, preference). For questions use recall."""

    async def think(
        self,
        problem: str,
        mode: Literal["analytical", "creative", "critical", "synthetic", "parallel"],
        *,
        context: Context | dict[str, Any] | None = None,
        user_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Thinking | NeedsAnswers:
        """Think a problem through in one way, or in four ways at once that are brought together.

        A conclusion that breaks a constraint is marked."""

    async def analyze(
        self,
        problem: str,
        *,
        preferred_framework: Literal[
            "scientific-method",
            "design-thinking",
            "systems-thinking",
            "critical-thinking",
            "creative-problem-solving",
            "root-cause-analysis",
            "first-principles",
            "scenario-planning",
        ]
        | None = None,
        context: Context | dict[str, Any] | None = None,
        user_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Analyzed | NeedsAnswers:
        """Analyse a problem step by step by the framework that fits it, out of eight.

        Says why that one, and what fits next. A conclusion that breaks a constraint is marked."""

    async def ponder(
        self,
        problem: str,
        *,
        timeout: int | None = None,
        context: Context | dict[str, Any] | None = None,
        user_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Deliberated | NeedsAnswers:
        """Think in four streams that answer each other and take back what does not hold.

        For hard questions with conflicting sides: names sources, keeps conflicts."""

    async def breakdown(
        self,
        problem: str,
        *,
        max_depth: int | None = None,
        context: BreakdownContext | dict[str, Any] | None = None,
        user_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> BrokenDown | NeedsAnswers:
        """Break a problem down into a tree of sub-problems, and find what depends on what.

        Tells the order in which to do them, what can be done at the same time, and the longest chain."""

    async def assess_confidence(
        self,
        reasoning: str,
        *,
        evidence: list[str] | None = None,
        context: str | None = None,
        idempotency_key: str | None = None,
    ) -> ConfidenceAssessed | NeedsAnswers:
        """Tell how far a piece of reasoning can be relied on, and what would make it firmer.

        Looks at evidence, coherence, completeness, uncertainty and bias, claim by claim."""

    async def detect_bias(
        self,
        reasoning: str,
        *,
        context: str | None = None,
        monitor_continuously: bool | None = None,
        idempotency_key: str | None = None,
    ) -> BiasesJudged | NeedsAnswers:
        """Find cognitive biases in reasoning, with the words that show them and a correction.

        Eight types: confirmation, anchoring, availability, recency, representativeness, framing,
        sunk cost, attribution."""

    async def detect_emotion(
        self,
        text: str,
        *,
        include_discrete: bool | None = None,
        context: str | None = None,
        idempotency_key: str | None = None,
    ) -> EmotionDetected | NeedsAnswers:
        """Tell what a text's writer feels: valence, arousal, dominance, and eleven emotions.

        Denied and ironically named feelings are distinguished from felt ones where possible."""

    async def evaluate(
        self,
        reasoning: str,
        *,
        context: str | None = None,
        include_confidence: bool | None = None,
        include_bias: bool | None = None,
        include_emotion: bool | None = None,
        idempotency_key: str | None = None,
    ) -> Judged | NeedsAnswers:
        """Judge the quality of a piece of reasoning: coherence, completeness, logic, evidence.

        Names strengths, weaknesses and what to do; adds confidence, biases and emotion if wanted."""

    async def reasoning_linear(
        self,
        content: str,
        *,
        session_id: str | None = None,
        confidence: float | None = None,
        user_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> LinearThought | NeedsAnswers:
        """Take one step of reasoning from a thought; relevant memories are recalled first."""

    async def reasoning_tree(
        self,
        content: str,
        *,
        session_id: str | None = None,
        branch_id: str | None = None,
        max_branches: int | None = None,
        confidence: float | None = None,
        user_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> ExploredTree | NeedsAnswers:
        """Explore several unlike approaches in parallel, and recommend one.

        Each becomes a branch; blind ballots compare them."""

    async def reasoning_tree_focus(
        self, session_id: str, branch_id: str, *, idempotency_key: str | None = None
    ) -> ChangedBranch:
        """Make a branch the active one: the session's next steps stand on it.

        A completed or abandoned branch is opened again."""

    async def reasoning_tree_list(
        self, session_id: str, *, idempotency_key: str | None = None
    ) -> BranchList:
        """List a session's branches, and which is active."""

    async def reasoning_tree_complete(
        self,
        session_id: str,
        branch_id: str,
        state: Literal["completed", "abandoned"],
        *,
        idempotency_key: str | None = None,
    ) -> ChangedBranch:
        """Mark a branch as completed or abandoned.

        Where it was the active one, its parent becomes active."""

    async def reasoning_divergent(
        self,
        content: str,
        *,
        session_id: str | None = None,
        num_perspectives: int | None = None,
        constraints: list[str] | None = None,
        confidence: float | None = None,
        user_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> DivergentThought | NeedsAnswers:
        """Look at a problem from several unlike perspectives at once, and bring them together."""

    async def reasoning_reflection(
        self,
        content: str | None = None,
        *,
        thought_id: str | None = None,
        session_id: str | None = None,
        focus_areas: list[str] | None = None,
        max_iterations: int | None = None,
        question: str | None = None,
        user_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Reflection | NeedsAnswers:
        """Criticise and improve an answer; a revision counts only if a blind judge prefers it.

        Give it as content, or name a thought."""

    async def reasoning_reflection_evaluate(
        self, session_id: str, *, idempotency_key: str | None = None
    ) -> Evaluation | NeedsAnswers:
        """Evaluate a session: how it hangs together, how sure it is, what it leaves open.

        All figures are computed; a language model's opinion is given separately."""

    async def reasoning_auto(
        self,
        content: str,
        *,
        session_id: str | None = None,
        hints: list[str] | None = None,
        execute: bool | None = None,
        user_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Recommendation | NeedsAnswers:
        """Choose the reasoning mode that fits a problem, with reasons; execute runs it too."""

    async def reasoning_checkpoint_create(
        self,
        session_id: str,
        name: str,
        *,
        description: str | None = None,
        idempotency_key: str | None = None,
    ) -> SetCheckpoint:
        """Set a checkpoint: the session's state now, to come back to by reasoning_backtrack."""

    async def reasoning_checkpoint_list(
        self, session_id: str, *, idempotency_key: str | None = None
    ) -> CheckpointsListed:
        """List a session's checkpoints."""

    async def reasoning_backtrack(
        self,
        checkpoint_id: str,
        *,
        new_direction: str | None = None,
        session_id: str | None = None,
        confidence: float | None = None,
        idempotency_key: str | None = None,
    ) -> Backtracked | NeedsAnswers:
        """Go back to a checkpoint, on a new branch.

        What was thought since stays stored, and the next steps do not see it."""

    async def reasoning_got_init(
        self,
        content: str,
        *,
        session_id: str | None = None,
        problem: str | None = None,
        config: GotConfig | dict[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> BegunGraph:
        """Begin a Graph of Thoughts with your thought as root.

        Then generate, score, aggregate, refine, prune, finalize."""

    async def reasoning_got_generate(
        self,
        graph_id: str,
        node_id: str,
        *,
        k: int | None = None,
        problem: str | None = None,
        idempotency_key: str | None = None,
    ) -> GeneratedNodes | NeedsAnswers:
        """Let k unlike thoughts continue one node; their diversity is measured."""

    async def reasoning_got_score(
        self,
        graph_id: str,
        node_id: str,
        *,
        problem: str | None = None,
        idempotency_key: str | None = None,
    ) -> ScoredNode | NeedsAnswers:
        """Score a node by relevance, validity, depth and novelty.

        Blind ballots judge, novelty is measured."""

    async def reasoning_got_refine(
        self,
        graph_id: str,
        node_id: str,
        *,
        problem: str | None = None,
        idempotency_key: str | None = None,
    ) -> RefinedNode | NeedsAnswers:
        """Criticise and improve a node.

        The better of the two stays active, as blind ballots say."""

    async def reasoning_got_aggregate(
        self,
        graph_id: str,
        node_ids: list[str],
        *,
        problem: str | None = None,
        idempotency_key: str | None = None,
    ) -> AggregatedNode | NeedsAnswers:
        """Merge nodes of one graph into one thought that keeps what is best in each."""

    async def reasoning_got_prune(
        self,
        graph_id: str,
        *,
        threshold: float | None = None,
        preview: bool | None = None,
        restore: bool | None = None,
        idempotency_key: str | None = None,
    ) -> PrunedGraph | NeedsAnswers:
        """Take out nodes that score below the threshold and lead to nothing better.

        Unscored ones are scored first."""

    async def reasoning_got_finalize(
        self,
        graph_id: str,
        *,
        terminal_node_ids: list[str] | None = None,
        idempotency_key: str | None = None,
    ) -> FinalizedGraph | NeedsAnswers:
        """Close a graph: its terminal nodes become one conclusion, a thought of the session."""

    async def reasoning_got_state(
        self, graph_id: str, *, idempotency_key: str | None = None
    ) -> GraphState:
        """Tell a graph's size, depth, activity, and whether it has a cycle."""

    async def conversation_log(
        self,
        *,
        user_message: str | None = None,
        agent_response: str | None = None,
        topic: str | None = None,
        idempotency_key: str | None = None,
    ) -> ConversationLogged:
        """Keep what the user said and what you answered or did."""

    async def memory_add(
        self,
        event_type: Literal["fact", "decision", "inference", "correction", "skill", "episode"],
        content: str,
        *,
        confidence: float | None = None,
        edges: list[NewEdge | dict[str, Any]] | None = None,
        idempotency_key: str | None = None,
    ) -> MemoryAdded:
        """Store a fact, decision, inference, correction, skill or episode as a node of the graph.

        Name what it rests on as edges: all is stored, or nothing."""

    async def memory_query(
        self,
        *,
        event_types: list[
            Literal["fact", "decision", "inference", "correction", "skill", "episode"]
        ]
        | None = None,
        min_confidence: float | None = None,
        max_confidence: float | None = None,
        session_ids: list[int] | None = None,
        created_after: int | None = None,
        created_before: int | None = None,
        max_results: int | None = None,
        sort_by: Literal["most_recent", "highest_confidence", "most_accessed", "most_important"]
        | None = None,
        as_of: str | None = None,
        between: list[str] | None = None,
        idempotency_key: str | None = None,
    ) -> NodesFound:
        """List nodes by type, confidence, session and time."""

    async def memory_traverse(
        self,
        start_id: int,
        *,
        edge_types: list[
            Literal[
                "caused_by",
                "derived_from",
                "supports",
                "contradicts",
                "supersedes",
                "related_to",
                "part_of",
                "temporal_next",
            ]
        ]
        | None = None,
        direction: Literal["forward", "backward", "both"] | None = None,
        max_depth: int | None = None,
        max_results: int | None = None,
        min_confidence: float | None = None,
        idempotency_key: str | None = None,
    ) -> Walked:
        """Walk from a node along edges; the best paths, by weight, come first."""

    async def memory_context(
        self, node_id: int, *, depth: int | None = None, idempotency_key: str | None = None
    ) -> Walked:
        """Show the nodes and edges around one node."""

    async def memory_similar(
        self,
        query_text: str | None = None,
        *,
        query_vec: list[float] | None = None,
        top_k: int | None = None,
        min_similarity: float | None = None,
        event_types: list[
            Literal["fact", "decision", "inference", "correction", "skill", "episode"]
        ]
        | None = None,
        idempotency_key: str | None = None,
    ) -> NodesScored:
        """Find nodes that are alike in words and meaning, or near to a vector. Give one of the two."""

    async def memory_correct(
        self,
        old_node_id: int,
        new_content: str,
        *,
        confidence: float | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> MemoryCorrected:
        """Correct a node: a new one supersedes it, and search and grounding use the new one."""

    async def memory_resolve(
        self, node_id: int, *, idempotency_key: str | None = None
    ) -> MemoryResolved:
        """Follow corrections from a node to the newest version of what it says."""

    async def memory_causal(
        self, node_id: int, *, max_depth: int | None = None, idempotency_key: str | None = None
    ) -> Impact:
        """Tell what depends on a node: what was caused by it, derived from it, or rests on it."""

    async def memory_temporal(
        self,
        range_a: TimeWindow
        | dict[str, Any]
        | OneSession
        | dict[str, Any]
        | SomeSessions
        | dict[str, Any],
        range_b: TimeWindow
        | dict[str, Any]
        | OneSession
        | dict[str, Any]
        | SomeSessions
        | dict[str, Any],
        *,
        idempotency_key: str | None = None,
    ) -> Compared:
        """Compare what was known in two ranges: added, corrected, unchanged, faded."""

    async def memory_quality(
        self,
        *,
        low_confidence_threshold: float | None = None,
        stale_decay_threshold: float | None = None,
        max_examples: int | None = None,
        idempotency_key: str | None = None,
    ) -> QualityReport:
        """Judge the graph: weak, faded, unlinked nodes, decisions without grounds, contradictions."""

    async def memory_stats(self, *, idempotency_key: str | None = None) -> GraphStats:
        """Count nodes, edges, sessions and types."""

    async def memory_ground(
        self,
        claim: str,
        *,
        threshold: float | None = None,
        as_of: str | None = None,
        between: list[str] | None = None,
        user_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Grounded | NeedsAnswers:
        """Check a claim against memory before you state it: verified, partial or ungrounded."""

    async def memory_evidence(
        self, query: str, *, max_results: int | None = None, idempotency_key: str | None = None
    ) -> EvidenceFound:
        """Show the memories that speak of something, with their sessions, times and edges."""

    async def memory_suggest(
        self, query: str, *, limit: int | None = None, idempotency_key: str | None = None
    ) -> NodesScored:
        """Find what is stored nearest to something half remembered or misspelt."""

    async def memory_workspace_create(
        self, name: str, *, idempotency_key: str | None = None
    ) -> WorkspaceCreated:
        """Make a workspace in which several memory files are searched and compared together."""

    async def memory_workspace_add(
        self,
        workspace_id: str,
        path: str,
        *,
        role: Literal["primary", "secondary", "reference", "archive"] | None = None,
        label: str | None = None,
        idempotency_key: str | None = None,
    ) -> ContextAdded:
        """Add a memory file (JSON lines, as `reasonloom memory export` writes) to a workspace."""

    async def memory_workspace_list(
        self, workspace_id: str, *, idempotency_key: str | None = None
    ) -> ContextsListed:
        """List a workspace's memory files."""

    async def memory_workspace_query(
        self,
        workspace_id: str,
        query: str,
        *,
        max_per_context: int | None = None,
        idempotency_key: str | None = None,
    ) -> WorkspaceFound:
        """Search all files of a workspace at once; the role of a file weighs in the order."""

    async def memory_workspace_compare(
        self,
        workspace_id: str,
        item: str,
        *,
        max_per_context: int | None = None,
        idempotency_key: str | None = None,
    ) -> WorkspaceCompared:
        """Compare what several memory files say of a topic: agreements, differences, contradictions."""

    async def memory_workspace_xref(
        self, workspace_id: str, item: str, *, idempotency_key: str | None = None
    ) -> CrossReferenced:
        """Tell which memory files of a workspace know a topic, and which do not."""

    async def session_start(
        self,
        *,
        session_id: int | None = None,
        metadata: dict[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> SessionStarted:
        """Start a session, or continue an earlier one; returns what the last one left open."""

    async def session_end(
        self,
        *,
        session_id: int | None = None,
        create_episode: bool | None = None,
        summary: str | None = None,
        idempotency_key: str | None = None,
    ) -> SessionEnded | NeedsAnswers:
        """End a session; what happened in it is summed up as an episode."""

    async def memory_session_resume(
        self, *, limit: int | None = None, idempotency_key: str | None = None
    ) -> SessionResumed:
        """Load what to know at a conversation's start: last episode, decisions, facts, skills."""

    async def history_search(
        self,
        query: str,
        *,
        project: str | None = None,
        as_of: str | None = None,
        between: list[str] | None = None,
        host: Literal["claude-code", "codex", "gemini"] | None = None,
        idempotency_key: str | None = None,
    ) -> HistoryFound:
        """Search past conversations: what was said and done, the most relevant first."""

    async def history_recall(
        self, query: str, *, project: str | None = None, idempotency_key: str | None = None
    ) -> HistoryFound:
        """Recall what led to something: walks back from it and tells it in order, problem first."""

    async def history_predict(
        self, context: str, *, project: str | None = None, idempotency_key: str | None = None
    ) -> HistoryFound:
        """Show what came next in the past after moments like this one."""

    async def history_list_projects(self, *, idempotency_key: str | None = None) -> ProjectsListed:
        """List the projects of past conversations, with how many chunks they have and from when."""

    async def history_list_sessions(
        self,
        project: str,
        *,
        from_: str | None = None,
        to: str | None = None,
        days_back: float | None = None,
        host: Literal["claude-code", "codex", "gemini"] | None = None,
        idempotency_key: str | None = None,
    ) -> SessionsListed:
        """List a project's sessions, the newest first: ids, hosts, times, chunks, tokens."""

    async def history_reconstruct(
        self,
        project: str,
        *,
        session_id: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        days_back: float | None = None,
        previous_session: bool | None = None,
        current_session_id: str | None = None,
        keep_newest: bool | None = None,
        idempotency_key: str | None = None,
    ) -> Reconstructed:
        """Show what was said and done in a project in order of time: a session, a day, the last one.

        A session that does not fit is an outline; name a time for its words."""

    async def history_hook_status(self, *, idempotency_key: str | None = None) -> HookStatus:
        """Tell when each hook ran last, and whether it succeeded."""

    async def history_stats(self, *, idempotency_key: str | None = None) -> HistoryCounted:
        """Count the chunks, edges and clusters of past conversations, and each project's."""

    async def history_forget(
        self,
        project: str,
        *,
        before: str | None = None,
        after: str | None = None,
        session_id: str | None = None,
        query: str | None = None,
        threshold: float | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
    ) -> HistoryForgotten:
        """Forget past conversations of a project by time, session or topic; shows first what it would.

        Set dry_run to false to forget. It can be undone for some days."""

    async def create_model(
        self,
        name: str,
        domain: Literal["user", "self", "world", "task_specific"],
        basin_ids: list[str],
        *,
        description: str | None = None,
        prediction_templates: list[PredictionTemplate | dict[str, Any]] | None = None,
        idempotency_key: str | None = None,
    ) -> ModelCreated:
        """Create a new mental model from basins, the clusters of memories; it is active at once.

        Basin IDs: list_basins, reasonloom://basins, or the answer to an unknown one."""

    async def list_models(
        self,
        *,
        domain: Literal["user", "self", "world", "task_specific"] | None = None,
        status: Literal["draft", "active", "deprecated"] | None = None,
        limit: int | None = None,
        idempotency_key: str | None = None,
    ) -> ModelsListed:
        """List mental models with optional filtering, the newest first."""

    async def get_model(
        self,
        model_id: str,
        *,
        include_predictions: bool | None = None,
        include_revisions: bool | None = None,
        idempotency_key: str | None = None,
    ) -> ModelGot:
        """Get detailed information about a specific model."""

    async def revise_model(
        self,
        model_id: str,
        trigger_description: str,
        *,
        add_basins: list[str] | None = None,
        remove_basins: list[str] | None = None,
        idempotency_key: str | None = None,
    ) -> ModelRevised:
        """Revise a model by hand: add basins to it or remove them, all or nothing."""

    async def reason(
        self,
        text: str,
        *,
        user_id: str | None = None,
        mode: Literal[
            "auto",
            "linear",
            "tree",
            "divergent",
            "reflection",
            "backtrack",
            "got",
            "ponder",
            "analyze",
            "breakdown",
        ]
        | None = None,
        session_id: str | None = None,
        context: str | None = None,
        options: dict[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> Reasoned | NeedsAnswers:
        """Think a question through, with what memory knows; the steps are recorded.

        Modes: auto chooses; linear takes one step; tree compares approaches; divergent takes several
        perspectives; reflection improves an answer; backtrack returns to a checkpoint; got combines
        many thoughts; ponder lets four streams debate; analyze applies a framework; breakdown splits a
        task."""

    async def batch_remember(
        self,
        session_id: str,
        memories: list[NewItem | dict[str, Any]],
        *,
        user_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> BatchRemembered:
        """Store up to 100 memories at once: all of them, or none where one is refused."""

    async def batch_recall(
        self,
        memory_ids: list[str],
        *,
        user_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> BatchRecalled:
        """Read up to 100 memories by their ids, in the order asked for."""

    async def batch_forget(
        self,
        memory_ids: list[str],
        *,
        user_id: str | None = None,
        soft: bool | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
    ) -> BatchForgotten:
        """Hide up to 100 memories, or delete them for good with soft false."""

    async def export_memories(
        self,
        *,
        user_id: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        max_tokens: int | None = None,
        idempotency_key: str | None = None,
    ) -> ExportedPage:
        """Leaf through all memories in short form, oldest first.

        For a whole copy with links use the command `reasonloom memory export`."""

    async def memory_health(
        self, *, user_id: str | None = None, idempotency_key: str | None = None
    ) -> HealthReport:
        """Tell how many memories there are, of which kind and age, and what needs care."""

    async def consolidate_memories(
        self,
        *,
        user_id: str | None = None,
        older_than_days: int | None = None,
        min_cluster: int | None = None,
        min_similarity: float | None = None,
        max_clusters: int | None = None,
        cursor: str | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
    ) -> ConsolidationReport | NeedsAnswers:
        """Sum up old episodes that are alike: one semantic memory for each group.

        The originals stay, weakened, and the summary is linked to them as derived."""

    async def prune_memories(
        self,
        *,
        user_id: str | None = None,
        max_strength: float | None = None,
        min_age_days: int | None = None,
        max_access_count: int | None = None,
        primary_sector: Literal["episodic", "semantic", "procedural", "emotional", "reflective"]
        | None = None,
        limit: int | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
    ) -> Pruned:
        """Hide memories that are weak and old and never read, all three at once.

        Without dryRun false it only tells which. Fresh or important ones are never taken."""

    async def restore_memory(
        self, memory_id: str, *, user_id: str | None = None, idempotency_key: str | None = None
    ) -> Restored:
        """Bring back a memory that was hidden."""

    async def memory_promote(
        self, memory_id: str, place: str, *, idempotency_key: str | None = None
    ) -> MemoryPromoted:
        """Copy a memory into a shared space; the original stays where it is."""

    async def space_list(self, *, idempotency_key: str | None = None) -> SpacesListed:
        """List the spaces you can use, with your rights and who else has any."""

    async def space_grant(
        self,
        place: str,
        to: str,
        rights: list[Literal["read", "write", "promote", "admin"]],
        *,
        idempotency_key: str | None = None,
    ) -> SpaceGranted:
        """Let others use a space: it replaces what they may do there.

        write and promote include read; admin includes all."""

    async def space_revoke(
        self, place: str, from_: str, *, idempotency_key: str | None = None
    ) -> SpaceRevoked:
        """End what somebody may do in a space, at once."""

    async def reasoning_got_run(
        self,
        problem: str,
        *,
        plan: str | dict[str, Any] | None = None,
        session_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> RunGraph | NeedsAnswers:
        """Run a plan of Graph of Thoughts operations and keep what came as a graph.

        Generate, score, keep the best, refine, aggregate, validate, repeat."""

    async def reasoning_feedback(
        self,
        outcome: Literal["right", "partly_right", "wrong"],
        *,
        run_id: str | None = None,
        thought_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> FeedbackStored:
        """Report whether an answer turned out right; later confidences of its tool learn from it.

        Give the answer's run_id, or the thought_id of a stored thought. A later report replaces it."""

    async def eval_compare(
        self,
        *,
        base: str | None = None,
        other: str | None = None,
        limit: int | None = None,
        idempotency_key: str | None = None,
    ) -> EvalCompared:
        """Compare two saved eval runs case by case, such as two versions of a prompt.

        By default the newest two of one suite that differ in a prompt version."""

    async def predict_with_model(
        self,
        model_id: str,
        message: str,
        *,
        expires_in_hours: int | None = None,
        idempotency_key: str | None = None,
    ) -> Predicted:
        """Ask an active mental model what it predicts on a message; the prediction is kept.

        A template fires where the message is of its trigger's situation. Report the outcome later
        with resolve_prediction."""

    async def resolve_prediction(
        self,
        prediction_id: str,
        *,
        observation: str | None = None,
        was_accurate: bool | None = None,
        idempotency_key: str | None = None,
    ) -> Resolved | NeedsAnswers:
        """Report the outcome of a prediction: an observation, or whether it was accurate, or both.

        An observation alone is compared with the prediction; where that decides nothing, the
        prediction stays open."""

    async def list_basins(
        self,
        *,
        limit: int | None = None,
        memories: int | None = None,
        idempotency_key: str | None = None,
    ) -> BasinsListed:
        """List basins, the clusters of memories that mental models are made of, the largest first."""

    async def propose_models(
        self,
        *,
        limit: int | None = None,
        keep_drafts: bool | None = None,
        idempotency_key: str | None = None,
    ) -> Proposals:
        """Propose mental models from dense basins, and revisions where predictions keep failing.

        Nothing changes; with keep_drafts the proposed models are kept as drafts, to be activated."""

    async def activate_model(
        self,
        model_id: str,
        *,
        status: Literal["active", "deprecated"] | None = None,
        idempotency_key: str | None = None,
    ) -> Activated:
        """Make a mental model active, or deprecate it: only active ones predict.

        Drafts and deprecated models can be made active, active ones deprecated."""

class SyncToolMethods:
    def remember(
        self,
        content: str,
        *,
        user_id: str | None = None,
        session_id: str | None = None,
        primary_sector: Literal["episodic", "semantic", "procedural", "emotional", "reflective"]
        | None = None,
        metadata: MemoryMetadata | dict[str, Any] | None = None,
        supersede: list[str] | None = None,
        place: str | None = None,
        idempotency_key: str | None = None,
    ) -> Remembered:
        """Store a fact, event, how-to, feeling or insight for later.

        The answer names older memories that it may replace; supersede settles that."""

    def recall(
        self,
        text: str | None = None,
        *,
        user_id: str | None = None,
        sectors: list[Literal["episodic", "semantic", "procedural", "emotional", "reflective"]]
        | None = None,
        primary_sector: Literal["episodic", "semantic", "procedural", "emotional", "reflective"]
        | None = None,
        min_strength: float | None = None,
        min_salience: float | None = None,
        date_range: DateRange | dict[str, Any] | None = None,
        metadata: MetadataFilter | dict[str, Any] | None = None,
        limit: int | None = None,
        offset: int | None = None,
        as_of: str | None = None,
        between: list[str] | None = None,
        explain: bool | None = None,
        spaces: list[str] | None = None,
        idempotency_key: str | None = None,
    ) -> Recalled:
        """Find memories by meaning and words, best first."""

    def update_memory(
        self,
        memory_id: str,
        *,
        user_id: str | None = None,
        content: str | None = None,
        strength: float | None = None,
        salience: float | None = None,
        metadata: MetadataChange | dict[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> UpdatedMemory:
        """Change a memory: its content, strength, salience, or parts of its metadata.

        What is not given stays."""

    def forget(
        self,
        memory_id: str,
        *,
        user_id: str | None = None,
        soft: bool | None = None,
        idempotency_key: str | None = None,
    ) -> Forgotten:
        """Delete a memory: for good, or softly so that it can be restored."""

    def search(
        self,
        text: str | None = None,
        *,
        user_id: str | None = None,
        sectors: list[Literal["episodic", "semantic", "procedural", "emotional", "reflective"]]
        | None = None,
        primary_sector: Literal["episodic", "semantic", "procedural", "emotional", "reflective"]
        | None = None,
        min_strength: float | None = None,
        min_salience: float | None = None,
        date_range: DateRange | dict[str, Any] | None = None,
        metadata: MetadataFilter | dict[str, Any] | None = None,
        limit: int | None = None,
        offset: int | None = None,
        as_of: str | None = None,
        between: list[str] | None = None,
        explain: bool | None = None,
        spaces: list[str] | None = None,
        idempotency_key: str | None = None,
    ) -> SearchResult:
        """Find memories by exact words: AND, OR, NOT, "a phrase", parentheses.

        Words side by side must all occur, in any form (prefers, preference). For questions use recall."""

    def think(
        self,
        problem: str,
        mode: Literal["analytical", "creative", "critical", "synthetic", "parallel"],
        *,
        context: Context | dict[str, Any] | None = None,
        user_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Thinking | NeedsAnswers:
        """Think a problem through in one way, or in four ways at once that are brought together.

        A conclusion that breaks a constraint is marked."""

    def analyze(
        self,
        problem: str,
        *,
        preferred_framework: Literal[
            "scientific-method",
            "design-thinking",
            "systems-thinking",
            "critical-thinking",
            "creative-problem-solving",
            "root-cause-analysis",
            "first-principles",
            "scenario-planning",
        ]
        | None = None,
        context: Context | dict[str, Any] | None = None,
        user_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Analyzed | NeedsAnswers:
        """Analyse a problem step by step by the framework that fits it, out of eight.

        Says why that one, and what fits next. A conclusion that breaks a constraint is marked."""

    def ponder(
        self,
        problem: str,
        *,
        timeout: int | None = None,
        context: Context | dict[str, Any] | None = None,
        user_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Deliberated | NeedsAnswers:
        """Think in four streams that answer each other and take back what does not hold.

        For hard questions with conflicting sides: names sources, keeps conflicts."""

    def breakdown(
        self,
        problem: str,
        *,
        max_depth: int | None = None,
        context: BreakdownContext | dict[str, Any] | None = None,
        user_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> BrokenDown | NeedsAnswers:
        """Break a problem down into a tree of sub-problems, and find what depends on what.

        Tells the order in which to do them, what can be done at the same time, and the longest chain."""

    def assess_confidence(
        self,
        reasoning: str,
        *,
        evidence: list[str] | None = None,
        context: str | None = None,
        idempotency_key: str | None = None,
    ) -> ConfidenceAssessed | NeedsAnswers:
        """Tell how far a piece of reasoning can be relied on, and what would make it firmer.

        Looks at evidence, coherence, completeness, uncertainty and bias, claim by claim."""

    def detect_bias(
        self,
        reasoning: str,
        *,
        context: str | None = None,
        monitor_continuously: bool | None = None,
        idempotency_key: str | None = None,
    ) -> BiasesJudged | NeedsAnswers:
        """Find cognitive biases in reasoning, with the words that show them and a correction.

        Eight types: confirmation, anchoring, availability, recency, representativeness, framing,
        sunk cost, attribution."""

    def detect_emotion(
        self,
        text: str,
        *,
        include_discrete: bool | None = None,
        context: str | None = None,
        idempotency_key: str | None = None,
    ) -> EmotionDetected | NeedsAnswers:
        """Tell what a text's writer feels: valence, arousal, dominance, and eleven emotions.

        Denied and ironically named feelings are distinguished from felt ones where possible."""

    def evaluate(
        self,
        reasoning: str,
        *,
        context: str | None = None,
        include_confidence: bool | None = None,
        include_bias: bool | None = None,
        include_emotion: bool | None = None,
        idempotency_key: str | None = None,
    ) -> Judged | NeedsAnswers:
        """Judge the quality of a piece of reasoning: coherence, completeness, logic, evidence.

        Names strengths, weaknesses and what to do; adds confidence, biases and emotion if wanted."""

    def reasoning_linear(
        self,
        content: str,
        *,
        session_id: str | None = None,
        confidence: float | None = None,
        user_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> LinearThought | NeedsAnswers:
        """Take one step of reasoning from a thought; relevant memories are recalled first."""

    def reasoning_tree(
        self,
        content: str,
        *,
        session_id: str | None = None,
        branch_id: str | None = None,
        max_branches: int | None = None,
        confidence: float | None = None,
        user_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> ExploredTree | NeedsAnswers:
        """Explore several unlike approaches in parallel, and recommend one.

        Each becomes a branch; blind ballots compare them."""

    def reasoning_tree_focus(
        self, session_id: str, branch_id: str, *, idempotency_key: str | None = None
    ) -> ChangedBranch:
        """Make a branch the active one: the session's next steps stand on it.

        A completed or abandoned branch is opened again."""

    def reasoning_tree_list(
        self, session_id: str, *, idempotency_key: str | None = None
    ) -> BranchList:
        """List a session's branches, and which is active."""

    def reasoning_tree_complete(
        self,
        session_id: str,
        branch_id: str,
        state: Literal["completed", "abandoned"],
        *,
        idempotency_key: str | None = None,
    ) -> ChangedBranch:
        """Mark a branch as completed or abandoned.

        Where it was the active one, its parent becomes active."""

    def reasoning_divergent(
        self,
        content: str,
        *,
        session_id: str | None = None,
        num_perspectives: int | None = None,
        constraints: list[str] | None = None,
        confidence: float | None = None,
        user_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> DivergentThought | NeedsAnswers:
        """Look at a problem from several unlike perspectives at once, and bring them together."""

    def reasoning_reflection(
        self,
        content: str | None = None,
        *,
        thought_id: str | None = None,
        session_id: str | None = None,
        focus_areas: list[str] | None = None,
        max_iterations: int | None = None,
        question: str | None = None,
        user_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Reflection | NeedsAnswers:
        """Criticise and improve an answer; a revision counts only if a blind judge prefers it.

        Give it as content, or name a thought."""

    def reasoning_reflection_evaluate(
        self, session_id: str, *, idempotency_key: str | None = None
    ) -> Evaluation | NeedsAnswers:
        """Evaluate a session: how it hangs together, how sure it is, what it leaves open.

        All figures are computed; a language model's opinion is given separately."""

    def reasoning_auto(
        self,
        content: str,
        *,
        session_id: str | None = None,
        hints: list[str] | None = None,
        execute: bool | None = None,
        user_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Recommendation | NeedsAnswers:
        """Choose the reasoning mode that fits a problem, with reasons; execute runs it too."""

    def reasoning_checkpoint_create(
        self,
        session_id: str,
        name: str,
        *,
        description: str | None = None,
        idempotency_key: str | None = None,
    ) -> SetCheckpoint:
        """Set a checkpoint: the session's state now, to come back to by reasoning_backtrack."""

    def reasoning_checkpoint_list(
        self, session_id: str, *, idempotency_key: str | None = None
    ) -> CheckpointsListed:
        """List a session's checkpoints."""

    def reasoning_backtrack(
        self,
        checkpoint_id: str,
        *,
        new_direction: str | None = None,
        session_id: str | None = None,
        confidence: float | None = None,
        idempotency_key: str | None = None,
    ) -> Backtracked | NeedsAnswers:
        """Go back to a checkpoint, on a new branch.

        What was thought since stays stored, and the next steps do not see it."""

    def reasoning_got_init(
        self,
        content: str,
        *,
        session_id: str | None = None,
        problem: str | None = None,
        config: GotConfig | dict[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> BegunGraph:
        """Begin a Graph of Thoughts with your thought as root.

        Then generate, score, aggregate, refine, prune, finalize."""

    def reasoning_got_generate(
        self,
        graph_id: str,
        node_id: str,
        *,
        k: int | None = None,
        problem: str | None = None,
        idempotency_key: str | None = None,
    ) -> GeneratedNodes | NeedsAnswers:
        """Let k unlike thoughts continue one node; their diversity is measured."""

    def reasoning_got_score(
        self,
        graph_id: str,
        node_id: str,
        *,
        problem: str | None = None,
        idempotency_key: str | None = None,
    ) -> ScoredNode | NeedsAnswers:
        """Score a node by relevance, validity, depth and novelty.

        Blind ballots judge, novelty is measured."""

    def reasoning_got_refine(
        self,
        graph_id: str,
        node_id: str,
        *,
        problem: str | None = None,
        idempotency_key: str | None = None,
    ) -> RefinedNode | NeedsAnswers:
        """Criticise and improve a node.

        The better of the two stays active, as blind ballots say."""

    def reasoning_got_aggregate(
        self,
        graph_id: str,
        node_ids: list[str],
        *,
        problem: str | None = None,
        idempotency_key: str | None = None,
    ) -> AggregatedNode | NeedsAnswers:
        """Merge nodes of one graph into one thought that keeps what is best in each."""

    def reasoning_got_prune(
        self,
        graph_id: str,
        *,
        threshold: float | None = None,
        preview: bool | None = None,
        restore: bool | None = None,
        idempotency_key: str | None = None,
    ) -> PrunedGraph | NeedsAnswers:
        """Take out nodes that score below the threshold and lead to nothing better.

        Unscored ones are scored first."""

    def reasoning_got_finalize(
        self,
        graph_id: str,
        *,
        terminal_node_ids: list[str] | None = None,
        idempotency_key: str | None = None,
    ) -> FinalizedGraph | NeedsAnswers:
        """Close a graph: its terminal nodes become one conclusion, a thought of the session."""

    def reasoning_got_state(
        self, graph_id: str, *, idempotency_key: str | None = None
    ) -> GraphState:
        """Tell a graph's size, depth, activity, and whether it has a cycle."""

    def conversation_log(
        self,
        *,
        user_message: str | None = None,
        agent_response: str | None = None,
        topic: str | None = None,
        idempotency_key: str | None = None,
    ) -> ConversationLogged:
        """Keep what the user said and what you answered or did."""

    def memory_add(
        self,
        event_type: Literal["fact", "decision", "inference", "correction", "skill", "episode"],
        content: str,
        *,
        confidence: float | None = None,
        edges: list[NewEdge | dict[str, Any]] | None = None,
        idempotency_key: str | None = None,
    ) -> MemoryAdded:
        """Store a fact, decision, inference, correction, skill or episode as a node of the graph.

        Name what it rests on as edges: all is stored, or nothing."""

    def memory_query(
        self,
        *,
        event_types: list[
            Literal["fact", "decision", "inference", "correction", "skill", "episode"]
        ]
        | None = None,
        min_confidence: float | None = None,
        max_confidence: float | None = None,
        session_ids: list[int] | None = None,
        created_after: int | None = None,
        created_before: int | None = None,
        max_results: int | None = None,
        sort_by: Literal["most_recent", "highest_confidence", "most_accessed", "most_important"]
        | None = None,
        as_of: str | None = None,
        between: list[str] | None = None,
        idempotency_key: str | None = None,
    ) -> NodesFound:
        """List nodes by type, confidence, session and time."""

    def memory_traverse(
        self,
        start_id: int,
        *,
        edge_types: list[
            Literal[
                "caused_by",
                "derived_from",
                "supports",
                "contradicts",
                "supersedes",
                "related_to",
                "part_of",
                "temporal_next",
            ]
        ]
        | None = None,
        direction: Literal["forward", "backward", "both"] | None = None,
        max_depth: int | None = None,
        max_results: int | None = None,
        min_confidence: float | None = None,
        idempotency_key: str | None = None,
    ) -> Walked:
        """Walk from a node along edges; the best paths, by weight, come first."""

    def memory_context(
        self, node_id: int, *, depth: int | None = None, idempotency_key: str | None = None
    ) -> Walked:
        """Show the nodes and edges around one node."""

    def memory_similar(
        self,
        query_text: str | None = None,
        *,
        query_vec: list[float] | None = None,
        top_k: int | None = None,
        min_similarity: float | None = None,
        event_types: list[
            Literal["fact", "decision", "inference", "correction", "skill", "episode"]
        ]
        | None = None,
        idempotency_key: str | None = None,
    ) -> NodesScored:
        """Find nodes that are alike in words and meaning, or near to a vector. Give one of the two."""

    def memory_correct(
        self,
        old_node_id: int,
        new_content: str,
        *,
        confidence: float | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> MemoryCorrected:
        """Correct a node: a new one supersedes it, and search and grounding use the new one."""

    def memory_resolve(self, node_id: int, *, idempotency_key: str | None = None) -> MemoryResolved:
        """Follow corrections from a node to the newest version of what it says."""

    def memory_causal(
        self, node_id: int, *, max_depth: int | None = None, idempotency_key: str | None = None
    ) -> Impact:
        """Tell what depends on a node: what was caused by it, derived from it, or rests on it."""

    def memory_temporal(
        self,
        range_a: TimeWindow
        | dict[str, Any]
        | OneSession
        | dict[str, Any]
        | SomeSessions
        | dict[str, Any],
        range_b: TimeWindow
        | dict[str, Any]
        | OneSession
        | dict[str, Any]
        | SomeSessions
        | dict[str, Any],
        *,
        idempotency_key: str | None = None,
    ) -> Compared:
        """Compare what was known in two ranges: added, corrected, unchanged, faded."""

    def memory_quality(
        self,
        *,
        low_confidence_threshold: float | None = None,
        stale_decay_threshold: float | None = None,
        max_examples: int | None = None,
        idempotency_key: str | None = None,
    ) -> QualityReport:
        """Judge the graph: weak, faded, unlinked nodes, decisions without grounds, contradictions."""

    def memory_stats(self, *, idempotency_key: str | None = None) -> GraphStats:
        """Count nodes, edges, sessions and types."""

    def memory_ground(
        self,
        claim: str,
        *,
        threshold: float | None = None,
        as_of: str | None = None,
        between: list[str] | None = None,
        user_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Grounded | NeedsAnswers:
        """Check a claim against memory before you state it: verified, partial or ungrounded."""

    def memory_evidence(
        self, query: str, *, max_results: int | None = None, idempotency_key: str | None = None
    ) -> EvidenceFound:
        """Show the memories that speak of something, with their sessions, times and edges."""

    def memory_suggest(
        self, query: str, *, limit: int | None = None, idempotency_key: str | None = None
    ) -> NodesScored:
        """Find what is stored nearest to something half remembered or misspelt."""

    def memory_workspace_create(
        self, name: str, *, idempotency_key: str | None = None
    ) -> WorkspaceCreated:
        """Make a workspace in which several memory files are searched and compared together."""

    def memory_workspace_add(
        self,
        workspace_id: str,
        path: str,
        *,
        role: Literal["primary", "secondary", "reference", "archive"] | None = None,
        label: str | None = None,
        idempotency_key: str | None = None,
    ) -> ContextAdded:
        """Add a memory file (JSON lines, as `reasonloom memory export` writes) to a workspace."""

    def memory_workspace_list(
        self, workspace_id: str, *, idempotency_key: str | None = None
    ) -> ContextsListed:
        """List a workspace's memory files."""

    def memory_workspace_query(
        self,
        workspace_id: str,
        query: str,
        *,
        max_per_context: int | None = None,
        idempotency_key: str | None = None,
    ) -> WorkspaceFound:
        """Search all files of a workspace at once; the role of a file weighs in the order."""

    def memory_workspace_compare(
        self,
        workspace_id: str,
        item: str,
        *,
        max_per_context: int | None = None,
        idempotency_key: str | None = None,
    ) -> WorkspaceCompared:
        """Compare what several memory files say of a topic: agreements, differences, contradictions."""

    def memory_workspace_xref(
        self, workspace_id: str, item: str, *, idempotency_key: str | None = None
    ) -> CrossReferenced:
        """Tell which memory files of a workspace know a topic, and which do not."""

    def session_start(
        self,
        *,
        session_id: int | None = None,
        metadata: dict[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> SessionStarted:
        """Start a session, or continue an earlier one; returns what the last one left open."""

    def session_end(
        self,
        *,
        session_id: int | None = None,
        create_episode: bool | None = None,
        summary: str | None = None,
        idempotency_key: str | None = None,
    ) -> SessionEnded | NeedsAnswers:
        """End a session; what happened in it is summed up as an episode."""

    def memory_session_resume(
        self, *, limit: int | None = None, idempotency_key: str | None = None
    ) -> SessionResumed:
        """Load what to know at a conversation's start: last episode, decisions, facts, skills."""

    def history_search(
        self,
        query: str,
        *,
        project: str | None = None,
        as_of: str | None = None,
        between: list[str] | None = None,
        host: Literal["claude-code", "codex", "gemini"] | None = None,
        idempotency_key: str | None = None,
    ) -> HistoryFound:
        """Search past conversations: what was said and done, the most relevant first."""

    def history_recall(
        self, query: str, *, project: str | None = None, idempotency_key: str | None = None
    ) -> HistoryFound:
        """Recall what led to something: walks back from it and tells it in order, problem first."""

    def history_predict(
        self, context: str, *, project: str | None = None, idempotency_key: str | None = None
    ) -> HistoryFound:
        """Show what came next in the past after moments like this one."""

    def history_list_projects(self, *, idempotency_key: str | None = None) -> ProjectsListed:
        """List the projects of past conversations, with how many chunks they have and from when."""

    def history_list_sessions(
        self,
        project: str,
        *,
        from_: str | None = None,
        to: str | None = None,
        days_back: float | None = None,
        host: Literal["claude-code", "codex", "gemini"] | None = None,
        idempotency_key: str | None = None,
    ) -> SessionsListed:
        """List a project's sessions, the newest first: ids, hosts, times, chunks, tokens."""

    def history_reconstruct(
        self,
        project: str,
        *,
        session_id: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        days_back: float | None = None,
        previous_session: bool | None = None,
        current_session_id: str | None = None,
        keep_newest: bool | None = None,
        idempotency_key: str | None = None,
    ) -> Reconstructed:
        """Show what was said and done in a project in order of time: a session, a day, the last one.

        A session that does not fit is an outline; name a time for its words."""

    def history_hook_status(self, *, idempotency_key: str | None = None) -> HookStatus:
        """Tell when each hook ran last, and whether it succeeded."""

    def history_stats(self, *, idempotency_key: str | None = None) -> HistoryCounted:
        """Count the chunks, edges and clusters of past conversations, and each project's."""

    def history_forget(
        self,
        project: str,
        *,
        before: str | None = None,
        after: str | None = None,
        session_id: str | None = None,
        query: str | None = None,
        threshold: float | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
    ) -> HistoryForgotten:
        """Forget past conversations of a project by time, session or topic; shows first what it would.

        Set dry_run to false to forget. It can be undone for some days."""

    def create_model(
        self,
        name: str,
        domain: Literal["user", "self", "world", "task_specific"],
        basin_ids: list[str],
        *,
        description: str | None = None,
        prediction_templates: list[PredictionTemplate | dict[str, Any]] | None = None,
        idempotency_key: str | None = None,
    ) -> ModelCreated:
        """Create a new mental model from basins, the clusters of memories; it is active at once.

        Basin IDs: list_basins, reasonloom://basins, or the answer to an unknown one."""

    def list_models(
        self,
        *,
        domain: Literal["user", "self", "world", "task_specific"] | None = None,
        status: Literal["draft", "active", "deprecated"] | None = None,
        limit: int | None = None,
        idempotency_key: str | None = None,
    ) -> ModelsListed:
        """List mental models with optional filtering, the newest first."""

    def get_model(
        self,
        model_id: str,
        *,
        include_predictions: bool | None = None,
        include_revisions: bool | None = None,
        idempotency_key: str | None = None,
    ) -> ModelGot:
        """Get detailed information about a specific model."""

    def revise_model(
        self,
        model_id: str,
        trigger_description: str,
        *,
        add_basins: list[str] | None = None,
        remove_basins: list[str] | None = None,
        idempotency_key: str | None = None,
    ) -> ModelRevised:
        """Revise a model by hand: add basins to it or remove them, all or nothing."""

    def reason(
        self,
        text: str,
        *,
        user_id: str | None = None,
        mode: Literal[
            "auto",
            "linear",
            "tree",
            "divergent",
            "reflection",
            "backtrack",
            "got",
            "ponder",
            "analyze",
            "breakdown",
        ]
        | None = None,
        session_id: str | None = None,
        context: str | None = None,
        options: dict[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> Reasoned | NeedsAnswers:
        """Think a question through, with what memory knows; the steps are recorded.

        Modes: auto chooses; linear takes one step; tree compares approaches; divergent takes several
        perspectives; reflection improves an answer; backtrack returns to a checkpoint; got combines
        many thoughts; ponder lets four streams debate; analyze applies a framework; breakdown splits a
        task."""

    def batch_remember(
        self,
        session_id: str,
        memories: list[NewItem | dict[str, Any]],
        *,
        user_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> BatchRemembered:
        """Store up to 100 memories at once: all of them, or none where one is refused."""

    def batch_recall(
        self,
        memory_ids: list[str],
        *,
        user_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> BatchRecalled:
        """Read up to 100 memories by their ids, in the order asked for."""

    def batch_forget(
        self,
        memory_ids: list[str],
        *,
        user_id: str | None = None,
        soft: bool | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
    ) -> BatchForgotten:
        """Hide up to 100 memories, or delete them for good with soft false."""

    def export_memories(
        self,
        *,
        user_id: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        max_tokens: int | None = None,
        idempotency_key: str | None = None,
    ) -> ExportedPage:
        """Leaf through all memories in short form, oldest first.

        For a whole copy with links use the command `reasonloom memory export`."""

    def memory_health(
        self, *, user_id: str | None = None, idempotency_key: str | None = None
    ) -> HealthReport:
        """Tell how many memories there are, of which kind and age, and what needs care."""

    def consolidate_memories(
        self,
        *,
        user_id: str | None = None,
        older_than_days: int | None = None,
        min_cluster: int | None = None,
        min_similarity: float | None = None,
        max_clusters: int | None = None,
        cursor: str | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
    ) -> ConsolidationReport | NeedsAnswers:
        """Sum up old episodes that are alike: one semantic memory for each group.

        The originals stay, weakened, and the summary is linked to them as derived."""

    def prune_memories(
        self,
        *,
        user_id: str | None = None,
        max_strength: float | None = None,
        min_age_days: int | None = None,
        max_access_count: int | None = None,
        primary_sector: Literal["episodic", "semantic", "procedural", "emotional", "reflective"]
        | None = None,
        limit: int | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
    ) -> Pruned:
        """Hide memories that are weak and old and never read, all three at once.

        Without dryRun false it only tells which. Fresh or important ones are never taken."""

    def restore_memory(
        self, memory_id: str, *, user_id: str | None = None, idempotency_key: str | None = None
    ) -> Restored:
        """Bring back a memory that was hidden."""

    def memory_promote(
        self, memory_id: str, place: str, *, idempotency_key: str | None = None
    ) -> MemoryPromoted:
        """Copy a memory into a shared space; the original stays where it is."""

    def space_list(self, *, idempotency_key: str | None = None) -> SpacesListed:
        """List the spaces you can use, with your rights and who else has any."""

    def space_grant(
        self,
        place: str,
        to: str,
        rights: list[Literal["read", "write", "promote", "admin"]],
        *,
        idempotency_key: str | None = None,
    ) -> SpaceGranted:
        """Let others use a space: it replaces what they may do there.

        write and promote include read; admin includes all."""

    def space_revoke(
        self, place: str, from_: str, *, idempotency_key: str | None = None
    ) -> SpaceRevoked:
        """End what somebody may do in a space, at once."""

    def reasoning_got_run(
        self,
        problem: str,
        *,
        plan: str | dict[str, Any] | None = None,
        session_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> RunGraph | NeedsAnswers:
        """Run a plan of Graph of Thoughts operations and keep what came as a graph.

        Generate, score, keep the best, refine, aggregate, validate, repeat."""

    def reasoning_feedback(
        self,
        outcome: Literal["right", "partly_right", "wrong"],
        *,
        run_id: str | None = None,
        thought_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> FeedbackStored:
        """Report whether an answer turned out right; later confidences of its tool learn from it.

        Give the answer's run_id, or the thought_id of a stored thought. A later report replaces it."""

    def eval_compare(
        self,
        *,
        base: str | None = None,
        other: str | None = None,
        limit: int | None = None,
        idempotency_key: str | None = None,
    ) -> EvalCompared:
        """Compare two saved eval runs case by case, such as two versions of a prompt.

        By default the newest two of one suite that differ in a prompt version."""

    def predict_with_model(
        self,
        model_id: str,
        message: str,
        *,
        expires_in_hours: int | None = None,
        idempotency_key: str | None = None,
    ) -> Predicted:
        """Ask an active mental model what it predicts on a message; the prediction is kept.

        A template fires where the message is of its trigger's situation. Report the outcome later
        with resolve_prediction."""

    def resolve_prediction(
        self,
        prediction_id: str,
        *,
        observation: str | None = None,
        was_accurate: bool | None = None,
        idempotency_key: str | None = None,
    ) -> Resolved | NeedsAnswers:
        """Report the outcome of a prediction: an observation, or whether it was accurate, or both.

        An observation alone is compared with the prediction; where that decides nothing, the
        prediction stays open."""

    def list_basins(
        self,
        *,
        limit: int | None = None,
        memories: int | None = None,
        idempotency_key: str | None = None,
    ) -> BasinsListed:
        """List basins, the clusters of memories that mental models are made of, the largest first."""

    def propose_models(
        self,
        *,
        limit: int | None = None,
        keep_drafts: bool | None = None,
        idempotency_key: str | None = None,
    ) -> Proposals:
        """Propose mental models from dense basins, and revisions where predictions keep failing.

        Nothing changes; with keep_drafts the proposed models are kept as drafts, to be activated."""

    def activate_model(
        self,
        model_id: str,
        *,
        status: Literal["active", "deprecated"] | None = None,
        idempotency_key: str | None = None,
    ) -> Activated:
        """Make a mental model active, or deprecate it: only active ones predict.

        Drafts and deprecated models can be made active, active ones deprecated."""
