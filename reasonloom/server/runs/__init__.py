"""Runs as clients follow them: links to their pages, and subscriptions to their changes."""
