"""The graph of `analyze`: select a framework, run its steps in waves, conclude, check."""

from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Send

from reasonloom.contracts.thinking.analyze import Analyze
from reasonloom.graphs.graph import Graph, by_name, wiring
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.thinking.analyze.answer import persist_analysis
from reasonloom.nodes.thinking.analyze.conclusion import conclude, dispatch_checks
from reasonloom.nodes.thinking.analyze.frameworks.catalog import FRAMEWORKS
from reasonloom.nodes.thinking.analyze.selection import begin_analysis, select_framework
from reasonloom.nodes.thinking.analyze.state import AnalysisState
from reasonloom.nodes.thinking.analyze.steps import (
    after_wave,
    dispatch_wave,
    finish_wave,
    run_offline,
    run_step,
)
from reasonloom.nodes.thinking.quality import check_conclusion

NODES = 8
"""Number of nodes in the graph."""


def _first_wave(state: AnalysisState, runtime: Runtime[Execution]) -> list[Send] | str:
    """Start the steps without dependencies; without a language model, one node runs them all."""
    return "read_given" if runtime.context.loom.llm.offline else dispatch_wave(state)


def more_steps(request: dict[str, Any]) -> int | None:
    """Return the number of additional steps; None if the framework is yet to be selected."""
    analyze = Analyze.model_validate(request)
    if analyze.preferred_framework is None:
        return None
    framework = FRAMEWORKS[analyze.preferred_framework]
    checked = bool(analyze.context and analyze.context.constraints)
    return 4 + len(framework.steps) + len(framework.waves) + checked - NODES


def _rounds(request: dict[str, Any]) -> int:
    """Return the rounds: framework selection, one per wave, the conclusion, and any check."""
    analyze = Analyze.model_validate(request)
    named = analyze.preferred_framework
    frameworks = [FRAMEWORKS[named]] if named else [*FRAMEWORKS.values()]
    checked = bool(analyze.context and analyze.context.constraints)
    return 2 + max(len(each.waves) for each in frameworks) + checked


GRAPHS = by_name(
    Graph(
        "analyze",
        1,
        wiring(
            AnalysisState,
            {
                "begin_analysis": begin_analysis,
                "select_framework": select_framework,
                "read_given": run_offline,
                "take_step": run_step,
                "take_stock": finish_wave,
                "conclude": conclude,
                "check_conclusion": check_conclusion,
                "keep_analysis": persist_analysis,
            },
            routes={
                "select_framework": (_first_wave, ["read_given", "take_step"]),
                "read_given": "conclude",
                "take_stock": (after_wave, ["take_step", "conclude"]),
                "conclude": (dispatch_checks, ["check_conclusion", "keep_analysis"]),
            },
        ),
        saved=True,
        rounds=_rounds,
        writes=True,
        components=(
            "frameworkSelector", "systematicAnalyzer", "memoryRepository", "embeddingEngine",
        ),
        of_llm=("languageModel",),
        more_steps=more_steps,
        words={
            "begin_analysis": "recall",
            "read_given": "look through what is given",
            "take_step": "work through steps",
            "take_stock": "read the replies",
            "check_conclusion": "check constraints",
        },
    )
)  # fmt: skip
"""The steps of a wave are parallel tasks of one step; after a kill, they are run again from their
recorded replies."""
