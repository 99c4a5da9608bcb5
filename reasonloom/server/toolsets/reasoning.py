"""The `reasoning` toolset (reference: mcp-langbase-reasoning)."""

from reasonloom.contracts.reasoning import LinearThought, ReasoningLinear
from reasonloom.server.forms.plain import PLAIN
from reasonloom.server.toolsets.toolset import Effect, ToolLine, Toolset

TOOLSET = Toolset(
    name="reasoning",
    reference="mcp-langbase-reasoning",
    version="0.1.0",
    form=PLAIN,
    tools=(
        ToolLine(
            "reasoning_linear",
            "Linear reasoning",
            ReasoningLinear,
            LinearThought,
            "linear",
            Effect.ADDS,
            open_world=True,
        ),
    ),
)
