"""What is told of the work while it goes on: which run a line of the log is of, spans, metrics.

    work.py       the run that is carried on, for the log and for what it asks
    llm_calls.py  calls of language models
    calls.py      calls of tools, as they were answered

Only OpenTelemetry's interface is used here, which does nothing until `server/telemetry/` has
started its SDK. Nothing of what a call says or answers is ever told.
"""

from __future__ import annotations
