"""Thinking in streams: one alone, four in parallel, or four that exchange insights (ponder)."""
