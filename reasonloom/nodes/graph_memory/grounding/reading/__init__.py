"""Parses text for grounding: clauses, terms, figures, moods and matches."""
