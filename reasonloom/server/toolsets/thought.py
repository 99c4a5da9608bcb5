"""The `thought` toolset (reference: ThoughtMCP)."""

from dataclasses import replace

from reasonloom.contracts.memory.recall import (
    ExplainedRecall,
    ExplainedSearch,
    Recall,
    Recalled,
    Search,
    SearchResult,
)
from reasonloom.contracts.memory.tools import (
    Forget,
    Forgotten,
    OwnersForget,
    OwnersUpdateMemory,
    Remember,
    Remembered,
    SupersedingRemember,
    UpdatedMemory,
    UpdateMemory,
)
from reasonloom.contracts.metacognition import (
    AssessConfidence,
    BiasesDetected,
    BiasesJudged,
    ConfidenceAssessed,
    DetectBias,
    DetectEmotion,
    EmotionDetected,
    Evaluate,
    Evaluated,
    Judged,
)
from reasonloom.contracts.thinking.analyze import Analyze, Analyzed, SpacedAnalyze
from reasonloom.contracts.thinking.breakdown import Breakdown, BrokenDown, SpacedBreakdown
from reasonloom.contracts.thinking.think import (
    Deliberated,
    Ponder,
    Pondered,
    SpacedPonder,
    SpacedThink,
    Think,
    Thinking,
)
from reasonloom.server.envelopes.thought import THOUGHT
from reasonloom.server.toolsets.open_pairs import replaced_pair, settled_replacement
from reasonloom.server.toolsets.toolset import Toolset, adds, changes, destroys, reads

TOOLSET = Toolset(
    name="thought",
    reference="thoughtmcp",
    version="0.5.0",
    envelope=THOUGHT,
    advice=(
        "Store what should last with {remember}; look it up with {recall}, exact words with "
        "{search}.",
        "{think} thinks one problem through; {ponder} lets four streams of thought exchange.",
        "{breakdown} divides a task into ordered parts; {analyze} applies a framework.",
        "Check a text before relying on it: {assess_confidence}, {detect_bias}, {evaluate}.",
    ),
    tools=(
        replace(adds("remember", "Remember", SupersedingRemember, Remembered, reference=Remember),
                unsettled=replaced_pair, settled=settled_replacement),
        reads("recall", "Recall", ExplainedRecall, Recalled, reference=Recall),
        changes("update_memory", "Update memory", OwnersUpdateMemory, UpdatedMemory,
                reference=UpdateMemory),
        destroys("forget", "Forget", OwnersForget, Forgotten, reference=Forget),
        reads("search", "Search", ExplainedSearch, SearchResult, reference=Search),
        adds("think", "Think", SpacedThink, Thinking, asks_llm=True, reference=Think),
        adds("analyze", "Analyze", SpacedAnalyze, Analyzed, asks_llm=True, reference=Analyze),
        replace(
            adds("ponder", "Ponder", SpacedPonder, Deliberated, asks_llm=True, reference=Ponder),
            graph="deliberate", reference_answer=Pondered, reference_graph="ponder",
        ),
        adds("breakdown", "Break down", SpacedBreakdown, BrokenDown, asks_llm=True,
             reference=Breakdown),
        reads("assess_confidence", "Assess confidence", AssessConfidence, ConfidenceAssessed,
              asks_llm=True),
        reads("detect_bias", "Detect biases", DetectBias, BiasesJudged, asks_llm=True,
              reference_answer=BiasesDetected),
        reads("detect_emotion", "Detect emotions", DetectEmotion, EmotionDetected, asks_llm=True),
        reads("evaluate", "Evaluate reasoning", Evaluate, Judged, asks_llm=True,
              reference_answer=Evaluated),
    ),
)  # fmt: skip
