"""What a thought's own words show it to be: a hypothesis, a conclusion, or neither."""

from __future__ import annotations

import re

CONCLUDES = re.compile(
    r"^\W*(?:therefore|thus|hence|consequently|so\b,|in conclusion|to conclude|it follows that|"
    r"we conclude|also gilt|daher|deshalb|folglich|somit|daraus folgt|schluss)\b",
    re.I,
)
SUPPOSES = re.compile(
    r"\b(?:hypothesis|hypothesi[sz]e|suppose|assume|assuming|perhaps|maybe|possibly|might|could be|"
    r"would explain|hypothese|angenommen|vermutlich|vielleicht|möglicherweise|könnte)\b",
    re.I,
)


def shown_type(text: str) -> str | None:
    """Return `conclusion` or `hypothesis` where the words show it, else None.

    English and German cues; a thought in another language stays a thought.
    """
    if CONCLUDES.search(text):
        return "conclusion"
    return "hypothesis" if SUPPOSES.search(text) else None
