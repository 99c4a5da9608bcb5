"""Runs heavy calls in a lower-priority process, so that they do not delay other calls."""
