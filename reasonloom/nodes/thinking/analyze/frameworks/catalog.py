"""The eight frameworks by id."""

from collections.abc import Mapping
from types import MappingProxyType

from reasonloom.nodes.thinking.analyze.frameworks.creation import (
    CREATIVE_PROBLEM_SOLVING,
    DESIGN_THINKING,
    FIRST_PRINCIPLES,
    SCENARIO_PLANNING,
)
from reasonloom.nodes.thinking.analyze.frameworks.framework import Framework
from reasonloom.nodes.thinking.analyze.frameworks.investigation import (
    CRITICAL_THINKING,
    ROOT_CAUSE_ANALYSIS,
    SCIENTIFIC_METHOD,
    SYSTEMS_THINKING,
)

FRAMEWORKS: Mapping[str, Framework] = MappingProxyType(
    {
        each.id: each
        for each in (
            SCIENTIFIC_METHOD,
            DESIGN_THINKING,
            SYSTEMS_THINKING,
            CRITICAL_THINKING,
            CREATIVE_PROBLEM_SOLVING,
            ROOT_CAUSE_ANALYSIS,
            FIRST_PRINCIPLES,
            SCENARIO_PLANNING,
        )
    }
)
"""The frameworks by id, in the order of the reference."""
