"""The graphs of the branch, checkpoint, evaluation and feedback tools."""

from reasonloom.graphs.graph import Graph, by_name, one_node, wiring
from reasonloom.nodes.reasoning.branches import (
    checkpoint_create,
    checkpoint_list,
    tree_complete,
    tree_focus,
    tree_list,
)
from reasonloom.nodes.reasoning.reflection.evaluate import (
    EvaluationState,
    hear_opinion,
    measure_session,
    render_evaluation,
)
from reasonloom.nodes.runs.feedback import store_feedback

GRAPHS = by_name(
    one_node("checkpoint_create", checkpoint_create, writes=True),
    one_node("checkpoint_list", checkpoint_list),
    one_node("feedback", store_feedback, writes=True),
    one_node("tree_complete", tree_complete, writes=True),
    one_node("tree_focus", tree_focus, writes=True),
    one_node("tree_list", tree_list),
    Graph(
        "reflection_evaluate",
        1,
        wiring(
            EvaluationState,
            {
                "measure_session": measure_session,
                "hear_opinion": hear_opinion,
                "tell_evaluation": render_evaluation,
            },
        ),
        saved=True,
        rounds=lambda request: 1,
        writes=True,
    ),
)
