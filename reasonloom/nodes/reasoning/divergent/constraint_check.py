"""Check a viewpoint against constraints, with an independent judge or by word matching."""

import re
from typing import Any

from reasonloom.nodes.execution import Execution
from reasonloom.nodes.offline import undecided
from reasonloom.nodes.runs.llm_call import Question, ask_or_note
from reasonloom.text.words import words_in

FORBIDS = re.compile(
    r"\b(?:no|not|never|without|avoid|avoids|cannot|nobody|nothing|\w+n't)\b", re.I
)
"""English only: a ban in another language reads as a demand, which words cannot disprove."""

NEAR = 3
"""How many preceding words are searched for a negation."""

MENTIONED = 0.5
"""The share of a demand's words that must occur for it to count as met."""


async def check_constraints(
    execution: Execution, question: Question
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return a verdict for each constraint in the question's variables, and notes on the check.

    Constraints that the judge omits are checked by word matching. Without a language model there is
    nothing to check, and all remain undecided.
    """
    viewpoint, constraints = (question.variables[name] for name in ("viewpoint", "constraints"))
    if not constraints or execution.loom.llm.offline:
        return undecided(constraints), []
    by_words = [_by_words(viewpoint, each) for each in constraints]
    heard = await ask_or_note(execution, question, "the check of a perspective's constraints")
    verdicts = {each["constraint"]: each for each in (heard.parsed or {}).get("verdicts", ())}
    return [
        {
            "constraint": constraint,
            "kept": verdicts[number]["kept"],
            "by": "llm",
            "why": verdicts[number]["why"],
        }
        if number in verdicts
        else by_words[number - 1]
        for number, constraint in enumerate(constraints, 1)
    ], heard.notes


def _by_words(viewpoint: str, constraint: str) -> dict[str, Any]:
    """Return a verdict by word matching: no forbidden word, or enough of the demanded ones."""
    kept, why = _verdict_by_words(viewpoint, constraint)
    return {"constraint": constraint, "kept": kept, "by": "words", "why": f"by words only: {why}"}


def _verdict_by_words(viewpoint: str, constraint: str) -> tuple[bool | None, str]:
    ban = FORBIDS.search(constraint)
    if ban:
        forbidden = words_in(constraint[ban.end() :])
        affirmed = [word for word in forbidden if _is_affirmed(word, viewpoint)]
        if affirmed:
            return False, f"it says {', '.join(affirmed)}"
        return True, f"it does not say {', '.join(forbidden)}"
    demanded = dict.fromkeys(words_in(constraint))
    found = demanded.keys() & set(words_in(viewpoint))
    if demanded and len(found) / len(demanded) >= MENTIONED:
        return True, f"it says {', '.join(sorted(found))}"
    return None, "its words do not tell"


def _is_affirmed(word: str, text: str) -> bool:
    """Return whether `text` contains `word` at least once without a negation shortly before it."""
    tokens = re.findall(r"[\w']+", text.casefold())
    return any(
        token == word and not FORBIDS.search(" ".join(tokens[max(0, place - NEAR) : place]))
        for place, token in enumerate(tokens)
    )
