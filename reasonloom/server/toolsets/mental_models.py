"""The `mental_models` toolset (reference: the published contract of mental models, 1.0.0)."""

from reasonloom.contracts.mental_models import models
from reasonloom.server.envelopes.coded import CODED
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
            models.CreateModel,
            models.ModelCreated,
            "create_model",
            Effect.ADDS,
        ),
        ToolLine(
            "list_models",
            "List mental models",
            models.ListModels,
            models.ModelsListed,
            "list_models",
            Effect.READS,
        ),
        ToolLine(
            "get_model",
            "Show a mental model",
            models.GetModel,
            models.ModelGot,
            "get_model",
            Effect.READS,
        ),
        ToolLine(
            "revise_model",
            "Revise a mental model",
            models.ReviseModel,
            models.ModelRevised,
            "revise_model",
            Effect.CHANGES,
        ),
    ),
)
