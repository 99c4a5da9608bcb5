"""What goes beyond the reference of mental models: tools of `extras`, in that reference's form."""

from reasonloom import __version__
from reasonloom.contracts import model_extras
from reasonloom.server.forms.coded import CODED
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
            model_extras.PredictWithModel,
            model_extras.Predicted,
            "predict_with_model",
            Effect.ADDS,
        ),
        ToolLine(
            "resolve_prediction",
            "Tell what came of it",
            model_extras.ResolvePrediction,
            model_extras.Resolved,
            "resolve_prediction",
            Effect.CHANGES,
            open_world=True,
        ),
        ToolLine(
            "list_basins",
            "List basins",
            model_extras.ListBasins,
            model_extras.BasinsListed,
            "list_basins",
            Effect.READS,
        ),
        ToolLine(
            "propose_models",
            "Propose mental models",
            model_extras.ProposeModels,
            model_extras.Proposals,
            "propose_models",
            Effect.ADDS,
        ),
        ToolLine(
            "activate_model",
            "Activate a mental model",
            model_extras.ActivateModel,
            model_extras.Activated,
            "activate_model",
            Effect.CHANGES,
        ),
    ),
)
