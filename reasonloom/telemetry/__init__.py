"""The active run for the log, and spans and metrics of runs, tools and language models.

Uses only OpenTelemetry's API, which does nothing until `server/telemetry/` starts its SDK. The
contents of calls and answers are never recorded.
"""
