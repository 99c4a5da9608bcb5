"""The project's own eval suites."""
