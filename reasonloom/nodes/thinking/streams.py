"""The four streams of thinking, as data."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Stream:
    """One style of thinking: instruction and questions for the language model."""

    name: str
    instruction: str
    questions: tuple[str, ...]


STREAMS: Mapping[str, Stream] = MappingProxyType(
    {
        each.name: each
        for each in (
            Stream(
                "analytical",
                "Take the problem apart, tell causes from symptoms, and conclude only what the "
                "facts and figures given carry. Reckon where there is something to reckon.",
                (
                    "What is known, and what follows from it?",
                    "Which cause or quantity decides?",
                    "What would have to be measured?",
                ),
            ),
            Stream(
                "creative",
                "Find options that are not on the table: see the problem otherwise, borrow from "
                "other fields, combine, leave out. Say of each how it would be done here.",
                (
                    "Which assumption can be dropped?",
                    "Who has solved a problem of this shape elsewhere?",
                    "What is the smallest thing that would change the picture?",
                ),
            ),
            Stream(
                "critical",
                "Doubt: look for what is assumed, what is missing, how each option fails, and "
                "whom it harms. A doubt without a reason in this problem does not count.",
                (
                    "What must be true for this to work, and is it?",
                    "What speaks against it?",
                    "How would it fail first?",
                ),
            ),
            Stream(
                "synthetic",
                "See the whole: how the parts, people and goals bear on each other, what follows "
                "later, and which way serves most of it at once. Name what is given up.",
                (
                    "What depends on what?",
                    "What are the effects of the effects?",
                    "Which way serves several goals, and at what price?",
                ),
            ),
        )
    }
)
"""The streams by name, in order of presentation."""
