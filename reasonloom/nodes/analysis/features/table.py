"""All signs by which a framework is chosen.

English and German. A sign is what is asked for, the form of the question, tense, and how the
clauses hang together; not a subject matter, since any subject may need any framework.
"""

from reasonloom.nodes.analysis.features.feature import Feature
from reasonloom.nodes.analysis.features.finding_out import FEATURES as FINDING_OUT
from reasonloom.nodes.analysis.features.making import FEATURES as MAKING

FEATURES: tuple[Feature, ...] = (*FINDING_OUT, *MAKING)
