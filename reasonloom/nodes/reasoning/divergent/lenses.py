"""The lenses of divergent reasoning: ways to look at a problem, used in this order."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lens:
    """A way to look at a problem: the language model's instruction, and the offline question."""

    name: str
    instruction: str
    question: str


LENSES = (
    Lens(
        "inversion",
        "Turn the problem round: work out what would surely bring about the opposite, and "
        "conclude from that what to do and what to leave.",
        "What would surely bring about the opposite, and is any of it being done?",
    ),
    Lens(
        "analogy",
        "Find a field far from this one that has solved a problem of the same structure, and "
        "carry its solution over. Say where the likeness ends.",
        "Which far-off field has solved a problem of the same structure, and how?",
    ),
    Lens(
        "constraint removal",
        "Take away the limit that everybody takes for granted, solve the problem without it, and "
        "see what of the solution survives when the limit returns.",
        "Which limit is taken for granted, and what would be done without it?",
    ),
    Lens(
        "stakeholder",
        "Take the side of the person who is affected most and asked least. Say what they would "
        "count as solved.",
        "Who is affected most and asked least, and what would they call solved?",
    ),
    Lens(
        "first principles",
        "Forget how it is usually done. Name the few facts that cannot be otherwise, and build "
        "the solution from them alone.",
        "Which few facts cannot be otherwise, and what follows from them alone?",
    ),
    Lens(
        "worst case",
        "Assume that the obvious solution was tried and failed badly. Tell how it failed, and "
        "what would have held.",
        "If the obvious solution has failed badly, how did it, and what would have held?",
    ),
    Lens(
        "time shift",
        "Look back at the problem from ten years later, then at it as it stood ten years ago. Say "
        "what matters in both views.",
        "What of this will matter in ten years, and what of it mattered ten years ago?",
    ),
    Lens(
        "scale",
        "Make the problem a thousand times larger, then a thousand times smaller. Say what has "
        "to change, and what that shows of the problem as it is.",
        "What would have to change were it a thousand times larger or smaller?",
    ),
    Lens(
        "combination",
        "Join two half-solutions that are usually kept apart into one that needs both.",
        "Which two half-solutions, usually kept apart, would make one whole?",
    ),
    Lens(
        "outsider",
        "Look as somebody who knows nothing of the field and asks the naive question. Take that "
        "question seriously.",
        "What would somebody ask who knows nothing of the field?",
    ),
)
