"""What goes beyond the reference of mental models: tools of `extras`, in that reference's form."""

from reasonloom import __version__
from reasonloom.contracts.mental_models import extras
from reasonloom.server.envelopes.coded import CODED
from reasonloom.server.toolsets.toolset import Effect, ToolLine, Toolset

TOOLSET = Toolset(
    name="extras",
    reference="reasonloom",
    version=__version__,
    form=CODED,
    tools=(
        ToolLine(
            "predict_with_model",
            "Predict with a mental model",
            extras.PredictWithModel,
            extras.Predicted,
            "predict_with_model",
            Effect.ADDS,
        ),
        ToolLine(
            "resolve_prediction",
            "Tell what came of it",
            extras.ResolvePrediction,
            extras.Resolved,
            "resolve_prediction",
            Effect.CHANGES,
            open_world=True,
        ),
        ToolLine(
            "list_basins",
            "List basins",
            extras.ListBasins,
            extras.BasinsListed,
            "list_basins",
            Effect.READS,
        ),
        ToolLine(
            "propose_models",
            "Propose mental models",
            extras.ProposeModels,
            extras.Proposals,
            "propose_models",
            Effect.ADDS,
        ),
        ToolLine(
            "activate_model",
            "Activate a mental model",
            extras.ActivateModel,
            extras.Activated,
            "activate_model",
            Effect.CHANGES,
        ),
    ),
)
