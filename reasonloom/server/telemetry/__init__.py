"""OpenTelemetry's SDK, where the environment configures it; not imported where it does not.

start.py     starts and ends it
outgoing.py  what leaves: names and numbers that are on a list, never contents
metered.py   counts the calls of tools
"""

from __future__ import annotations
