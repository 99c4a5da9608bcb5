"""Parses a text as an argument: its claims, its grounds and its hedges."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from reasonloom.contracts.metacognition import Claim
from reasonloom.nodes.metacognition.spans import Sentence
from reasonloom.nodes.similarity import Similarity
from reasonloom.text.words import words_in

CONCLUDES = re.compile(
    r"\b(?:so|therefore|thus|hence|consequently|accordingly|it follows|which (?:means|shows|proves)"
    r"|this (?:means|shows|proves|is why)|that(?:'s| is) why|should|must|ought to|will|is going to"
    r"|proves?|shows? that|conclude|recommend|propose|seems? to be|is the (?:cause|reason|best))\b",
    re.I,
)
GROUNDS = re.compile(
    r"\b(?:because|since|as|given that|due to|owing to|for|after|measured|counted|tested|found"
    r"|recorded|observed|reported|according to|records?|results?|data|sample|survey|log|shows?)\b",
    re.I,
)
HEDGES = re.compile(
    r"\b(?:may|might|could|can|perhaps|possibly|probably|likely|seems?|appears?|suggests?|about"
    r"|roughly|around|at least|at most|in (?:most|some) cases|as far as|unless|until|so far"
    r"|i (?:think|guess|suppose)|not (?:sure|certain|clear))\b",
    re.I,
)
ABSOLUTES = re.compile(
    r"\b(?:always|never|certain(?:ly)?|undoubtedly|(?:no|without) (?:a )?doubt|obvious(?:ly)?"
    r"|clearly|plainly|definitely|guaranteed?|impossible|cannot (?:fail|be wrong|be otherwise)"
    r"|everyone|everybody|nobody|no one|all|every|any|proves?|beyond (?:doubt|dispute|question)"
    r"|of course|entirely|completely|without exception|once and for all)\b",
    re.I,
)
OTHER_SIDE = re.compile(
    r"\b(?:but|however|although|though|whereas|while|yet|on the other hand|alternatively|instead"
    r"|unless|except|despite|other (?:cause|reason|explanation|way)s?|ruled? out|either|neither"
    r"|compared?|control|without it|against)\b",
    re.I,
)
ENOUGH = 0.7
"""Likeness at which one sentence counts as fully relevant to another."""

LEAST = 0.12
"""Minimum support for a sentence to count as a ground of a claim."""

STEM = 5
"""Length of the common prefix of two forms of a word, in letters."""


@dataclass(frozen=True, slots=True)
class Argument:
    """A parsed argument: the sentences of a text, its claims, and the evidence given with it."""

    sentences: list[Sentence]
    claims: list[Claim]
    evidence: list[str]

    @property
    def support(self) -> float:
        """Mean support of the claims, 0..1; 0 without claims."""
        return fmean([each.support for each in self.claims]) if self.claims else 0.0

    @property
    def hedged(self) -> float:
        """Share of the sentences that hedge."""
        return _share(HEDGES, self.sentences)

    @property
    def weighs(self) -> float:
        """Share of the sentences that consider another side."""
        return _share(OTHER_SIDE, self.sentences)

    @property
    def grounded(self) -> float:
        """Share of the sentences that give a ground."""
        return _share(GROUNDS, self.sentences)


def argument_of(
    sentences: Sequence[Sentence], evidence: Sequence[str], likeness: Similarity
) -> Argument:
    """Parse an argument; `likeness` compares its sentences and the evidence."""
    claimed = [each for each in sentences if CONCLUDES.search(each.text)]
    claimed = claimed or [each for each in sentences[-1:] if words_in(each.text)]
    words = {text: stems(text) for text in [*(each.text for each in sentences), *evidence]}
    claims = [_claim(each, sentences, evidence, likeness, words) for each in claimed]
    return Argument(list(sentences), claims, list(evidence))


def _claim(
    claim: Sentence,
    sentences: Sequence[Sentence],
    evidence: Sequence[str],
    likeness: Similarity,
    words: Mapping[str, set[str]],
) -> Claim:
    ours = words[claim.text]
    others = (each for each in sentences if each != claim and not each.text.endswith("?"))
    grounds = [each.text for each in others if words[each.text] != ours]  # no repetitions
    held = {
        ground: _speaks_of(likeness.of(ground, claim.text), words[ground], ours)
        for ground in [*grounds, *evidence]
    }
    best = sorted(held, key=held.__getitem__, reverse=True)[:2]
    grounds = [ground for ground in best if held[ground] >= LEAST]
    return Claim(
        text=claim.text,
        start=claim.start,
        end=claim.end,
        support=round(max(held.values(), default=0.0), 3),
        supported_by=grounds,
        hedged=HEDGES.search(claim.text) is not None,
        absolute=ABSOLUTES.search(claim.text) is not None,
    )


def _speaks_of(alike: float, ground: set[str], claim: set[str]) -> float:
    """Return how relevant a ground is to a claim, 0..1, by likeness and shared words."""
    shared = len(claim & ground) / len(claim) if claim else 0.0
    return min(1.0, 0.5 * alike / ENOUGH + 0.5 * shared)


def stems(text: str) -> set[str]:
    """Return the prefixes of the content words of a text."""
    return {word[:STEM] for word in words_in(text)}


def _share(pattern: re.Pattern[str], sentences: Sequence[Sentence]) -> float:
    hits = sum(pattern.search(each.text) is not None for each in sentences)
    return hits / len(sentences) if sentences else 0.0
