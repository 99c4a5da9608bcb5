"""Transcripts of other hosts."""
