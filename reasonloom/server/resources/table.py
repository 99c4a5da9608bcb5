"""Every kind of resource, in the order of listings."""

from reasonloom.server.resources.kind import Kind

KINDS = (
    Kind(
        name="session",
        title="A session of reasoning",
        description="Branches, thoughts and checkpoints of one session, drawn and in words.",
        toolset="reasoning",
        module="sessions",
    ),
    Kind(
        name="graph",
        title="A Graph of Thoughts",
        description="Nodes and edges of one graph with scores and checks, drawn and in words.",
        toolset="reasoning",
        module="thought_graph",
    ),
    Kind(
        name="model",
        title="A mental model",
        description=(
            "Basins, templates, predictions and revisions of one model, drawn and in words."
        ),
        toolset="mental_models",
        module="mental_models",
    ),
    Kind(
        name="basins",
        title="Basins, the clusters of memories",
        description="What the memories are about, how that hangs together, and the ids for models.",
        toolset="mental_models",
        module="mental_models",
        single=True,
    ),
    Kind(
        name="thought",
        title="A thought",
        description="What one step of a session concluded, and the line that led to it, drawn.",
        toolset="reasoning",
        module="sessions",
    ),
    Kind(
        name="memory",
        title="A memory",
        description="What one memory says, where it comes from, and what it is linked to, drawn.",
        toolset="all",
        module="memory",
    ),
    Kind(
        name="run",
        title="A run of a tool",
        description=(
            "What went into a call of a tool, what it asked, and what came out, as JSON too."
        ),
        toolset="all",
        module="runs",
        has_json=True,
    ),
)
