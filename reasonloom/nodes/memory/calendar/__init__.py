"""Dates and periods that texts name: read, and turned into terms by which memories are found."""
