"""The `thought` toolset (reference: ThoughtMCP)."""

from reasonloom.contracts.memory import (
    Forget,
    Forgotten,
    Recall,
    Recalled,
    Remember,
    Remembered,
    Search,
    SearchResult,
    UpdatedMemory,
    UpdateMemory,
)
from reasonloom.server.forms.thought import THOUGHT
from reasonloom.server.toolsets.toolset import Effect, ToolLine, Toolset

TOOLSET = Toolset(
    name="thought",
    reference="thoughtmcp",
    version="0.5.0",
    form=THOUGHT,
    tools=(
        ToolLine("remember", "Remember", Remember, Remembered, "remember", Effect.ADDS),
        ToolLine("recall", "Recall", Recall, Recalled, "recall", Effect.READS),
        ToolLine(
            "update_memory",
            "Update memory",
            UpdateMemory,
            UpdatedMemory,
            "update_memory",
            Effect.CHANGES,
        ),
        ToolLine("forget", "Forget", Forget, Forgotten, "forget", Effect.DESTROYS),
        ToolLine("search", "Search", Search, SearchResult, "search", Effect.READS),
    ),
)
