"""One request and one answer for all modes of reasoning."""

from typing import Annotated, Any, Literal

from pydantic import Field

from reasonloom.contracts.base import CamelAnswer, CamelRequest, Content, Kind, Name
from reasonloom.contracts.brief import Brief
from reasonloom.contracts.space import SpacedRequest

Mode = Literal[
    "auto", "linear", "tree", "divergent", "reflection", "backtrack", "got", "ponder", "analyze",
    "breakdown",
]  # fmt: skip


class Reason(SpacedRequest, CamelRequest):
    """Think a question through, with what memory knows; the steps are recorded.

    Modes: auto chooses; linear takes one step; tree compares approaches; divergent takes several
    perspectives; reflection improves an answer; backtrack returns to a checkpoint; got combines
    many thoughts; ponder lets four streams debate; analyze applies a framework; breakdown splits a
    task.
    """

    text: Annotated[Content, Field(description="The question, task, or answer to improve")]
    mode: Mode = "auto"
    session_id: Annotated[Name | None, Field(description="Session to continue")] = None
    context: Annotated[Content | None, Field(description="What is known about it")] = None
    options: Annotated[
        dict[str, Any] | None,
        Field(
            description="Of the mode: maxBranches (tree), numPerspectives, constraints "
            "(divergent), question, maxIterations (reflection), checkpointId (backtrack), plan "
            "(got), timeout (ponder), preferredFramework (analyze), maxDepth (breakdown)"
        ),
    ] = None


class ReasonedPart(CamelAnswer):
    """A step, or an alternative to the conclusion; `confidence` is in 0..1."""

    brief = Brief(main="text", text=("label", "confidence", "id"), gist=("text",))

    text: str
    label: str | None = None
    id: str | None = None
    confidence: float | None = None


class Reasoned(CamelAnswer):
    """What a mode concluded.

    `mode` is the one that was run. `because` says why it was chosen, if it was not named. `steps`
    lead to the conclusion, `alternatives` are other views. `kind` marks an open question, where
    no language model answered.
    """

    brief = Brief(
        main="conclusion",
        text=(
            "mode", "confidence", "because", "steps", "alternatives", "partial", "suggestion",
            "kind", "session_id", "run_id",
        ),
        gist=("because",),
    )  # fmt: skip

    mode: str
    conclusion: str
    run_id: str
    confidence: float | None = None
    because: str | None = None
    steps: list[ReasonedPart] | None = None
    alternatives: list[ReasonedPart] | None = None
    partial: bool | None = None
    suggestion: str | None = None
    kind: Kind | None = None
    session_id: str | None = None
    thought_id: str | None = None
