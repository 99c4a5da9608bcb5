"""All signs by which a framework is chosen.

English and German. A sign is what is asked for, the form of the question, tense, and how the
clauses hang together; not a subject matter, since any subject may need any framework.
"""

from reasonloom.nodes.thinking.analyze.features.creation import FEATURES as MAKING
from reasonloom.nodes.thinking.analyze.features.investigation import FEATURES as FINDING_OUT
from reasonloom.nodes.thinking.analyze.frameworks.feature import Feature

FEATURES: tuple[Feature, ...] = (*FINDING_OUT, *MAKING)
