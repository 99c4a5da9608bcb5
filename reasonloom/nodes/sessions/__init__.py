"""Reasoning sessions: context, figures and drawings."""
