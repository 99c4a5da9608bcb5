"""The steps of Graph of Thoughts: one module an operation."""
