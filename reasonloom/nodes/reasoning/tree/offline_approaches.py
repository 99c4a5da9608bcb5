"""Approaches without a language model: known methods, filled with the problem's words.

They differ in method only. None is followed to its end, and nothing says which is good: a
method whose cue occurs in the problem comes first, the others in their order.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from reasonloom.nodes.reasoning.tree.state import Approach
from reasonloom.text.extraction import Findings
from reasonloom.text.sentences import join_sentences
from reasonloom.text.shortening import shorten
from reasonloom.text.words import words_in

MOST_WORDS = 6
"""Words of the problem that an approach names."""

LONGEST_WORD = 40
LONGEST_FACT = 300
"""Characters of known facts: with more, all approaches would be nearly the same text."""

UNKNOWN = "Nothing is known about it."


@dataclass(frozen=True, slots=True)
class Method:
    """A method: its instruction for the problem's `{words}`, and the cue that calls for it."""

    name: str
    instruction: str
    cue: str

    def called_by(self, content: str) -> str:
        """Return the words of the problem that call for this method, empty if there are none."""
        found = re.search(rf"\b(?:{self.cue})\b", content, re.I)
        return found[0] if found else ""


METHODS = (
    Method(
        "decomposition",
        "Take the problem apart: settle each of these by itself, then how one bears on the next: "
        "{words}.",
        r"and|both|as well as|und|sowohl",
    ),
    Method(
        "working backwards",
        "Start at the end: suppose it is done, say what must have held just before, and go back "
        "step by step until you stand at {words}.",
        r"how (?:can|do|to|could|should)|achieve|reach|so that|wie kann|erreichen|damit",
    ),
    Method(
        "constraints first",
        "List what cannot be otherwise about {words}; strike out every option that breaks one of "
        "these limits before weighing any.",
        r"must|without|at (?:most|least)|only|cannot|budget|deadline|muss|darf|ohne|nur",
    ),
    Method(
        "elimination",
        "Write down all answers that are open for {words}, look for one fact that rules each of "
        "them out, and keep those that survive.",
        r"or|which|versus|vs|between|choose|oder|welche[rsnm]?|zwischen",
    ),
    Method(
        "looking for the cause",
        "Ask what came before {words}, and what before that; change the earliest link that is in "
        "reach instead of what is seen last.",
        r"why|cause[ds]?|because|reason|fail(?:s|ed|ing)?|warum|weshalb|wieso|ursache",
    ),
    Method(
        "analogy",
        "Find a case elsewhere that is built the same as {words}, carry over how it was solved, "
        "and mark the point where the likeness ends.",
        r"like|similar(?:ly)?|such as|as in|wie bei|ähnlich",
    ),
    Method(
        "extremes",
        "Let one quantity of {words} become nothing, then enormous; what breaks at either end "
        "shows which quantity decides.",
        r"\d+|more|less|how (?:many|much|long|far)|mehr|weniger|wie (?:viele?|lange|weit)",
    ),
    Method(
        "counterexample",
        "Turn the likeliest claim about {words} into a rule, and try to build a single case in "
        "which the rule is false.",
        r"always|never|all|every|any|nobody|immer|nie|alle[rsnm]?|jede[rsnm]?",
    ),
    Method(
        "contradiction",
        "Assume the opposite of what is to be shown for {words}, and follow it until it collides "
        "with something certain, or does not.",
        r"prove|show that|true|false|whether|impossible|beweise|zeige|ob",
    ),
    Method(
        "another picture",
        "Redraw {words} as a table, a map or a line of time, and read off what the sentence hid.",
        r"where|when|schedule|order|route|plan|wo|wann|reihenfolge|route",
    ),
    Method(
        "special case",
        "Solve the smallest version of {words} that still has the difficulty, then see what "
        "changes with each step towards the whole.",
        r"general(?:ly)?|large|complex|big|whole|allgemein|groß|ganze[rsnm]?",
    ),
    Method(
        "what stays the same",
        "Name whatever does not change while everything around {words} does; an answer has to "
        "respect it.",
        r"change[sd]?|grow(?:s|ing)?|moves?|become[s]?|ändern|wächst|wird",
    ),
)


def approaches_for(
    content: str, material: Mapping[str, object], most: int, *, but: int = 0
) -> list[Approach]:
    """Return at most `most` approaches, those called for first; the first `but` are skipped.

    `material` is what is known besides the problem, as a prompt gets it.
    """
    called = [(method.called_by(content), method) for method in METHODS]
    ordered = sorted(called, key=lambda each: not each[0])
    known = known_facts(content, material)
    words = salient_words(content)
    return [
        Approach(
            name=method.name,
            approach=f"{method.instruction.format(words=words)} {known or UNKNOWN}",
            known=known,
            because=cue,
        )
        for cue, method in ordered[but : but + most]
    ]


def known_facts(content: str, material: Mapping[str, object]) -> str:
    """Return what the material says about the problem, empty if nothing."""
    others = {name: value for name, value in material.items() if name != "content"}
    ranked = Findings.of({"content": content, **others}).ranked
    facts = [each for each in ranked[:2] if each not in content]
    facts_text = join_sentences(facts)
    return (
        f"Known of it: {shorten(facts_text, LONGEST_FACT, placeholder='…')}" if facts_text else ""
    )


def salient_words(content: str) -> str:
    """Return the first content words of a problem, as written there."""
    written = {word.casefold(): word for word in reversed(re.findall(r"\w+", content))}
    words = dict.fromkeys(words_in(content))
    named = [written.get(word, word)[:LONGEST_WORD] for word in words][:MOST_WORDS]
    return ", ".join(named) or shorten(content, LONGEST_WORD, placeholder="…") or content.strip()
