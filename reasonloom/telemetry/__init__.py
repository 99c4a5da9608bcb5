"""The active run for the log, and spans and metrics of runs, tools and language models.

Only OpenTelemetry's API is used here, which does nothing until `server/telemetry/` has started
its SDK. Contents of calls and answers are never recorded.
"""
