"""The graph that checks a claim: gather evidence, query the judges in parallel, answer."""

from reasonloom.graphs.graph import Graph, by_name, wiring
from reasonloom.nodes.graph_memory.ground import (
    VERDICT_NODE,
    answer_verdict,
    ask_judge,
    gather_evidence,
    plan_votes,
)
from reasonloom.nodes.graph_memory.grounding.judges import GroundState

GRAPHS = by_name(
    Graph(
        "memory_ground",
        1,
        wiring(
            GroundState,
            {"gather": gather_evidence, "look": ask_judge, VERDICT_NODE: answer_verdict},
            routes={"gather": (plan_votes, ["look", VERDICT_NODE])},
        ),
        saved=True,
        rounds=lambda request: 1,
        saved_offline=False,
        words={
            "gather": "find neighbours",
            "look": "look through lenses",
            VERDICT_NODE: "return the verdict",
        },
    )
)
