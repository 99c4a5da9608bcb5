"""Parses dates and periods in texts and turns them into index terms for retrieval."""
