"""OpenTelemetry's SDK, imported and started only where the environment configures it."""
