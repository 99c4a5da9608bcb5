"""Thinking in streams: one alone, four in parallel, or four that hear each other (ponder)."""
