"""The `mental_models` toolset (reference: the published contract of mental models, 1.0.0)."""

from reasonloom.contracts import mental_models
from reasonloom.server.forms.coded import CODED
from reasonloom.server.toolsets.toolset import Effect, ToolLine, Toolset

TOOLSET = Toolset(
    name="mental_models",
    reference="mental-models",
    version="1.0.0",
    form=CODED,
    advice=(
        "Mental models stand on clusters of memories: {list_models}, {get_model}; "
        "{revise_model} changes one.",
    ),
    tools=(
        ToolLine(
            "create_model",
            "Create a mental model",
            mental_models.CreateModel,
            mental_models.ModelCreated,
            "create_model",
            Effect.ADDS,
        ),
        ToolLine(
            "list_models",
            "List mental models",
            mental_models.ListModels,
            mental_models.ModelsListed,
            "list_models",
            Effect.READS,
        ),
        ToolLine(
            "get_model",
            "Show a mental model",
            mental_models.GetModel,
            mental_models.ModelGot,
            "get_model",
            Effect.READS,
        ),
        ToolLine(
            "revise_model",
            "Revise a mental model",
            mental_models.ReviseModel,
            mental_models.ModelRevised,
            "revise_model",
            Effect.CHANGES,
        ),
    ),
)
