"""The `mental_models` toolset (reference: the published contract of mental models, 1.0.0)."""

from reasonloom.contracts.mental_models import models
from reasonloom.server.envelopes.coded import CODED
from reasonloom.server.toolsets.toolset import Toolset, adds, changes, reads

TOOLSET = Toolset(
    name="mental_models",
    reference="mental-models",
    version="1.0.0",
    envelope=CODED,
    advice=(
        "Mental models stand on clusters of memories: {list_models}, {get_model}; "
        "{revise_model} changes one.",
    ),
    tools=(
        adds("create_model", "Create a mental model", models.CreateModel, models.ModelCreated),
        reads("list_models", "List mental models", models.ListModels, models.ModelsListed),
        reads("get_model", "Show a mental model", models.GetModel, models.ModelGot),
        changes("revise_model", "Revise a mental model", models.ReviseModel, models.ModelRevised),
    ),
)
