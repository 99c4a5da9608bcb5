"""The lenses of the language model: viewpoints from which each judges the same text."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from reasonloom.nodes.metacognition.state import PartName

JUDGES: Mapping[PartName, Mapping[str, str]] = MappingProxyType(
    {
        "bias": MappingProxyType(
            {
                "auditor": "You trace what each judgement in the text rests on: what was looked "
                "at, what was left out, and what should have weighed more.",
                "opponent": "You would decide otherwise than the writer. Look for the place where "
                "the judgement follows from something that should not bear on it.",
                "advocate": "You take the writer's side: a sensible person may have reasons that "
                "go unsaid. Name a bias only where the words leave no other reading.",
            }
        ),
        "confidence": MappingProxyType(
            {
                "auditor": "You check what each claim is backed by, and whether the evidence is "
                "of the kind that could show it.",
                "opponent": "You look for what would have to be true for the conclusion to be "
                "wrong, and whether the text has ruled that out.",
                "forecaster": "You would have to bet on the conclusion: how often do conclusions "
                "with such backing turn out to be right?",
            }
        ),
        "quality": MappingProxyType(
            {
                "logician": "You follow the steps: does each follow from what stands before it, "
                "do any two clash, is a needed one missing, do the figures add up?",
                "auditor": "You weigh the support: is what is given true to the matter, enough, "
                "and does it bear on what is claimed?",
                "opponent": "You argue the other side: which explanation, case or cost is left "
                "out that a fair judge would ask for?",
            }
        ),
        "emotion": MappingProxyType(
            {
                "words": "You read the words and their tone, irony and denials included.",
                "situation": "You ask what has happened to the person and what it means to "
                "them, whatever they call it.",
                "body": "You attend to what the person does and what the body does.",
            }
        ),
    }
)

LLM_SHARE = 0.75
"""Weight of the lenses for a bias or emotion that the classifier has also scored."""

MOST_ITEMS = 10
HIGH, MODERATE = 0.66, 0.33


def band_of(score: float) -> str:
    """Return the name of a score's band."""
    if score >= HIGH:
        return "high"
    return "moderate" if score >= MODERATE else "low"


def distinct_texts(texts: Iterable[str]) -> list[str]:
    """Return up to `MOST_ITEMS` texts in order, without duplicates that differ only in case."""
    kept = {text.strip().casefold(): text.strip() for text in reversed(list(texts))}
    return list(reversed(kept.values()))[:MOST_ITEMS]
