"""The `thought` toolset (reference: ThoughtMCP)."""

from reasonloom.contracts.memory.tools import (
    ExplainedRecall,
    ExplainedSearch,
    Forget,
    Forgotten,
    Recall,
    Recalled,
    Remember,
    Remembered,
    Search,
    SearchResult,
    UpdatedMemory,
    UpdateMemory,
)
from reasonloom.contracts.metacognition import (
    AssessConfidence,
    BiasesDetected,
    ConfidenceAssessed,
    DetectBias,
    DetectEmotion,
    EmotionDetected,
    Evaluate,
    Evaluated,
)
from reasonloom.contracts.thinking.analyze import Analyze, Analyzed
from reasonloom.contracts.thinking.breakdown import Breakdown, BrokenDown
from reasonloom.contracts.thinking.think import Ponder, Pondered, Think, Thinking
from reasonloom.server.envelopes.thought import THOUGHT
from reasonloom.server.toolsets.toolset import Effect, ToolLine, Toolset

TOOLSET = Toolset(
    name="thought",
    reference="thoughtmcp",
    version="0.5.0",
    form=THOUGHT,
    advice=(
        "Store what should last with {remember}; look it up with {recall}, exact words with "
        "{search}.",
        "{think} thinks one problem through; {ponder} lets four streams of thought exchange.",
        "{breakdown} divides a task into ordered parts; {analyze} applies a framework.",
        "Check a text before relying on it: {assess_confidence}, {detect_bias}, {evaluate}.",
    ),
    tools=(
        ToolLine("remember", "Remember", Remember, Remembered, "remember", Effect.ADDS),
        ToolLine(
            "recall",
            "Recall",
            ExplainedRecall,
            Recalled,
            "recall",
            Effect.READS,
            reference_request=Recall,
        ),
        ToolLine(
            "update_memory",
            "Update memory",
            UpdateMemory,
            UpdatedMemory,
            "update_memory",
            Effect.CHANGES,
        ),
        ToolLine("forget", "Forget", Forget, Forgotten, "forget", Effect.DESTROYS),
        ToolLine(
            "search",
            "Search",
            ExplainedSearch,
            SearchResult,
            "search",
            Effect.READS,
            reference_request=Search,
        ),
        ToolLine("think", "Think", Think, Thinking, "think", Effect.ADDS, open_world=True),
        ToolLine("analyze", "Analyze", Analyze, Analyzed, "analyze", Effect.ADDS, open_world=True),
        ToolLine("ponder", "Ponder", Ponder, Pondered, "ponder", Effect.ADDS, open_world=True),
        ToolLine(
            "breakdown",
            "Break down",
            Breakdown,
            BrokenDown,
            "breakdown",
            Effect.ADDS,
            open_world=True,
        ),
        ToolLine(
            "assess_confidence",
            "Assess confidence",
            AssessConfidence,
            ConfidenceAssessed,
            "assess_confidence",
            Effect.READS,
            open_world=True,
        ),
        ToolLine(
            "detect_bias",
            "Detect biases",
            DetectBias,
            BiasesDetected,
            "detect_bias",
            Effect.READS,
            open_world=True,
        ),
        ToolLine(
            "detect_emotion",
            "Detect emotions",
            DetectEmotion,
            EmotionDetected,
            "detect_emotion",
            Effect.READS,
            open_world=True,
        ),
        ToolLine(
            "evaluate",
            "Evaluate reasoning",
            Evaluate,
            Evaluated,
            "evaluate",
            Effect.READS,
            open_world=True,
        ),
    ),
)
