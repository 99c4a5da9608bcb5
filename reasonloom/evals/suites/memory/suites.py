"""The retrieval suites there are."""

from __future__ import annotations

from reasonloom.errors import UnknownName
from reasonloom.evals.suites.memory import data as people
from reasonloom.evals.suites.memory import datasets as locomo
from reasonloom.evals.suites.memory.collection import Retrieval

SUITES = {
    suite.name: suite
    for suite in (
        Retrieval("locomo", locomo.load, apart=("adversarial",)),
        Retrieval("people", people.load, apart=("nothing",)),
    )
}


def suite(name: str) -> Retrieval:
    """Return the suite of a name.

    Raises:
        UnknownName: there is none such.
    """
    if name not in SUITES:
        raise UnknownName(f"there is no eval {name}; known: {', '.join(SUITES)}", field="name")
    return SUITES[name]
