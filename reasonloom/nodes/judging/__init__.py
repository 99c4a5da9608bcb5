"""Shared helpers for judges: several viewpoints in one call, and merging of findings."""
