"""Retrieval of memories: candidates, scores, ranking."""
