"""The packaged plans, each a JSON file named after the plan."""

import json
from importlib.resources import files

from reasonloom.contracts.thought_graph.plans import Plan
from reasonloom.contracts.validation import parse_request
from reasonloom.errors import UnknownName

SUFFIX = ".json"


def plan_names() -> list[str]:
    """Return the names of the packaged plans."""
    found = (each.name for each in files(__name__).iterdir())
    return sorted(name.removesuffix(SUFFIX) for name in found if name.endswith(SUFFIX))


def packaged_plan(name: str) -> Plan:
    """Return a packaged plan.

    Raises:
        UnknownName: there is no such plan.
    """
    if name not in plan_names():
        raise UnknownName(
            f"there is no plan {name}; there are {', '.join(plan_names())}", field="plan"
        )
    return parse_request(Plan, json.loads((files(__name__) / f"{name}{SUFFIX}").read_text("utf-8")))
