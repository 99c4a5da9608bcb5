"""Memory retrieval: candidates, scoring and ranking."""
