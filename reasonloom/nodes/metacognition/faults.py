"""Detects faults of an argument by its words, each with the sentences that show it and a remedy."""

import re
from collections.abc import Callable, Iterator
from itertools import combinations, islice, product
from typing import NamedTuple

from reasonloom.contracts.metacognition import Claim
from reasonloom.nodes.metacognition.argument import GROUNDS, Argument, stems
from reasonloom.nodes.metacognition.spans import Sentence
from reasonloom.text.contradiction import contradiction, statement_contradiction, statements
from reasonloom.text.shortening import shorten

MOST_PAIRS = 800
"""Maximum number of pairs of sentences to compare, in order."""

LONGEST_ITEM = 2_000
"""Characters, from the start, of an item of evidence to compare with sentences."""

MOST_FAULTS = 12
SAME = 0.8
"""Minimum share of common words at which two sentences count as equivalent."""

BACKED = 0.3
"""Minimum support at which a claim does not count as unsupported."""

FIGURE = re.compile(r"\d")

LEAST_WORDS = 3
FEW = re.compile(
    r"\b(?:one|a single|two|once|twice|my (?:own )?\w+|the other day|yesterday)\b", re.I
)
ALL = re.compile(
    r"\b(?:all|every|everyone|everybody|always|never|nobody|no one|none of|any|in general|as a rule"
    r"|people (?:like|of) )\b",
    re.I,
)
TOGETHER = re.compile(
    r"\b(?:since|after|when|whenever|as soon as|at the same time|rose|fell|went (?:up|down)"
    r"|(?:in|de)creased|more .{1,40} more|correlat\w+|coincid\w+|the year that|goes? with)\b",
    re.I,
)
CAUSE = re.compile(
    r"\b(?:caus\w+|because of|due to|owing to|thanks to|makes?|made|drives?|drove|brought about"
    r"|responsible for|leads? to|led to|results? (?:in|from)|is (?:why|behind)|effect of)\b",
    re.I,
)
RULED_OUT = re.compile(
    r"\b(?:control|compar\w+|random\w*|by lot|without|otherwise|unchanged|same"
    r"|other (?:cause|reason|explanation)s?|rul\w+ out|except|neither|whereas|stayed"
    r"|swapped|back again|blind)\b",
    re.I,
)
OF = re.compile(r"\b(\d[\d,]*) (?:out )?of (?:the |our |its )?(\d[\d,]*)\b")


class Fault(NamedTuple):
    """A fault: its kind, a description, the remedy, and the sentences that show it."""

    kind: str
    text: str
    cure: str
    where: tuple[Sentence, ...]


def faults_of(argument: Argument, *, argues: bool = True) -> list[Fault]:
    """Return up to `MOST_FAULTS` detected faults; the absence of faults proves nothing.

    A text that does not argue is not checked for unsupported claims.
    """
    detectors = [each for each in DETECTORS if argues or each is not _unsupported]
    found = (fault for detect in detectors for fault in detect(argument))
    return list(islice(found, MOST_FAULTS))


def _contradictions(argument: Argument) -> Iterator[Fault]:
    stated = [(each, statements(each.text)) for each in argument.sentences]
    for (one, ours), (other, theirs) in islice(combinations(stated, 2), MOST_PAIRS):
        if why := statement_contradiction(ours, theirs):
            text = f"It contradicts itself: {why}"
            yield Fault("contradiction", text, "Decide which of the two holds.", (one, other))


def _against_evidence(argument: Argument) -> Iterator[Fault]:
    stated = [(each, statements(each.text)) for each in argument.sentences]
    items = [statements(item[:LONGEST_ITEM]) for item in argument.evidence]
    for (sentence, ours), theirs in islice(product(stated, items), MOST_PAIRS):
        if why := statement_contradiction(ours, theirs):
            text = f"It clashes with the evidence: {why}"
            cure = "Check the evidence, and correct whichever is wrong."
            yield Fault("evidence_clash", text, cure, (sentence,))


def _numbers(argument: Argument) -> Iterator[Fault]:
    for sentence in argument.sentences:
        for match in OF.finditer(sentence.text):
            part, whole = (int(each.replace(",", "")) for each in match.groups())
            if part > whole:
                text = f"A part is greater than its whole: “{match[0]}”."
                yield Fault("number_mismatch", text, "Check these figures.", (sentence,))


def _circles(argument: Argument) -> Iterator[Fault]:
    stemmed = [(each, stems(each.text)) for each in argument.sentences]
    for claim in argument.claims:
        ours = stems(claim.text)
        for other, theirs in stemmed:
            least = min(len(ours), len(theirs))
            if other.start == claim.start or least < LEAST_WORDS:
                continue
            if len(ours & theirs) / least >= SAME and not contradiction(claim.text, other.text):
                text = f"{_quote(other.text)} says again what {_quote(claim.text)} claims."
                cure = "Give a ground that does not already contain the claim."
                yield Fault("circularity", text, cure, (other,))


def _unsupported(argument: Argument) -> Iterator[Fault]:
    """Find absolute claims with little support, and claims without any ground.

    Likeness alone does not distinguish grounds from filler: on pairs of sound and flawed reasoning
    it is equally low for both. So a claim only counts as bare if there is no evidence and no other
    sentence has a figure or a word that introduces a ground.
    """
    for claim in argument.claims:
        if claim.support >= BACKED:
            continue
        where = tuple(each for each in argument.sentences if each.start == claim.start)
        if claim.absolute and not claim.hedged:
            text = f"{_quote(claim.text)} allows no doubt, and little that is given speaks of it."
            yield Fault("overconfidence", text, "Say how sure it is, and why.", where)
        elif _is_bare(claim, argument):
            text = (
                f"Nothing stands beside {_quote(claim.text)} that shows it: no ground, no figure."
            )
            yield Fault("unsupported_claim", text, "Say what shows it.", where)


def _is_bare(claim: Claim, argument: Argument) -> bool:
    others = (each.text for each in argument.sentences if each.start != claim.start)
    return not argument.evidence and not any(
        GROUNDS.search(text) or FIGURE.search(text) for text in others
    )


def _generalisations(argument: Argument) -> Iterator[Fault]:
    few = next((each for each in argument.sentences if FEW.search(each.text)), None)
    for sentence in argument.sentences:
        found = ALL.search(sentence.text)
        if found and few and few != sentence:
            text = f"{_quote(sentence.text)} speaks of all; {_quote(few.text)} is a case or few."
            cure = "Look at more cases, taken without choosing, before speaking of all."
            yield Fault("hasty_generalisation", text, cure, (sentence, few))
            return


def _causes(argument: Argument) -> Iterator[Fault]:
    together = [each for each in argument.sentences if TOGETHER.search(each.text)]
    if not together or any(RULED_OUT.search(each.text) for each in argument.sentences):
        return
    for sentence in argument.sentences:
        if CAUSE.search(sentence.text):
            text = f"That things went together is taken for a cause: {_quote(sentence.text)}"
            cure = "Compare with where the supposed cause was absent, and rule out a third cause."
            yield Fault("correlation_for_cause", text, cure, (sentence,))
            return


def _quote(text: str) -> str:
    return f"“{shorten(text, 100, placeholder=' …')}”"


DETECTORS: tuple[Callable[[Argument], Iterator[Fault]], ...] = (
    _contradictions,
    _against_evidence,
    _numbers,
    _circles,
    _unsupported,
    _generalisations,
    _causes,
)
