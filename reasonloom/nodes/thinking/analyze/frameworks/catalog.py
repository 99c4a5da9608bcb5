"""The eight frameworks by id."""

from collections.abc import Mapping
from types import MappingProxyType

from reasonloom.nodes.thinking.analyze.frameworks import creation, investigation
from reasonloom.nodes.thinking.analyze.frameworks.framework import Framework

FRAMEWORKS: Mapping[str, Framework] = MappingProxyType(
    {
        each.id: each
        for each in (
            investigation.SCIENTIFIC_METHOD,
            creation.DESIGN_THINKING,
            investigation.SYSTEMS_THINKING,
            investigation.CRITICAL_THINKING,
            creation.CREATIVE_PROBLEM_SOLVING,
            investigation.ROOT_CAUSE_ANALYSIS,
            creation.FIRST_PRINCIPLES,
            creation.SCENARIO_PLANNING,
        )
    }
)
"""The frameworks by id, in the order of the reference."""
