"""All kinds of resources, in listing order."""

from reasonloom.server.resources.kind import Kind

KINDS = (
    Kind("session", "A session of reasoning",
         "Branches, thoughts and checkpoints of one session, drawn and in words.", "reasoning",
         "sessions"),
    Kind("graph", "A Graph of Thoughts",
         "Nodes and edges of one graph with scores and checks, drawn and in words.", "reasoning",
         "thought_graph"),
    Kind("model", "A mental model",
         "Basins, templates, predictions and revisions of one model, drawn and in words.",
         "mental_models", "mental_models"),
    Kind("basins", "Basins, the clusters of memories",
         "What the memories are about, how that hangs together, and the ids for models.",
         "mental_models", "mental_models", single=True),
    Kind("thought", "A thought",
         "What one step of a session concluded, and the line that led to it, drawn.", "reasoning",
         "sessions"),
    Kind("memory", "A memory",
         "What one memory says, where it comes from, and what it is linked to, drawn.", "all",
         "memory"),
    Kind("run", "A run of a tool",
         "What went into a call of a tool, what it asked, and what came out, as JSON too.", "all",
         "runs", has_json=True),
)  # fmt: skip
