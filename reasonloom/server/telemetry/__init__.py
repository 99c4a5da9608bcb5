"""OpenTelemetry's SDK, imported and started only if the environment configures it."""
