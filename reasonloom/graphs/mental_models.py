"""The graphs of the mental model and basin tools."""

from reasonloom.graphs.graph import Graph, by_name, one_node, wiring
from reasonloom.nodes.mental_models.basins.cluster_memories import cluster_memories
from reasonloom.nodes.mental_models.basins.list_basins import list_basins
from reasonloom.nodes.mental_models.create import create_model
from reasonloom.nodes.mental_models.predict import predict_with_model
from reasonloom.nodes.mental_models.propose import propose_models
from reasonloom.nodes.mental_models.read import get_model, list_models
from reasonloom.nodes.mental_models.resolve import resolve_prediction
from reasonloom.nodes.mental_models.revise import activate_model, revise_model
from reasonloom.nodes.state import ToolState

GRAPHS = by_name(
    one_node("activate_model", activate_model, writes=True),
    one_node("create_model", create_model, writes=True),
    one_node("get_model", get_model),
    one_node("list_basins", list_basins),
    one_node("list_models", list_models),
    one_node("predict_with_model", predict_with_model, writes=True),
    one_node("propose_models", propose_models, writes=True),
    one_node("revise_model", revise_model, writes=True),
    Graph(
        "cluster_memories",
        1,
        wiring(ToolState, {"cluster_memories": cluster_memories}),
        saved=True,
        saved_offline=False,
        writes=True,
        components=("memoryRepository", "embeddingEngine"),
    ),
    Graph(
        "resolve_prediction",
        1,
        wiring(ToolState, {"resolve_prediction": resolve_prediction}),
        saved=True,
        calls_llm=lambda request: request.get("was_accurate") is None,
        rounds=lambda request: 1,
        saved_offline=False,
        writes=True,
    ),
)
