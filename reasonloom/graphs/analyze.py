"""Analysing: choose a framework, work through its steps wave by wave, conclude, check, keep."""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

from reasonloom.contracts.thinking.analyze import Analyze
from reasonloom.graphs.graph import Graph
from reasonloom.nodes.loom import Execution
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


def first_wave(state: AnalysisState, runtime: Runtime[Execution]) -> list[Send] | str:
    """Begin the steps that need no other; without a language model all of them are one."""
    return "read_given" if runtime.context.loom.llm.offline else dispatch_wave(state)


def build() -> StateGraph[Any, Execution, Any, Any]:
    """Return the wiring of analysing: one for all frameworks."""
    graph = StateGraph(AnalysisState, context_schema=Execution)
    graph.add_node("begin_analysis", begin_analysis)
    graph.add_node("select_framework", select_framework)
    graph.add_node("read_given", run_offline)
    graph.add_node("take_step", run_step)
    graph.add_node("take_stock", finish_wave)
    graph.add_node("conclude", conclude)
    graph.add_node("check_conclusion", check_conclusion)
    graph.add_node("keep_analysis", persist_analysis)
    graph.add_edge(START, "begin_analysis")
    graph.add_edge("begin_analysis", "select_framework")
    graph.add_conditional_edges("select_framework", first_wave, ["read_given", "take_step"])
    graph.add_edge("take_step", "take_stock")
    graph.add_conditional_edges("take_stock", after_wave, ["take_step", "conclude"])
    graph.add_edge("read_given", "conclude")
    graph.add_conditional_edges("conclude", dispatch_checks, ["check_conclusion", "keep_analysis"])
    graph.add_edge("check_conclusion", "keep_analysis")
    graph.add_edge("keep_analysis", END)
    return graph


NODES = 8
"""Nodes of the wiring."""


def more_steps(request: dict[str, Any]) -> int | None:
    """Return the further steps; None where the framework is yet to be chosen."""
    analyze = Analyze.model_validate(request)
    if analyze.preferred_framework is None:
        return None
    framework = FRAMEWORKS[analyze.preferred_framework]
    checked = bool(analyze.context and analyze.context.constraints)
    return 4 + len(framework.steps) + len(framework.waves) + checked - NODES


GRAPH = Graph(
    "analyze",
    1,
    build,
    saved=True,
    writes=True,
    components=("frameworkSelector", "systematicAnalyzer", "memoryRepository", "embeddingEngine"),
    of_llm=("languageModel",),
    more_steps=more_steps,
    words={
        "begin_analysis": "recall",
        "read_given": "look through what is given",
        "take_step": "work through steps",
        "take_stock": "take in what came",
        "check_conclusion": "check constraints",
    },
)
"""The steps of a wave are tasks of one step: those that have ended are not taken again."""
