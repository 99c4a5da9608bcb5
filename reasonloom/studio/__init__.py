"""Web pages on the local database: thoughts, memories, runs and evals."""
