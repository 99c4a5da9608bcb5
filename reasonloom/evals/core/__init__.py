"""The core of all evals: items, ways to answer them, scores, and runs that can be resumed."""
